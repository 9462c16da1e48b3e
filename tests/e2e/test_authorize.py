"""The authorization flow for browsers and applications, through the shipped nginx: login, choice of an account,
consent, redirect, and exchange of the code."""

import json
import urllib.parse

import pytest

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


def test_oauth_A5_the_longest_redirect_passes_through_nginx(olivia):
    uri = CLIENT["redirect_uri"] + "?a=" + "x" * (2048 - len(CLIENT["redirect_uri"]) - 3)
    asked = target(redirect_uri=uri, state=None) + "&state=" + "%FE" * 1500
    page = consent_page(olivia.request(asked))
    assert sent_back(olivia.answer(page, "allow"), uri)["state"] == "\udcfe" * 1500


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


def test_the_api_host_redirects_to_the_host_with_the_session(nginx):
    query = "client_id=a%41&redirect_uri=x%zz&&state=%FF;\"<>\\"
    answer = nginx.request("/oauth/authorize?" + query, host=API)
    assert answer.status == 302
    assert answer.headers["location"] == f"{HOSTS['app-url']}/oauth/authorize?{query}"


ROOM = 8192 - len("GET  HTTP/1.1\r\n")  # nginx/svc-limits.conf


@pytest.mark.parametrize("more", [{}, {"scope": "none"}, {"response_mode": "form_post"}],
                         ids=["query", "error", "form_post"])
@pytest.mark.parametrize("unit", ["/", "%E2%82%AC"])
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
