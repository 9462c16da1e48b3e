"""The site with TLS, through a real nginx with a certificate made here, and the headers of every response
(operations-N7)."""

import contextlib
import shutil
import socket
import ssl
import subprocess

import pytest

import stack as stacks
from hosts import tables
from nginx_front import POOLS, EchoPool, Front
from processes import wait_until
from shipped_nginx import (API, APP, EMBED, OEMBED, REPOSITORY, SERVERS, SITES, make_certificate, put,
                           without_rates)
from user_agent import Browser, Page

NAME = APP
EVERY = (APP, API, OEMBED, EMBED)
HSTS = "max-age=63072000"


class TlsNginx(stacks.Nginx):
    """Sends requests over TLS; `clear` is the port without TLS."""

    context = None

    def send(self, raw, method="GET"):
        with socket.create_connection(("127.0.0.1", self.port), stacks.PATIENCE) as plain:
            with self.context.wrap_socket(plain, server_hostname=NAME) as connection:
                connection.sendall(raw)
                answer = stacks.http.client.HTTPResponse(connection, method=method)
                answer.begin()
                headers = {}
                for name, value in answer.getheaders():
                    name = name.lower()
                    headers[name] = f"{headers[name]}, {value}" if name in headers else value
                return stacks.Answer(answer.status, headers, answer.read())


def start_tls(stack):
    """Starts nginx with the site of `svcctl nginx --tls`; only addresses, paths and rate limits are replaced."""
    make_certificate(stack.directory, NAME, API)
    clear = stacks.free_port()
    nginx = stack.add(TlsNginx(stack.directory, lambda port: put(
        stack.directory, port, site="tls", clear=clear, change=without_rates))).start()
    nginx.clear = clear
    nginx.certificate = stack.directory / "svc.pem"
    nginx.context = ssl.create_default_context(cafile=nginx.certificate)
    return nginx


@pytest.fixture(scope="module")
def site(module_stack):
    module_stack.import_catalog()
    for role in stacks.ROLES:
        module_stack.start_pool(role, roles=role)
    return start_tls(module_stack)


@contextlib.contextmanager
def handshake(site, change=lambda context: None, name=NAME):
    context = ssl.create_default_context(cafile=site.certificate)
    change(context)
    with socket.create_connection(("127.0.0.1", site.port), stacks.PATIENCE) as plain:
        with context.wrap_socket(plain, server_hostname=name) as connection:
            yield connection


def only(version):
    def change(context):
        # Otherwise this library would refuse TLS 1.1 before the server can.
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
    return change


# --- TLS ---------------------------------------------------------------------------------------


def ciphers(names):
    def change(context):
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(f"{names}:@SECLEVEL=0")
    return change


TLS = ssl.TLSVersion
# The versions that a client offers, its server name, and the chosen version or the server's alert.
HANDSHAKES = [(only(TLS.TLSv1_2), NAME, "TLSv1.2"), (only(TLS.TLSv1_3), NAME, "TLSv1.3"),
              *((only(version), NAME, "TLSV1_ALERT_PROTOCOL_VERSION") for version in (TLS.TLSv1, TLS.TLSv1_1)),
              # Without forward secrecy or authentication.
              *((ciphers(names), NAME, "SSLV3_ALERT_HANDSHAKE_FAILURE") for names in (
                  "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256", "ADH-AES128-GCM-SHA256")),
              (lambda context: None, "evil.example", "TLSV1_UNRECOGNIZED_NAME")]


@pytest.mark.parametrize("change, name, outcome", HANDSHAKES)
def test_operations_N7_a_handshake_has_a_current_version_a_strong_cipher_and_a_known_name(site, change, name, outcome):
    try:
        with handshake(site, change, name) as connection:
            seen = connection.version()
    except ssl.SSLError as refused:
        seen = refused.reason
    assert seen == outcome


def test_operations_N7_sessions_are_resumed_without_tickets(site):
    context = ssl.create_default_context(cafile=site.certificate)
    context.maximum_version = TLS.TLSv1_2
    session = None
    for resumed in (False, True):
        with socket.create_connection(("127.0.0.1", site.port), stacks.PATIENCE) as plain:
            with context.wrap_socket(plain, server_hostname=NAME, session=session) as connection:
                assert connection.session_reused == resumed
                session = connection.session
                assert not session.has_ticket


def test_operations_N7_supports_HTTP_2(site):
    """Negotiated by ALPN, with complete responses on many streams of one connection."""
    with handshake(site, lambda context: context.set_alpn_protocols(["h2", "http/1.1"])) as connection:
        assert connection.selected_alpn_protocol() == "h2"
    url = f"https://{NAME}:{site.port}/oembed?url=http%3A%2F%2Fsvc.localhost%2Fmedias%2Fl4unchf1lm"
    got = subprocess.run(["curl", "-q", "--noproxy", "*", "-sS", "--cacert", site.certificate, "--http2", "--resolve",
                          f"{NAME}:{site.port}:127.0.0.1", "-H", "Host: oembed.svc.example", "-w",
                          "\n%{http_version} %{http_code}", url],
                         capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert got.returncode == 0, got.stderr
    body, status = got.stdout.rsplit("\n", 1)
    assert status == "2 200" and '"title":"Launch film"' in body
    done = subprocess.run(["h2load", "-n", "500", "-c", "2", "-m", "50", f"--connect-to=127.0.0.1:{site.port}",
                           "-H", f":authority: {NAME}", f"https://{NAME}:{site.port}/healthz"],
                          capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert "500 succeeded, 0 failed" in done.stdout, done.stdout + done.stderr


def test_operations_N7_plain_http_is_redirected_to_TLS_and_unknown_names_are_refused(site):
    def ask(host, target="/medias/a?b=c%2Fd"):
        with contextlib.closing(stacks.http.client.HTTPConnection("127.0.0.1", site.clear,
                                                                  timeout=stacks.PATIENCE)) as connection:
            connection.request("GET", target, headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.getheader("location"), answer.getheader("strict-transport-security")

    assert ask(NAME) == (301, f"https://{NAME}/medias/a?b=c%2Fd", None)
    assert ask(f"{NAME}:8080", "/a%0d%0aX:y")[:2] == (301, f"https://{NAME}/a%0d%0aX:y")
    for host in ("evil.example", "127.0.0.1"):
        with pytest.raises((stacks.http.client.BadStatusLine, ConnectionError)):
            ask(host)


def test_operations_N8_plain_http_on_the_TLS_port_gets_our_error_page(site):
    """operations-N8: nginx has an error code of its own for this request."""
    with socket.create_connection(("127.0.0.1", site.port), stacks.PATIENCE) as plain:
        plain.sendall(f"GET /login HTTP/1.1\r\nHost: {NAME}\r\n\r\n".encode())
        answer = stacks.http.client.HTTPResponse(plain)
        answer.begin()
        body = answer.read()
    assert (answer.status, answer.getheader("content-type")) == (400, "text/html; charset=utf-8")
    assert b"<h1>This request cannot be read</h1>" in body and b"nginx" not in body


def test_operations_N8_a_shared_connection_does_not_mix_the_hosts(site):
    """operations-N8: browsers send requests for all names of a certificate over one HTTP/2 connection."""
    for path, host, status in (("/login", NAME, 200), ("/login", "embed.svc.example", 404),
                               ("/embed/iframe/l4unchf1lm", NAME, 404), (ASKED + "l4unchf1lm", NAME, 404),
                               (ASKED + "l4unchf1lm", "oembed.svc.example", 200)):
        got = subprocess.run(["curl", "-q", "--noproxy", "*", "-sS", "-o", "/dev/null", "--cacert", site.certificate,
                              "--http2", "--resolve", f"{NAME}:{site.port}:127.0.0.1", "-H", f"Host: {host}", "-w",
                              "%{http_version} %{http_code}", f"https://{NAME}:{site.port}{path}"],
                             capture_output=True, text=True, timeout=stacks.PATIENCE)
        assert got.stdout == f"2 {status}", (path, host, got)


def test_operations_N7_a_login_over_TLS_gets_a_secure_cookie(site):
    browser = Browser(site)
    page = Page(browser.request("/login"))
    form = page.form("/login")
    answer = browser.request("/login", fields={**form["fields"], "email": "olivia@acme.example",
                                               "password": "olivia-demo-password"})
    assert answer.status == 303, answer.body
    name, _, attributes = answer.headers["set-cookie"].partition("=")
    assert name == "__Host-svc_session"
    attributes = [each.strip().lower() for each in attributes.split(";")[1:]]
    assert {"secure", "httponly", "path=/"} <= set(attributes)
    assert not [each for each in attributes if each.startswith("domain")]
    assert answer.headers["strict-transport-security"] == HSTS
    settings = browser.request("/settings")
    assert settings.status == 200 and b"Olivia" in settings.body


# --- headers on every response -----------------------------------------------------------------

ASKED = "/oembed?url=http%3A%2F%2Fsvc.localhost%2Fmedias%2F"
# One row per kind of location: target, arguments of request(), status.
EVERYWHERE = [
    ("an oEmbed answer", ASKED + "l4unchf1lm", {}, 200),
    ("a refusal of a worker", ASKED + "nobodyhasit", {}, 404),
    ("a preflight", "/oembed", {"method": "OPTIONS"}, 204),
    ("XML", ASKED.replace("?", ".xml?") + "l4unchf1lm", {}, 200),
    ("a manifest", "/embed/medias/l4unchf1lm.m3u8", {}, 200),
    ("a player's page", "/embed/iframe/l4unchf1lm", {}, 200),
    ("a media page", "/medias/l4unchf1lm", {}, 200),
    ("robots", "/robots.txt", {}, 200),
    ("the login page", "/login", {}, 200),
    ("a page that asks for a login", "/settings", {}, 200),
    ("a token request", "/oauth/token", {"method": "POST", "body": b"a=b"}, 415),
    ("the API", "/v1/medias/l4unchf1lm", {}, 401),
    ("metadata", "/.well-known/oauth-authorization-server", {}, 200),
    ("the player", "/assets/external/E-v1.js", {}, 200),
    ("an asset that is not there", "/assets/external/none.js", {}, 404),
    ("style", "/assets/site.css", {}, 200),
    ("a part of a clip that is not there", "/deliveries/clipmp4/360p.mp4", {"headers": {"Range": "bytes=99999999-"}},
     416),
    ("a clip", "/deliveries/clipmp4/360p.mp4", {}, 200),
    ("a path that nobody answers", "/nowhere", {}, 404),
    ("a body too large", "/oauth/token", {"method": "POST", "body": b"a" * 17_000}, 413),
    ("a method that no file has", "/assets/site.css", {"method": "POST", "body": b"a"}, 405),
    ("status", "/status/embed", {}, 200),
    ("metrics", "/metrics/web", {}, 200),
    ("a request that is none", "/login", {"headers": {"Content-Length": "a"}}, 400),
    ("an address that is too long", "/v1/medias/" + "a" * 9000, {}, 414),
]


@pytest.mark.parametrize("what, target, how, status", EVERYWHERE, ids=[row[0] for row in EVERYWHERE])
def test_operations_N7_every_response_has_the_security_headers_once(site, what, target, how, status):
    """Even from locations with an add_header of their own. `send` joins repeated headers with a comma."""
    answer = site.request(target, **how)
    assert answer.status == status, answer
    # nginx writes the head of a 416 twice, including these headers.
    times = 2 if status == 416 else 1
    assert answer.headers["strict-transport-security"].split(", ") == [HSTS] * times, what
    assert answer.headers["x-content-type-options"].split(", ") == ["nosniff"] * times, what
    assert answer.headers["server"] == "nginx"


def test_operations_N7_errors_of_nginx_for_a_dead_pool_have_the_headers(stack):
    for name in POOLS:
        EchoPool(stack.directory / f"{name}.sock", 10**6)
    nginx = start_tls(stack)
    for path in ("/oembed", "/embed/iframe/a", "/oauth/token", "/login", "/status/embed"):
        answer = nginx.request(path)
        assert (answer.status, answer.headers["strict-transport-security"],
                answer.headers["x-content-type-options"]) == (502, HSTS, "nosniff")


def test_operations_N7_sends_no_HSTS_without_TLS(stack):
    front = Front(stack)
    for path in ("/oembed", "/assets/site.css", "/nowhere", "/login"):
        answer = front.nginx.request(path)
        assert "strict-transport-security" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
    for pool in front.pools.values():
        pool.close()


# --- the view of a client, on every site ---------------------------------------------------------


def start_site(stack, site):
    """Starts nginx with that site. Returns it and the names of its hosts."""
    nginx = start_tls(stack) if site == "tls" else stack.start_nginx(lambda port: put(stack.directory, port, site=site))
    return nginx, tuple(SERVERS[site])


@pytest.mark.parametrize("site", SITES)
def test_operations_N47_nginx_redirects_no_folder_without_its_slash(stack, site):
    """On every host; also as a proxy in front that ends TLS passes it on."""
    pools = [EchoPool(stack.directory / f"{name}.sock") for name in POOLS]
    (stack.directory / "media/clip").mkdir(parents=True)
    folders = {row["pattern"].rpartition("/")[0] for name in ("routes", "files") for row in tables()[name]
               if row["hosts"] and row["pattern"].endswith("/*")}
    assert {"/medias", "/m", "/settings", "/embed/iframe", "/files", "/assets"} <= folders
    nginx, hosts = start_site(stack, site)
    for host in hosts:
        for path in folders | {"/files/clip", "/deliveries/clip16x9", "/oembed", "/login", "/oauth", "/v1"}:
            answer = nginx.request(f"{path}?x=1", host=host, headers={"X-Forwarded-Proto": "https"})
            assert "location" not in answer.headers, (host, path)
            if path in ("/v1", "/oauth", "/embed", "/medias", "/m"):
                assert answer.status == 404, (host, path)
    for pool in pools:
        pool.close()


# --- the player's files ------------------------------------------------------------------------


PLAYER = REPOSITORY / "nginx/player/dist"


@pytest.mark.parametrize("pattern, kept", [
    *((name, "public, max-age=600") for name in ("E-v1.js", "playlist-v1.js", "frame-v1.css", "frame-v1.js",
                                                      "notices-v1.txt")),
    *((f"{part}-????????.js", "public, max-age=31536000, immutable") for part in ("player", "controls", "hls"))])
def test_operations_N7_the_players_loaders_are_kept_briefly_and_its_parts_for_a_year(site, pattern, kept):
    (file,) = PLAYER.glob(pattern)
    path = f"/assets/external/{file.name}"
    plain = site.request(path)
    assert plain.headers["cache-control"] == kept
    assert plain.headers["access-control-allow-origin"] == "*"
    assert plain.headers["content-type"].endswith("; charset=utf-8")
    assert plain.body == file.read_bytes()
    squeezed = site.request(path, headers={"Accept-Encoding": "gzip"})
    if len(plain.body) >= 1000:
        assert squeezed.headers["content-encoding"] == "gzip" and squeezed.headers["vary"] == "Accept-Encoding"
    assert site.request(path, headers={"If-None-Match": plain.headers["etag"]}).status == 304
    assert site.request("/assets/external/none-v1.js").headers["cache-control"] == "no-store"


# --- logs --------------------------------------------------------------------------------------


def test_operations_N7_USR1_reopens_the_logs(stack):
    """As logrotate does it: rename, then signal. No line is lost or repeated, and new lines are in the new file."""
    pools = [EchoPool(stack.directory / f"{name}.sock") for name in POOLS]
    nginx = start_tls(stack)
    access, error = stack.directory / "svc-access.log", stack.directory / "svc-error.log"

    def ask(word, count=100):
        for number in range(count):
            nginx.request(f"/oembed.json/{word}{number}", host=NAME)
        # nginx logs a refusal by address to the error log.
        config = stack.directory / "svc" / "svc-fastcgi-health.conf"
        assert config.exists()
        nginx.request("/status/embed/", host=NAME)

    ask("before")
    for file in (access, error):
        shutil.move(file, f"{file}.1")
    nginx.send_signal(stacks.signal.SIGUSR1)
    wait_until(lambda: access.exists() and error.exists(), "both files exist again")

    # The master creates the files; each worker switches to them a moment later.
    def is_gone_over_to():
        nginx.request("/oembed.json/between", host=NAME)
        return "/between" in access.read_text()

    wait_until(is_gone_over_to, "new lines are in the new file")
    ask("after")
    wait_until(lambda: access.read_text().count("/after") == 100, "the new lines")
    old, new = access.with_name(access.name + ".1").read_text(), access.read_text()
    assert old.count("/before") == 100 and "/after" not in old and "/before" not in new
    assert all(line.startswith("{") and line.endswith("}") for line in (old + new).splitlines())
    for pool in pools:
        pool.close()
