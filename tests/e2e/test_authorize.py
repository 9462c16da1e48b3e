"""The authorization flow for browsers and applications, through the shipped nginx: login, choice of an account,
consent, redirect, and exchange of the code."""

import json
import subprocess
import urllib.parse

import pytest

import audit_trail
import stack as stacks
from stack import HOSTS
from user_agent import Browser, Page

APP, API = "app.svc.example", "api.svc.example"
CLIENT = {"client_id": "demo-client-0001", "redirect_uri": "http://127.0.0.1:9090/callback"}
SECRET = "demo-secret-0001-not-for-production"


def target(more="", **parameters):
    query = {"response_type": "code", **CLIENT, "state": "st", **parameters}
    return "/oauth/authorize?" + urllib.parse.urlencode({k: v for k, v in query.items() if v is not None}) + more


def sent_back(answer, uri=CLIENT["redirect_uri"], status=303):
    """Returns the parameters that the redirect adds to `uri`, in their order."""
    assert answer.status == status, (answer.status, answer.body[:2000])
    location = answer.headers["location"]
    separator = "&" if "?" in uri else "?"
    assert location.startswith(uri + separator), location
    assert answer.headers["cache-control"] == "no-store" and answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in answer.headers
    return dict(urllib.parse.parse_qsl(location[len(uri) + 1:], strict_parsing=True, errors="surrogateescape"))


def exchange(nginx, code, uri=CLIENT["redirect_uri"], secret=SECRET, **more):
    body = urllib.parse.urlencode({"grant_type": "authorization_code", "client_id": CLIENT["client_id"],
                                   "client_secret": secret, "redirect_uri": uri, "code": code, **more})
    return nginx.request("/oauth/token", host=API, method="POST", body=body.encode(),
                         headers={"Content-Type": "application/x-www-form-urlencoded"})


@pytest.fixture(scope="module")
def nginx(module_stack):
    module_stack.import_catalog()
    module_stack.start_pool("web", roles="web", workers=3)
    module_stack.start_pool("grant", roles="grant", workers=2)
    return module_stack.start_shipped_nginx()


@pytest.fixture
def browser(nginx, module_stack):
    """A browser without a session. Existing grants, codes and sessions are deleted."""
    forget(module_stack, "oauth:grant:*", "oauth:code:*", "web:*")
    return Browser(nginx)


def forget(stack, *patterns):
    script = ("for _, pattern in ipairs(ARGV) do for _, key in ipairs(redis.call('KEYS', pattern)) do "
              "redis.call('DEL', key) end end return 1")
    stack.redis_state.command("EVAL", script, 0, *patterns)


@pytest.fixture
def olivia(browser):
    """A browser in which Olivia, who owns one account, is logged in."""
    browser.log_in(browser.page(target()), "olivia@acme.example")
    return browser


def consent_page(answer):
    assert answer.status == 200, (answer.status, answer.headers, answer.body[:1000])
    page = Page(answer)
    assert ("answer", "allow") in page.form("/oauth/authorize")["buttons"], page.text
    return page


def test_oauth_A5_oauth_A7_the_complete_flow_ends_with_tokens(browser, nginx):
    login = browser.page(target())
    consent = consent_page(browser.log_in(login, "olivia@acme.example"))
    assert "Clip Scheduler wants access to Acme Films" in consent.text
    fields = sent_back(browser.answer(consent, "allow"))
    assert list(fields) == ["code", "state", "iss", "account_id", "account_url", "account_name", "contact_id",
                            "contact_name", "contact_email"]
    assert {**fields, "code": ""} == {
        "code": "", "state": "st", "iss": HOSTS["base-url"], "account_id": "1001",
        "account_url": "https://acme.svc.localhost", "account_name": "Acme Films", "contact_id": "501",
        "contact_name": "Olivia Owner", "contact_email": "olivia@acme.example"}
    wrong = exchange(nginx, fields["code"], uri=CLIENT["redirect_uri"] + "?a=1")
    assert (wrong.status, json.loads(wrong.body)["error"]) == (400, "invalid_grant")
    tokens = exchange(nginx, fields["code"])
    assert tokens.status == 200, tokens.body
    assert json.loads(tokens.body)["scope"] == ["media:read", "stats:read"]


def test_oauth_A4_oauth_A7_pkce_binds_the_code(olivia, nginx):
    import base64
    import hashlib
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = target(code_challenge=challenge, code_challenge_method="S256", scope="media:read")
    code = sent_back(olivia.answer(consent_page(olivia.request(asked)), "allow"))["code"]
    assert exchange(nginx, code).status == 400
    assert exchange(nginx, code, code_verifier=verifier[::-1]).status == 400
    tokens = exchange(nginx, code, code_verifier=verifier)
    assert tokens.status == 200 and json.loads(tokens.body)["scope"] == ["media:read"]
    assert sent_back(olivia.request(target(code_challenge=challenge)))["error"] == "invalid_request"


def test_oauth_A3_redirects_only_after_the_login(browser):
    asked = target(response_type="token", scope="nonsense")
    login = browser.page(asked)
    assert "location" not in login.answer.headers
    fields = sent_back(browser.log_in(login, "olivia@acme.example"))
    assert fields["error"] == "unsupported_response_type" and fields["state"] == "st"
    assert fields["iss"] == HOSTS["base-url"]


@pytest.mark.parametrize(("asked", "words"), [
    (target(client_id="nobody"), "client_id names no application"),
    (target(client_id=None), "client_id is missing"),
    (target(redirect_uri=None), "redirect_uri is missing"),
    (target(redirect_uri="http://127.0.0.1:9090/callback/"), "the path differs"),
    (target(redirect_uri="http://127.0.0.1:9090@evil.example/callback"), "user name or password"),
    (target(redirect_uri="http://evil.example/callback"), "the host differs"),
    (target(redirect_uri="http://127.0.0.1:9090/callback?code=x"), "which is a parameter of the answer"),
    (target("&client_id=demo-client-0001"), "client_id is repeated"),
    (target("&redirect_uri=x"), "redirect_uri is repeated")])
def test_oauth_A1_oauth_A2_an_invalid_client_or_redirect_uri_is_reported_on_a_page(browser, asked, words):
    page = browser.page(asked, status=400)
    assert words in page.text
    assert "location" not in page.answer.headers and not page.forms
    assert "evil" not in page.text


def test_oauth_A1_unknown_and_empty_parameters_are_ignored_and_repeated_ones_refused(olivia):
    consent_page(olivia.request(target("&scope=&foo=1&foo=2&code_challenge=")))
    fields = sent_back(olivia.request(target("&state=other")))
    assert fields["error"] == "invalid_request" and "state" not in fields


def test_oauth_A4_state_is_returned_byte_by_byte(olivia):
    state = bytes(range(1, 256)) + b"\x00&=#%41+ ;"
    asked = target(state=None) + "&state=" + urllib.parse.quote(state, safe="")
    for word in ("deny", "allow"):
        fields = sent_back(olivia.answer(consent_page(olivia.request(asked)), word))
        assert fields["state"].encode(errors="surrogateescape") == state


def test_oauth_A5_the_longest_redirect_passes_through_nginx(olivia):
    uri = CLIENT["redirect_uri"] + "?a=" + "x" * (2048 - len(CLIENT["redirect_uri"]) - 3)
    asked = target(redirect_uri=uri, state=None) + "&state=" + "%FE" * 1500
    page = consent_page(olivia.request(asked))
    assert sent_back(olivia.answer(page, "allow"), uri)["state"] == "\udcfe" * 1500


@pytest.mark.parametrize("extra", ["a=1", "b=2&a=%41%e9&b=%0d%0a", "x=a+b%20c", "next=https://x.example/?y"])
def test_oauth_U1_parameters_of_the_redirect_uri_come_first_and_unchanged(olivia, nginx, extra):
    uri = f"{CLIENT['redirect_uri']}?{extra}"
    fields = sent_back(olivia.answer(consent_page(olivia.request(target(redirect_uri=uri))), "allow"), uri)
    assert exchange(nginx, fields["code"]).status == 400
    assert exchange(nginx, fields["code"], uri=uri).status == 200


def test_oauth_U3_any_port_on_loopback(olivia, nginx):
    uri = "http://127.0.0.1:50123/callback"
    fields = sent_back(olivia.answer(consent_page(olivia.request(target(redirect_uri=uri))), "allow"), uri)
    assert exchange(nginx, fields["code"]).status == 400
    assert exchange(nginx, fields["code"], uri=uri).status == 200


def test_oauth_A5_a_denial_is_reported_to_the_application(olivia, module_stack):
    fields = sent_back(olivia.answer(consent_page(olivia.request(target())), "deny"))
    assert fields == {"error": "access_denied", "error_description": "The user denied access.", "state": "st",
                      "iss": HOSTS["base-url"]}
    consent_page(olivia.request(target()))
    assert audit_trail.entries(module_stack.redis_state)[-1]["what"] == "denied"


def test_oauth_L6_consent_is_remembered_for_the_same_or_fewer_permissions(olivia):
    sent_back(olivia.answer(consent_page(olivia.request(target(scope="media:read"))), "allow"))
    assert "code" in sent_back(olivia.request(target(scope="media:read")))
    consent_page(olivia.request(target()))
    sent_back(olivia.answer(consent_page(olivia.request(target(scope="stats:read"))), "allow"))
    assert "code" in sent_back(olivia.request(target()))


def test_oauth_A47_remembered_consent_cannot_fill_the_store(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web", workers=1)
    stack.start_pool("grant", roles="grant", workers=1)
    nginx = stack.start_shipped_nginx()
    uri = CLIENT["redirect_uri"] + "?long=" + "a" * 1900
    olivia = Browser(nginx)
    consent = consent_page(olivia.log_in(olivia.page(target(redirect_uri=uri)), "olivia@acme.example"))
    sent_back(olivia.answer(consent, "allow"), uri)
    answers = [olivia.request(target(redirect_uri=uri)) for _ in range(125)]
    assert [answer.status for answer in answers] == [303] * 119 + [429] * 6
    assert int(answers[-1].headers["retry-after"]) > 0
    codes = [sent_back(answer, uri)["code"] for answer in answers[:119]]
    keys = stack.redis_state.command("KEYS", "oauth:code:*")
    assert len(keys) == 20
    assert sum(int(stack.redis_state.command("MEMORY", "USAGE", key)) for key in keys) < 20 * 1500
    refused = exchange(nginx, codes[98], uri)
    assert (refused.status, json.loads(refused.body)["error"]) == (400, "invalid_grant")
    assert exchange(nginx, codes[-1], uri + "a").status == 400
    assert exchange(nginx, codes[-1], uri).status == 200


def test_oauth_L6_consent_is_remembered_in_another_browser_of_the_same_user(olivia, nginx):
    sent_back(olivia.answer(consent_page(olivia.request(target())), "allow"))
    other = Browser(nginx)
    assert "code" in sent_back(other.log_in(other.page(target()), "olivia@acme.example"))


def test_oauth_S3_oauth_L6_changed_permissions_require_consent_again_and_keep_tokens(olivia, nginx, module_stack,
                                                                                   tmp_path):
    code = sent_back(olivia.answer(consent_page(olivia.request(target())), "allow"))["code"]
    tokens = json.loads(exchange(nginx, code).body)
    (line,) = [line for line in stacks.CATALOG.read_text().splitlines() if CLIENT["client_id"] in line]

    def register(scopes):
        file = tmp_path / "application.jsonl"
        account = stacks.CATALOG.read_text().splitlines()[0]
        file.write_text(account + "\n" + json.dumps({**json.loads(line), "scopes": scopes}) + "\n")
        subprocess.run([stacks.program("svcctl"), "--config", str(module_stack.config), "import", str(file)],
                       check=True, capture_output=True, timeout=stacks.PATIENCE)

    def media():
        return nginx.request("/v1/medias/l4unchf1lm?access_token=" + tokens["access_token"], host=API).status

    assert media() == 200
    try:
        register(["media:read"])
        page = consent_page(olivia.request(target()))
        assert "Statistics" not in page.text
        assert media() == 200
        sent_back(olivia.answer(page, "allow"))
        assert "code" in sent_back(olivia.request(target()))
    finally:
        register(["media:read", "stats:read"])
    consent_page(olivia.request(target(scope="media:read")))


SCOPES = ("all:all", "all:read", "media:read", "stats:read", "media:upload")
# Words of the page for each request of the API, and those if it is refused.
OPERATIONS = [("GET", "/v1/medias/l4unchf1lm", "see a single media", "see media"),
              ("POST", "/v1/medias", "upload files", "upload media"),
              ("DELETE", "/v1/medias/nobodyhasit", "delete media", "change or delete anything")]


@pytest.mark.parametrize("scope", SCOPES)
def test_pages_W52_consent_says_what_the_api_then_does(olivia, nginx, module_stack, scope):
    client, uri = "every-scope-0001", "https://client.example/cb"
    module_stack.store_application(client, "Every scope", account_id=1001, redirect_uri=uri, scopes=SCOPES)
    page = consent_page(olivia.request(target(client_id=client, redirect_uri=uri, scope=scope)))
    can, _, cannot = (part.lower() for part in page.text.partition("It will not be able to"))
    code = sent_back(olivia.answer(page, "allow"), uri)["code"]
    tokens = exchange(nginx, code, uri, "s" * 40, client_id=client)
    assert tokens.status == 200, tokens.body
    token = json.loads(tokens.body)["access_token"]
    opened = []
    for method, path, words, withheld in OPERATIONS:
        answer = nginx.request(f"{path}?access_token={token}", host=API, method=method)
        opened.append(answer.status != 403)
        assert (words in can, withheld in cannot) == (opened[-1], not opened[-1]), (method, answer.status, page.text)
    assert ("nothing yet" in can) == (not any(opened))


def test_oauth_L5_a_double_click_returns_the_same_code(olivia, nginx):
    page = consent_page(olivia.request(target()))
    first, second = (sent_back(olivia.answer(page, "allow"))["code"] for _ in range(2))
    assert first == second
    assert exchange(nginx, first).status == 200
    late = olivia.answer(page, "allow")
    assert late.status == 409 and "You have answered already" in Page(late).text


def test_oauth_L5_texts_of_a_hostile_application_are_escaped(browser):
    asked = target(client_id="demo-client-0002",
                   redirect_uri="https://client.example/oauth/callback?tenant=42")
    page = consent_page(browser.log_in(browser.page(asked), "olivia@acme.example"))
    assert "Uploader <Pro> & Co wants access to Acme Films" in page.text
    assert 'Uploads "everything" & more' in page.text
    assert "Binary & Sons <Studio>" in page.text
    assert "Upload files, and see a single media by its id" in page.text
    assert "client.example" in page.text and "olivia@acme.example" in page.text
    assert [element for element in page.elements if element[0] in ("pro", "studio", "script")] == [
        ("script", {"src": "/assets/deliberate.js"})]
    policy = page.answer.headers["content-security-policy"]
    assert "form-action 'self' https://client.example;" in policy and "unsafe" not in policy
    fields = sent_back(browser.answer(page, "allow"), "https://client.example/oauth/callback?tenant=42")
    assert fields["account_id"] == "1001"


def test_manuel_chooses_an_account(browser):
    page = Page(browser.log_in(browser.page(target()), "manuel@acme.example"))
    assert [radio["value"] for radio in page.form("/oauth/authorize")["radios"]] == ["1001", "1002"]
    again = browser.answer(page, "choose")
    assert again.status == 400 and "Choose one of the accounts" in Page(again).text
    consent = consent_page(browser.answer(page, "choose", account="1002"))
    assert "Clip Scheduler wants access to Binary & Sons <Studio>" in consent.text
    fields = sent_back(browser.answer(consent, "allow"))
    assert fields["account_id"] == "1002" and fields["account_name"] == "Binary & Sons <Studio>"
    page = Page(browser.request(target()))
    assert "code" in sent_back(browser.answer(page, "choose", account="1002"))
    consent_page(browser.answer(page, "choose", account="1001"))
    assert browser.answer(page, "choose", account="1003").status == 400


@pytest.mark.parametrize(("email", "words", "description"), [
    ("uma@acme.example", "Only its owners and managers can connect applications.",
     "The user is neither owner nor manager of the account."),
    ("clara@closed.example", "It cannot be connected yet.",
     "OAuth is not enabled for the account.")])
def test_a_user_without_permission_sees_the_reason_and_is_sent_back(browser, email, words, description):
    page = Page(browser.log_in(browser.page(target()), email))
    assert page.answer.status == 200 and words in page.text
    assert page.form("/oauth/authorize")["buttons"] == [("answer", "deny")]
    fields = sent_back(browser.answer(page, "deny"))
    assert (fields["error"], fields["error_description"]) == ("access_denied", description)


def test_oauth_A5_the_consent_page_lists_the_data_that_the_application_receives(olivia):
    page = consent_page(olivia.request(target()))
    assert "It will be told: Your name (Olivia Owner) and email address (olivia@acme.example), and the name, web " \
           "address and number of the account." in page.text


def test_not_you_leads_through_the_login_back_to_the_consent_page(olivia):
    page = consent_page(olivia.request(target()))
    answer = olivia.request("/logout", fields=page.form("/logout")["fields"])
    assert answer.status == 303
    login = olivia.page(answer.headers["location"])
    assert "uma@acme.example" in Page(olivia.log_in(login, "uma@acme.example")).text


def test_oauth_L1_a_form_is_accepted_only_unchanged_and_from_its_own_session(olivia, nginx):
    page = consent_page(olivia.request(target()))
    fields = page.form("/oauth/authorize")["fields"]
    assert set(fields) == {"transaction", "csrf"}
    for changed in ({"csrf": "0" * 64}, {"transaction": fields["transaction"][:-2] + "00"}, {"transaction": ""}):
        answer = olivia.request("/oauth/authorize", fields={**fields, **changed, "answer": "allow"})
        assert answer.status == 403, changed
    other = Browser(nginx)
    other.log_in(other.page(target()), "manuel@acme.example")
    assert other.request("/oauth/authorize", fields={**fields, "answer": "allow"}).status == 403
    assert Browser(nginx).request("/oauth/authorize", fields={**fields, "answer": "allow"}).status == 403
    consent_page(olivia.request(target()))


def test_oauth_A4_form_post_returns_the_response_in_a_form(olivia, nginx):
    page = consent_page(olivia.request(target(response_mode="form_post")))
    answer = Page(olivia.answer(page, "allow"))
    form = answer.form(CLIENT["redirect_uri"])
    assert form["fields"]["state"] == "st" and form["fields"]["contact_email"] == "olivia@acme.example"
    assert ("script", {"src": "/assets/send-form.js", "defer": None}) in answer.elements
    assert nginx.request("/assets/send-form.js", host=APP).status == 200
    assert exchange(nginx, form["fields"]["code"]).status == 200


def test_oauth_A6_pages_forbid_caching_framing_and_foreign_resources(olivia, nginx):
    for answer in (olivia.request(target()), Browser(nginx).request(target()), olivia.request(target(client_id=None))):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers
        for _, attributes in Page(answer).elements:
            assert not {"src", "href"} & set(attributes) or "://" not in attributes.get("src", attributes.get("href"))
    preflight = nginx.request(target(), host=APP, method="OPTIONS", headers={
        "Origin": "https://evil.example", "Access-Control-Request-Method": "GET"})
    assert preflight.status == 405 and "access-control-allow-origin" not in preflight.headers


def test_the_api_host_redirects_to_the_host_with_the_session(nginx):
    query = "client_id=a%41&redirect_uri=x%zz&&state=%FF;\"<>\\"
    answer = nginx.request("/oauth/authorize?" + query, host=API)
    assert answer.status == 302
    assert answer.headers["location"] == f"{HOSTS['app-url']}/oauth/authorize?{query}"


def test_oauth_K3_logs_do_not_contain_state_or_code(olivia, module_stack):
    sent_back(olivia.answer(consent_page(olivia.request(target(state="s3cretstate"))), "allow"))
    sent_back(olivia.request(target(state="s3cretstate")))
    olivia.request(target(client_id="s3cretstate"))
    stacks.wait_until(lambda: "/oauth/authorize" in "".join(
        file.read_text() for file in module_stack.directory.glob("*.log")), "the requests are in the log")
    for file in module_stack.directory.glob("*.log"):
        text = file.read_text(errors="replace")
        assert "s3cretstate" not in text and "svcc_" not in text, file


def test_an_unavailable_store_is_reported_on_a_page(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web", workers=1)
    nginx = stack.start_shipped_nginx()
    stack.redis_state.stop()
    answer = nginx.request(target(), host=APP)
    assert answer.status == 503 and int(answer.headers["retry-after"]) > 0
    assert "location" not in answer.headers
    assert Page(answer).answer.headers["content-type"].startswith("text/html")


ROOM = 8192 - len("GET  HTTP/1.1\r\n")  # nginx/svc-limits.conf


@pytest.mark.parametrize("more", [{}, {"scope": "none"}, {"response_mode": "form_post"}],
                         ids=["query", "error", "form_post"])
@pytest.mark.parametrize("unit", ["a", "/", "%2F", "%E2%82%AC"])
def test_oauth_A28_the_longest_state_that_nginx_accepts_returns(browser, unit, more):
    """After a login, in each way of returning it. One byte more is nginx's 414."""
    link = target(state=None, **more) + "&state="
    link += unit * ((ROOM - len(link)) // len(unit))
    link += "b" * (ROOM - len(link))
    state = urllib.parse.unquote(link.partition("&state=")[2])
    answer = browser.log_in(browser.page(link), "olivia@acme.example")
    if "scope" in more:
        assert sent_back(answer)["error"] == "invalid_scope" and sent_back(answer)["state"] == state
        return
    for word in ("deny", "allow"):
        sent = browser.answer(consent_page(browser.request(link)), word)
        if "response_mode" in more:
            assert Page(sent).form(CLIENT["redirect_uri"])["fields"]["state"] == state
        else:
            assert sent_back(sent)["state"] == state
    assert browser.request(link + "b").status == 414


def test_oauth_A28_a_link_without_room_for_the_account_shows_its_page_at_once(browser):
    link = target(state=None) + "&state="
    link += "a" * (ROOM - len(link))
    choice = Page(browser.log_in(browser.page(link), "manuel@acme.example"))
    consent = consent_page(browser.answer(choice, "choose", account="1002"))
    assert sent_back(browser.answer(consent, "allow"))["account_id"] == "1002"


def test_oauth_A4_a_link_of_raw_characters_survives_the_login(browser):
    answer = browser.log_in(browser.page(target(state=None) + "&state=" + "|" * 2000), "olivia@acme.example")
    assert sent_back(browser.answer(consent_page(answer), "allow"))["state"] == "|" * 2000


def test_oauth_A2_a_link_that_is_too_long_for_the_login_is_refused(browser):
    page = browser.page(target(state=None) + "&state=" + "|" * 2700, status=400)
    assert "too long" in page.text


def test_oauth_K7_a_repeated_answer_is_audited_once(olivia, module_stack):
    def written(what):
        return [entry["what"] for entry in audit_trail.entries(module_stack.redis_state)].count(what)

    page = consent_page(olivia.request(target()))
    denied = written("denied")
    for _ in range(3):
        sent_back(olivia.answer(page, "deny"))
    assert written("denied") == denied + 1
    authorized = written("authorized")
    codes = {sent_back(olivia.answer(page, "allow"))["code"] for _ in range(3)}
    assert len(codes) == 1 and written("authorized") == authorized + 1
    # Several consent pages of a grant that does not exist yet are all allowed: the first creates it, the others change
    # it in no way.
    forget(module_stack, "oauth:grant:*", "oauth:code:*")
    pages = [consent_page(olivia.request(target())) for _ in range(5)]
    assert len({sent_back(olivia.answer(one, "allow"))["code"] for one in pages}) == 5
    assert written("authorized") == authorized + 2


def test_oauth_A7_each_consent_page_leads_to_its_own_code(browser, nginx):
    answer = browser.log_in(browser.page(target()), "manuel@acme.example")
    choice = Page(answer)
    form = choice.form("/oauth/authorize")
    asked = {**form["fields"], "account": "1001"}
    first, second = (consent_page(browser.request(browser.request("/oauth/authorize", fields=asked).headers["location"]))
                     for _ in range(2))
    codes = [sent_back(browser.answer(page, "allow"))["code"] for page in (first, second)]
    assert codes[0] != codes[1]
