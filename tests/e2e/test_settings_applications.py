"""The settings pages of applications and their secrets, through the shipped nginx."""

import html
import json
import os
import re
import signal
import subprocess
import time

import pytest

from processes import wait_until
from user_agent import PASSWORDS, Browser, Page
from settings_site import (APP, DEMO, DEMO_SECRET, ENTERED, LIST, NEW, OLIVIA, OWNERS, alerts,
                           audit, connect, is_right, link_of, links_of, logged_in,
                           make_password_old, manuel, olivia, prepared, register, secrets_on, send,
                           shown, site, token_request, use, value_of)
from stack import HOSTS



# --- applications ---

def test_the_overview_names_each_account_that_is_barred_and_the_reason(site, olivia):
    assert "My Settings" in [text for tag, text in links_of(olivia.page("/settings/security"))]
    for person, why in (("uma@acme.example", "Only its owners and managers see and change its OAuth applications"),
                        ("clara@closed.example", "OAuth is not enabled for this account")):
        page = logged_in(site, person).page("/settings")
        assert why in page.text and "OAuth applications of" not in page.text


def test_unknown_addresses_link_to_the_settings(site, olivia):
    assert ("/settings", "My Settings") in links_of(olivia.page("/"))
    assert ("/settings", "Log in") in links_of(Browser(site.nginx).page("/"))
    assert site.nginx.request("/", host=APP, method="POST").status == 405
    for browser in (olivia, Browser(site.nginx)):
        page = browser.page("/settings/nothing", 404)
        assert "There is nothing here" in page.text and ("/settings", "My Settings") in links_of(page)


def test_permissions_are_listed_from_the_least_to_the_most_powerful(olivia):
    boxes = [box["value"] for box in olivia.page(NEW).form(NEW)["checkboxes"] if box.get("name") == "scope"]
    assert boxes == ["stats:read", "media:read", "media:upload", "all:read", "all:all"]


def test_an_account_lists_its_applications(olivia):
    page = olivia.page(LIST)
    assert "Clip Scheduler" in page.text and "Everything App" in page.text and "127.0.0.1:9090" in page.text
    assert "Uploader" not in page.text, "belongs to another account"
    exact = [attributes["datetime"] for tag, attributes in page.elements if tag == "time"]
    assert exact == ["2026-04-01T10:00:00Z", "2026-04-03T10:00:00Z"]


def test_one_form_sent_twice_registers_one_application(olivia):
    form = olivia.page(NEW)
    first, second = (send(olivia, form, NEW, **ENTERED) for _ in range(2))
    assert value_of(first, "client-id") == value_of(second, "client-id")
    assert olivia.page(LIST).text.count("Reel Maker") == 1


def test_oauth_L1_a_client_id_cannot_be_chosen(olivia):
    form = olivia.page(NEW)
    send(olivia, form, NEW, 403, **ENTERED, number="a-name-i-like")
    assert "Reel Maker" not in olivia.page(LIST).text


@pytest.mark.parametrize(("field", "value", "words"), [
    ("name", "", "Enter a name."),
    ("name", " \t ", "Enter a name."),
    ("name", "n" * 101, "must not have more than 100 characters; it has 101"),
    ("name", "two\nlines", "must not have control characters or line breaks"),
    ("name", "\u202egnp.exe", "must not have control characters or line breaks"),
    ("name", "\u200b\u3164", "must have something to see"),
    ("description", "d" * 2001, "must not have more than 2000 characters; it has 2001"),
    ("description", "a\x07bell", "The description must not have control characters."),
    ("redirect_uri", "", "Enter the address that users are sent back to."),
    ("redirect_uri", "reels.example/back", "must be an absolute URI, such as https://app.example/callback"),
    ("redirect_uri", "https://reels.example/back#part", "must not have a fragment, the part from # on: the response"),
    ("redirect_uri", "https://me@reels.example/back", "must not have a user name or password, the part up to @"),
    ("redirect_uri", "http://reels.example/back", "must begin with https://, because others on the network"),
    ("redirect_uri", "javascript://reels.example/%0aalert(1)", "must not begin with javascript:, which a browser runs"),
    ("redirect_uri", "data:text/html,x", "must not begin with data:, which a browser runs"),
    ("redirect_uri", "reels://back", "must begin with https://, in lower case; it begins with reels://"),
    ("redirect_uri", "http://localhost:3000/back", "register http://127.0.0.1:3000/back instead"),
    ("redirect_uri", "https://reels.example:99999/back", "must have a port from 1 to 65535 after the host, or none"),
    ("redirect_uri", "https://reels.example\\@evil.example/", "no spaces, backslashes, control characters"),
    ("redirect_uri", "https://reels.example/back?code=1", "must not have a parameter called code"),
    ("redirect_uri", "https://reels.example/" + "p" * 2048, "must not be longer than 2048 bytes"),
    ("scope", [], "Choose at least one permission."),
    ("scope", ["all:none"], "Choose at least one permission."),
])
def test_U_W3_an_invalid_value_is_reported_at_the_top_and_next_to_its_field(olivia, field, value, words):
    entered = {**ENTERED, field: value}
    page = send(olivia, olivia.page(NEW), NEW, 422, **entered)
    body = html.unescape(page.answer.body.decode())
    assert body.count(words) == 2, "at the top and next to the field"
    assert page.answer.body.count(b'role="alert"') == 1
    describes = {attributes.get("id") for _, attributes in page.elements}
    (wrong,) = [attributes for _, attributes in page.elements
                if "-problem" in attributes.get("aria-describedby", "")]
    assert set(wrong["aria-describedby"].split()) <= describes
    fields = page.form(NEW)["fields"]
    for name in {"name", "redirect_uri"} - {field}:
        assert fields[name] == ENTERED[name], "the input is kept"
    assert "Reel Maker" not in olivia.page(LIST).text
    # The value can be corrected on the page with the error.
    send(olivia, page, NEW, **ENTERED)
    assert olivia.page(LIST).text.count("Reel Maker") == 1


@pytest.mark.parametrize("host", ["bücher.example", "b%C3%BCcher.example", "BÜCHER.example"])
def test_oauth_A50_the_advice_for_an_international_redirect_uri_is_accepted(olivia, host):
    page = send(olivia, olivia.page(NEW), NEW, 422, **{**ENTERED, "redirect_uri": f"https://{host}/zurück"})
    advised = re.search(r"register (\S+) instead", page.text).group(1)
    assert advised == "https://xn--bcher-kva.example/zur%C3%BCck"
    send(olivia, page, NEW, **{**ENTERED, "redirect_uri": advised})
    assert olivia.page(LIST).text.count("Reel Maker") == 1


def test_an_application_is_edited(site, olivia):
    edit = DEMO + "/edit"
    page = olivia.page(edit)
    assert page.form(edit)["fields"]["name"] == "Clip Scheduler"
    assert [box["value"] for box in page.form(edit)["checkboxes"] if "checked" in box] == ["stats:read", "media:read"]
    page = send(olivia, page, edit, name="  Clip Planner ", description="One.\r\nTwo.",
                redirect_uri="http://127.0.0.1:9090/other")
    assert "The changes are saved." in page.text and "Clip Planner" in page.text
    assert "http://127.0.0.1:9090/other" in page.text
    record = json.loads(site.redis_state.command("GET", "oauth:client:demo-client-0001"))
    assert (record["name"], record["description"]) == ("Clip Planner", "One.\nTwo.")
    assert record["permission_version"] == 1, "the same permissions"
    assert is_right(site, "demo-client-0001", DEMO_SECRET)
    (event,) = [event for event in audit(site) if event["what"] == "client.changed"]
    assert event["detail"] == "name, description, redirect_uri" and event["client"] == "demo-client-0001"
    # Sending the same values again leaves the record and the audit trail unchanged.
    send(olivia, olivia.page(edit), edit)
    assert len([event for event in audit(site) if event["what"] == "client.changed"]) == 1


def test_rarely_used_settings_are_saved(site, olivia, manuel):
    edit = DEMO + "/edit"
    his = manuel.page(edit)
    form = olivia.page(edit).form(edit)
    assert form["fields"].get("scope_format", "array") == "array"
    ticked = {box["name"]: box["value"] for box in form["checkboxes"] if box["name"] != "scope"}
    page = send(olivia, olivia.page(edit), edit, scope_format="string", **ticked)
    assert "PKCE is required." in page.text and "code_challenge" in page.text and "code_verifier" in exchange_of(page)
    record = json.loads(site.redis_state.command("GET", "oauth:client:demo-client-0001"))
    assert len(ticked) > 2 and record["scope_format"] == "string" and all(record[name] is True for name in ticked)
    assert record["permission_version"] == 1, "the same permissions"
    (event,) = [event for event in audit(site) if event["what"] == "client.changed"]
    assert event["detail"] == ", ".join(["scope_format", *ticked])
    status, answer = token_request(site, grant_type="refresh_token", client_id="demo-client-0001",
                                   client_secret=DEMO_SECRET, refresh_token="svcr_" + "0" * 96)
    assert (status, answer["error"]) == (400, "invalid_grant"), "credentials in the body are accepted"
    # A concurrent editor sees these changes as well.
    told = send(manuel, his, edit, 409, name="Of Manuel")
    assert "Require PKCE yes" in told.text and "Scopes in token responses one text" in told.text
    send(olivia, olivia.page(edit), edit, scope_format="array")
    record = json.loads(site.redis_state.command("GET", "oauth:client:demo-client-0001"))
    assert record["scope_format"] == "array"
    assert not any(record[name] for name in ticked), "a box that is not ticked is off"


def exchange_of(page):
    (command,) = re.findall(r'<textarea id="exchange"[^>]*>([^<]*)<', page.answer.body.decode())
    return html.unescape(command)


def test_the_page_of_an_application_has_commands_that_work(site, olivia):
    """The commands run unchanged and do not contain the secret."""
    path, page = register(olivia, redirect_uri="https://reels.example/it's?a=b")
    assert HOSTS["base-url"] + "/oauth/token" in page.text and HOSTS["base-url"] + "/v1" in page.text
    assert "https://reels.example/it's?a=b with the parameter code" in page.text
    (secret,) = shown(olivia, path)
    assert secret not in page.answer.body.decode()
    done = subprocess.run(["bash", "-c", "curl() { printf '%s\\n' \"$@\"; }; " + exchange_of(page)],
                          env={"CLIENT_SECRET": secret, "CODE": "the-code"}, capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()
    assert words == [HOSTS["base-url"] + "/oauth/token", "-u", f"{path.rpartition('/')[2]}:{secret}",
                     "-d", "grant_type=authorization_code", "-d", "code=the-code", "--data-urlencode",
                     "redirect_uri=https://reels.example/it's?a=b"]


def test_the_steps_stay_open_during_the_setup(olivia):
    def is_open(page):
        (steps,) = [attributes for tag, attributes in page.elements if tag == "details"]
        return "open" in steps
    path, page = register(olivia)
    assert is_open(page) and is_open(send(olivia, olivia.page(path), path + "/secret", 200))
    assert is_open(send(olivia, olivia.page(path), path + "/new-secret"))
    assert not is_open(olivia.page(path))


def test_the_steps_explain_each_variable_and_how_access_ends(olivia):
    path, page = register(olivia, require_pkce="yes")
    source = page.answer.body.decode()
    commands = "".join(html.unescape(text) for text in re.findall(r"<textarea[^>]*>([^<]*)<", source))
    variables = set(re.findall(r"\$([A-Z_]+)", commands)) | {"MEDIA_ID"}
    assert variables == {"CLIENT_SECRET", "CODE", "CODE_VERIFIER", "ACCESS_TOKEN", "REFRESH_TOKEN", "MEDIA_ID"}
    assert variables <= set(re.findall("<code>([A-Z_]+)</code>", source))
    assert f"{HOSTS['embed-host']}/medias/MEDIA_ID" in page.text
    assert "It lives 60 seconds and works once" in page.text and "the browser says that it cannot connect" in page.text
    assert "My Settings → Connected applications" in page.text and HOSTS["base-url"] + "/oauth/revoke" in page.text


def test_oauth_S3_changed_permissions_keep_tokens_and_ask_for_consent_again(site, olivia):
    tokens = connect(site, olivia, DEMO, DEMO_SECRET)
    before = use(site, tokens)
    page = send(olivia, olivia.page(DEMO + "/edit"), DEMO + "/edit", scope=["media:read"])
    assert "Statistics" not in page.text
    assert use(site, tokens) == before != 401
    assert ("answer", "allow") in Page(olivia.request(link_of(page))).form("/oauth/authorize")["buttons"]


def test_a_concurrent_edit_is_rejected_and_shows_the_saved_values(olivia, manuel):
    edit = DEMO + "/edit"
    hers, his = olivia.page(edit), manuel.page(edit)
    send(olivia, hers, edit, name="Of Olivia", description="Hers.")
    told = send(manuel, his, edit, 409, name="Of Manuel", scope=["media:read"])
    assert "Another user changed this application while you were editing it" in told.text
    assert "Name Of Olivia" in told.text and "Description Hers." in told.text
    assert told.form(edit)["fields"]["name"] == "Of Manuel", "his input is kept"
    assert "Of Olivia" in olivia.page(DEMO).text, "and hers is saved"
    page = send(manuel, told, edit, description="Hers.")
    assert "Of Manuel" in page.text and "Hers." in page.text


def test_a_concurrent_edit_and_new_secret_are_both_kept(site, olivia, manuel):
    edit = DEMO + "/edit"
    form = manuel.page(edit)
    send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    send(manuel, form, edit, name="Renamed")
    page = olivia.page(DEMO)
    assert "Renamed" in page.text and "Show the client secrets" in page.text
    assert is_right(site, "demo-client-0001", DEMO_SECRET)


# --- secrets ---

def test_a_secret_is_rotated_while_both_are_valid(site, olivia, manuel):
    his = manuel.page(DEMO)
    page = send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    assert "There is a new secret, and the old one is still valid" in page.text
    assert re.search("Client secret, current, since just now Client secret, old", page.text), page.text
    assert "; retire it when nobody uses it" in page.text and "To finish the change:" in page.text
    newer, older = shown(olivia, DEMO)
    assert older == DEMO_SECRET and re.fullmatch("[0-9a-f]{64}", newer)
    assert is_right(site, "demo-client-0001", newer) and is_right(site, "demo-client-0001", older)

    # A page loaded before the rotation cannot create a third secret.
    told = send(manuel, his, DEMO + "/new-secret", 409)
    assert "Nothing was changed now" in told.text and alerts(told)

    asked = olivia.page(DEMO + "/retire-secret")
    assert "can no longer get or renew tokens" in asked.text and is_right(site, "demo-client-0001", older)
    page = send(olivia, asked, DEMO + "/retire-secret")
    assert "The old secret is retired." in page.text
    assert not is_right(site, "demo-client-0001", older) and is_right(site, "demo-client-0001", newer)
    assert shown(olivia, DEMO) == [newer]

    # A form loaded before the next rotation cannot retire the newest secret.
    send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    assert "Nothing was changed now" in send(olivia, asked, DEMO + "/retire-secret", 409).text
    assert is_right(site, "demo-client-0001", newer)
    assert [event["what"] for event in audit(site) if "secret" in event["what"]] == [
        "secret.rotated", "secret.shown", "secret.retired", "secret.shown", "secret.rotated"]


def test_a_secret_is_shown_only_after_the_password(site, olivia):
    assert DEMO_SECRET.encode() not in olivia.page(DEMO).answer.body
    make_password_old(site)
    page = olivia.page(DEMO)
    asked = send(olivia, page, DEMO + "/secret", 200)
    assert "Confirm your password" in asked.text and not secrets_on(asked)
    assert not [event for event in audit(site) if event["what"] == "secret.shown"]
    empty = send(olivia, asked, DEMO + "/secret", 422, password="")
    assert "Enter your password." in empty.text
    wrong = send(olivia, asked, DEMO + "/secret", 403, password="wrong")
    assert "The password is incorrect." in wrong.text and not secrets_on(wrong)
    assert b'"wrong"' not in wrong.answer.body
    right = send(olivia, wrong, DEMO + "/secret", 200, password=PASSWORDS[OLIVIA])
    assert secrets_on(right) == [DEMO_SECRET]
    assert right.answer.headers["cache-control"] == "no-store"
    # The password was entered a moment ago, so that it is not required again.
    assert shown(olivia, DEMO) == [DEMO_SECRET]
    assert [event["what"] for event in audit(site)] == ["login.failed", "password.given", "secret.shown",
                                                        "secret.shown"]


def test_oauth_L4_password_guesses_are_throttled_as_at_the_login(site, olivia):
    make_password_old(site)
    asked = send(olivia, olivia.page(DEMO), DEMO + "/secret", 200)
    fields = {**asked.form(DEMO + "/secret")["fields"], "password": "x"}
    statuses = [olivia.request(DEMO + "/secret", fields=fields).status for _ in range(5)]
    assert statuses == [403] * 5
    # The fifth failure begins a delay of 1 s, and each further one doubles it. Even slow retries run into it.
    for _ in range(20):
        answer = olivia.request(DEMO + "/secret", fields=fields)
        if answer.status == 429:
            break
        assert answer.status == 403
    assert answer.status == 429
    assert answer.headers["retry-after"] and not secrets_on(Page(answer))


# --- deleting ---

def test_pages_W4_deleting_names_its_consequences_and_revokes_all_access(site, olivia, manuel):
    path, _ = register(olivia)
    (secret,) = shown(olivia, path)
    hers, his = connect(site, olivia, path, secret), connect(site, manuel, path, secret)
    other = connect(site, olivia, DEMO, DEMO_SECRET)
    assert "2 connections" in olivia.page(path).text
    link = link_of(olivia.page(path))
    asked = olivia.page(path + "/delete")
    assert "It has 2 connections, each of one person" in asked.text and use(site, hers) != 401
    page = send(olivia, asked, path + "/delete")
    assert "The application is deleted." in page.text and "Reel Maker" not in page.text
    assert (use(site, hers), use(site, his)) == (401, 401)
    assert use(site, other) != 401, "another application's"
    assert not is_right(site, path.rpartition("/")[2], secret)
    assert "Reel Maker" not in manuel.page("/settings/connected").text
    # Its link and its page explain that it may have been deleted, and lead on.
    gone = Page(olivia.request(link))
    assert gone.answer.status == 400 and "does not exist, or it was deleted" in gone.text
    assert "It may have been deleted." in olivia.page(path, 404).text
    assert LIST in [attributes.get("href") for _, attributes in olivia.page(path, 404).elements]
    # A repeated request succeeds, too.
    assert "The application is deleted." in send(olivia, asked, path + "/delete").text
    assert site.redis_state.command("EXISTS", "oauth:client_grants:" + path.rpartition("/")[2]) == 0
    events = [(event["what"], event["contact"], event.get("detail")) for event in audit(site)]
    assert events[-1] == ("client.deleted", "501", "2 grants end with it")
    assert "revoked" not in dict(e[:2] for e in events)


def seed_grants(site, count, client, account=1001):
    """Writes that many grants of the application, each of another contact, into every list."""
    site.redis_state.command("EVAL", """
        for i = 1, tonumber(ARGV[1]) do
          local g, now = string.format('%032x', i), ARGV[4]
          redis.call('HSET', 'oauth:grant:{' .. g .. '}', 'contact', 700000 + i, 'account', ARGV[3], 'client', ARGV[2],
                     'scopes', 'media:read', 'permission_version', 1, 'consent', 'c', 'generation', 'g', 'created', now,
                     'last_used', now)
          redis.call('ZADD', 'oauth:client_grants:' .. ARGV[2], now + i, g)
          redis.call('ZADD', 'oauth:account_grants:' .. ARGV[3], now + i, g)
          redis.call('ZADD', 'oauth:contact_grants:501', now + i, g)
        end""", 0, count, client, account, int(time.time()) - count)
    site.redis_state.command("EVAL", "for i = 1, tonumber(ARGV[1]) do redis.call('HSET', string.format("
                             "'oauth:grant:{%032x}', i), 'contact', 501) end", 0, count)


def test_pages_W4_an_application_with_thousands_of_grants_is_shown_and_deleted_in_one_request(site, olivia):
    path, _ = register(olivia)
    (secret,) = shown(olivia, path)
    client = path.rpartition("/")[2]
    seed_grants(site, 4000, client)
    hers = connect(site, olivia, path, secret)
    assert "4,001 connections" in olivia.page(path).text
    assert "Page 1 of 81" in olivia.page("/settings/connected").text
    asked = olivia.page(path + "/delete")
    assert "It has 4,001 connections" in asked.text
    assert "The application is deleted." in send(olivia, asked, path + "/delete").text
    # All access ends immediately, although most grants still exist.
    assert use(site, hers) == 401 and not is_right(site, client, secret)
    left = site.redis_state.command("ZCARD", f"oauth:client_grants:{client}")
    assert left > 0, "one request deletes a limited number"
    # After a worker's death the other workers continue the clean-up.
    os.kill(sorted(site.web.workers())[0], signal.SIGKILL)
    wait_until(lambda: site.redis_state.command("EXISTS", f"oauth:client_grants:{client}") == 0, "the clean-up")
    assert use(site, hers) == 401
    # The list of the application is deleted before the last entries of the others.
    for page in ("/settings/connected", OWNERS):
        wait_until(lambda page=page: "No application is connected" in olivia.page(page).text, f"{page} is empty")
