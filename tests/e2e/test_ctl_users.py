"""svcctl user list, show, disable, enable and delete, with the shipped Redis users and running pools."""

import json
import re
import signal

import pytest

import oauth_store
import settings_site
from ctl_calls import OBEYED, audited, begin, ctl, done, lines, said, terminal
from processes import PATIENCE, wait_until
from user_agent import PASSWORDS, Browser

OLIVIA, MANUEL, UMA = "olivia@acme.example", "manuel@acme.example", "uma@acme.example"


@pytest.fixture(name="site", scope="module")
def _site(module_stack):
    module_stack.import_catalog()
    settings_site.start(module_stack)
    module_stack.codes = oauth_store.Codes(module_stack)
    return module_stack


def tokens_of(site, contact, account=1001):
    code = site.codes.new(contact=contact, account=account)
    return oauth_store.tokens_of(oauth_store.exchange(site.nginx, code))


def works(site, tokens):
    """The set of results of 20 uses of an access token, spread over the workers."""
    return {oauth_store.lives(site.nginx, tokens["access_token"]) for _ in range(20)}


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


def test_user_list_and_show(site):
    users = {user["email"]: user for user in lines(site, "user", "list", "--account", "1001")}
    assert set(users) == {OLIVIA, MANUEL, UMA}
    assert users[MANUEL]["accounts"] == ["1001:manager", "1002:manager"] and users[MANUEL]["disabled"] is False
    assert re.match(r"ID +STATE +EMAIL +ACCOUNTS +NAME\n", done(site, "user", "list"))
    shown = said(site, "user", "show", "503")
    assert (shown["email"], shown["last_login"], shown["sessions"]) == (UMA, None, 0)
    settings_site.logged_in(site, UMA)
    shown = said(site, "user", "show", UMA.upper())
    assert shown["last_login"] and shown["sessions"] == 1
    assert "scrypt" not in done(site, "user", "show", UMA, "--json") + done(site, "user", "list", "--json")
    missing = ctl(site, "user", "show", "nobody@acme.example")
    assert missing.returncode == 1 and "no user has the email address nobody@acme.example" in missing.stderr


def test_oauth_L8_oauth_B3_a_disabled_user_has_no_access_until_enabled(site):
    tokens, unspent = tokens_of(site, 502), site.codes.new(contact=502, client=oauth_store.OTHER, account=1001)
    browser = settings_site.logged_in(site, MANUEL)
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
    assert is_logged_in(settings_site.logged_in(site, MANUEL))
    assert [len(audited(site, what, contact=502)) for what in ("contact.disabled", "contact.enabled")] == [1, 1]


def test_a_deleted_user_leaves_nothing_and_an_import_creates_the_user_again(site):
    tokens = tokens_of(site, 501)
    browser = settings_site.logged_in(site, OLIVIA)
    shown = said(site, "user", "delete", OLIVIA, "--yes")
    assert (shown["grants"], shown["access_tokens"], shown["sessions"], shown["deleted"]) == (1, 1, 1, True)
    assert works(site, tokens) == {False} and not is_logged_in(browser)
    assert oauth_store.error_of(oauth_store.refresh(site.nginx, tokens["refresh_token"])) == (400, "invalid_grant")
    redis = site.redis_state
    assert redis.command("EXISTS", "catalog:contact:501", f"catalog:contact_email:{OLIVIA}", "oauth:contact_grants:501",
                         "web:contact_sessions:501") == 0
    mac = site.codes.mac("login email", OLIVIA)
    assert redis.command("EXISTS", f"web:login_known:{{{mac}}}") == 0
    assert said(site, "app", "show", oauth_store.CLIENT), "applications stay"
    assert audited(site, "contact.deleted", contact=501)
    again = ctl(site, "user", "delete", OLIVIA, "--yes")
    assert again.returncode == 1 and "no user has the email address" in again.stderr
    site.import_catalog()
    assert is_logged_in(settings_site.logged_in(site, OLIVIA))
    assert works(site, tokens) == {False}, "the former grants have ended"
    assert said(site, "user", "show", OLIVIA)["grants"] == 0


def test_a_deletion_that_was_interrupted_is_finished_by_the_next_run(site):
    redis, count = site.redis_state, 40_000
    assert ctl(site, "user", "create", "--name", "N", "--email", "many@example.com", "--account", "1001:owner",
               "--password-stdin", given="a good password\n").returncode == 0
    contact = redis.command("GET", "catalog:contact_email:many@example.com")
    redis.command("EVAL", """
        for i = 1, tonumber(ARGV[2]) do
          local grant = string.format('%032x', i)
          redis.call('HSET', 'oauth:grant:{' .. grant .. '}', 'contact', ARGV[1], 'account', 1001, 'client',
                     'demo-client-0001', 'consent', 'c', 'generation', 'g')
          redis.call('ZADD', 'oauth:contact_grants:' .. ARGV[1], i, grant)
        end""", 0, contact, count)

    def grants():
        return redis.command("ZCARD", f"oauth:contact_grants:{contact}")
    running = begin(site, "user", "delete", "many@example.com", "--yes")
    wait_until(lambda: grants() < count, "it has begun")
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE)
    assert 0 < grants() < count, "it was interrupted in between"
    assert said(site, "user", "show", "many@example.com")["disabled"] is True, "nothing works any more"
    assert said(site, "user", "delete", "many@example.com", "--yes")["deleted"] is True
    assert grants() == 0 and redis.command("EXISTS", f"catalog:contact:{contact}") == 0
    assert redis.command("KEYS", "oauth:grant:{00000*") == []


def test_user_disable_and_delete_ask_for_the_email_at_a_terminal(site):
    assert ctl(site, "user", "create", "--name", "N", "--email", "typed@example.com", "--account", "1001:user",
               "--password-stdin", given="a good password\n").returncode == 0
    for command, prompt in (("disable", "Type typed@example.com to disable the user: "),
                            ("delete", "Type typed@example.com to delete the user: ")):
        status, shown = terminal(site, "user", command, "typed@example.com", answers=[(prompt, b"y\n")])
        assert status == 1 and f"nothing was {command}d" in shown
        status, shown = terminal(site, "user", command, "typed@example.com", answers=[(prompt, b"typed@example.com\n")])
        assert status == 0 and shown.endswith(f"{command}d\r\n")
    assert ctl(site, "user", "show", "typed@example.com").returncode == 1


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


def test_names_never_steer_the_terminal(site):
    hostile = "\x1b]0;owned\x07\u202eevil\x9b2J\u2028"
    file = site.directory / "hostile.jsonl"
    file.write_text(json.dumps({"kind": "user", "id": 6666, "name": hostile, "email": "h@example.com",
                                "memberships": [{"account_id": 1001, "role": "user"}]}) + "\n")
    site.import_catalog(file)
    site.store_email(6666, "h@example.com", "h@\u202eexample.com")
    assert said(site, "user", "show", "6666")["name"] == hostile, "programs get it as it is"
    for words in (("user", "list"), ("user", "show", "6666"), ("user", "disable", "6666"), ("user", "enable", "6666"),
                  ("user", "show", hostile), ("user", "disable", hostile), ("user", "delete", "h@\u202eexample.com"),
                  ("user", "delete", "6666", "--yes")):
        ended = ctl(site, *words)
        assert not OBEYED.search(ended.stdout + ended.stderr), (words, ended)
