"""The settings pages as people use them, through the shipped nginx: applications and their secrets, connected
applications, sessions and the password."""

import concurrent.futures
import html
import json
import os
import re
import signal
import subprocess
import time
import urllib.parse

import pytest

import audit_trail
from oauth_flow import PASSWORDS, Browser, Page
from stack import CATALOG, HOSTS, Stack, wait_until

APP, API = "app.svc.example", "api.svc.example"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LIST = "/settings/accounts/1001/applications"
NEW = "/settings/accounts/1001/new-application"
DEMO = f"{LIST}/demo-client-0001"
DEMO_SECRET = "demo-secret-0001-not-for-production"
OLIVIA, MANUEL = "olivia@acme.example", "manuel@acme.example"
ENTERED = {"name": "Reel Maker", "description": "Makes reels.\nOf clips.", "redirect_uri": "https://reels.example/back",
           "scope": ["media:read"]}


def audit(stack):
    """What was recorded, the oldest first, as dictionaries."""
    return audit_trail.entries(stack.redis_state)


def start(stack):
    """Pools and nginx, as deployed. What the grant pool answers is another worker's than the pages'."""
    stack.web = stack.start_pool("web", roles="web", workers=3, deaths_expected=True)
    stack.start_pool("grant", roles="grant", workers=2)
    stack.nginx = stack.start_shipped_nginx()
    return stack


COPY_ALL = """
redis.call('SELECT', ARGV[2]) redis.call('FLUSHDB') redis.call('SELECT', ARGV[1])
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', ARGV[2]) end
return 1"""


@pytest.fixture(scope="module")
def site(module_stack):
    """The catalog of the demonstration, Olivia and Manuel logged in: kept in Redis beside what the tests change, since
    a password takes long to hash."""
    module_stack.import_catalog()
    start(module_stack)
    module_stack.browsers = {email: logged_in(module_stack, email) for email in (OLIVIA, MANUEL)}
    audit_trail.forget(module_stack.redis_state)
    module_stack.redis_state.command("EVAL", COPY_ALL, 0, 0, 1)
    return module_stack


@pytest.fixture(autouse=True)
def fresh(request):
    """Everything as it was at first."""
    if "site" in request.fixturenames:
        request.getfixturevalue("site").redis_state.command("EVAL", COPY_ALL, 0, 1, 0)


def logged_in(site, email, path="/settings"):
    browser = Browser(site.nginx)
    answer = browser.log_in(browser.page(path), email)
    assert answer.status == 200, (answer.status, answer.headers)
    return browser


def known(site, email):
    browser = Browser(site.nginx)
    browser.cookies = dict(site.browsers[email].cookies)
    return browser


@pytest.fixture
def olivia(site):
    return known(site, OLIVIA)


@pytest.fixture
def manuel(site):
    return known(site, MANUEL)


def post(browser, path, fields, status=303):
    """A form's answer; fields may be lists. Follows the redirect that a change ends in."""
    pairs = [(name, one) for name, value in fields.items() for one in (value if isinstance(value, list) else [value])]
    answer = browser.request(path, fields=pairs)
    assert answer.status == status, (answer.status, answer.headers, answer.body[:3000])
    return browser.page(answer.headers["location"]) if status == 303 else Page(answer)


def send(browser, page, action, status=303, **more):
    """The form of that page that goes to `action`, as a browser sends it."""
    form = page.form(action)
    checked = [box["value"] for box in form["checkboxes"] if "checked" in box]
    return post(browser, action, {**form["fields"], **({"scope": checked} if checked else {}), **more}, status)


def register(browser, **more):
    """The path of a new application, and its page."""
    page = send(browser, browser.page(NEW), NEW, **{**ENTERED, **more})
    (client_id,) = [attributes["value"] for _, attributes in page.elements if attributes.get("id") == "client-id"]
    return f"{LIST}/{client_id}", page


def value_of(page, element):
    (value,) = [attributes["value"] for _, attributes in page.elements if attributes.get("id") == element]
    return value


def secrets_on(page):
    return [attributes["value"] for _, attributes in page.elements if attributes.get("id", "").startswith("secret-")]


def shown(browser, path):
    return secrets_on(send(browser, browser.page(path), path + "/secret", 200))


def alerts(page):
    return [element for element in page.elements if element[1].get("role") == "alert"]


def token_request(site, **fields):
    answer = site.nginx.request("/oauth/token", host=API, method="POST", headers=FORM,
                                body=urllib.parse.urlencode(fields).encode())
    return answer.status, json.loads(answer.body)


def is_right(site, client_id, secret):
    """Whether the token endpoint takes it for the client's secret."""
    _, answer = token_request(site, grant_type="refresh_token", client_id=client_id, client_secret=secret,
                              refresh_token="svcr_" + "0" * 96)
    assert answer["error"] in ("invalid_client", "invalid_grant"), answer
    return answer["error"] == "invalid_grant"


def link_of(page):
    (link,) = re.findall(r'<textarea id="authorization-link"[^>]*>([^<]*)<', page.answer.body.decode())
    return html.unescape(link).removeprefix(HOSTS["app-url"])


def connect(site, browser, path, secret):
    """Tokens of that application, by its ready-made link."""
    page = browser.page(path)
    link = link_of(page)
    answer = browser.request(link)
    if ("answer", "choose") in Page(answer).form("/oauth/authorize")["buttons"]:
        answer = browser.answer(Page(answer), "choose", account="1001")
    answer = browser.answer(Page(answer), "allow")
    assert answer.status == 303, answer.body
    uri = dict(urllib.parse.parse_qsl(link.partition("?")[2]))["redirect_uri"]
    code = dict(urllib.parse.parse_qsl(answer.headers["location"].partition("?")[2]))["code"]
    status, tokens = token_request(site, grant_type="authorization_code", client_id=path.rpartition("/")[2],
                                   client_secret=secret, redirect_uri=uri, code=code)
    assert status == 200, tokens
    return tokens


def use(site, tokens, media="Demo0Reel1"):
    return site.nginx.request(f"/v1/medias/{media}", host=API,
                              headers={"Authorization": "Bearer " + tokens["access_token"]}).status


# --- from nothing ---

def test_from_an_empty_store_a_person_registers_connects_and_revokes(tmp_path):
    stack = Stack()
    try:
        mine = [line for line in map(json.loads, CATALOG.read_text().strip().split("\n"))
                if (line["kind"], line.get("id")) in (("account", 1001), ("user", 501))
                or line["kind"] in ("project", "media") and line.get("account_id") == 1001]
        catalog = tmp_path / "catalog.jsonl"
        catalog.write_text("".join(json.dumps(line) + "\n" for line in mine))
        stack.import_catalog(catalog)
        start(stack)
        media = next(line["id"] for line in mine if line["kind"] == "media")

        olivia = logged_in(stack, OLIVIA)
        overview = olivia.page("/settings")
        assert LIST in [attributes.get("href") for _, attributes in overview.elements]
        assert "There is no application yet" in olivia.page(LIST).text
        assert "No application is connected" in olivia.page("/settings/connected").text

        path, page = register(olivia)
        assert "The application is registered" in page.text and "no connections" in page.text
        (secret,) = shown(olivia, path)
        tokens = connect(stack, olivia, path, secret)
        assert use(stack, tokens, media) == 200

        connected = olivia.page("/settings/connected")
        assert "Reel Maker Has access to Acme Films" in connected.text
        assert "See media and projects" in connected.text and "just now" in connected.text
        (revoke,) = [attributes["href"] for _, attributes in connected.elements
                     if attributes.get("href", "").startswith("/settings/connected/")]
        asked = olivia.page(revoke)
        assert "all its tokens end at once" in asked.text and use(stack, tokens, media) == 200
        page = send(olivia, asked, revoke)
        assert use(stack, tokens, media) == 401
        assert "Access is revoked" in page.text and "No application is connected" in page.text
        status, answer = token_request(stack, grant_type="refresh_token", client_id=path.rpartition("/")[2],
                                       client_secret=secret, refresh_token=tokens["refresh_token"])
        assert (status, answer["error"]) == (400, "invalid_grant")
        assert [(event["what"], event["contact"]) for event in audit(stack) if event["what"] != "import"] == [
            ("login", "501"), ("client.created", "501"), ("secret.shown", "501"), ("authorized", "501"),
            ("revoked", "501")]
    finally:
        stack.stop()


# --- applications ---

def test_the_overview_says_what_is_barred_and_why(site, olivia):
    assert "My Settings" in [text for tag, text in links_of(olivia.page("/settings/security"))]
    for person, why in (("uma@acme.example", "Only its owners and managers see and change its OAuth applications"),
                        ("clara@closed.example", "OAuth is not enabled for this account")):
        page = logged_in(site, person).page("/settings")
        assert why in page.text and "OAuth applications of" not in page.text


def links_of(page):
    return re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)<', page.answer.body.decode())


def test_addresses_that_have_no_page_lead_on(site, olivia):
    at_start = olivia.request("/")
    assert (at_start.status, at_start.headers["location"]) == (303, HOSTS["app-url"] + "/settings")
    assert site.nginx.request("/", host=APP, method="POST").status == 405
    for browser in (olivia, Browser(site.nginx)):
        page = browser.page("/settings/nothing", 404)
        assert "There is nothing here" in page.text and ("/settings", "My Settings") in links_of(page)


def test_permissions_stand_in_order_the_least_first(olivia):
    boxes = [box["value"] for box in olivia.page(NEW).form(NEW)["checkboxes"] if box.get("name") == "scope"]
    assert boxes == ["stats:read", "media:read", "media:upload", "all:read", "all:all"]


def test_an_account_lists_its_applications(olivia):
    page = olivia.page(LIST)
    assert "Clip Scheduler" in page.text and "Everything App" in page.text and "127.0.0.1:9090" in page.text
    assert "Uploader" not in page.text, "of another account"
    exact = [attributes["datetime"] for tag, attributes in page.elements if tag == "time"]
    assert exact == ["2026-04-01T10:00:00Z", "2026-04-03T10:00:00Z"]


def test_one_form_sent_twice_registers_one_application(olivia):
    form = olivia.page(NEW)
    first, second = (send(olivia, form, NEW, **ENTERED) for _ in range(2))
    assert value_of(first, "client-id") == value_of(second, "client-id")
    assert olivia.page(LIST).text.count("Reel Maker") == 1


def test_L1_the_number_of_an_application_is_ours(olivia):
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
    ("redirect_uri", "", "Enter the address that people are sent back to."),
    ("redirect_uri", "reels.example/back", "must be an absolute URI, such as https://app.example/callback"),
    ("redirect_uri", "https://reels.example/back#part", "must not have a fragment, the part from # on: the answer"),
    ("redirect_uri", "https://me@reels.example/back", "must not have a user name or password, the part up to @"),
    ("redirect_uri", "http://reels.example/back", "must begin with https://, or others on the way can read the answer"),
    ("redirect_uri", "javascript://reels.example/%0aalert(1)", "must not begin with javascript:, which a browser runs"),
    ("redirect_uri", "data:text/html,x", "must not begin with data:, which a browser runs"),
    ("redirect_uri", "reels://back", "must begin with https://, in lower case; it begins with reels://"),
    ("redirect_uri", "http://localhost:3000/back", "register http://127.0.0.1:3000/back instead"),
    ("redirect_uri", "https://reels.example:99999/back", "must have a port from 1 to 65535 behind the host, or none"),
    ("redirect_uri", "https://reels.example\\@evil.example/", "no spaces, backslashes, control characters"),
    ("redirect_uri", "https://reels.example/back?code=1", "must not have a parameter called code"),
    ("redirect_uri", "https://reels.example/" + "p" * 2048, "must not be longer than 2048 bytes"),
    ("scope", [], "Choose at least one permission."),
    ("scope", ["all:none"], "Choose at least one permission."),
])
def test_U_W3_what_cannot_be_saved_is_said_beside_its_field(olivia, field, value, words):
    entered = {**ENTERED, field: value}
    page = send(olivia, olivia.page(NEW), NEW, 422, **entered)
    body = html.unescape(page.answer.body.decode())
    assert body.count(words) == 2, "at the top and beside the field"
    assert page.answer.body.count(b'role="alert"') == 1
    describes = {attributes.get("id") for _, attributes in page.elements}
    (wrong,) = [attributes for _, attributes in page.elements
                if "-problem" in attributes.get("aria-describedby", "")]
    assert set(wrong["aria-describedby"].split()) <= describes
    fields = page.form(NEW)["fields"]
    for name in {"name", "redirect_uri"} - {field}:
        assert fields[name] == ENTERED[name], "what was entered stays"
    assert "Reel Maker" not in olivia.page(LIST).text
    # And it can be corrected on the page that says so.
    send(olivia, page, NEW, **ENTERED)
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
    # The same once more changes nothing and is written down nowhere.
    send(olivia, olivia.page(edit), edit)
    assert len([event for event in audit(site) if event["what"] == "client.changed"]) == 1


def test_what_only_few_need_is_set_too(site, olivia, manuel):
    """The scope format, PKCE, exact redirect URIs, no secret in addresses."""
    edit = DEMO + "/edit"
    his = manuel.page(edit)
    form = olivia.page(edit).form(edit)
    assert form["fields"].get("scope_format", "array") == "array"
    page = send(olivia, olivia.page(edit), edit, scope_format="string", require_pkce="yes", exact_redirect="yes",
                refuse_query_credentials="yes")
    assert "PKCE is required." in page.text and "code_challenge" in page.text and "code_verifier" in exchange_of(page)
    record = json.loads(site.redis_state.command("GET", "oauth:client:demo-client-0001"))
    assert (record["scope_format"], record["require_pkce"], record["exact_redirect"],
            record["refuse_query_credentials"]) == ("string", True, True, True)
    assert record["permission_version"] == 1, "the same permissions"
    (event,) = [event for event in audit(site) if event["what"] == "client.changed"]
    assert event["detail"] == "scope_format, require_pkce, exact_redirect, refuse_query_credentials"
    status, answer = token_request(site, grant_type="refresh_token", client_id="demo-client-0001",
                                   client_secret=DEMO_SECRET, refresh_token="svcr_" + "0" * 96)
    assert (status, answer["error"]) == (400, "invalid_grant"), "in the body it is taken"
    # Who edited at the same time is told of these as well.
    told = send(manuel, his, edit, 409, name="Of Manuel")
    assert "Require PKCE yes" in told.text and "Scopes in token answers one text" in told.text
    send(olivia, olivia.page(edit), edit, scope_format="array")
    record = json.loads(site.redis_state.command("GET", "oauth:client:demo-client-0001"))
    assert (record["scope_format"], record["require_pkce"]) == ("array", False), "what is not ticked is off"


def exchange_of(page):
    (command,) = re.findall(r'<textarea id="exchange"[^>]*>([^<]*)<', page.answer.body.decode())
    return html.unescape(command)


def test_the_page_of_an_application_says_what_to_do_next(site, olivia):
    """Its commands work as they are, and have no secret in them."""
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


def test_the_steps_stay_open_while_somebody_is_at_them(olivia):
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


def test_S3_other_permissions_change_no_token_and_ask_again(site, olivia):
    tokens = connect(site, olivia, DEMO, DEMO_SECRET)
    before = use(site, tokens)
    page = send(olivia, olivia.page(DEMO + "/edit"), DEMO + "/edit", scope=["media:read"])
    assert "See statistics" not in page.text
    assert use(site, tokens) == before != 401
    assert ("answer", "allow") in Page(olivia.request(link_of(page))).form("/oauth/authorize")["buttons"]


def test_of_two_people_who_edit_at_once_the_second_is_told(olivia, manuel):
    edit = DEMO + "/edit"
    hers, his = olivia.page(edit), manuel.page(edit)
    send(olivia, hers, edit, name="Of Olivia", description="Hers.")
    told = send(manuel, his, edit, 409, name="Of Manuel", scope=["media:read"])
    assert "Somebody else changed this application while you were editing it" in told.text
    assert "Name Of Olivia" in told.text and "Description Hers." in told.text
    assert told.form(edit)["fields"]["name"] == "Of Manuel", "nothing of his is lost"
    assert "Of Olivia" in olivia.page(DEMO).text, "nor of hers"
    page = send(manuel, told, edit, description="Hers.")
    assert "Of Manuel" in page.text and "Hers." in page.text


def test_an_edit_beside_a_new_secret_loses_neither(site, olivia, manuel):
    edit = DEMO + "/edit"
    form = manuel.page(edit)
    send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    send(manuel, form, edit, name="Renamed")
    page = olivia.page(DEMO)
    assert "Renamed" in page.text and "Show the client secrets" in page.text
    assert is_right(site, "demo-client-0001", DEMO_SECRET)


# --- secrets ---

def test_a_secret_is_rotated_with_two_live(site, olivia, manuel):
    his = manuel.page(DEMO)
    page = send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    assert "There is a new secret, and the old one is still valid" in page.text
    assert re.search("Client secret, current, since just now Client secret, old", page.text), page.text
    assert "; retire it when nobody uses it" in page.text and "To finish the change:" in page.text
    newer, older = shown(olivia, DEMO)
    assert older == DEMO_SECRET and re.fullmatch("[0-9a-f]{64}", newer)
    assert is_right(site, "demo-client-0001", newer) and is_right(site, "demo-client-0001", older)

    # A page from before makes no third one.
    told = send(manuel, his, DEMO + "/new-secret", 409)
    assert "Nothing was changed now" in told.text and alerts(told)

    asked = olivia.page(DEMO + "/retire-secret")
    assert "can no longer get or renew tokens" in asked.text and is_right(site, "demo-client-0001", older)
    page = send(olivia, asked, DEMO + "/retire-secret")
    assert "The old secret is retired." in page.text
    assert not is_right(site, "demo-client-0001", older) and is_right(site, "demo-client-0001", newer)
    assert shown(olivia, DEMO) == [newer]

    # Nor does a form from before end the newest one.
    send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    assert "Nothing was changed now" in send(olivia, asked, DEMO + "/retire-secret", 409).text
    assert is_right(site, "demo-client-0001", newer)
    assert [event["what"] for event in audit(site) if "secret" in event["what"]] == [
        "secret.rotated", "secret.shown", "secret.retired", "secret.shown", "secret.rotated"]


def make_password_old(site, seconds=600):
    script = ("for _, key in ipairs(redis.call('KEYS', 'web:session:*')) do "
              "redis.call('HINCRBY', key, 'password_given', -tonumber(ARGV[1])) end return 1")
    site.redis_state.command("EVAL", script, 0, seconds)


def test_a_secret_is_shown_to_who_gives_the_password(site, olivia):
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
    # Just given: not asked for again.
    assert shown(olivia, DEMO) == [DEMO_SECRET]
    assert [event["what"] for event in audit(site)] == ["login.failed", "password.given", "secret.shown",
                                                        "secret.shown"]


def test_L4_guessing_the_password_here_is_held_up_as_at_the_login(site, olivia):
    make_password_old(site)
    asked = send(olivia, olivia.page(DEMO), DEMO + "/secret", 200)
    fields = {**asked.form(DEMO + "/secret")["fields"], "password": "x"}
    statuses = [olivia.request(DEMO + "/secret", fields=fields).status for _ in range(5)]
    assert statuses == [403] * 5
    # The fifth began a second, each further one twice as much; however slow this is, it meets one.
    for _ in range(20):
        answer = olivia.request(DEMO + "/secret", fields=fields)
        if answer.status == 429:
            break
        assert answer.status == 403
    assert answer.status == 429
    assert answer.headers["retry-after"] and not secrets_on(Page(answer))


# --- deleting ---

def test_W4_deleting_says_what_breaks_and_ends_everything(site, olivia, manuel):
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
    # Whoever comes by its link, or to its page, reads what has become of it, and can go on.
    gone = Page(olivia.request(link))
    assert gone.answer.status == 400 and "does not exist, or it was deleted" in gone.text
    assert "It may have been deleted." in olivia.page(path, 404).text
    assert LIST in [attributes.get("href") for _, attributes in olivia.page(path, 404).elements]
    # Sent twice: it is gone, as was wished.
    assert "The application is deleted." in send(olivia, asked, path + "/delete").text
    assert site.redis_state.command("EXISTS", "oauth:client_grants:" + path.rpartition("/")[2]) == "0"
    events = [(event["what"], event["contact"], event.get("detail")) for event in audit(site)]
    assert events[-1] == ("client.deleted", "501", "2 grants end with it") and "revoked" not in dict(e[:2] for e in events)


def seed_grants(site, count, client, account=1001):
    """As many people's grants of that application, in every list."""
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


def test_W4_an_application_of_thousands_of_people_is_shown_and_deleted_at_once(site, olivia):
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
    # At once, though most of its grants are still there.
    assert use(site, hers) == 401 and not is_right(site, client, secret)
    left = int(site.redis_state.command("ZCARD", f"oauth:client_grants:{client}"))
    assert left > 0, "a request ends so many at most"
    # A worker that dies leaves the rest to the others.
    os.kill(sorted(site.web.workers())[0], signal.SIGKILL)
    wait_until(lambda: site.redis_state.command("EXISTS", f"oauth:client_grants:{client}") == "0", "the clean-up")
    assert use(site, hers) == 401 and "No application is connected" in olivia.page("/settings/connected").text
    assert "No application is connected" in olivia.page(OWNERS).text


# --- what all people of an account have connected ---

OWNERS = "/settings/accounts/1001/connected"


def test_B3_an_owner_sees_and_ends_the_connections_of_the_account(site, olivia, manuel):
    his = connect(site, manuel, DEMO, DEMO_SECRET)
    hers = connect(site, olivia, DEMO, DEMO_SECRET)
    assert OWNERS in [attributes.get("href") for _, attributes in olivia.page("/settings").elements]
    page = olivia.page(OWNERS)
    assert "2 connections" in page.text and "Connected by" in page.text and MANUEL in page.text
    assert "last used" in page.text and "See media and projects" in page.text
    grants = [attributes["href"] for _, attributes in page.elements if attributes.get("href", "").startswith(OWNERS + "/")]
    assert len(grants) == 2
    (grant,) = [path for path in grants if MANUEL in olivia.page(path).text]
    asked = olivia.page(grant)
    assert "what this person uses it for stops working" in asked.text
    assert use(site, his) != 401, "asking ends nothing"
    forged = {**asked.form(grant)["fields"], "csrf": "0" * 64}
    assert olivia.request(grant, fields=forged).status == 403 and use(site, his) != 401
    page = send(olivia, asked, grant)
    assert "Access is revoked." in page.text and "1 connection" in page.text and MANUEL not in page.text
    assert use(site, his) == 401 and use(site, hers) != 401
    event = audit(site)[-1]
    assert (event["what"], event["contact"], event["detail"]) == ("revoked", "501", "of contact 502, by an owner of the account")
    # Sent twice: it is over, as was wished.
    assert "Access is revoked." in send(olivia, asked, grant).text


def test_B3_only_owners_see_what_others_connected(site, olivia, manuel):
    connect(site, olivia, DEMO, DEMO_SECRET)
    (grant,) = [attributes["href"] for _, attributes in olivia.page(OWNERS).elements
                if attributes.get("href", "").startswith(OWNERS + "/")]
    for path in (OWNERS, grant):
        page = manuel.page(path, 403)
        assert "Only the owners of this account" in page.text and OLIVIA not in page.text
    token = olivia.page(grant).form(grant)["fields"]["csrf"]
    assert manuel.request(grant, fields={"csrf": token}).status == 403
    foreign = grant.replace("/1001/", "/1002/")
    for path in (foreign, "/settings/accounts/1002/connected", OWNERS + "/" + "0" * 32, OWNERS + "/", OWNERS + "x",
                 "/settings/accounts/01001/connected", grant + "/x"):
        assert olivia.page(path, 404)
    assert "Clip Scheduler" in olivia.page(OWNERS).text, "nothing was ended"


def test_B3_a_connection_that_is_not_in_effect_says_why(site, olivia, manuel):
    his = connect(site, manuel, DEMO, DEMO_SECRET)
    key = "catalog:contact:502"
    record = json.loads(site.redis_state.command("GET", key))
    before = json.dumps(record)
    for membership in record["memberships"]:
        if membership["account_id"] == 1001:
            membership["role"] = "user"
    site.redis_state.command("SET", key, json.dumps(record))
    try:
        assert use(site, his) == 401
        assert "this person is not an owner or manager of the account" in olivia.page(OWNERS).text
        assert "you are not an owner or manager of the account" in manuel.page("/settings/connected").text
    finally:
        site.redis_state.command("SET", key, before)
    assert use(site, his) != 401 and "Not in effect" not in olivia.page(OWNERS).text


# --- who may what ---

def test_whoever_may_not_is_told_why(site):
    uma = logged_in(site, "uma@acme.example")
    assert "You are a user of this account" in uma.page(LIST, 403).text
    for path in (NEW, DEMO, DEMO + "/edit", DEMO + "/delete"):
        page = uma.page(path, 403)
        assert "Clip Scheduler" not in page.text and not [f for f in page.forms if f["action"] != "/logout"]
    clara = logged_in(site, "clara@closed.example")
    assert "OAuth is not enabled for this account" in clara.page("/settings/accounts/1003/applications", 403).text


def test_other_accounts_look_like_none(site, olivia, manuel):
    foreign = manuel.page("/settings/accounts/1002/applications/demo-client-0002")
    assert "Uploader <Pro> & Co" in foreign.text
    nothing = olivia.page("/settings/accounts/1002/applications", 404).text
    for path in ("/settings/accounts/9999/applications", "/settings/accounts/1002/applications/demo-client-0002",
                 f"{LIST}/demo-client-0002", f"{LIST}/demo-client-0002/edit", f"{LIST}/demo-client-0002/delete",
                 "/settings/accounts/1002/new-application", "/settings/accounts/", "/settings/accounts/1001/",
                 "/settings/accounts/1001x/applications", f"{LIST}/", f"{LIST}/../x", f"{LIST}/a%0ab",
                 f"{DEMO}/nothing", f"{DEMO}/edit/more", "/settings/connected/" + "0" * 32,
                 "/settings/connected/x", "/settings/security/x"):
        page = olivia.page(path, 404)
        assert "Uploader" not in page.text
    assert "There is nothing here" in nothing
    # The path under one's own account does not open the door to another's application either.
    token = olivia.page(DEMO + "/delete").form(DEMO + "/delete")["fields"]["csrf"]
    for action in ("edit", "secret", "new-secret", "retire-secret", "delete"):
        answer = olivia.request(f"{LIST}/demo-client-0002/{action}", fields={"csrf": token})
        assert answer.status in (403, 404)
    assert "Uploader" in manuel.page("/settings/accounts/1002/applications").text


def test_a_grant_is_ended_only_by_who_gave_it(site, olivia, manuel):
    tokens = connect(site, olivia, DEMO, DEMO_SECRET)
    (revoke,) = {form for _, attributes in olivia.page("/settings/connected").elements
                 if (form := attributes.get("href", "")).startswith("/settings/connected/")}
    manuel.page(revoke, 404)
    token = olivia.page(revoke).form(revoke)["fields"]["csrf"]
    assert manuel.request(revoke, fields={"csrf": token}).status == 403
    assert use(site, tokens) != 401


def test_K7_a_connection_revoked_many_times_at_once_is_one_event(site):
    olivia = logged_in(site, OLIVIA)  # the rate limit is by session
    for _ in range(3):
        connect(site, olivia, DEMO, DEMO_SECRET)
        (revoke,) = {form for _, attributes in olivia.page("/settings/connected").elements
                     if (form := attributes.get("href", "")).startswith("/settings/connected/")}
        fields = olivia.page(revoke).form(revoke)["fields"]
        before = sum(entry["what"] == "revoked" for entry in audit(site))
        with concurrent.futures.ThreadPoolExecutor(8) as many:
            statuses = list(many.map(lambda _: olivia.request(revoke, fields=fields).status, range(8)))
        assert set(statuses) == {303}
        assert sum(entry["what"] == "revoked" for entry in audit(site)) == before + 1


def actions(browser):
    """Every form of the settings, with a page that has it."""
    return [(NEW, NEW), (DEMO + "/edit", DEMO + "/edit"), (DEMO, DEMO + "/secret"), (DEMO, DEMO + "/new-secret"),
            (DEMO + "/delete", DEMO + "/delete"), ("/settings/security", "/settings/security/password")]


def test_L1_forged_and_foreign_forms_do_nothing(site, olivia, manuel):
    for page, action in actions(olivia):
        fields = {**ENTERED, **olivia.page(page).form(action)["fields"]}
        theirs = manuel.page(page).form(action)["fields"]["csrf"]
        elsewhere = olivia.page("/settings/security").form("/logout")["fields"]["csrf"]
        for token in ("", "0" * 64, theirs, elsewhere):
            answer = olivia.request(action, fields={**fields, "csrf": token})
            assert answer.status == 403 and b"Nothing was changed" in answer.body, (action, token)
        cookie = "; ".join(f"{name}={value}" for name, value in olivia.cookies.items())
        answer = site.nginx.request(action, method="POST", host=APP, body=urllib.parse.urlencode(fields).encode(),
                                    headers={**FORM, "Cookie": cookie, "Origin": "https://evil.example"})
        assert answer.status == 403, action
    assert audit(site) == []
    assert "Clip Scheduler" in olivia.page(LIST).text and "Reel Maker" not in olivia.page(LIST).text


def test_who_is_not_logged_in_comes_back_after_the_login(site, olivia):
    form = olivia.page(DEMO)
    send(olivia, form, "/logout", 303)
    answer = olivia.request(DEMO + "/new-secret", fields=form.form(DEMO + "/new-secret")["fields"])
    assert answer.status == 200 and b"Log in" in answer.body, "an old form does nothing"
    browser = Browser(site.nginx)
    for path in ("/settings", LIST, DEMO + "/edit", "/settings/connected", "/settings/security"):
        login = browser.page(path)
        sent = browser.request("/login", fields={**login.form("/login")["fields"], "email": OLIVIA,
                                                 "password": PASSWORDS[OLIVIA]})
        assert (sent.status, sent.headers["location"]) == (303, path)
        browser = Browser(site.nginx)
    assert [event for event in audit(site) if event["what"] == "secret.rotated"] == []


def test_other_methods_are_refused(site, olivia):
    cookie = "; ".join(f"{name}={value}" for name, value in olivia.cookies.items())
    for path in ("/settings", LIST, DEMO, "/settings/connected", "/settings/security"):
        answer = site.nginx.request(path, method="DELETE", host=APP, headers={"Cookie": cookie})
        assert answer.status == 405 and answer.headers["allow"] == "GET, HEAD, POST"


# --- what others wrote ---

@pytest.mark.parametrize("text", ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "</title><b>",
                                  "{{NAME}} &lt; &amp;", "שלום &rlm; عالم"])
def test_W5_names_and_descriptions_are_text(site, olivia, text):
    path, _ = register(olivia, name=text, description=text)
    (secret,) = shown(olivia, path)
    connect(site, olivia, path, secret)
    grant = next(attributes["href"] for _, attributes in olivia.page("/settings/connected").elements
                 if attributes.get("href", "").startswith("/settings/connected/"))
    for where in (path, path + "/edit", path + "/delete", LIST, "/settings/connected", grant):
        page = olivia.page(where)
        assert text in page.text or text in page.form(where)["fields"].get("name", ""), where
        tags = {tag for tag, _ in page.elements}
        assert not tags & {"img", "b", "iframe"} and [a for t, a in page.elements if t == "script"] == [
            {"src": "/assets/flow.js", "defer": None}, {"src": "/assets/copy.js", "defer": None}], where
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert olivia.page(path + "/edit").form(path + "/edit")["fields"]["description"] == text


def test_a_message_that_something_was_done_is_ours(olivia):
    page = send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    assert "There is a new secret" in page.text
    for said in ("rotated", "rotated-", "rotated-0000000000000000", "saved-" + "0" * 16, "%22%3E-x"):
        assert "role=\"status\"" not in olivia.page(f"{DEMO}?done={said}").answer.body.decode()


def test_A6_every_page_keeps_to_itself(olivia):
    for path in ("/settings", LIST, NEW, DEMO, DEMO + "/edit", DEMO + "/delete", "/settings/connected",
                 "/settings/security"):
        page = olivia.page(path)
        headers = page.answer.headers
        assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY" and "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers
        for tag, attributes in page.elements:
            for name in ("src", "href", "action"):
                assert attributes.get(name, "/").startswith(("/", "data:,")), (path, tag, attributes)
            assert "style" not in attributes and tag != "style"
        labelled = {attributes["for"] for tag, attributes in page.elements if tag == "label" and "for" in attributes}
        for tag, attributes in page.elements:
            if tag in ("input", "textarea") and attributes.get("type") not in ("hidden", "checkbox", "radio"):
                assert attributes["id"] in labelled or "aria-labelledby" in attributes, (path, attributes)


# --- sessions and password ---

def test_sessions_are_listed_and_ended(site, olivia):
    second, third = logged_in(site, OLIVIA), logged_in(site, OLIVIA)
    stranger = known(site, MANUEL)
    page = olivia.page("/settings/security")
    assert page.text.count("This browser") == 2, "one session, and a word on ending others"
    assert page.text.index("This browser") < page.text.index("Log out there"), "it comes first"
    others = [form for form in page.forms if form["action"] == "/settings/security/session"]
    assert len(others) == 2
    ended = post(olivia, "/settings/security/session", others[0]["fields"])
    assert "The session is ended." in ended.text
    assert sorted(b"Log in" in browser.request("/settings").body for browser in (second, third)) == [False, True]
    # Somebody else's session is none of hers.
    theirs = [form for form in stranger.page("/settings/security").forms if form["action"].endswith("/session")]
    assert theirs == []
    page = send(olivia, olivia.page("/settings/security"), "/settings/security/others")
    assert "You are logged in nowhere else." in page.text
    assert all("Log in" in Page(browser.request("/settings")).text for browser in (second, third))
    assert "Log out" in olivia.page("/settings").text and "Log out" in stranger.page("/settings").text
    assert [event["what"] for event in audit(site)][-2:] == ["session.ended"] * 2


def test_K7_ending_no_sessions_is_not_an_event(site, olivia):
    """1 500 of them a second pushed everything else out of the trail."""
    second = logged_in(site, OLIVIA)
    fields = olivia.page("/settings/security").form("/settings/security/others")["fields"]
    before = len(audit(site))
    for _ in range(5):
        post(olivia, "/settings/security/others", fields)
    assert "Log in" in Page(second.request("/settings")).text
    assert [event["what"] for event in audit(site)][before:] == ["session.ended"]


def test_the_password_is_changed_and_other_sessions_end(site, olivia):
    password, path = "a-brand-new-password", "/settings/security/password"
    elsewhere = logged_in(site, OLIVIA)
    cookie = dict(olivia.cookies)
    page = send(olivia, olivia.page("/settings/security"), path, present=PASSWORDS[OLIVIA], fresh=password,
                again=password)
    assert "Your password is changed. You are logged out everywhere else." in page.text
    assert "You are logged in nowhere else." in page.text
    assert olivia.cookies != cookie, "a session that nobody has seen"
    assert "Log in" in Page(elsewhere.request("/settings")).text
    olivia_before = Browser(site.nginx)
    olivia_before.cookies = cookie
    assert "Log in" in Page(olivia_before.request("/settings")).text
    for given, status in ((PASSWORDS[OLIVIA], 403), (password, 303)):
        browser = Browser(site.nginx)
        answer = browser.request("/login", fields={**browser.page("/login").form("/login")["fields"],
                                                   "email": OLIVIA, "password": given})
        assert answer.status == status
    assert "password.changed" in [event["what"] for event in audit(site)]


def test_K7_a_contact_may_send_so_many_forms_over_all_sessions(site, olivia, manuel):
    """Else one owner with a hundred sessions flushes the events of all others out of the audit trail."""
    path, _ = register(olivia)
    edit = path + "/edit"
    counter = "web:settings_forms:501"
    assert site.redis_state.command("GET", counter) == "1"
    assert 0 < int(site.redis_state.command("TTL", counter)) <= 60
    second = logged_in(site, OLIVIA)
    site.redis_state.command("SET", counter, 119, "EX", 50)
    send(second, second.page(edit), edit, name="The last one")
    audit_trail.forget(site.redis_state)
    for browser in (second, olivia):
        form = browser.page(edit).form(edit)
        answer = browser.request(edit, fields={**form["fields"], "name": "One too many"})
        assert answer.status == 429 and 0 < int(answer.headers["retry-after"]) <= 50
        assert "Too many requests" in Page(answer).text
    assert "The last one" in olivia.page(path).text
    assert audit(site) == [], "nothing was changed"
    send(manuel, manuel.page(edit), edit, name="Another contact")
    # A forged form is refused as before, and does not count.
    site.redis_state.command("SET", counter, 5, "EX", 50)
    assert olivia.request(edit, fields={"csrf": "wrong"}).status == 403
    assert site.redis_state.command("GET", counter) == "5"


def test_L2_a_session_of_the_old_password_is_over_though_nobody_ended_it(site, olivia):
    """As one that somebody begins while the password changes: it is in no list yet when the others are ended."""
    thief = logged_in(site, OLIVIA)
    assert "Log out" in thief.page("/settings").text
    record = json.loads(site.redis_state.command("GET", "catalog:contact:501"))
    site.redis_state.command("DEL", "web:contact_sessions:501")
    send(olivia, olivia.page("/settings/security"), "/settings/security/password", present=PASSWORDS[OLIVIA],
         fresh="a-brand-new-password", again="a-brand-new-password")
    assert record != json.loads(site.redis_state.command("GET", "catalog:contact:501"))
    for path in ("/settings", "/settings/security", "/login"):
        assert "Log out" not in Page(thief.request(path)).text
    assert "Log out" in olivia.page("/settings").text


@pytest.mark.parametrize(("fields", "status", "words"), [
    ({"present": ""}, 422, "Enter your current password."),
    ({"present": "wrong-wrong-wrong"}, 403, "The password is incorrect."),
    ({"fresh": ""}, 422, "Enter a new password."),
    ({"fresh": "too short 1", "again": "too short 1"}, 422, "must have at least 12 characters"),
    ({"fresh": "olivia@ACME.example", "again": "olivia@ACME.example"}, 422, "must not be the email address"),
    ({"fresh": PASSWORDS[OLIVIA], "again": PASSWORDS[OLIVIA]}, 422, "must not be the current one"),
    ({"fresh": "x" * 1025, "again": "x" * 1025}, 422, "must not be longer than 1,024 bytes"),
    ({"again": "another-good-password"}, 422, "The two new passwords differ."),
])
def test_a_password_that_is_not_changed_says_why(site, olivia, fields, status, words):
    path = "/settings/security/password"
    entered = {"present": PASSWORDS[OLIVIA], "fresh": "a-brand-new-password", "again": "a-brand-new-password"}
    page = send(olivia, olivia.page("/settings/security"), path, status, **{**entered, **fields})
    assert page.text.count(words) == 2 and len(alerts(page)) == 1
    assert not [value for value in page.form(path)["fields"].values() if value in {**entered, **fields}.values() and value]
    assert "password.changed" not in [event["what"] for event in audit(site)]
    logged_in(site, OLIVIA)


# --- secrets stay where they belong ---

def test_K3_no_secret_in_any_log_or_audit_entry(site, olivia):
    path, _ = register(olivia)
    (secret,) = shown(olivia, path)
    make_password_old(site)
    asked = send(olivia, olivia.page(path), path + "/secret", 200)
    send(olivia, asked, path + "/secret", 200, password=PASSWORDS[OLIVIA])
    texts = [log.read_text(errors="replace") for log in site.directory.rglob("*.log")] + [json.dumps(audit(site))]
    assert len(texts) > 3
    for hidden in (secret, PASSWORDS[OLIVIA], *olivia.cookies.values()):
        assert not [text for text in texts if hidden in text]


def test_while_the_store_is_away_the_pages_say_so(stack):
    stack.import_catalog()
    start(stack)
    olivia = logged_in(stack, OLIVIA)
    stack.redis_state.stop()
    page = olivia.page("/settings/connected", 503)
    assert "Not available just now" in page.text and page.answer.headers["retry-after"]
