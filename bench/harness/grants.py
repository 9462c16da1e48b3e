"""grants: codes and tokens of the service and of the grant peers, thousands of them without a login, and users who log
in continuously. Every peer stores its data in the same Redis, which syncs every write."""

import contextlib
import http.client
import itertools
import json
import os
import secrets
import threading
import time
import types
import urllib.parse
from pathlib import Path

from oauth_store import Codes
from processes import Failed
from redis_client import Client
from user_agent import Browser, Page

from . import peers

APPLICATIONS = 64
PEOPLE = 4  # more than may hash at the same time on four cores
READERS = 16
LIBRARY = 1  # an account with a thousand media (scripts/make-catalog)
REDIRECT_URI = "http://127.0.0.1:9090/callback"


def _client(number):
    return {"client_id": f"bench-{number}", "client_secret": f"bench-secret-{number}-{'x' * 32}"}


def catalog(directory, people=PEOPLE, libraries=()):
    """One application per refresh token, and users who log in, and belong to the accounts `libraries`."""
    lines = [{"kind": "application", **_client(number), "account_id": 1001, "name": f"Bench {number}",
              "redirect_uri": REDIRECT_URI, "scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"}
             for number in range(APPLICATIONS)]
    lines += [{"kind": "user", "id": 9000 + number, "name": f"Bench {number}", "email": f"bench-{number}@acme.example",
               "password": f"bench-password-{number}", "memberships": [{"account_id": account, "role": "manager"} for account in (1001, *libraries)]}
              for number in range(people)]
    path = Path(directory) / "grants.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


class OfTheService:
    """Its codes are put into Redis as the authorization endpoint puts them; its tokens come from its token endpoint."""

    def __init__(self, service, store=None, port=None):
        """`store` and `port`: of another state than the service's, and of the nginx before a grant pool for it."""
        self.port = port or service.port
        self.codes = Codes(types.SimpleNamespace(redis_state=store or Client(service.redis_state),
                                                 key_file=service.directory / "keys"))
        self.clients = itertools.cycle(range(APPLICATIONS))

    def token_of(self, account):
        """An access token of that account, for media:read."""
        client = _client(next(self.clients))
        code = self.codes.new(client=client["client_id"], account=account, scopes="media:read", uri=REDIRECT_URI)
        return exchanged(self.port, [{"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI,
                                      **client}])[0][0]

    def code_bodies(self, count):
        """The file of requests that exchange this number of fresh codes."""
        bodies = []
        for _ in range(count):
            client = _client(next(self.clients))
            code = self.codes.new(client=client["client_id"], scopes="media:read", uri=REDIRECT_URI, seconds=600)
            bodies.append({"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI, **client})
        return bodies

    def tokens(self):
        """Access tokens, and the bodies of refresh requests, one of each application."""
        return exchanged(self.port, self.code_bodies(APPLICATIONS))


class OfTheFrontDoor:
    """Codes and tokens by login and consent, which works for any commit, regardless of its stored formats. Each user
    makes the largest number of codes allowed within a minute, then the next user logs in."""

    EACH = 100  # codes

    def __init__(self, service):
        self.service, self.browser, self.made, self.people = service, None, 0, itertools.count()

    @classmethod
    def people_for(cls, codes):
        """The number of users for that number of codes."""
        return -(-codes // cls.EACH)

    def _log_in(self):
        number = next(self.people)
        self.browser = Browser(_Nginx(self.service.port, f"127.0.1.{number + 1}"))
        self.browser.log_in(self.browser.page(self._authorize(0)), f"bench-{number}@acme.example",
                            f"bench-password-{number}")

    @staticmethod
    def _authorize(number):
        return "/oauth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": _client(number)["client_id"], "redirect_uri": REDIRECT_URI})

    def code(self, number):
        """A code for that application. The first authorization asks for consent."""
        if self.made % self.EACH == 0:
            self._log_in()
        self.made += 1
        answer = self.browser.request(self._authorize(number))
        if answer.status == 200:
            answer = self.browser.answer(Page(answer), "allow")
        if answer.status not in (302, 303):
            raise Failed(f"the authorization endpoint answered {answer.status}: {answer.body[:500]!r}")
        location = urllib.parse.urlsplit(answer.headers["location"])
        return urllib.parse.parse_qs(location.query)["code"][0]

    def code_body(self, number):
        return {"grant_type": "authorization_code", "code": self.code(number), "redirect_uri": REDIRECT_URI,
                **_client(number)}

    def tokens(self, numbers):
        """An access token and the body of a refresh request of each of these applications."""
        return exchanged(self.service.port, map(self.code_body, numbers))


def exchanged(port, bodies):
    """Access tokens, and the bodies of refresh requests, for these code exchanges."""
    access, refresh = [], []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for body in bodies:
        connection.request("POST", "/oauth/token", urllib.parse.urlencode(body),
                           {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise Failed(f"the token endpoint answered {answer.status}: {text!r}")
        got = json.loads(text)
        access.append(got["access_token"])
        refresh.append({"grant_type": "refresh_token", "refresh_token": got["refresh_token"],
                        "client_id": body["client_id"], "client_secret": body["client_secret"]})
    return access, refresh


def peer_code(code):
    return {"grant_type": "authorization_code", "code": code, "redirect_uri": peers.REDIRECT_URI, **peers.CLIENT}


def peer_refresh(token):
    return {"grant_type": "refresh_token", "refresh_token": token, **peers.CLIENT}


class OfOauth2Server:
    """What its model keeps in Redis (bench/peers/oauth2-server/server.js)."""

    def __init__(self, redis_socket):
        self.redis = Client(redis_socket)

    def _keep(self, kind, count, name, expiry, **more):
        names = [secrets.token_hex(32) for _ in range(count)]
        later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))
        self.redis.commands([
            ("SET", f"oauth2:{kind}:{text}", json.dumps({name: text, expiry: later, "user": {"id": number}, **more}))
            for number, text in enumerate(names)])
        return names

    def codes(self, count):
        return self._keep("code", count, "authorizationCode", "expiresAt", redirectUri=peers.REDIRECT_URI)

    def refresh_tokens(self, count):
        return self._keep("refresh", count, "refreshToken", "refreshTokenExpiresAt")

    def access_tokens(self, count):
        return self._keep("access", count, "accessToken", "accessTokenExpiresAt")


class _Nginx:
    """The part of nginx that the tests' browser uses, at a port, requested from an address of its own."""

    class Answer:
        def __init__(self, response):
            self.status, self.body = response.status, response.read()
            self.headers = {name.lower(): value for name, value in response.getheaders()}

    def __init__(self, port, address):
        self.port, self.address = port, address

    def request(self, target, *, method="GET", host=None, headers=(), body=None):
        del host  # all hosts are one here
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30,
                                                           source_address=(self.address, 0))) as connection:
            connection.request(method, target, body, dict(headers))
            return self.Answer(connection.getresponse())


def _fields(form, number):
    return {**form["fields"], "email": f"bench-{number}@acme.example", "password": f"bench-password-{number}"}


class _Crowd:
    """While it lasts, these users act continuously, each from an address of its own. After a 429, a user pauses."""

    def __init__(self, port, people):
        self.port, self.ended, self.count, self.problem = port, threading.Event(), 0, None
        self.threads = [threading.Thread(target=self._live, args=(number,)) for number in range(people)]

    def act(self, browser, number):
        """Returns the status, and that of a success."""
        raise NotImplementedError

    def _live(self, number):
        # Idle priority: real users have their own machines, so the cost of the client must not be
        # measured.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        browser = Browser(_Nginx(self.port, f"127.0.0.{number + 2}"))
        while not self.ended.is_set():
            status, success = self.act(browser, number)
            self.count += status == success
            if status == 429:
                self.ended.wait(0.1)
            elif status != success:
                self.problem = f"{type(self).__name__}: person {number} was answered {status}"

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        if self.problem:
            raise Failed(self.problem)


class Logins(_Crowd):
    """More users than may hash at the same time log in."""

    def __init__(self, port):
        super().__init__(port, PEOPLE)

    def act(self, browser, number):
        browser.cookies.clear()
        form = browser.page("/login").form("/login")
        return browser.request("/login", fields=_fields(form, number)).status, 303


class Readers(_Crowd):
    """Users read the library of an account; they have logged in."""

    def __init__(self, port, account):
        self.path, self.inside = f"/settings/accounts/{account}/media", threading.Semaphore(0)
        self.logged_in = set()
        super().__init__(port, READERS)

    def act(self, browser, number):
        # Without a login, the path is the form for one, with a 200.
        if number in self.logged_in:
            return browser.request(self.path).status, 200
        form = browser.page("/login").form("/login")
        status = browser.request("/login", fields=_fields(form, number % PEOPLE)).status
        if status == 303:
            self.logged_in.add(number)
            self.inside.release()
        return status, 303

    def __enter__(self):
        super().__enter__()
        for _ in self.threads:
            self.inside.acquire(timeout=60)
        return self


def login_times(port, seconds):
    """The milliseconds that each of the logins of this time took, one after the other, from ever other addresses."""
    took, end = [], time.monotonic() + seconds
    for number in itertools.count():
        if time.monotonic() >= end and len(took) > 1:
            return sorted(took)
        browser = Browser(_Nginx(port, f"127.0.1.{number % 250 + 1}"))
        form = browser.page("/login").form("/login")
        began = time.monotonic()
        status = browser.request("/login", fields=_fields(form, number % PEOPLE)).status
        if status != 303:
            raise Failed(f"a login was answered {status}")
        took.append((time.monotonic() - began) * 1000)
