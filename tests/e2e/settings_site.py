"""settings_site: the service with logged-in users of the demonstration catalog, and their actions on the settings
pages."""

import html
import json
import re
import urllib.parse

import pytest

import audit_trail
from stack import HOSTS
from user_agent import Browser, Page

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
    """Returns the audit trail's entries as dictionaries, oldest first."""
    return audit_trail.entries(stack.redis_state)


def start(stack):
    """Starts pools and nginx as deployed. The web and grant pools are separate, so they share state through Redis
    only."""
    stack.web = stack.start_pool("web", roles="web", workers=3, deaths_expected=True)
    stack.start_pool("grant", roles="grant", workers=2)
    stack.nginx = stack.start_shipped_nginx()
    return stack


COPY_ALL = """
redis.call('SELECT', ARGV[2]) redis.call('FLUSHDB') redis.call('SELECT', ARGV[1])
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', ARGV[2]) end
return 1"""


def prepare(stack):
    """Imports the demonstration catalog and logs Olivia and Manuel in. Stores a copy of all keys in a second Redis
    database, because hashing passwords for each test would be slow."""
    stack.import_catalog()
    start(stack)
    stack.browsers = {email: logged_in(stack, email) for email in (OLIVIA, MANUEL)}
    audit_trail.forget(stack.redis_state)
    stack.redis_state.command("EVAL", COPY_ALL, 0, 0, 1)
    return stack


def logged_in(site, email, path="/settings"):
    browser = Browser(site.nginx)
    answer = browser.log_in(browser.page(path), email)
    assert answer.status == 200, (answer.status, answer.headers)
    return browser


def known(site, email):
    browser = Browser(site.nginx)
    browser.cookies = dict(site.browsers[email].cookies)
    return browser


def post(browser, path, fields, status=303):
    """Submits a form and returns the page; fields may be lists. Follows the redirect after a change."""
    pairs = [(name, one) for name, value in fields.items() for one in (value if isinstance(value, list) else [value])]
    answer = browser.request(path, fields=pairs)
    assert answer.status == status, (answer.status, answer.headers, answer.body[:3000])
    return browser.page(answer.headers["location"]) if status == 303 else Page(answer)


def send(browser, page, action, status=303, **more):
    """Submits the page's form with that action, as a browser does."""
    form = page.form(action)
    checked = [box["value"] for box in form["checkboxes"] if "checked" in box]
    return post(browser, action, {**form["fields"], **({"scope": checked} if checked else {}), **more}, status)


def register(browser, **more):
    """Registers an application. Returns its path and its page."""
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
    """Returns true if the token endpoint accepts the client's secret."""
    _, answer = token_request(site, grant_type="refresh_token", client_id=client_id, client_secret=secret,
                              refresh_token="svcr_" + "0" * 96)
    assert answer["error"] in ("invalid_client", "invalid_grant"), answer
    return answer["error"] == "invalid_grant"


def link_of(page):
    (link,) = re.findall(r'<textarea id="authorization-link"[^>]*>([^<]*)<', page.answer.body.decode())
    return html.unescape(link).removeprefix(HOSTS["app-url"])


def connect(site, browser, path, secret):
    """Authorises the application through its own link, and returns the tokens."""
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


def links_of(page):
    return re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)<', page.answer.body.decode())


def make_password_old(site, seconds=600):
    script = ("for _, key in ipairs(redis.call('KEYS', 'web:session:*')) do "
              "redis.call('HINCRBY', key, 'password_given', -tonumber(ARGV[1])) end return 1")
    site.redis_state.command("EVAL", script, 0, seconds)


OWNERS = "/settings/accounts/1001/connected"


# --- fixtures: a module of tests imports those that it uses ---


@pytest.fixture(scope="module")
def prepared(module_stack):
    return prepare(module_stack)


@pytest.fixture
def site(prepared):
    """The service, with the store reset to its initial contents."""
    prepared.redis_state.command("EVAL", COPY_ALL, 0, 1, 0)
    return prepared


@pytest.fixture
def olivia(site):
    return known(site, OLIVIA)


@pytest.fixture
def manuel(site):
    return known(site, MANUEL)
