"""Refresh grants: the service beside two processes of oidc-provider, each behind nginx, on one Redis that syncs every
write. Both are asked with refresh tokens of as many grants, none is rotated, and every answer is a new access token."""

import http.client
import json
import os
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

from oauth_flow import Browser

GRANTS = 64
PEER_PROCESSES = 2
WORKERS = 4
PEOPLE = 4  # one more than may hash at once
HERE = Path(__file__).resolve().parent


class Front:
    """What the browser needs of an nginx at a port."""

    class Answer:
        def __init__(self, response):
            self.status, self.body = response.status, response.read()
            self.headers = {name.lower(): value for name, value in response.getheaders()}

    def __init__(self, port):
        self.port = port

    def request(self, target, *, method="GET", host=None, headers=(), body=None):
        del host  # all hosts are one here
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, target, body, dict(headers))
        return self.Answer(connection.getresponse())


def catalog(directory, demo):
    """The demonstration catalog, as many applications as there will be grants, and people who log in."""
    path = directory / "refresh.jsonl"
    lines = Path(demo).read_text().strip().split("\n")  # not splitlines(): a title holds U+2028
    for number in range(GRANTS):
        lines.append(json.dumps({
            "kind": "application", "client_id": f"bench-{number}", "client_secret": f"bench-secret-{number}-{'x' * 32}",
            "account_id": 1001, "name": f"Bench {number}", "redirect_uri": "http://127.0.0.1:9090/callback",
            "scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"}))
    for number in range(PEOPLE):
        lines.append(json.dumps({
            "kind": "user", "id": 9000 + number, "name": f"Bench {number}", "email": f"bench-{number}@acme.example",
            "password": f"bench-password-{number}", "memberships": [{"account_id": 1001, "role": "user"}]}))
    path.write_text("\n".join(lines) + "\n")
    return path


def grant_bodies(port, file):
    """Olivia allows each application; the bodies of its refresh grants, a line each."""
    front = Front(port)
    browser = Browser(front)
    bodies = []
    for number in range(GRANTS):
        client = {"client_id": f"bench-{number}", "client_secret": f"bench-secret-{number}-{'x' * 32}"}
        uri = "http://127.0.0.1:9090/callback"
        target = "/oauth/authorize?" + urllib.parse.urlencode(
            {"response_type": "code", "client_id": client["client_id"], "redirect_uri": uri})
        page = browser.page(target)
        if number == 0:
            answer = browser.log_in(page, "olivia@acme.example")
            page = type(page)(answer)
        location = browser.answer(page, "allow").headers["location"]
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]
        body = urllib.parse.urlencode(
            {"grant_type": "authorization_code", "code": code, "redirect_uri": uri, **client})
        answer = front.request("/oauth/token", method="POST", body=body,
                               headers={"Content-Type": "application/x-www-form-urlencoded"})
        tokens = json.loads(answer.body)
        bodies.append(urllib.parse.urlencode(
            {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], **client}))
    Path(file).write_text("\n".join(bodies) + "\n")
    return Path(file)


class Logins:
    """Logs in all the time while it lasts, as many people at once: more than may hash together."""

    def __init__(self, port):
        self.front, self.ended, self.count = Front(port), threading.Event(), 0
        self.threads = [threading.Thread(target=self.log_in, args=(number,)) for number in range(PEOPLE)]

    def log_in(self, number):
        while not self.ended.is_set():
            browser = Browser(self.front)
            form = browser.page("/login").form("/login")
            fields = {**form["fields"], "email": f"bench-{number}@acme.example",
                      "password": f"bench-password-{number}"}
            self.count += browser.request("/login", fields=fields).status == 303

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()


def start_peer(ended, directory, redis_socket, port):
    """Two processes behind an nginx of their own, connections kept; the file of bodies."""
    peer = HERE / "peers" / "oidc-provider"
    if not (peer / "node_modules" / "oidc-provider").is_dir():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=peer, check=True)
    seeds = directory / "oidc.tokens"
    sockets = [directory / f"oidc-{number}.sock" for number in range(PEER_PROCESSES)]
    for number, sock in enumerate(sockets):
        more = [str(GRANTS), seeds] if number == 0 else []
        process = ended.start(["node", "server.js", sock, redis_socket, *more], cwd=peer, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env={**os.environ, "NODE_ENV": "production"}, text=True)
        while process.stdout.readline().strip() != "ready":
            if process.poll() is not None:
                raise SystemExit("the peer oidc-provider did not start")
    bodies = directory / "oidc.bodies"
    bodies.write_text("".join(
        urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": token, "client_id": "bench",
                                "client_secret": "bench-secret-0001-not-for-production"}) + "\n"
        for token in seeds.read_text().split()))
    user = "user root;" if os.geteuid() == 0 else ""
    config = directory / "oidc.conf"
    config.write_text(f"""daemon off; worker_rlimit_nofile 4096; pid {directory}/oidc-nginx.pid; worker_processes auto; {user}
error_log {directory}/oidc-error.log;
events {{ worker_connections 1024; }}
http {{
  access_log {directory}/oidc-access.log combined buffer=64k;
  client_body_temp_path {directory}/u1; proxy_temp_path {directory}/u2; fastcgi_temp_path {directory}/u3;
  uwsgi_temp_path {directory}/u4; scgi_temp_path {directory}/u5;
  upstream oidc {{ {"".join(f"server unix:{sock}; " for sock in sockets)} keepalive 32; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://oidc; proxy_http_version 1.1; proxy_set_header Connection ""; }}
  }}
}}
""")
    ended.start(["nginx", "-c", config], stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            if Front(port).request("/token", method="POST", body=bodies.read_text().splitlines()[0],
                                   headers={"Content-Type": "application/x-www-form-urlencoded"}).status == 200:
                return bodies
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit("the peer oidc-provider does not answer")
