"""The page for developers, through the shipped nginx: each command of it works as it is printed.

The hosts of the service are one, so that curl reaches the addresses that the page names."""

import html
import itertools
import json
import re
import subprocess
import urllib.parse

import pytest

import node_suite
import stack as stacks
from oauth_store import CLIENT, SECRET, URI
from processes import PATIENCE
from uploads import Application
from user_agent import Browser, Page

SRT = "1\n00:00:01,000 --> 00:00:02,000\nHello\n"


class Here(Browser):
    """A browser at the address of the service."""

    def request(self, target, host=None, fields=None):
        return super().request(target, host=host or f"127.0.0.1:{self.nginx.port}", fields=fields)


class Shell:
    """Runs the page's lines in a folder with the files that they send; curl reports each status."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "captions.srt").write_text(SRT)
        (folder / "chapters.vtt").write_text("WEBVTT\n\n00:00.000 --> 00:01.000\nBeginning\n")
        (folder / "film.mp4").write_bytes(b"not yet a film")
        (folder / ".curlrc").write_text('write-out = "%{stderr}%{http_code}"\n')

    def run(self, script, **variables):
        environment = {"PATH": "/usr/bin:/bin", "CURL_HOME": str(self.folder), **variables}
        return subprocess.run(["sh", "-euc", script], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE)

    def json(self, script, **variables):
        done = self.run(script, **variables)
        assert done.returncode == 0 and done.stderr == "200", (script, done.stdout, done.stderr)
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def service(module_stack):
    node_suite.serve(module_stack, micro_cache=False)
    for role in ("grant", "web", "upload"):
        module_stack.start_pool(role, roles=role)
    return module_stack


@pytest.fixture(scope="module")
def page(service):
    answer = Here(service.nginx).request("/developers")
    assert answer.status == 200
    return answer.body.decode()


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def commands(page):
    """The curl lines, by their ids."""
    return {name: html.unescape(line) for name, line in
            re.findall(r'<code class="curl" id="([^"]+)">(.*?)</code>', page, re.S)}


def documented(page, place):
    """The first status of an operation: that of its success."""
    section = page[page.index(f'<h3 id="{place}">'):]
    return re.search(r'<dl class="statuses">\s*<dt><code>(\d+)</code>', section)[1]


class Records:
    """A media with captions, its possible replacement, and an empty project: all new for each operation."""

    def __init__(self, service):
        self.service, self.numbers = service, itertools.count(1)
        self.application = Application(service, service.nginx, account=1001)
        self.token = self.application.token

    def post(self, path, body, content_type="application/json"):
        answer = self.application.nginx.request(self.application.path(path), method="POST", host="api.svc.example", body=body,
                                                headers={"Content-Type": content_type})
        assert answer.status == 201, (path, answer.status, answer.body)
        return json.loads(answer.body)

    def ready(self):
        """The id of a new media, like one of the catalog."""
        film = next(record for record in map(json.loads, stacks.CATALOG.read_text().splitlines()) if record.get("id") == "l4unchf1lm")
        media = f"developer{next(self.numbers)}"
        file = self.service.directory / "media.jsonl"
        assets = [asset for asset in film["assets"] if asset["type"] != "captions"]
        file.write_text(json.dumps({**film, "id": media, "assets": assets}) + "\n")
        self.service.import_catalog(file)
        return media

    def new(self, *, captions):
        media, replacement = self.ready(), self.ready()
        if captions:
            self.post(f"/v1/medias/{media}/captions", json.dumps({"language": "en", "caption_file": SRT}).encode())
        project = self.post("/v1/projects", b'{"name":"A project"}')["hashedId"]
        return {"token": self.token, "media": media, "replacement": replacement, "project": project, "language": "en"}


def test_pages_W61_each_command_of_an_operation_works(service, page, shell):
    document = json.loads(Here(service.nginx).request("/v1/openapi.json").body)
    lines = {name.removeprefix("curl-"): line for name, line in commands(page).items() if name.startswith("curl-")}
    described = {f"{method}{path.removeprefix('/v1')}".replace("{", "").replace("}", "").replace("/", "-").replace(".", "-")
                 for path, item in document["paths"].items() for method in item}
    assert set(lines) == described and len(lines) > 20
    records = Records(service)
    wrong = {}
    for place, line in lines.items():
        variables = records.new(captions="post-medias-media-captions" != place)
        if place == "get-openapi-json":
            variables = {}
        done = shell.run(line, **variables)
        if (done.returncode, done.stderr) != (0, documented(page, place)):
            wrong[place] = (line, done.returncode, done.stdout, done.stderr)
    assert wrong == {}


def authorized(service, shell, verifier, link, known):
    """A code, and its verifier, by the page's lines."""
    done = shell.run(f"{verifier}\n{link}\necho $verifier", **known)
    assert done.returncode == 0, done.stderr
    address, proof = done.stdout.split()
    browser = Here(service.nginx)
    asked = browser.log_in(browser.page(address[address.index("/oauth/"):]), "olivia@acme.example")
    sent = urllib.parse.urlsplit(browser.answer(Page(asked), "allow").headers["location"])
    return dict(urllib.parse.parse_qsl(sent.query))["code"], proof


def test_pages_W61_its_lines_for_a_program_without_a_secret_work(service, page, shell):
    redirect = "http://localhost/callback"
    file = service.directory / "public.jsonl"
    file.write_text(json.dumps({
        "kind": "application", "type": "public", "client_id": "developer-public", "account_id": 1001, "name": "Public",
        "redirect_uris": [redirect], "scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"}) + "\n")
    service.import_catalog(file)
    _, verifier, link = [html.unescape(block) for block in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.S)]
    known = {"client_id": "developer-public", "redirect_uri": "http://localhost:49152/callback"}
    code, proof = authorized(service, shell, verifier, link, known)
    lines = commands(page)
    tokens = shell.json(lines["public-exchange"], **known, code=code, verifier=proof)
    for _ in range(2):
        former = tokens["refresh_token"]
        tokens = shell.json(lines["public-refresh"], **known, refresh_token=former)
        assert tokens["refresh_token"] != former
        assert shell.json(lines["first-use"], token=tokens["access_token"])["id"] == 1001


def test_pages_W61_its_lines_lead_from_the_registration_to_the_end_of_a_token(service, page, shell):
    values, verifier, link = [html.unescape(block) for block in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.S)]
    assert re.findall(r"(?m)^(\w+)=", values) == ["client_id", "client_secret", "redirect_uri"] and URI in values
    assert "openssl" in verifier
    known = {"client_id": CLIENT, "client_secret": SECRET, "redirect_uri": URI}
    code, proof = authorized(service, shell, verifier, link, known)
    lines = commands(page)
    refused = shell.run(lines["exchange"], **known, code=code, code_verifier="x", verifier="x" * 43)
    assert "400" in refused.stderr
    tokens = shell.json(lines["exchange"], **known, code=code, verifier=proof)
    assert shell.json(lines["first-use"], token=tokens["access_token"])["id"] == 1001
    other = shell.json(lines["refresh"], **known, refresh_token=tokens["refresh_token"])["access_token"]
    assert shell.json(lines["first-use"], token=other)["id"] == 1001
    done = shell.run(lines["revoke"], **known, refresh_token=tokens["refresh_token"])
    assert (done.returncode, done.stderr) == (0, "200")
    assert "401" in shell.run(lines["first-use"], token=other).stderr
