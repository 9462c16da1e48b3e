"""The commands of the README, as they stand there, against a running service."""

import re
import subprocess
import threading
import urllib.parse

import pytest

import stack as stacks
from oauth_flow import Browser, Page

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
    shell = subprocess.Popen(["bash", "-eu", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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
