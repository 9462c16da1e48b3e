"""svcctl user disable and enable, with the shipped Redis users and running pools."""

import json
import re

import pytest

import oauth_store
from ctl_calls import audited, ctl, done, said, terminal
from user_agent import PASSWORDS, Browser

OLIVIA, MANUEL, UMA = "olivia@acme.example", "manuel@acme.example", "uma@acme.example"


@pytest.fixture(name="site", scope="module")
def _site(module_stack):
    module_stack.import_catalog()
    module_stack.start_pool("web", roles="web", workers=3)
    module_stack.start_pool("grant", roles="grant", workers=2)
    module_stack.nginx = module_stack.start_shipped_nginx()
    module_stack.codes = oauth_store.Codes(module_stack)
    return module_stack


def tokens_of(site, contact, account=1001):
    code = site.codes.new(contact=contact, account=account)
    return oauth_store.tokens_of(oauth_store.exchange(site.nginx, code))


def works(site, tokens):
    """The set of results of 20 uses of an access token, spread over the workers."""
    return {oauth_store.lives(site.nginx, tokens["access_token"]) for _ in range(20)}


def logged_in(site, email):
    browser = Browser(site.nginx)
    assert browser.log_in(browser.page("/settings"), email).status == 200
    return browser


def try_to_log_in(site, email, password):
    """Status and text of the page that follows."""
    browser = Browser(site.nginx)
    page = browser.page("/login")
    fields = {**page.form("/login")["fields"], "email": email, "password": password}
    answer = browser.request("/login", fields=fields)
    alert = re.search(r'role="alert">([^<]*)<', answer.body.decode())
    return answer.status, alert and alert[1]


def is_logged_in(browser):
    """Whether the settings are shown, and not the form to log in."""
    return not any(form["action"] == "/login" for form in browser.page("/settings").forms)


def test_oauth_L8_oauth_B3_a_disabled_user_has_no_access_until_enabled(site):
    tokens, unspent = tokens_of(site, 502), site.codes.new(contact=502, client=oauth_store.OTHER, account=1001)
    browser = logged_in(site, MANUEL)
    assert works(site, tokens) == {True} and is_logged_in(browser)
    wrong = try_to_log_in(site, MANUEL, "not the password")
    assert wrong[0] != 303 and wrong[1]

    asked = ctl(site, "user", "disable", MANUEL)
    assert asked.returncode == 1 and "nothing was disabled: --yes is missing" in asked.stderr
    assert re.search(r"^sessions +1$", asked.stdout, re.M) and re.search(r"^grants +2$", asked.stdout, re.M)
    assert works(site, tokens) == {True} and is_logged_in(browser)

    assert said(site, "user", "disable", MANUEL, "--yes")["disabled"] is True
    assert works(site, tokens) == {False}, "on every worker at once"
    assert not is_logged_in(browser)
    assert oauth_store.error_of(oauth_store.refresh(site.nginx, tokens["refresh_token"])) == (400, "invalid_grant")
    spent = oauth_store.exchange(site.nginx, unspent, client_id=oauth_store.OTHER,
                                 client_secret=oauth_store.OTHER_SECRET)
    assert oauth_store.error_of(spent) == (400, "invalid_grant")
    for token in tokens["access_token"], tokens["refresh_token"]:
        answer = oauth_store.introspect(site.nginx, token)
        assert json.loads(answer.body) == {"active": False}
    assert try_to_log_in(site, MANUEL, PASSWORDS[MANUEL]) == wrong, "as for a wrong password"
    failed = audited(site, "login.failed", contact=502)
    assert [event["detail"] for event in failed] == ["wrong password", "disabled"]
    assert said(site, "user", "show", MANUEL)["disabled"] is True
    site.import_catalog()
    assert works(site, tokens) == {False}, "an import does not enable the user"

    assert said(site, "user", "enable", MANUEL)["enabled"] is True
    assert works(site, tokens) == {True}
    assert oauth_store.tokens_of(oauth_store.refresh(site.nginx, tokens["refresh_token"]))
    assert not is_logged_in(browser), "sessions have ended"
    assert is_logged_in(logged_in(site, MANUEL))
    assert [len(audited(site, what, contact=502)) for what in ("contact.disabled", "contact.enabled")] == [1, 1]


def test_user_disable_checks_the_user_again_after_the_prompt(site):
    email = "waits@example.com"
    prompt = f"Type {email} to disable the user: "

    def create():
        assert ctl(site, "user", "create", "--name", "N", "--email", email, "--account", "1001:user",
                   "--password-stdin", given="a good password\n").returncode == 0

    def meanwhile(*words):
        def run():
            done(site, *words)
            return f"{email}\n".encode()
        return run

    create()
    done(site, "user", "disable", email, "--yes")
    status, shown = terminal(site, "user", "disable", email, answers=[(prompt, meanwhile("user", "enable", email))])
    assert status == 0 and shown.endswith("disabled\r\n")
    assert said(site, "user", "show", email)["disabled"] is True
    status, shown = terminal(site, "user", "disable", email,
                             answers=[(prompt, meanwhile("user", "delete", email, "--yes"))])
    assert status == 1 and f"{email} was deleted in the meantime" in shown
    assert ctl(site, "user", "show", email).returncode == 1
