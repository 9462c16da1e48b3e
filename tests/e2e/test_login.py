"""Logging in and out through the shipped nginx, as a browser without JavaScript does it."""

import contextlib
import hashlib
import html
import json
import os
import re
import subprocess
import threading
import time
import unicodedata
import urllib.parse

import pytest

import audit_trail
from processes import wait_until
from stack import program

HOST = "app.svc.example"
OLIVIA = ("olivia@acme.example", "olivia-demo-password")
MANUEL = ("manuel@acme.example", "manuel-demo-password")
FORM = "application/x-www-form-urlencoded"


class Browser:
    """A browser with one cookie and the hidden fields of the last page."""

    def __init__(self, nginx, host=HOST):
        self.nginx = nginx
        self.host = host
        self.cookie = None
        self.page = ""

    def send(self, path, *, method="GET", body=b"", headers=()):
        headers = dict(headers)
        if self.cookie:
            headers["Cookie"] = self.cookie
        answer = self.nginx.request(path, method=method, host=self.host, headers=headers, body=body)
        if "set-cookie" in answer.headers:
            pair, _, attributes = answer.headers["set-cookie"].partition(";")
            self.cookie = None if "Max-Age=0" in attributes else pair
        if answer.headers.get("content-type", "").startswith("text/html"):
            self.page = answer.body.decode()
        return answer

    def get(self, path="/login"):
        return self.send(path)

    def field(self, name):
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        return html.unescape(found[1]) if found else ""

    def post(self, path, fields, origin="null"):
        headers = {"Content-Type": FORM}
        if origin is not None:
            headers["Origin"] = origin
        return self.send(path, method="POST", body=urllib.parse.urlencode(fields).encode(),
                         headers=headers)

    def log_in(self, email, password, **how):
        """Submits the open login form, or loads a new one first."""
        if not self.field("csrf") or 'name="email"' not in self.page:
            self.get()
        return self.post("/login", {"csrf": self.field("csrf"), "email": email,
                                    "password": password}, **how)

    def said(self):
        """Returns the error message at the top of the page, or ""."""
        found = re.search(r'role="alert">([^<]*)<', self.page)
        return found[1] if found else ""

    def is_logged_in(self):
        return "You are logged in" in self.get().body.decode()


@pytest.fixture(scope="module")
def site(module_stack):
    """The service as deployed, with four workers for the pages."""
    module_stack.import_catalog()
    module_stack.nginx = module_stack.start_shipped_nginx()
    module_stack.web = module_stack.start_pool("web", roles="web", workers=4)
    return module_stack


@pytest.fixture
def browser(site):
    forget_failures(site)
    return Browser(site.nginx)


def forget_failures(site):
    """Resets all counters of failed logins: all tests come from one address."""
    for key in site.redis_state.command("KEYS", "web:login_*"):
        site.redis_state.command("DEL", key)


# --- logging in --------------------------------------------------------------------------------


def test_oauth_L2_logs_in_with_a_new_session_id(browser):
    browser.get()
    before = browser.cookie
    answer = browser.log_in(*OLIVIA)
    assert (answer.status, answer.headers["location"]) == (303, "/login")
    assert browser.cookie != before
    assert browser.is_logged_in()
    assert "Olivia Owner" in browser.page


@pytest.mark.parametrize("email, form", [("jo@xn--exmple-cua.de", "NFC"), ("JO@EXA\u0308MPLE.de", "NFD")])
def test_oauth_L23_each_spelling_of_email_and_password_logs_in(site, browser, email, form):
    """Chromium sends the domain of type=email in ASCII, other clients as it was typed; keyboards differ in accents."""
    password = "mot de passe trouvé"
    user = {"kind": "user", "id": 590, "name": "Jo", "email": "Jo@exämple.de", "memberships": [],
            "password": unicodedata.normalize("NFD", password)}
    catalog = site.directory / "jo.jsonl"
    catalog.write_text(json.dumps(user) + "\n")
    # svcctl itself hashes the password.
    subprocess.run([program("svcctl"), "--config", str(site.config), "import", catalog], check=True)
    assert browser.log_in(email, unicodedata.normalize(form, password)).status == 303
    assert browser.is_logged_in() and "xn--exmple-cua.de" in browser.page


def test_oauth_L2_the_cookie_on_plain_http(stack):
    stack.import_catalog()
    stack.write_config(app_url="http://app.svc.example")
    stack.start_pool("web", roles="web")
    browser = Browser(stack.start_shipped_nginx())
    answer = browser.log_in(*OLIVIA)
    assert re.fullmatch(r"svc_session=svcs_[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax",
                        answer.headers["set-cookie"])
    assert browser.is_logged_in()
    assert browser.log_in(*OLIVIA, origin="http://app.svc.example").status == 303, "the old form: logged in already"


# --- several tabs ------------------------------------------------------------------------------


def login_form(browser, path):
    """Opens a page in another tab, which asks for the login; returns its form."""
    browser.get(path)
    return {name: browser.field(name) for name in ("csrf", "return")} | {"email": OLIVIA[0], "password": OLIVIA[1]}


def test_pages_W49_the_login_form_of_a_second_tab_leads_on(browser):
    first, second = (login_form(browser, path) for path in ("/settings/connected", "/settings/security"))
    assert browser.post("/login", first).headers["location"] == "/settings/connected"
    session = browser.cookie
    for fields in (second, {**second, "password": "wrong"}, first):  # the last as by a double click
        answer = browser.post("/login", fields)
        assert (answer.status, answer.headers["location"]) == (303, "/settings/security" if fields is not first
                                                               else "/settings/connected")
    assert browser.cookie == session and browser.is_logged_in()


def test_pages_W49_an_old_login_form_is_shown_again_with_its_email_and_destination(browser):
    first, second = (login_form(browser, path) for path in ("/settings/connected", "/settings/security"))
    browser.post("/login", first)
    browser.get()
    browser.get(browser.post("/logout", {"csrf": browser.field("csrf")}).headers["location"])
    answer = browser.post("/login", second)
    assert answer.status == 403 and "This page was too old" in browser.said()
    assert browser.field("email") == "" and f'value="{OLIVIA[0]}"' in browser.page
    again = {**second, "csrf": browser.field("csrf"), "return": browser.field("return")}
    assert browser.post("/login", again).headers["location"] == "/settings/security"


@pytest.mark.parametrize("email, status", [(OLIVIA[0], 303), (f" {OLIVIA[0].upper()} ", 303), ("", 303), (MANUEL[0], 403)])
def test_pages_W49_an_old_login_form_leads_on_only_as_its_own_user(browser, email, status):
    first, second = (login_form(browser, path) for path in ("/login", "/settings/security"))
    browser.post("/login", first)
    session = browser.cookie
    answer = browser.post("/login", {**second, "email": email, "password": MANUEL[1]})
    assert (answer.status, browser.cookie) == (status, session)
    if status == 403:
        assert f"You are logged in as {OLIVIA[0]} already" in browser.said()
        assert '<a href="/settings/security">' in browser.page, "to continue"
        again = {name: browser.field(name) for name in ("csrf", "return")}
        answer = browser.post("/login", again | {"email": MANUEL[0], "password": MANUEL[1]})
    assert (answer.status, answer.headers["location"]) == (303, "/settings/security")


def test_pages_W49_a_logout_after_that_of_another_tab_leads_on(browser):
    browser.log_in(*OLIVIA)
    browser.get()
    fields = {"csrf": browser.field("csrf")}
    browser.get(browser.post("/logout", fields).headers["location"])
    cookie = browser.cookie
    answer = browser.post("/logout", fields)
    assert (answer.status, answer.headers["location"], browser.cookie) == (303, "/login", cookie)
    browser.cookie = None  # as in a form of another site, SameSite=Lax
    assert "set-cookie" not in browser.post("/logout", fields).headers
    assert browser.post("/logout", fields, "https://evil.example").status == 403


# --- passwords ---------------------------------------------------------------------------------


def test_oauth_L3_one_worker_stays_free_while_the_others_hash_and_further_logins_get_429(browser, site):
    browser.get()
    answers = []

    def guess(number):
        one = Browser(site.nginx)
        one.cookie, one.page = browser.cookie, browser.page
        answers.append(one.log_in(f"c{number}@acme.example", "guess"))

    threads = [threading.Thread(target=guess, args=(i,)) for i in range(24)]
    for thread in threads:
        thread.start()
    # Pages are served in the meantime, because one worker does not hash.
    while any(thread.is_alive() for thread in threads):
        assert browser.get().status == 200
    for thread in threads:
        thread.join()
    statuses = [answer.status for answer in answers]
    assert set(statuses) == {403, 429}, statuses
    for answer in answers:
        if answer.status == 429:
            assert int(answer.headers["retry-after"]) >= 1


def test_oauth_L3_the_hashing_permit_of_a_dead_worker_is_released(stack):
    stack.import_catalog()
    pool = stack.start_pool("web", roles="web", workers=2, deaths_expected=True)
    nginx = stack.start_shipped_nginx()
    browser = Browser(nginx)
    browser.get()
    for _ in range(3):
        before = pool.workers()

        def guess():
            with contextlib.suppress(OSError):
                browser.nginx.request("/login", method="POST", host=HOST, headers={
                    "Cookie": browser.cookie, "Content-Type": FORM, "Origin": "null"},
                    body=urllib.parse.urlencode({"csrf": browser.field("csrf"), "email": "a@b.example",
                                                 "password": "guess"}).encode())

        thread = threading.Thread(target=guess)
        thread.start()
        time.sleep(0.05)
        for worker in before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, 9)
        thread.join()
        pool.wait_for_workers(2, without=before)
    # If a permit were lost, every further login would be refused.
    wait_until(lambda: Browser(nginx).log_in(*OLIVIA).status == 303, "a login works again")


# --- secrets and pages -------------------------------------------------------------------------


def test_oauth_K7_logins_are_audited_without_the_email(browser, site):
    audit_trail.forget(site.redis_state)
    browser.log_in(*OLIVIA)
    browser.page = ""
    Browser(site.nginx).log_in(OLIVIA[0], "guess")
    Browser(site.nginx).log_in("nobody@acme.example", "guess")
    assert audit_trail.entries(site.redis_state) == [
        {"what": "login", "contact": "501", "address": "127.0.0.1"},
        {"what": "login.failed", "contact": "501", "address": "127.0.0.1", "detail": "wrong password"},
        {"what": "login.failed", "address": "127.0.0.1", "detail": "unknown email"}]


def test_pages_load_only_existing_files(browser):
    browser.get()
    for path in re.findall(r'(?:href|src)="(/[^"]*)"', browser.page):
        assert browser.send(path).status == 200, path
    assert len(browser.send("/assets/site.css").body) < 12 * 1024


def test_operations_D4_the_redis_user_of_web_may_do_all_that_a_login_needs(stack):
    stack.import_catalog()
    # A hash with other parameters, so that the login replaces it.
    record = stack.redis_state.command("GET", "catalog:contact:501")
    weak = hashlib.scrypt(OLIVIA[1].encode(), salt=bytes(16), n=2**15, r=8, p=1, maxmem=2**26,
                          dklen=32)
    stored = f"scrypt$15$8$1${'00' * 16}${weak.hex()}"
    stack.redis_state.command("SET", "catalog:contact:501", re.sub(
        r'"password_hash":"[^"]*"', lambda _: f'"password_hash":"{stored}"', record))
    pool = stack.start_pool("web", roles="web")
    browser = Browser(stack.start_shipped_nginx())
    assert browser.log_in(OLIVIA[0], "guess").status == 403
    assert browser.log_in(*OLIVIA).status == 303
    assert '"password_hash":"scrypt$14$8$5$' in \
        stack.redis_state.command("GET", "catalog:contact:501")
    assert browser.is_logged_in()
    assert browser.post("/logout", {"csrf": browser.field("csrf")}).status == 303
    assert browser.log_in(*OLIVIA).status == 303, "with the new hash"
    assert not pool.events("store.lost") and not pool.events("store.refused")


def test_operations_P10_a_pool_with_sessions_requires_a_key_file(stack):
    stack.write_config(key_file="")
    pool = stack.pool("web", roles="web").start()
    assert pool.wait() == 2
    assert "key-file is missing" in pool.log_text()
    done = subprocess.run([*pool.command(), "--check-config"], capture_output=True, text=True)
    assert done.returncode == 2 and "key-file is missing" in done.stderr
