"""Plants secrets in all requests, makes one part after the other fail, and searches every file, page and monitoring
response for the secrets: rule operations-N5."""

import base64
import concurrent.futures
import contextlib
import ctypes
import html
import json
import os
import re
import resource
import secrets
import signal
import socket
import subprocess
import threading
import urllib.parse
from pathlib import Path

import pytest

import stack as stacks
from hosts import public_routes
from oauth_store import API, CLIENT, FORM, INTROSPECT, SECRET, URI, VERIFIER, Codes, encode, exchange
from processes import wait_until
from user_agent import PASSWORDS, Browser, Page

ROLES = ("embed", "grant", "web")
EMAIL = "olivia@acme.example"
MEDIA = "url=http%3A%2F%2Fsvc.localhost%2Fmedias%2Fl4unchf1lm"


# --- searching ---------------------------------------------------------------------------------


def forms(value):
    """Returns the encodings in which a secret may be written: plain, URL, form, HTML, JSON, hexadecimal, base64."""
    quoted = {urllib.parse.quote(value, safe=""), urllib.parse.quote_plus(value), urllib.parse.quote(value)}
    found = {value, html.escape(value), json.dumps(value)[1:-1], value.encode().hex(),
             base64.b64encode(value.encode()).decode().rstrip("=")}
    return {each.encode() for each in found | quoted | {each.lower() for each in quoted}}


def search(directory, wanted, own=()):
    """Returns (file name, secret's name) for each secret in a file below the folder. Files in `own` may contain
    secrets."""
    found = []
    for path in directory.rglob("*"):
        if not path.is_file() or path.name in own:
            continue
        data = path.read_bytes()
        found += [(path.name, name) for name, value in wanted.items() if any(form in data for form in forms(value))]
    return found


@pytest.mark.parametrize("written", ["a={}", "%2F{}&", "Basic {}"])
def test_the_search_finds_a_secret_in_every_form(tmp_path, written):
    value = "s3cr3t ä/+&<"
    (tmp_path / "deep").mkdir()
    for number, form in enumerate(sorted(forms(value))):
        (tmp_path / "deep" / f"{number}").write_bytes(b"\0" + written.encode().replace(b"{}", form) + b"\n")
    assert len(search(tmp_path, {"it": value})) == len(forms(value)) >= 7
    assert search(tmp_path, {"another": "s3cr3t ö"}) == []


# --- planting ----------------------------------------------------------------------------------


class Site:
    """All pools with all logging enabled, nginx in front of them, and a logged-in user who has tokens. A process that
    dies by a signal may write a core file into the site's folder."""

    def __init__(self, stack, *, limits=False, **options):
        self.stack = stack
        stack.import_catalog()
        self.pools = {role: stack.pool(role, roles=role, workers=2, log_level="debug", log_requests="on",
                                       deaths_expected=True, redis_timeout=1000, write_timeout=1000,
                                       **options)
                      .start(cwd=stack.directory, preexec_fn=with_cores).wait_ready() for role in ROLES}
        self.nginx = stack.start_shipped_nginx(limits=limits)
        # Debian's log level for messages outside of our servers.
        self.nginx.config.write_text(self.nginx.config.read_text().replace(
            f"error_log {self.nginx.log} info;", f"error_log {stack.directory}/nginx-main.log error;"))
        self.nginx.reload()
        wait_until((stack.directory / "nginx-main.log").exists, "nginx has its log")
        self.browser = Browser(self.nginx)
        assert self.browser.log_in(Page(self.browser.request(self.authorize("before"))), EMAIL).status == 200
        codes = Codes(stack)
        tokens = json.loads(exchange(self.nginx, codes.new()).body)
        self.secrets = {"client secret": SECRET, "code": codes.new(), "access token": tokens["access_token"],
                        "refresh token": tokens["refresh_token"], "password": PASSWORDS[EMAIL], "email": EMAIL,
                        "wrong password": f"wröng&{secrets.token_hex(8)}", "state": f"st@te/+{secrets.token_hex(8)}",
                        "session": next(iter(self.browser.cookies.values())),
                        "key": stack.key_file.read_text().strip().partition(":")[2],
                        "code verifier": VERIFIER,
                        "Basic": f"{CLIENT}:{SECRET}", "basic by halves": f":{SECRET}",
                        # Without the kind, the grant and the holder.
                        **{f"bits of {kind}": token[37:101] for kind, token in tokens.items() if kind.endswith("_token")},
                        **{f"password of {user}": word for user, word in stacks.PASSWORDS.items()}}

    def authorize(self, state):
        return "/oauth/authorize?" + encode(response_type="code", client_id=CLIENT, redirect_uri=URI, state=state)

    def requests(self):
        """Yields every kind of request that carries secrets: its target, and its arguments for request()."""
        have = self.secrets
        post = lambda body, **headers: {"method": "POST", "host": API, "body": body.encode(),
                                        "headers": {**FORM, **headers}}
        basic = "Basic " + base64.b64encode(have["Basic"].encode()).decode()
        code = encode(grant_type="authorization_code", redirect_uri=URI, code=have["code"])
        refresh = encode(grant_type="refresh_token", refresh_token=have["refresh token"])
        client = encode(client_id=CLIENT, client_secret=SECRET)
        token = encode(token=have["access token"])
        everything = encode(**{name.replace(" ", "_"): value for name, value in have.items()})
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.browser.cookies.items()),
                   "Referer": f"http://127.0.0.1/?{everything}"}
        yield "/oauth/token", post(code, Authorization=basic)
        yield "/oauth/token?" + client + "&" + code, post("")
        yield "/oauth/token?" + everything, post(refresh + "&" + client)
        yield INTROSPECT + "?" + everything, post(token, Authorization=basic)
        yield "/oauth/revoke", post(encode(token=have["code"]) + "&" + client)
        yield "/oauth/token", post(client + "&" + refresh + "&pad=" + "a" * 17_000, **cookies)  # too large
        yield "/v1/medias/l4unchf1lm", {"host": API, "headers": {"Authorization": "Bearer " + have["access token"]}}
        yield "/v1/medias/l4unchf1lm?" + encode(access_token=have["access token"]), {"host": API, "headers": cookies}
        yield "/settings/accounts/1001/media/upload?" + everything, {
            "method": "POST", "body": b"a", "headers": {**cookies, "Content-Type": "multipart/form-data; boundary=b"}}
        yield self.authorize(have["state"]), {"headers": cookies}
        yield "/login?" + everything, {"headers": cookies}
        for word in ("password", "wrong password"):
            person, form = Browser(self.nginx), {"fields": {"csrf": "a"}}
            if self.answers_pages:
                with contextlib.suppress(ConnectionError, ValueError, stacks.http.client.HTTPException):
                    form = Page(person.request("/login")).form("/login")
            cookie = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
            yield "/login", {"method": "POST", "headers": {**FORM, "Origin": "null", "Cookie": cookie,
                                                           "Referer": cookies["Referer"]},
                             "body": encode(**{**form["fields"], "email": EMAIL, "password": have[word]}).encode()}
        yield "/settings?" + everything, {"headers": cookies}
        for row in public_routes():
            yield f"{row['example']}?{everything}", {"headers": cookies}
            yield row["example"], {"method": "POST", "headers": {**cookies, **FORM}, "body": everything.encode()}
        for path in ("/oauth/tokens", "/nowhere", "/status/web", "/assets/external/none.js", "/deliveries/none"):
            yield f"{path}?{everything}", {"headers": cookies}
        # Repeated, so that the responses would be cached if the parameter names allowed it.
        for _ in range(30):
            yield f"/oembed?{MEDIA}&{everything}", {"headers": cookies}
            yield f"/oembed?{MEDIA}%3F{urllib.parse.quote(everything, safe='')}", {"headers": cookies}

    answers_pages = True
    sent = 0

    def plant(self):
        """Sends all requests. Returns the set of their statuses; 0 means that the connection ended without a
        response."""
        statuses = set()
        for target, how in self.requests():
            self.sent += 1
            try:
                statuses.add(self.nginx.request(target, **how).status)
            except (ConnectionError, stacks.http.client.HTTPException):
                statuses.add(0)
        return statuses | self.plant_broken_requests()

    def wait_for_requests(self, count=10):
        """Waits until other threads have sent `count` further requests."""
        before = self.sent
        wait_until(lambda: self.sent >= before + count, "more requests")

    def plant_broken_requests(self):
        """Sends requests that nginx itself refuses, and a body whose sender disconnects. Returns the set of
        statuses."""
        statuses = set()
        everything = encode(**{name.replace(" ", "_"): value for name, value in self.secrets.items()})
        head = f"POST /oauth/token?{everything} HTTP/1.1\r\nHost: {API}\r\nReferer: http://a/?{everything}\r\n"
        for rest in (f"Host: {API}\r\n\r\n", "Content-Length: a\r\n\r\n", f"X: {'a' * 9000}\r\n\r\n",
                     f"Transfer-Encoding: x\r\n\r\n{everything}", "Expect: y\r\nContent-Length: 0\r\n\r\n"):
            with contextlib.suppress(ConnectionError, stacks.http.client.HTTPException):
                statuses.add(self.nginx.send((head + rest).encode()).status)
        with contextlib.suppress(ConnectionError, stacks.http.client.HTTPException):
            request = f"GET /login?{everything * 12} HTTP/1.1\r\nHost: {API}\r\n\r\n"
            statuses.add(self.nginx.send(request.encode()).status)
        with socket.create_connection(("127.0.0.1", self.nginx.port), stacks.PATIENCE) as leaver:
            leaver.sendall((head + f"Content-Length: 15000\r\n\r\n{everything}").encode())
        return statuses

    def check(self):
        """Fails if a secret is in any file, if an expected log is missing, or if there is a core file."""
        directory = self.stack.directory
        assert self.nginx.request("/the-last").status
        wait_until(lambda: "/the-last" in (directory / "svc-access.log").read_text(), "nginx has logged all requests")
        pages = directory / "pages"
        pages.mkdir(exist_ok=True)
        for role, pool in self.pools.items():
            if pool.alive() and stacks.is_socket(pool.socket):
                for path in ("/status", "/metrics"):
                    with contextlib.suppress(OSError, AssertionError):
                        (pages / f"{role}{path[1:]}").write_bytes(pool.request(path, "access_token=a").body)
                done = subprocess.run([stacks.program("svcctl"), "status", "--socket", pool.socket], text=True,
                                      capture_output=True, timeout=stacks.PATIENCE)
                (pages / f"{role}.ctl").write_text(done.stdout + done.stderr)
        own = {"keys", "keys.broken", *(f"redis-{user}.password" for user in stacks.PASSWORDS)}
        # The catalog contains each user's email, and Redis receives the catalog.
        found = [(file, name) for file, name in search(directory, self.secrets, own)
                 if not (file.startswith(("appendonly.aof.", "redis-state.monitor")) and name == "email")]
        assert found == []
        logs = {path.name for path in directory.glob("*.log")}
        assert logs >= {"svc-access.log", "svc-error.log", "nginx-main.log", *(f"{r}.log" for r in ROLES)}
        wait_until(lambda: (directory / "svc-access.log").read_text().count("/oauth/token") >= 5,
                   "lines of nginx")
        assert not [path for path in directory.rglob("core*") if path.is_file()], "a core file contains secrets"


def with_cores():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def while_planting(site, act):
    """Calls act() while three threads plant secrets. Returns the set of statuses."""
    statuses, threads = [], []
    for _ in range(3):
        threads.append(threading.Thread(target=lambda: statuses.append(site.plant())))
        threads[-1].start()
    try:
        act()
    finally:
        for thread in threads:
            thread.join(2 * stacks.PATIENCE)
    return set().union(*statuses)


# --- failures: one function per row, which returns the statuses -----------------------------------


def nothing(site):
    """Also searches what Redis receives: its commands are in a file of their own."""
    monitor = site.stack.add(site.stack.redis_state.monitor())
    statuses = site.plant()
    wait_until(lambda: CLIENT in monitor.log_text(), "Redis reports its commands")
    return statuses


def sockets_are_missing(site):
    for pool in site.pools.values():
        pool.stop()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(pool.socket)
    site.answers_pages = False
    return site.plant()


def too_fast(site):
    statuses = site.plant()
    logins = [(target, how) for target, how in site.requests() if target == "/login"]
    # In parallel: on a busy machine sequential logins, each with a password hash, would stay below the rate limit.
    with concurrent.futures.ThreadPoolExecutor(20) as people:
        answers = people.map(lambda one: site.nginx.request(one[0], **one[1]), logins * 20)
        return statuses | {answer.status for answer in answers}


def workers_are_aborted(site):
    def act():
        for _ in range(3):
            site.wait_for_requests()
            for pool in site.pools.values():
                for worker in pool.workers():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGABRT)

    statuses = while_planting(site, act)
    for pool in site.pools.values():
        assert pool.events("worker.died")
    return statuses


def workers_hang(site):
    def act():
        site.wait_for_requests()
        site.stack.redis_state.send_signal(signal.SIGSTOP)
        site.wait_for_requests(3)
        for pool in site.pools.values():
            for worker in pool.workers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGSTOP)
        wait_until(lambda: any(pool.events("worker.killed") for pool in site.pools.values()), "a worker is killed")
        site.stack.redis_state.send_signal(signal.SIGCONT)

    return while_planting(site, act)


def redis_is_away(site):
    site.stack.redis_state.stop()
    site.answers_pages = False
    return site.plant()


def configuration_is_wrong(site):
    """Reloads wrong settings, keys and passwords, and collects the programs' messages about them."""
    stack, said = site.stack, []
    broken = stack.directory / "keys.broken"
    broken.write_text(f"k1:{site.secrets['key']}zz\n{site.secrets['key']}\n")
    broken.chmod(0o600)
    password = stack.password_file("grant")
    good = stack.config.read_text()
    for change in (f"key-file = {broken}\n", "no-such-key = 1\n", "max-requests = none\n",
                   f"redis-state = redis://:{stacks.PASSWORDS['grant']}@127.0.0.1:70000\n"):
        name = change.partition(" ")[0]
        stack.config.write_text("".join(line for line in good.splitlines(True) if not line.startswith(name)) + change)
        for role, pool in site.pools.items():
            if role == "embed" and name == "key-file":
                continue  # the embed role does not read keys
            seen = len(pool.events("reload.refused"))
            pool.send_signal(signal.SIGHUP)
            wait_until(lambda: len(pool.events("reload.refused")) > seen,  # pylint: disable=W0640
                       f"{pool.name} refuses {change}")
            for flag in ("--check-config", "--print-config"):
                said.append(subprocess.run([*pool.command(), flag], capture_output=True, text=True,
                                           timeout=stacks.PATIENCE))
    stack.config.write_text(good)
    password.chmod(0o644)
    for pool in site.pools.values():
        said.append(subprocess.run([*pool.command(), "--check-config"], capture_output=True, text=True,
                                   timeout=stacks.PATIENCE))
    password.chmod(0o600)
    assert {done.returncode for done in said} & {1, 2}
    # Repeating a value of the file is right, and the line with the password was written by the operator.
    (stack.directory / "said.log").write_text("".join(done.stdout + done.stderr for done in said))
    fine = site.nginx.config.read_text()
    site.nginx.config.write_text(fine + "no_such_directive;\n")
    site.nginx.send_signal(signal.SIGHUP)
    wait_until(lambda: "no_such_directive" in (stack.directory / "nginx-main.log").read_text(), "nginx refuses")
    site.nginx.config.write_text(fine)
    return site.plant()


def nginx_workers_are_killed(site):
    def act():
        for _ in range(3):
            site.wait_for_requests()
            before = wait_until(lambda: stacks.children_of(site.nginx.pid), "nginx has a worker")
            for worker in before:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            wait_until(lambda: stacks.children_of(site.nginx.pid) - before, "a new worker")  # pylint: disable=W0640

    # Killed nginx workers lose their buffered lines of the access log, so the requests are sent again.
    return while_planting(site, act) | site.plant()


ROWS = [
    # The failure, and statuses that prove that it happened.
    (nothing, {200, 303, 400, 404, 413, 414}),
    (sockets_are_missing, {502, 413, 404}),
    (too_fast, {429, 413}),
    (workers_are_aborted, {200, 413}),
    (workers_hang, {413}),
    (redis_is_away, {503, 413}),
    (configuration_is_wrong, {200, 303, 413}),
    (nginx_workers_are_killed, {200, 413}),
]


@pytest.mark.parametrize("breaks, statuses", ROWS, ids=[row[0].__name__ for row in ROWS])
def test_operations_N5_oauth_K1_oauth_K3_no_secret_is_disclosed_if(stack, breaks, statuses):
    # A shorter timeout than shipped, so that hung workers are killed soon.
    soon = {"request_timeout": 1500} if breaks is workers_hang else {}
    site = Site(stack, limits=breaks is too_fast, **soon)
    seen = breaks(site)
    assert seen >= statuses, seen
    site.check()


def core_limits(pid):
    """Returns the soft and hard limit of a process's core size."""
    return re.search(r"^Max core file size +(\S+) +(\S+)", Path(f"/proc/{pid}/limits").read_text(), re.M).groups()


def test_oauth_K1_no_process_may_write_a_core_file_despite_the_inherited_limit(stack):
    stack.start_redis()
    pools = [stack.pool(role, roles=role, workers=1, deaths_expected=True).start(
        preexec_fn=with_cores, cwd=stack.directory) for role in ROLES]
    for pool in pools:
        pool.wait_ready()
        (worker,) = pool.wait_for_workers(1)
        assert {core_limits(pool.pid), core_limits(worker)} == {("0", "0")}
        os.kill(worker, signal.SIGABRT)
        (successor,) = pool.wait_for_workers(1, without={worker})
        assert core_limits(successor) == ("0", "0")
    assert not list(stack.directory.glob("core*"))
    ctl = stack.add(stacks.Program("svcctl", stack.directory / "svcctl.log"))
    ctl.launch([stacks.program("svcctl"), "--config", str(stack.config), "audit", "--follow"], preexec_fn=with_cores)
    wait_until(lambda: core_limits(ctl.pid) == ("0", "0"), "it has begun")
