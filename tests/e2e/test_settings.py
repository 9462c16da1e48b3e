"""The settings pages through the shipped nginx: connected applications, sessions, the password."""

import concurrent.futures
import json
import re
import urllib.parse

import pytest

import audit_trail
from user_agent import PASSWORDS, Browser, Page
from settings_site import (APP, DEMO, DEMO_SECRET, ENTERED, FORM, LIST, MANUEL, NEW, OLIVIA,
                           OWNERS, alerts, audit, connect, known, logged_in, make_password_old,
                           manuel, olivia, post, prepared, register, send, shown, site, start,
                           token_request, use)
from stack import CATALOG, Stack


MEDIA = "/settings/accounts/1001/media"

# --- from nothing ---

def test_from_an_empty_store_a_user_registers_connects_and_revokes_an_application(tmp_path):
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
        assert "See media" in connected.text and "just now" in connected.text
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


# --- connections of all users of an account ---

def test_oauth_B3_an_owner_sees_and_revokes_all_connections_of_the_account(site, olivia, manuel):
    his = connect(site, manuel, DEMO, DEMO_SECRET)
    hers = connect(site, olivia, DEMO, DEMO_SECRET)
    assert OWNERS in [attributes.get("href") for _, attributes in olivia.page("/settings").elements]
    page = olivia.page(OWNERS)
    assert "2 connections" in page.text and "Connected by" in page.text and MANUEL in page.text
    assert "last used" in page.text and "See media" in page.text
    grants = [attributes["href"] for _, attributes in page.elements
              if attributes.get("href", "").startswith(OWNERS + "/")]
    assert len(grants) == 2
    (grant,) = [path for path in grants if MANUEL in olivia.page(path).text]
    asked = olivia.page(grant)
    assert "what this user uses it for stops working" in asked.text
    assert use(site, his) != 401, "asking ends nothing"
    forged = {**asked.form(grant)["fields"], "csrf": "0" * 64}
    assert olivia.request(grant, fields=forged).status == 403 and use(site, his) != 401
    page = send(olivia, asked, grant)
    assert "Access is revoked." in page.text and "1 connection" in page.text and MANUEL not in page.text
    assert use(site, his) == 401 and use(site, hers) != 401
    event = audit(site)[-1]
    assert (event["what"], event["contact"], event["detail"]) == ("revoked", "501",
                                                                  "of contact 502, by an owner of the account")
    # A repeated request succeeds, too.
    assert "Access is revoked." in send(olivia, asked, grant).text


def test_oauth_B3_only_owners_see_the_connections_of_others(site, olivia, manuel):
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


def test_oauth_B3_an_ineffective_connection_shows_the_reason(site, olivia, manuel):
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
        assert "this user is not an owner or manager of the account" in olivia.page(OWNERS).text
        assert "you are not an owner or manager of the account" in manuel.page("/settings/connected").text
    finally:
        site.redis_state.command("SET", key, before)
    assert use(site, his) != 401 and "Not in effect" not in olivia.page(OWNERS).text


# --- permissions ---

def test_users_without_permission_see_the_reason(site):
    uma = logged_in(site, "uma@acme.example")
    assert "You are a user of this account" in uma.page(LIST, 403).text
    for path in (NEW, DEMO, DEMO + "/edit", DEMO + "/delete"):
        page = uma.page(path, 403)
        assert "Clip Scheduler" not in page.text and not [f for f in page.forms if f["action"] != "/logout"]
    clara = logged_in(site, "clara@closed.example")
    assert "OAuth is not enabled for this account" in clara.page("/settings/accounts/1003/applications", 403).text


def test_accounts_of_others_look_like_unknown_accounts(site, olivia, manuel):
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
    # A path with one's own account does not reach another account's application, either.
    token = olivia.page(DEMO + "/delete").form(DEMO + "/delete")["fields"]["csrf"]
    for action in ("edit", "secret", "new-secret", "retire-secret", "delete"):
        answer = olivia.request(f"{LIST}/demo-client-0002/{action}", fields={"csrf": token})
        assert answer.status in (403, 404)
    assert "Uploader" in manuel.page("/settings/accounts/1002/applications").text


def test_a_grant_can_be_revoked_only_by_its_contact(site, olivia, manuel):
    tokens = connect(site, olivia, DEMO, DEMO_SECRET)
    (revoke,) = {form for _, attributes in olivia.page("/settings/connected").elements
                 if (form := attributes.get("href", "")).startswith("/settings/connected/")}
    manuel.page(revoke, 404)
    token = olivia.page(revoke).form(revoke)["fields"]["csrf"]
    assert manuel.request(revoke, fields={"csrf": token}).status == 403
    assert use(site, tokens) != 401


def test_oauth_K7_simultaneous_revocations_of_a_connection_are_one_event(site):
    olivia = logged_in(site, OLIVIA)  # the rate limit counts per session
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
    """Every form of the settings: the page that contains it, and its action."""
    return [(NEW, NEW), (DEMO + "/edit", DEMO + "/edit"), (DEMO, DEMO + "/secret"), (DEMO, DEMO + "/new-secret"),
            (DEMO + "/delete", DEMO + "/delete"), ("/settings/security", "/settings/security/password")]


def test_oauth_L1_forged_and_foreign_forms_change_nothing(site, olivia, manuel):
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


def test_pages_W49_a_refused_form_links_to_its_page(olivia):
    media = MEDIA + "/upload?form="
    for page, action in [*actions(olivia), ("/settings/security", "/settings/security/others"), (MEDIA, media)]:
        answer = olivia.request(action, fields={**ENTERED, "csrf": "0" * 64})
        (link,) = {attributes["href"] for tag, attributes in Page(answer).elements if tag == "a"}
        there = olivia.request(link)
        there = olivia.request(there.headers["location"]) if there.status == 303 else there
        heading = re.compile(rb"<h1.*?</h1>", re.S)
        assert heading.search(there.body)[0] == heading.search(olivia.page(page).answer.body)[0], (action, link)


def test_the_login_leads_back_to_the_requested_page(site, olivia):
    form = olivia.page(DEMO)
    send(olivia, form, "/logout", 303)
    answer = olivia.request(DEMO + "/new-secret", fields=form.form(DEMO + "/new-secret")["fields"])
    assert answer.status == 200 and b"Log in" in answer.body, "an old form does nothing"
    assert "so nothing was saved" in Page(answer).text
    browser = Browser(site.nginx)
    for path in ("/settings", LIST, DEMO + "/edit", MEDIA, "/settings/connected", "/settings/security"):
        login = browser.page(path)
        sent = browser.request("/login", fields={**login.form("/login")["fields"], "email": OLIVIA,
                                                 "password": PASSWORDS[OLIVIA]})
        assert (sent.status, sent.headers["location"]) == (303, path)
        browser = Browser(site.nginx)
    assert [event for event in audit(site) if event["what"] == "secret.rotated"] == []


# --- text entered by users ---

@pytest.mark.parametrize("text", ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "</title><b>",
                                  "{{NAME}} &lt; &amp;", "שלום &rlm; عالم"])
def test_pages_W5_names_and_descriptions_are_escaped(site, olivia, text):
    path, _ = register(olivia, name=text, description=text)
    (secret,) = shown(olivia, path)
    connect(site, olivia, path, secret)
    grant = next(attributes["href"] for _, attributes in olivia.page("/settings/connected").elements
                 if attributes.get("href", "").startswith("/settings/connected/"))
    for where in (path, path + "/edit", path + "/delete", LIST, "/settings/connected", grant):
        page = olivia.page(where)
        assert text in page.text or text in page.form(where)["fields"].get("name", ""), where
        tags = {tag for tag, _ in page.elements}
        assert not tags & {"img", "b", "iframe"}, where
        ends = where in (path + "/delete", grant)
        assert [a for t, a in page.elements if t == "script"] == [
            {"src": "/assets/show-password.js", "defer": None}, {"src": "/assets/copy.js", "defer": None},
            *([{"src": "/assets/deliberate.js"}] if ends else [])], where
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert olivia.page(path + "/edit").form(path + "/edit")["fields"]["description"] == text


def test_a_forged_success_message_is_not_shown(olivia):
    page = send(olivia, olivia.page(DEMO), DEMO + "/new-secret")
    assert "There is a new secret" in page.text
    for said in ("rotated", "rotated-", "rotated-0000000000000000", "saved-" + "0" * 16, "%22%3E-x"):
        assert "role=\"status\"" not in olivia.page(f"{DEMO}?done={said}").answer.body.decode()


def test_oauth_A6_every_page_forbids_caching_framing_and_foreign_resources(olivia):
    for path in ("/settings", LIST, NEW, DEMO, DEMO + "/edit", DEMO + "/delete", "/settings/connected",
                 "/settings/security", MEDIA):
        page = olivia.page(path)
        headers = page.answer.headers
        assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
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
    assert page.text.count("This browser") == 2, "one session, and the text about ending the others"
    assert page.text.index("This browser") < page.text.index("Log out there"), "it comes first"
    others = [form for form in page.forms if form["action"] == "/settings/security/session"]
    assert len(others) == 2
    ended = post(olivia, "/settings/security/session", others[0]["fields"])
    assert "The session is ended." in ended.text
    assert sorted(b"Log in" in browser.request("/settings").body for browser in (second, third)) == [False, True]
    # Another user's session is not listed.
    theirs = [form for form in stranger.page("/settings/security").forms if form["action"].endswith("/session")]
    assert theirs == []
    page = send(olivia, olivia.page("/settings/security"), "/settings/security/others")
    assert "You are logged in nowhere else." in page.text
    assert all("Log in" in Page(browser.request("/settings")).text for browser in (second, third))
    assert "Log out" in olivia.page("/settings").text and "Log out" in stranger.page("/settings").text
    assert [event["what"] for event in audit(site)][-2:] == ["session.ended"] * 2


def test_oauth_K7_only_requests_that_end_a_session_are_audited(site, olivia):
    """Otherwise a client could evict all other events from the audit trail."""
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
    assert olivia.cookies != cookie, "a new session id"
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


def test_oauth_K7_a_contacts_forms_are_limited_over_all_sessions(site, olivia, manuel):
    """Otherwise one owner with a hundred sessions could evict all other events from the audit trail."""
    path, _ = register(olivia)
    edit = path + "/edit"
    counter = "web:settings_forms:501"
    assert site.redis_state.command("GET", counter) == "1"
    assert 0 < site.redis_state.command("TTL", counter) <= 60
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
    # A forged form is refused as before, and is not counted.
    site.redis_state.command("SET", counter, 5, "EX", 50)
    assert olivia.request(edit, fields={"csrf": "wrong"}).status == 403
    assert site.redis_state.command("GET", counter) == "5"


def test_oauth_L2_a_password_change_ends_even_sessions_that_are_not_listed(site, olivia):
    """A login during the password change creates a session after the list of sessions was read."""
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
def test_a_rejected_password_change_shows_the_reason(site, olivia, fields, status, words):
    path = "/settings/security/password"
    entered = {"present": PASSWORDS[OLIVIA], "fresh": "a-brand-new-password", "again": "a-brand-new-password"}
    page = send(olivia, olivia.page("/settings/security"), path, status, **{**entered, **fields})
    assert page.text.count(words) == 2 and len(alerts(page)) == 1
    assert not [value for value in page.form(path)["fields"].values() if value in {**entered, **fields}.values()
                and value]
    assert "password.changed" not in [event["what"] for event in audit(site)]
    logged_in(site, OLIVIA)


# --- secrets are not disclosed ---

def test_oauth_K3_no_secret_in_any_log_or_audit_entry(site, olivia):
    path, _ = register(olivia)
    (secret,) = shown(olivia, path)
    make_password_old(site)
    asked = send(olivia, olivia.page(path), path + "/secret", 200)
    send(olivia, asked, path + "/secret", 200, password=PASSWORDS[OLIVIA])
    texts = [log.read_text(errors="replace") for log in site.directory.rglob("*.log")] + [json.dumps(audit(site))]
    assert len(texts) > 3
    for hidden in (secret, PASSWORDS[OLIVIA], *olivia.cookies.values()):
        assert not [text for text in texts if hidden in text]


def test_pages_report_that_the_store_is_unavailable(stack):
    stack.import_catalog()
    start(stack)
    olivia = logged_in(stack, OLIVIA)
    stack.redis_state.stop()
    page = olivia.page("/settings/connected", 503)
    assert "Not available just now" in page.text and page.answer.headers["retry-after"]
