"""The pages for developers, through the shipped nginx: each command of them works as it is printed.

The hosts of the service are one, so that curl reaches the addresses that the page names."""

import contextlib
import html
import http.client
import itertools
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest

import ctl_calls
import node_suite
import stack as stacks
from oauth_store import CLIENT, SECRET, URI
from processes import PATIENCE, free_port, wait_until
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
        (folder / "chapters.vtt").write_text("WEBVTT\n\n00:00.000 --> 00:04.000\nBeginning\n")
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


def films_for_every_site(file):
    """Writes the catalog with films that stay as they are when their account has a site (oembed-W13). Returns its path."""
    file.write_text("".join(json.dumps(line | ({"allowed_domains": []} if line["kind"] == "media" else {})) + "\n"
                            for line in stacks.catalog_lines()))
    return file


@pytest.fixture(scope="module")
def service(module_stack):
    node_suite.serve(module_stack, films_for_every_site(module_stack.directory / "catalog.jsonl"), micro_cache=False,
                     example_media="l4unchf1lm")
    for role in ("embed", "grant", "web", "upload"):
        module_stack.start_pool(role, roles=role)
    return module_stack


@pytest.fixture(scope="module")
def pages(service):
    """The text of each page, by its name: the last part of its address."""
    browser = Here(service.nginx)
    first = browser.request("/developers").body.decode()
    found = {}
    for path in re.findall(r'<a href="(/developers(?:/[a-z]+)?)"', first):
        answer = browser.request(path)
        assert answer.status == 200, path
        found[path.removeprefix("/developers").removeprefix("/")] = answer.body.decode()
    assert len(found) >= 10, found.keys()
    return found


@pytest.fixture(scope="module")
def page(pages):
    return pages["api"]


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def blocks(page, kind="shell"):
    """The blocks of a page of that kind, by their ids, in their order."""
    return {name: html.unescape(re.sub(r"</?span[^>]*>", "", text)) for name, text in
            re.findall(rf'<code class="{kind}" id="([^"]+)">(.*?)</code>', page, re.S)}


def documented(page, place):
    """The first status of an operation: that of its success."""
    section = page[page.index(f'<h3 id="{place}">'):]
    return re.search(r'<dl class="statuses">\s*<dt><code>(\d+)</code>', section)[1]


class Records:
    """A media with captions, its possible replacement, and an empty project: all new for each operation; and a domain."""

    numbers = itertools.count(1)

    def __init__(self, service):
        self.service = service
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
        file.write_text(json.dumps(stacks.with_own_files({**film, "assets": assets}, media)) + "\n")
        self.service.import_catalog(file)
        return media

    def new(self, *, captions):
        media, replacement = self.ready(), self.ready()
        if captions:
            self.post(f"/v1/medias/{media}/captions", json.dumps({"language": "en", "caption_file": SRT}).encode())
        link = self.post(f"/v1/medias/{media}/links", b'{"expires_in":3600}')["id"]
        project = self.post("/v1/projects", b'{"name":"A project"}')["hashedId"]
        self.post("/v1/allowed_domains", b'{"domain":"site.example"}')
        return {"token": self.token, "media": media, "replacement": replacement, "project": project, "language": "en",
                "link": link, "domain": "site.example"}

    def show_films_everywhere(self):
        """As before the first domain."""
        accounts = [line for line in stacks.catalog_lines() if line["kind"] == "account"]
        file = self.service.directory / "account.jsonl"
        file.write_text("".join(json.dumps({**account, "allowed_domains": []}) + "\n" for account in accounts))
        self.service.import_catalog(file)

    def all_of(self, known):
        """The owner's copies of these records, as the API returns them."""
        def read(path):
            answer = self.application.nginx.request(self.application.path(path), host="api.svc.example")
            assert answer.status == 200, (path, answer.status)
            return answer.body
        media = f"/v1/medias/{known['media']}"
        return [read(path) for path in (media, f"{media}/captions", f"{media}/customizations", f"/v1/medias/{known['replacement']}",
                                        f"/v1/projects/{known['project']}", "/v1/allowed_domains")]


def test_pages_W61_each_command_of_an_operation_works(service, page, shell):
    document = json.loads(Here(service.nginx).request("/v1/openapi.json").body)
    lines = {name.removeprefix("curl-"): line for name, line in blocks(page).items() if name.startswith("curl-")}
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
    records.show_films_everywhere()
    assert wrong == {}


def commands(page):
    """The command of each operation, by the operation's place in the page."""
    return {name.removeprefix("curl-"): line for name, line in blocks(page).items() if name.startswith("curl-")}


def test_pages_W61_each_command_of_an_operation_does_nothing_for_another_account(service, page, shell):
    records = Records(service)
    stranger = Application(service, service.nginx, account=1002).token
    known = records.new(captions=True)
    before = records.all_of(known)
    # The domain is only in the owner's list. The commands run before the other account adds the same domain.
    wrong = {}
    for place, line in sorted(commands(page).items(), key=lambda command: command[0] == "post-allowed_domains"):
        done = shell.run(line, **{**known, "token": stranger})
        names_a_record = re.search(r"\$(media|project|domain)\b", line)
        expected = (22, "404") if names_a_record else (0, documented(page, place))
        if (done.returncode, done.stderr[-3:]) != expected or any(known[name] in done.stdout for name in ("media", "replacement", "project")):
            wrong[place] = (line, done.returncode, done.stdout, done.stderr)
    after = records.all_of(known)
    records.show_films_everywhere()
    assert wrong == {}
    assert after == before


def test_pages_W61_each_command_of_an_operation_needs_its_scope(service, page, shell):
    document = json.loads(Here(service.nginx).request("/v1/openapi.json").body)
    every = set(document["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"]["scopes"])
    tokens = {scope: Application(service, service.nginx, scopes=scope, account=1001).token for scope in every}
    records = Records(service)
    known = records.new(captions=True)
    before = records.all_of(known)
    lines, tried, wrong = commands(page), set(), {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            taken = {*operation.get("x-token-scopes", ()),
                     *(scope for way in operation["security"] for scopes in way.values() for scope in scopes)}
            place = f"{method}{path.removeprefix('/v1')}".replace("{", "").replace("}", "").replace("/", "-").replace(".", "-")
            for scope in every - taken if taken else ():
                done = shell.run(lines[place], **{**known, "token": tokens[scope]})
                tried.add(place)
                if (done.returncode, done.stdout, done.stderr[-3:]) != (22, "", "403"):
                    wrong[place, scope] = (done.returncode, done.stdout, done.stderr)
    after = records.all_of(known)
    records.show_films_everywhere()
    assert wrong == {}
    assert after == before
    assert lines.keys() - tried == {"get-account", "get-openapi-json"}


def authorized(service, shell, lines, known, *, email="olivia@acme.example", account=None):
    """The address that the browser comes back to, the verifier and the state, by the page's lines. `account`: that of several
    that the user chooses."""
    done = shell.run(f"{lines['proof']}\n{lines['authorize']}\necho $verifier $state", **known)
    assert done.returncode == 0, done.stderr
    address, verifier, state = done.stdout.split()
    browser = Here(service.nginx)
    asked = browser.log_in(browser.page(address[address.index("/oauth/"):]), email)
    if account is not None:
        asked = browser.answer(Page(asked), "choose", account=account)
    return browser.answer(Page(asked), "allow").headers["location"], verifier, state


def test_pages_W61_its_lines_for_a_program_without_a_secret_work(service, pages, shell):
    file = service.directory / "public.jsonl"
    file.write_text(json.dumps({
        "kind": "application", "type": "public", "client_id": "developer-public", "account_id": 1001, "name": "Public",
        "redirect_uris": ["http://localhost/callback"], "scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"}) + "\n")
    service.import_catalog(file)
    lines = blocks(pages["oauth"])
    known = {"client_id": "developer-public", "redirect_uri": "http://localhost:49152/callback"}
    back, verifier, state = authorized(service, shell, lines, known)
    refresh = "\n".join([lines["public-refresh"], lines["first-use"], "echo"] * 2)
    done = shell.run("\n".join((lines["code"], lines["public-exchange"], 'first=$refresh_token', refresh, 'echo "$first" "$refresh_token"')),
                     **known, address=back, verifier=verifier, state=state)
    assert (done.returncode, done.stderr) == (0, "200" * 5), done
    *_, answer, tokens = done.stdout.strip().splitlines()
    assert json.loads(answer)["id"] == 1001
    first, last = tokens.split()
    assert first != last


def test_pages_W61_its_program_for_a_device_prints_the_account(service, pages, shell):
    file = service.directory / "device.jsonl"
    file.write_text(json.dumps({
        "kind": "application", "type": "public", "client_id": "developer-device", "account_id": 1001, "name": "Device",
        "redirect_uris": ["http://127.0.0.1/callback"], "scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"}) + "\n")
    service.import_catalog(file)
    program = shell.folder / "account.py"
    program.write_text(blocks(pages["oauth"], "python")["device"])
    olivia, manuel = "olivia@acme.example", "manuel@acme.example"
    for number, (email, account, answer, printed) in enumerate([
            (olivia, None, "allow", "Acme Films"), (manuel, 1002, "allow", "Binary & Sons <Studio>"),
            (olivia, None, "deny", "not allowed: access_denied")]):
        opened = shell.folder / f"opened-{number}"
        os.mkfifo(opened)
        # The browser of this user writes the address that it is to open.
        environment = {"PATH": "/usr/bin:/bin", "BROWSER": f"sh -c 'echo \"$0\" >{opened}' %s"}
        running = subprocess.Popen([sys.executable, program, "developer-device"], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:
            address = opened.read_text().strip()
            browser = Here(service.nginx)
            asked = browser.log_in(browser.page(address[address.index("/oauth/"):]), email)
            if account is not None:
                asked = browser.answer(Page(asked), "choose", account=account)
            back = browser.answer(Page(asked), answer).headers["location"]
            port = int(re.match(r"http://127\.0\.0\.1:(\d+)/callback\?", back)[1])
            forged = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            forged.request("GET", "/callback?code=theirs&state=another")
            assert forged.getresponse().status == 404
            forged.close()
            with urllib.request.urlopen(back, timeout=PATIENCE) as page:
                assert page.read() == b"You can close this window."
            output, _ = running.communicate(timeout=PATIENCE)
        finally:
            running.kill()
        assert (output.strip(), running.returncode) == (printed, 0 if answer == "allow" else 1)


def with_svcctl(service, shell):
    """The operator's shell, in which svcctl is that of the service."""
    program = shell.folder / "svcctl"
    program.write_text(f'#!/bin/sh\nexec {stacks.program("svcctl")} --config {service.config} "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{shell.folder}:/usr/bin:/bin"}


def account_token(service, *, account=1001, user="olivia@acme.example", scopes="media:read"):
    return ctl_calls.said(service, "token", "create", "--account", str(account), "--user", user, "--name", "A script",
                          "--scopes", scopes, "--expires", "30")["token"]


def stranger_token(service, **more):
    return account_token(service, account=1002, user="manuel@acme.example", **more)


def filled(block, **values):
    """The block with a value in place of each of its dots."""
    for name, value in values.items():
        block, count = re.subn(rf"\b{name}=\S*…", f"{name}={value}", block)
        assert count == 1, (name, block)
    assert "…" not in block
    return block


def uploaded(service, shell, name):
    """The id of a media that is newer than the catalog's."""
    return Application(service, service.nginx, account=1001).upload(shell.folder / "film.mp4", name=name)["hashed_id"]


def newest(service, count=3):
    """The ids of the media of the account that were created last, by a list in another order."""
    application = Application(service, service.nginx, account=1001)
    answer = application.nginx.request(application.path(sort_by="name"), host="api.svc.example")
    medias = sorted(json.loads(answer.body), key=lambda media: (media["created"], media["hashed_id"]))
    assert count < len(medias) < 100
    return medias[-count:]


def test_pages_W61_its_lines_for_a_script_print_the_newest_media(service, pages, shell):
    line = blocks(pages["scripts"])["script"]
    mine = uploaded(service, shell, "The newest of all")
    printed = shell.json(filled(line, token=account_token(service)))
    assert mine in [media["hashed_id"] for media in printed]
    assert [media["created"] for media in printed] == [media["created"] for media in reversed(newest(service))]
    theirs = shell.json(filled(line, token=stranger_token(service)))
    assert not {media["hashed_id"] for media in theirs} & {media["hashed_id"] for media in newest(service, 20)}
    refused = shell.run(filled(line, token=account_token(service, scopes="stats:read")))
    assert (refused.returncode, refused.stdout, refused.stderr[-3:]) == (22, "", "403")


def test_pages_W61_its_lines_for_a_service_print_the_account(service, pages, shell):
    lines = blocks(pages["scripts"])
    application = ctl_calls.said(service, "app", "create", "--account", "1001", "--name", "A service", "--scopes", "media:read",
                                 "--redirect-uri", "https://service.example/unused")
    known = {"client_id": application["client_id"], "client_secret": application["client_secret"]}
    refused = shell.run(filled(lines["service"], **known))
    assert (refused.returncode, refused.stdout) != (0, "") and "400" in refused.stderr
    allowed = shell.run(lines["service-allowed"], **with_svcctl(service, shell), client_id=known["client_id"])
    assert (allowed.returncode, allowed.stderr) == (0, ""), allowed
    done = shell.run(filled(lines["service"], **known))
    assert (done.returncode, done.stderr) == (0, "200200"), done
    assert json.loads(done.stdout)["id"] == 1001
    # A service of another account, that knows the id.
    theirs = ctl_calls.said(service, "app", "create", "--account", "1002", "--name", "Another service", "--scopes", "media:read",
                            "--redirect-uri", "https://service.example/unused")
    stranger = shell.run(filled(lines["service"], **{**known, "client_secret": theirs["client_secret"]}))
    assert stranger.returncode != 0 and "401" in stranger.stderr and "1001" not in stranger.stdout


@contextlib.contextmanager
def running_server(shell, lines, **environment):
    """The page's server, by its last block, at a port of this machine."""
    # The address first: a token can contain 8000.
    block = lines["mcp-run"].replace("https://mcp.example/mcp", environment["resource"]).replace("PORT=8000", f"PORT={environment['port']}")
    run = filled(block, CLIENT_ID=environment["client_id"], CLIENT_SECRET=environment["client_secret"], TOKEN=environment["token"])
    process = subprocess.Popen(["sh", "-c", f"exec env {run}"], cwd=shell.folder)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def sent(resource, message, token=None, **headers):
    """The response of the server to an agent's message: status, headers, object."""
    request = urllib.request.Request(resource, json.dumps(message if isinstance(message, list) else {"jsonrpc": "2.0", **message}).encode(), {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        **({"Authorization": f"Bearer {token}"} if token else {}), **headers})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, None


def first_answer(process, resource):
    """The server's response to an agent without a token, once the server listens."""
    answers = []

    def answered():
        assert process.poll() is None
        with contextlib.suppress(urllib.error.URLError):
            answers.append(sent(resource, {"id": 1, "method": "tools/list"}))
        return answers

    wait_until(answered, "the server listens")
    return answers[0]


def test_pages_W61_its_server_for_agents_lists_media_for_a_user_who_allowed_it(service, pages, shell):
    lines = blocks(pages["scripts"])
    port = free_port()
    resource = f"http://127.0.0.1:{port}/mcp"
    registered = lines["mcp-registered"].replace("https://mcp.example/mcp", resource).replace("ID ", "1001 ", 1) + " --json"
    server = shell.run(registered, **with_svcctl(service, shell))
    assert (server.returncode, server.stderr) == (0, ""), server
    credentials = {name: json.loads(server.stdout)[name] for name in ("client_id", "client_secret")}
    (shell.folder / "media_server.py").write_text(blocks(pages["scripts"], "python")["mcp-server"])
    agent = {"client_id": "developer-agent", "redirect_uri": "http://127.0.0.1:49153/callback"}
    file = service.directory / "agent.jsonl"
    file.write_text(json.dumps({
        "kind": "application", "type": "public", "client_id": agent["client_id"], "account_id": 1001, "name": "Agent",
        "redirect_uris": [agent["redirect_uri"]], "scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"}) + "\n")
    service.import_catalog(file)
    with running_server(shell, lines, **credentials, token=account_token(service), resource=resource, port=port) as process:
        # The way of an agent: from the 401 to the metadata of the server, then to those of this service.
        status, headers, _ = first_answer(process, resource)
        assert status == 401
        address = re.fullmatch(r'Bearer resource_metadata="([^"]+)", scope="media:read"', headers["WWW-Authenticate"])[1]
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            metadata = json.load(answer)
        assert metadata["resource"] == resource
        with urllib.request.urlopen(metadata["authorization_servers"][0] + "/.well-known/oauth-authorization-server",
                                    timeout=PATIENCE) as answer:
            assert json.load(answer)["issuer"] == metadata["authorization_servers"][0]

        asking = blocks(pages["oauth"])
        for_server = {**asking, "authorize": asking["authorize"].replace(
            "state=$state", f"state=$state&resource={urllib.parse.quote(resource, '')}")}

        def token_of(known, lines=for_server, **user):
            back, verifier, state = authorized(service, shell, lines, known, **user)
            done = shell.run("\n".join((lines["code"], lines["public-exchange"], "echo", "echo $token")), **known, address=back,
                             verifier=verifier, state=state)
            assert (done.returncode, done.stderr) == (0, "200"), done
            return done.stdout.split()[-1]

        token = token_of(agent)
        versions = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
        status, _, said = sent(resource, {"id": 1, "method": "initialize", "params": versions}, token)
        assert (status, said["result"]["protocolVersion"]) == (200, "2025-06-18")
        _, _, said = sent(resource, {"id": 1, "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}, token)
        assert said["result"]["protocolVersion"] == "2025-06-18"
        assert sent(resource, {"method": "notifications/initialized"}, token)[0] == 202
        _, _, said = sent(resource, {"id": 0, "method": "ping"}, token)
        assert said == {"jsonrpc": "2.0", "id": 0, "result": {}}
        _, _, said = sent(resource, {"id": 2, "method": "tools/list"}, token)
        (tool,) = said["result"]["tools"]
        call = {"id": 3, "method": "tools/call", "params": {"name": tool["name"], "arguments": {}}}
        uploaded(service, shell, "The newest for agents")
        _, _, said = sent(resource, call, token)
        named = said["result"]["content"][0]["text"].split("\n")
        assert "The newest for agents" in named and len(named) == 3
        assert sorted(named) == sorted(media["name"] for media in newest(service))
        for wrong in ({"name": "other"}, {}, [], "list_media"):
            _, _, said = sent(resource, {"id": 4, "method": "tools/call", "params": wrong}, token)
            assert said["error"]["code"] == -32601, wrong
        assert sent(resource, [call], token)[2]["error"]["code"] == -32600
        assert sent(resource, {"id": 5}, token)[2]["error"]["code"] == -32600
        assert sent(resource, call, token, **{"MCP-Protocol-Version": "1999-01-01"})[0] == 400

        # Pages of other sites; those of its own address may ask.
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{port + 1}", f"http://localhost:{port}"):
            assert sent(resource, call, token, Origin=origin)[0] == 403, origin
        assert sent(resource, call, token, Origin=f"http://127.0.0.1:{port}")[0] == 200

        # A token of another account, of the same user and application; and one without the permission.
        manuel = {"email": "manuel@acme.example"}
        assert sent(resource, call, token_of(agent, **manuel, account=1001))[0] == 200
        status, headers, _ = sent(resource, call, token_of(agent, **manuel, account=1002))
        assert (status, headers["WWW-Authenticate"]) == (403, 'Bearer error="access_denied"')
        counting = {"client_id": "developer-counting-agent", "redirect_uri": agent["redirect_uri"]}
        file.write_text(json.dumps({
            "kind": "application", "type": "public", "client_id": counting["client_id"], "account_id": 1001, "name": "Counting agent",
            "redirect_uris": [agent["redirect_uri"]], "scopes": ["stats:read"], "created": "2026-04-01T10:00:00Z"}) + "\n")
        service.import_catalog(file)
        status, headers, _ = sent(resource, call, token_of(counting))
        assert status == 403
        assert headers["WWW-Authenticate"].startswith('Bearer error="insufficient_scope", resource_metadata="')
        assert headers["WWW-Authenticate"].endswith('scope="media:read"')

        # A token of the same user for the data API is not one for this server, and the reverse.
        assert "401" in shell.run(asking["first-use"], token=token).stderr
        for other in (account_token(service), token_of(agent, asking), "svca_nobody"):
            status, headers, _ = sent(resource, call, other)
            assert (status, 'error="invalid_token"' in headers["WWW-Authenticate"]) == (401, True)


def test_pages_W61_its_lines_lead_from_the_registration_to_the_end_of_a_token(service, pages, shell):
    lines = blocks(pages["oauth"])
    values, *steps = lines
    assert values == "values" and steps == ["proof", "authorize", "answer", "code", "exchange", "first-use", "refresh", "revoke",
                                            "public-exchange", "public-refresh"]
    assert re.findall(r"(?m)^(\w+)=", lines["values"]) == ["client_id", "client_secret", "redirect_uri"]
    assert f"redirect_uri={URI}" in lines["values"]
    known = {"client_id": CLIENT, "client_secret": SECRET, "redirect_uri": URI}
    back, verifier, state = authorized(service, shell, lines, known)
    rest = "\n".join(lines[name] for name in ("code", "exchange", "first-use"))
    # As in one shell, into which the user pastes the address.
    done = shell.run(f"address='{back.replace(state, 'x' * 32)}'\n{lines['code']}\ntrue", **known, state=state)
    assert "another request" in done.stdout
    done = shell.run(f"{rest}\necho\necho \"$token\" \"$refresh_token\"", **known, state=state, verifier=verifier, address=back)
    assert (done.returncode, done.stderr) == (0, "200200"), done
    *answers, tokens = done.stdout.strip().splitlines()
    assert json.loads(answers[-1])["id"] == 1001
    token, refresh_token = tokens.split()
    both = "\n".join((re.search(r"(?m)^member.*$", lines["exchange"])[0], lines["refresh"], "echo $token"))
    done = shell.run(both, **known, refresh_token=refresh_token)
    other = done.stdout.strip()
    assert other and other != token, done
    assert shell.json(lines["first-use"], token=other)["id"] == 1001
    done = shell.run(lines["revoke"], **known, refresh_token=refresh_token)
    assert (done.returncode, done.stderr) == (0, "200")
    assert "401" in shell.run(lines["first-use"], token=other).stderr


def test_pages_W61_the_shell_waits_for_the_address_of_the_answer(pages, shell):
    done = subprocess.run(["sh", "-euc", blocks(pages["oauth"])["answer"] + '\necho "$address"'], input="http://a/?b=c\\d\n",
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout == "http://a/?b=c\\d\n"


def test_pages_W61_its_lines_of_oembed_work(service, pages, shell):
    lines = blocks(pages["oembed"])
    assert list(lines) == ["oembed", "oembed-options", "discovery"]
    film = shell.json(lines["oembed"])
    shown = json.loads(blocks(pages["oembed"], "json")["oembed-answer"])
    assert shown.keys() <= film.keys() and film.keys() - shown.keys() <= {"player_color"}
    assert shown["html"].replace("My film", film["title"]) == film["html"] and shown["width"] == film["width"]
    assert "autoPlay=true" in shell.json(lines["oembed-options"])["html"]
    found = shell.run(lines["discovery"])
    assert (found.returncode, found.stderr) == (0, "200")
    assert re.findall(r'type="([^"]*)"', found.stdout) == ["application/json+oembed", "text/xml+oembed", "application/xml+oembed"]


def test_pages_W61_its_line_for_types_installs_the_package(pages, shell):
    done = shell.run(blocks(pages["component"])["types"], PATH=os.environ["PATH"], HOME=str(shell.folder), npm_config_audit="false",
                     npm_config_fund="false")
    assert done.returncode == 0, done
    installed = shell.folder / "node_modules" / "svc-player"
    assert {"index.js", "index.d.ts", "options.d.ts", "react.d.ts", "vue.d.ts"} <= {file.name for file in installed.iterdir()}


def test_pages_W61_each_block_of_shell_is_run_here(pages):
    found = {name for page in pages.values() for name in blocks(page) if not name.startswith("curl-")}
    assert found == {*blocks(pages["oauth"]), *blocks(pages["oembed"]), "script", "service-allowed", "service", "mcp-registered", "mcp-run",
                     "types"}
    assert {name for page in pages.values() for name in blocks(page, "python")} == {"device", "mcp-server"}


def test_the_limits_are_those_of_the_shipped_nginx(pages):
    limits = (stacks.REPOSITORY / "nginx" / "svc-limits-rates.conf").read_text()
    for zone in ("embed", "oembed", "token", "upload"):
        number, unit = re.search(rf"zone=svc_{zone}:\S+ +rate=(\d+)r/([sm])", limits).groups()
        burst = re.search(rf"limit_req zone=svc_{zone} +burst=(\d+)", limits)[1]
        at_once = re.search(rf"limit_conn svc_{zone}_at_once +(\d+)", limits)[1]
        rate = f"{number} per {'second' if unit == 's' else 'minute'}"
        assert f"<dd>{rate}, {burst} more at once, {at_once} at the same time<br>" in pages["limits"], zone
