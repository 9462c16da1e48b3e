"""Which data survives a restart of the state Redis, with the shipped settings and users (operations-D6, oauth-K6)."""

import json
import signal
import urllib.parse

import pytest

from oauth_store import CLIENT, URI, encode, error_of, exchange, lives, refresh, revoke, tokens_of
from user_agent import Browser, Page

OLIVIA = "olivia@acme.example"
APPLICATION = f"/settings/accounts/1001/applications/{CLIENT}"


@pytest.fixture
def site(stack):
    """The grant and web pools as deployed, and Olivia, who is logged in."""
    stack.import_catalog()
    stack.start_pool("grant", roles="grant")
    stack.start_pool("web", roles="web")
    stack.nginx = stack.start_shipped_nginx()
    stack.olivia = Browser(stack.nginx)
    assert stack.olivia.log_in(stack.olivia.page("/settings"), OLIVIA).status == 200
    return stack


def allow(site):
    """Returns a code, with consent if the page requires it."""
    answer = site.olivia.request("/oauth/authorize?" + encode(response_type="code", client_id=CLIENT, redirect_uri=URI))
    if answer.status == 200:
        answer = site.olivia.answer(Page(answer), "allow")
    return urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)["code"][0]


def submit(browser, path, action, **more):
    form = browser.page(path).form(action)
    answer = browser.request(action, fields={**form["fields"], **more})
    assert answer.status in (200, 303), (answer.status, answer.body[:2000])
    return Page(answer)


def new_secret(browser):
    submit(browser, APPLICATION, APPLICATION + "/new-secret")
    page = submit(browser, APPLICATION, APPLICATION + "/secret")
    newer, _ = [attributes["value"] for _, attributes in page.elements
                if attributes.get("id", "").startswith("secret-")]
    return newer


def is_logged_in(browser):
    return "/login" not in [form["action"] for form in browser.page("/settings").forms]


def test_operations_D6_oauth_K6_acknowledged_writes_survive_a_kill_and_a_restart(site):
    nginx = site.nginx
    ended = tokens_of(exchange(nginx, allow(site)))
    assert revoke(nginx, ended["access_token"]).status == 200
    code = allow(site)
    tokens = tokens_of(exchange(nginx, code))
    second = tokens_of(refresh(nginx, tokens["refresh_token"]))
    elsewhere, gone = Browser(nginx), Browser(nginx)
    for browser in (elsewhere, gone):
        browser.log_in(browser.page("/settings"), OLIVIA)
    submit(gone, "/settings", "/logout")
    secret = new_secret(site.olivia)
    unspent = allow(site)

    def holds():
        assert lives(nginx, tokens["access_token"]) and lives(nginx, second["access_token"])
        assert not lives(nginx, ended["access_token"]), "a revoked token stays revoked"
        assert error_of(refresh(nginx, ended["refresh_token"])) == (400, "invalid_grant")
        assert lives(nginx, tokens_of(refresh(nginx, tokens["refresh_token"], client_secret=secret))["access_token"])
        assert is_logged_in(site.olivia) and is_logged_in(elsewhere) and not is_logged_in(gone)
        audit = subjects(site)
        assert {"secret.rotated", "tokens.revoked"} <= set(audit), audit
        return audit

    before = holds()
    for number in (signal.SIGKILL, signal.SIGTERM):
        site.redis_state.stop(number)
        site.redis_state.start()
        assert holds() == before
    # Redis 7 warns at each start of rights to call a function by name.
    log = "\n".join(line for line in site.redis_state.log_text().splitlines() if "Deprecation warning" not in line)
    for word in ("CRITICAL", "NOPERM", "can't run this command", "ACL", "truncat"):
        assert word not in log, word
    # A second use of a spent code revokes its tokens; an unspent code is still valid.
    assert tokens_of(exchange(nginx, unspent))
    assert error_of(exchange(nginx, code)) == (400, "invalid_grant")
    assert not lives(nginx, tokens["access_token"])


def subjects(site):
    script = ("local out = {} for _, key in ipairs(redis.call('KEYS', 'audit*')) do "
              "for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do out[#out + 1] = entry[2][2] end end "
              "table.sort(out) return cjson.encode(out)")
    return json.loads(site.redis_state.command("EVAL", script, 0))
