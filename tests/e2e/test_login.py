"""Logging in and out through the shipped nginx, as a browser without JavaScript does it."""

import concurrent.futures
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


@pytest.mark.parametrize("email", ["jo@exämple.de", "jo@xn--exmple-cua.de", "JO@EXA\u0308MPLE.de"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
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


def test_oauth_L2_the_former_session_ends_at_the_next_login(browser, site):
    browser.log_in(*OLIVIA)
    old = browser.cookie
    browser.page = ""
    other = Browser(site.nginx)
    other.log_in(*MANUEL)
    # The same browser, while logged in, uses the login form that is bound to its session.
    browser.get()
    assert browser.is_logged_in()
    browser.post("/logout", {"csrf": browser.field("csrf")})
    browser.log_in(*MANUEL)
    assert browser.cookie != old
    stale = Browser(site.nginx)
    stale.cookie = old
    assert not stale.is_logged_in()
    assert other.is_logged_in(), "another browser's session continues"


def test_oauth_L2_the_cookie_is_for_https_only_and_hidden_from_scripts(browser):
    answer = browser.get()
    for cookie in (answer.headers["set-cookie"], browser.log_in(*OLIVIA).headers["set-cookie"]):
        assert re.fullmatch(r"__Host-svc_session=svc[sv]_[0-9a-f]{64}"
                            r"; Path=/; HttpOnly; SameSite=Lax; Secure", cookie)


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


def test_oauth_L2_sessions_end_when_idle_and_when_old(stack):
    stack.import_catalog()
    stack.write_config(session_idle=10, session_max=30)
    stack.start_pool("web", roles="web")
    nginx = stack.start_shipped_nginx()
    idle, busy = Browser(nginx), Browser(nginx)
    idle.log_in(*OLIVIA)
    with concurrent.futures.ThreadPoolExecutor() as others:
        login = others.submit(busy.log_in, *OLIVIA)
        # A login takes long on a busy machine, and the first session must not end before the second begins.
        while not login.done():
            assert idle.is_logged_in()
            time.sleep(0.1)
        login.result()
    assert len(stack.redis_state.command("KEYS", "web:session:*")) == 2
    # One browser is active beyond the idle limit. The other sends no request, which would renew its session.
    wait_until(lambda: busy.is_logged_in() and len(stack.redis_state.command("KEYS", "web:session:*")) == 1,
               "the idle session ends before the busy one")
    assert not idle.is_logged_in()
    wait_until(lambda: not busy.is_logged_in(), "the busy session ends when it is old")
    assert not stack.redis_state.command("KEYS", "web:session:*")


def test_oauth_L2_logging_out_is_effective_on_every_worker(browser, site):
    browser.log_in(*OLIVIA)
    assert browser.is_logged_in()
    stolen = Browser(site.nginx)
    stolen.cookie = browser.cookie
    answer = browser.post("/logout", {"csrf": browser.field("csrf")})
    assert (answer.status, answer.headers["location"]) == (303, "/login")
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert browser.cookie is None
    assert not any(Browser.is_logged_in(stolen) for _ in range(8)), "on every worker"


# --- forged forms ------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["missing", "empty", "another's", "for logout", "no cookie"])
def test_oauth_L1_login_refuses_a_form_without_its_token(browser, site, how):
    browser.get()
    fields = {"csrf": browser.field("csrf"), "email": OLIVIA[0], "password": OLIVIA[1]}
    if how == "missing":
        del fields["csrf"]
    elif how == "empty":
        fields["csrf"] = ""
    elif how == "another's":
        other = Browser(site.nginx)
        other.get()
        fields["csrf"] = other.field("csrf")
    elif how == "for logout":
        other = Browser(site.nginx)
        other.log_in(*OLIVIA)
        other.get()
        fields["csrf"] = other.field("csrf")
    else:
        browser.cookie = None
    answer = browser.post("/login", fields)
    assert answer.status == 403
    assert "location" not in answer.headers
    assert "svcs_" not in answer.headers.get("set-cookie", "")


@pytest.mark.parametrize("origin, status", [
    ("null", 303), (None, 303), ("https://app.svc.example", 303),
    ("https://evil.example", 403), ("http://app.svc.example", 403),
    ("https://app.svc.example:444", 403), ("https://app.svc.example.evil.example", 403),
    ("https://api.svc.example", 403),
])
def test_oauth_L1_a_form_is_accepted_only_from_our_own_pages(browser, origin, status):
    assert browser.log_in(*OLIVIA, origin=origin).status == status


@pytest.mark.parametrize("how", ["missing", "another's", "foreign origin", "another session's"])
def test_oauth_L1_another_page_cannot_log_a_user_out(browser, site, how):
    browser.log_in(*OLIVIA)
    browser.get()
    fields, origin = {"csrf": browser.field("csrf")}, "null"
    if how == "missing":
        fields = {}
    elif how == "foreign origin":
        origin = "https://evil.example"
    else:
        other = Browser(site.nginx)
        other.log_in(*(MANUEL if how == "another's" else OLIVIA))
        other.get()
        fields["csrf"] = other.field("csrf")
    assert browser.post("/logout", fields, origin).status == 403
    assert browser.is_logged_in()


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


def test_oauth_L7_a_form_of_another_site_leads_nowhere(browser, site):
    """The sealed destination of an attacker's own form, sent by a page of the attacker's."""
    theirs = login_form(Browser(site.nginx), "/settings/security")
    browser.log_in(*OLIVIA)
    answer = browser.post("/login", theirs, origin="https://evil.example")
    assert answer.status == 403 and "location" not in answer.headers


# --- the way back ------------------------------------------------------------------------------


@pytest.mark.parametrize("back", [
    "//evil.example", "https://evil.example/", "/\\evil.example", "\\\\evil.example",
    "/%0d%0aSet-Cookie:%20a=b", "javascript:alert(1)", "k1~AAAA", "k1:00", "/settings", "~",
])
def test_oauth_L7_a_forged_return_address_is_refused(browser, back):
    browser.get()
    answer = browser.post("/login", {"csrf": browser.field("csrf"), "return": back,
                                     "email": OLIVIA[0], "password": OLIVIA[1]})
    assert answer.status == 403
    assert "location" not in answer.headers
    assert not browser.is_logged_in()


@pytest.mark.parametrize("query", ["return=//evil.example", "return_to=https://evil.example",
                                   "next=/%5Cevil.example"])
def test_oauth_L7_a_link_to_the_login_cannot_set_the_return_address(browser, query):
    browser.get(f"/login?{query}")
    assert "evil" not in browser.page
    assert browser.log_in(*OLIVIA).headers["location"] == "/login"


# --- passwords ---------------------------------------------------------------------------------


def test_oauth_L3_an_unknown_email_and_a_wrong_password_get_the_same_page(browser):
    pages = []
    for email in (OLIVIA[0], "nobody@acme.example"):
        answer = browser.log_in(email, "guess")
        assert answer.status == 403
        pages.append((dict(answer.headers, date=""), browser.page.replace(email, "EMAIL")))
    assert pages[0][1] == pages[1][1]
    assert browser.said() == "The email address or the password is incorrect."
    assert {k: v for k, v in pages[0][0].items() if k != "content-length"} == \
        {k: v for k, v in pages[1][0].items() if k != "content-length"}


def test_oauth_L3_accepts_any_characters_in_passwords_of_a_kilobyte(browser):
    assert browser.log_in(OLIVIA[0], "ä" * 512).status == 403
    assert browser.log_in(OLIVIA[0], "\0" * 1024).status == 403
    assert browser.log_in(OLIVIA[0].upper(), OLIVIA[1]).status == 303


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


# --- guessing ----------------------------------------------------------------------------------


def test_oauth_L4_throttles_guesses_per_email(browser):
    statuses = [browser.log_in(OLIVIA[0], "guess").status for _ in range(5)]
    assert statuses == [403] * 5
    # The fifth failure begins a delay of 1 s, into which repeated attempts run.
    for _ in range(20):
        answer = browser.log_in(OLIVIA[0], "guess")
        if answer.status == 429:
            break
    assert answer.status == 429
    assert "too many failed attempts" in browser.said()
    assert int(answer.headers["retry-after"]) >= 1
    assert f'value="{OLIVIA[0]}"' in browser.page
    assert browser.log_in(*MANUEL).status == 303, "for that email only"
    browser.page, browser.cookie = "", None
    wait_until(lambda: browser.log_in(*OLIVIA).status == 303, "she gets in once she has waited")


def test_oauth_L4_refuses_an_address_after_a_hundred_attempts(browser, site):
    site.redis_state.command("SET", "web:login_address:127.0.0.1", 100, "EX", 600)
    answer = browser.log_in(*OLIVIA)
    assert answer.status == 429
    assert 500 < int(answer.headers["retry-after"]) <= 600
    assert "10 minutes" in browser.said()
    # Attempts of others at an address do not affect a user who has logged in there before.
    forget_failures(site)
    browser.page = ""
    browser.log_in(*OLIVIA)
    site.redis_state.command("SET", "web:login_address:127.0.0.1", 100, "EX", 600)
    assert Browser(site.nginx).log_in(*OLIVIA).status == 303
    assert Browser(site.nginx).log_in(*MANUEL).status == 429


def test_oauth_L4_an_attacker_cannot_lock_out_a_user(browser, site):
    browser.log_in(*OLIVIA)
    (known,) = site.redis_state.command("KEYS", "web:login_known:*")
    mac = known[known.index("{"):]
    # 100,000 failures from other addresses.
    site.redis_state.command("SET", f"web:login_email:{mac}", 100_000, "EX", 3600)
    fresh = Browser(site.nginx)
    assert fresh.log_in(*OLIVIA).status == 303, "where she has logged in before"
    # At an unknown address: a delay of 5 s, once.
    site.redis_state.command("DEL", known)
    fresh = Browser(site.nginx)
    answer = fresh.log_in(*OLIVIA)
    assert (answer.status, int(answer.headers["retry-after"])) == (429, 5)
    wait_until(lambda: fresh.log_in(*OLIVIA).status == 303, "she gets in after five seconds")


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


def test_oauth_K1_no_secret_is_stored_or_logged(browser, site):
    browser.log_in(OLIVIA[0], "a-wrong-guess")
    browser.log_in("someone.else@acme.example", "a-wrong-guess")
    browser.log_in(*OLIVIA)
    secret = browser.cookie.partition("=")[2]
    texts = {running.name: running.log_text() for running in site.programs}
    texts |= {path.name: path.read_text(errors="replace")
              for path in site.directory.glob("*.log")}
    for key in site.redis_state.command("KEYS", "web:*"):
        kind = site.redis_state.command("TYPE", key)
        texts[key] = key + (" ".join(site.redis_state.command("HGETALL", key)) if kind == "hash" else "")
    assert len(texts) > 8
    for name, text in texts.items():
        for word in (secret, secret[5:], "a-wrong-guess", OLIVIA[1], OLIVIA[0], "someone.else"):
            assert word not in text, name


def test_oauth_L1_pages_have_strict_security_headers(browser):
    for answer in (browser.get(), browser.log_in(OLIVIA[0], "guess"), browser.log_in(*OLIVIA),
                   browser.get(), browser.post("/login", {}), browser.get("/logout")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
        assert not re.search(rb"<style|<script>|\son\w+=|https?://", answer.body)


def test_pages_load_only_existing_files(browser):
    browser.get()
    for path in re.findall(r'(?:href|src)="(/[^"]*)"', browser.page):
        assert browser.send(path).status == 200, path
    assert len(browser.send("/assets/site.css").body) < 12 * 1024


def test_large_bodies_are_refused(browser):
    browser.get()
    answer = browser.post("/login", {"csrf": browser.field("csrf"), "email": OLIVIA[0],
                                     "password": "x" * 41_000})
    assert answer.status == 413


def test_reports_that_the_store_is_unavailable(stack):
    stack.import_catalog()
    stack.start_pool("web", roles="web")
    browser = Browser(stack.start_shipped_nginx())
    browser.get()
    stack.redis_state.stop()
    answer = browser.log_in(*OLIVIA)
    assert answer.status == 503
    assert answer.headers["retry-after"]
    assert "our doing" in browser.page


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
