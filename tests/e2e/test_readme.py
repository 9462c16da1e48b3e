"""The commands of the README, as they stand there, against a running service."""

import re
import subprocess
import threading
import urllib.parse

import pytest

import stack as stacks
from oauth_flow import Browser, Page
from processes import start

README = (stacks.REPOSITORY / "README.md").read_text()


def commands(section):
    """The shell blocks of a section."""
    text = re.search(rf"(?ms)^## {re.escape(section)}$(.*?)(?=^## )", README).group(1)
    return re.findall(r"(?ms)^```sh\n(.*?)^```$", text)


@pytest.fixture
def nginx(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web")
    stack.start_pool("grant", roles="grant")
    return stack.start_shipped_nginx()


def allow(nginx, link):
    """What a person does in a browser: the code."""
    parts = urllib.parse.urlsplit(link)
    browser = Browser(nginx)
    page = Page(browser.log_in(browser.page(f"{parts.path}?{parts.query}"), "olivia@acme.example"))
    location = browser.answer(page, "allow").headers["location"]
    return urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]


def test_an_application_is_registered_and_gets_a_token(nginx, stack):
    script = "\n".join(commands("Register an application, get a token"))
    for ours, theirs in (("http://127.0.0.1:8080", f"http://127.0.0.1:{nginx.port}"),
                         ("build/svcctl", str(stacks.program("svcctl"))), (".serve/svc.conf", str(stack.config))):
        assert ours in script
        script = script.replace(ours, theirs)
    shell = start(["bash", "-eu", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                  stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(stacks.PATIENCE, shell.kill)
    timer.start()
    try:
        link = shell.stdout.readline().strip()
        assert "/oauth/authorize?" in link, shell.communicate()[1]
        out, errors = shell.communicate(allow(nginx, link) + "\n")
    finally:
        timer.cancel()
    assert shell.returncode == 0, errors
    # tokens, the media, more tokens, the revocation, and the media refused.
    tokens, rest = out.split("\n", 1)
    assert '"access_token":"svca_' in tokens and '"scope":["media:read"]' in tokens, out
    assert '{"hashed_id":"l4unchf1lm"' in rest and rest.count('"access_token"') == 1, out
    assert rest.endswith('"the token is unknown, expired or revoked"}\n401\n'), out


def test_the_manual_page_has_every_key_of_the_catalog():
    section = re.search(r"(?ms)^## Add media$(.*?)(?=^## )", README).group(1)
    rows = re.findall(r"(?m)^\| `(\w+)` \| (.*) \|$", section)
    assert [kind for kind, _ in rows] == ["account", "user", "project", "media", "playlist", "application"]
    page = (stacks.REPOSITORY / "systemd/man/svcctl.8.in").read_text()
    catalog = re.search(r"(?ms)^\.SH CATALOG$(.*?)(?=^\.SH )", page).group(1)
    said = dict(re.findall(r"(?ms)^\.TP\n\.B (\w+)\n(.*?)(?=^\.TP|^\.PP)", catalog))
    for kind, keys in rows:
        missing = [word for word in re.findall(r"`(\w+)`", keys) if not re.search(rf"\b{word}\b", said[kind])]
        assert not missing, (kind, missing)


def test_the_package_s_own_README_has_the_commands_of_this_one():
    debian = (stacks.REPOSITORY / "systemd/debian/svc-worker.README.Debian").read_text()
    block = commands("Deploy with systemd")[0]
    ours = [command.strip() for line in block.splitlines() for command in line.split("  #")[0].split(" && ")]
    steps = debian[debian.index("  1. "):debian.index("The redis-server package")]
    theirs = re.findall(r"(?m)^ +(?:\d\. )?((?:rm|ln|nginx|curl|systemctl|svcctl) .*)$", steps)
    theirs = [command.strip() for line in theirs for command in line.split(" && ")]
    assert len(theirs) == 7, theirs
    assert [command for command in theirs if command not in ours] == []
