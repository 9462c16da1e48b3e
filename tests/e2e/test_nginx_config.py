"""The shipped nginx files: nginx accepts them, nginx_check finds nothing in them, and an nginx that
runs them passes on what it should and nothing else.

The checker is tested by configurations that it must flag, one a rule.
"""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import re
import socket
import subprocess
import threading
import time
import xml.etree.ElementTree

import pytest

import fastcgi_client as fcgi
import nginx_check
from hosts import host_of
from stack import HOSTS, PATIENCE, REPOSITORY, children_of, free_port, wait_until

SHIPPED = sorted((REPOSITORY / "nginx").glob("*.conf"))

# Not shipped: answers that nginx gives only now and then.
SOON = """
location = /too-fast    { return 429; }
location = /too-many    { return 503; }
location = /settings/too-fast { return 429; }
"""


# One of them is in the http block.
SITES = ["svc-site.conf", "svc-site-tls.conf", "svc-site-one.conf"]

APP, API, OEMBED, EMBED = (f"{name}.svc.example" for name in ("app", "api", "oembed", "embed"))


def install(directory, port, extra="", site=SITES[0]):
    """Below directory/svc as below /etc/nginx/svc; only sockets, logs, addresses and the certificate are
    changed."""
    target = directory / "svc"
    target.mkdir(exist_ok=True)
    for file in SHIPPED:
        text = file.read_text()
        text = text.replace("/run/svc-nginx-cache", f"{directory}/micro-cache")
        for value in ("/run/svc/", "/var/log/nginx/"):
            text = text.replace(value, f"{directory}/")
        text = text.replace("/usr/share/svc/assets/", f"{REPOSITORY}/worker/pages/assets/")
        text = text.replace("/usr/share/svc/demo", f"{REPOSITORY}/scripts/demo")
        for name in ("/etc/ssl/certs/svc.pem", "/etc/ssl/private/svc.key"):
            text = text.replace(name, f"{directory}/{os.path.basename(name)}")
        text = re.sub(r"(?m)^(\s*listen )80\b", rf"\g<1>127.0.0.1:{port}", text)
        text = re.sub(r"(?m)^(\s*listen )443\b", rf"\g<1>127.0.0.1:{port + 1}", text)
        (target / file.name).write_text(text)
    with open(target / "svc-web.conf", "a", encoding="utf-8") as file:
        file.write(extra)
    return f"include svc/{site};"


# ---- the files as they are --------------------------------------------------------------------


def make_certificate(directory):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=app.svc.example", "-keyout", directory / "svc.key",
                    "-out", directory / "svc.pem"], check=True, capture_output=True)


@pytest.mark.parametrize("site", SITES)
def test_N1_nginx_accepts_the_files_without_a_warning(tmp_path, site):
    make_certificate(tmp_path)
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/main.log;\n"
        f"events {{}} http {{ gzip on; {install(tmp_path, free_port(), site=site)} }}\n")
    done = subprocess.run(["nginx", "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"),
                           "-e", "stderr"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


@pytest.mark.parametrize("site", SITES)
def test_N1_nginx_accepts_them_as_Debian_has_them_installed(tmp_path, site):
    """N1: Debian's own nginx.conf, the files where README.md puts them, a link in sites-enabled."""
    make_certificate(tmp_path)
    install(tmp_path, free_port(), site=site)
    (tmp_path / "modules-enabled").mkdir()
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "sites-enabled").mkdir()
    (tmp_path / "sites-enabled" / "svc").symlink_to(f"../svc/{site}")
    with open("/etc/nginx/nginx.conf", encoding="utf-8") as file:
        text = file.read()
    for old in ("/etc/nginx/", "/run/", "/var/log/nginx/"):
        text = text.replace(old, f"{tmp_path}/")
    text = text.replace(f"{tmp_path}/mime.types", "/etc/nginx/mime.types")
    assert f"include {tmp_path}/sites-enabled/*" in text
    (tmp_path / "nginx.conf").write_text(text)
    done = subprocess.run(["nginx", "-t", "-c", str(tmp_path / "nginx.conf"), "-e", "stderr"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "[warn]" not in done.stderr, done.stderr


def load_shipped(tmp_path, site=SITES[0]):
    if not (tmp_path / "svc").exists():
        (tmp_path / "svc").symlink_to(REPOSITORY / "nginx")
    (tmp_path / "nginx.conf").write_text(f"events {{}} http {{ include svc/{site}; }}")
    return nginx_check.load(str(tmp_path / "nginx.conf"))


@pytest.mark.parametrize("site", SITES)
def test_N1_the_checker_finds_nothing_in_the_files(tmp_path, site):
    assert [str(finding) for finding in nginx_check.check(load_shipped(tmp_path, site))] == []


def test_N1_every_file_is_in_use(tmp_path):
    used, more = set(), set(SITES)
    while more:
        used |= more
        more = {name for file in more for name in re.findall(
            r"(?m)^[^#\n]*\binclude svc/(\S+);", (REPOSITORY / "nginx" / file).read_text())} - used
    assert used == {file.name for file in SHIPPED}
    loaded = {d.file.rsplit("/")[-1] for site in SITES for d in load_shipped(tmp_path, site).walk()}
    assert loaded - {"nginx.conf"} <= used


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_N1_each_directive_stands_below_its_reason_and_default(file):
    """N1: by paragraphs, since one reason may be that of several directives."""
    for paragraph in re.split(r"\n\s*\n", file.read_text()):
        lines = [line.strip() for line in paragraph.splitlines()]
        directives = [line for line in lines if line and not re.match(
            r"#|\}|'|include |(server|upstream|location)\b.*\{|fastcgi_param DOCUMENT_URI /|"
            r"fastcgi_pass svc_", line)]
        if directives:
            assert any(line.startswith("#") for line in lines), f"no reason: {directives}"
            # What is emptied on purpose says so; nginx has no default for it.
            assert "efault" in paragraph or "fastcgi_param" in paragraph, f"no default: {directives}"


# ---- the checker ------------------------------------------------------------------------------

# Nothing is wrong here; each case below puts something into one of the three places.
CLEAN = """
events {{}}
http {{
  log_format svc escape=json '{{"uri":"$uri"}}';
  upstream pool {{ server unix:/run/p max_fails=0; server unix:/run/p max_fails=0; }}
  {http}
  server {{ listen 80 default_server; server_tokens off; access_log /l svc; return 444; }}
  server {{
    listen 80;
    server_name a.example;
    server_tokens off;
    access_log /l svc;
    {server}
    location = /a {{
      include svc-fastcgi.conf;
      fastcgi_pass_request_body off;
      fastcgi_pass pool;
      {location}
    }}
    location / {{ return 404 '{{"a":"}}"}}'; }} # a comment with a }}
  }}
}}
"""
PARAMETERS = "fastcgi_pass_request_headers off; fastcgi_param DOCUMENT_URI $uri;"


def findings(directory, **places):
    (directory / "svc-fastcgi.conf").write_text(PARAMETERS)
    file = directory / "nginx.conf"
    file.write_text(CLEAN.format(**{"http": "", "server": "", "location": "", **places}))
    return nginx_check.check(nginx_check.load(str(file)))


def test_the_checker_is_silent_where_nothing_is_wrong(tmp_path):
    assert findings(tmp_path) == []


PASS = "fastcgi_pass_request_body off; fastcgi_pass pool;"

CACHED = ("fastcgi_cache one; fastcgi_cache_key \"$request_method $host$uri?$args\"; fastcgi_cache_valid 200 1s;"
          " fastcgi_ignore_headers X-Accel-Expires Cache-Control Expires;")

BAD = [  # rule, place, what is put there
    ("add_header_redefinition", "server", "add_header A b; location = /x { add_header C d; }"),
    ("add_header_redefinition", "http",
     "add_header A b; server { listen 80; server_tokens off; access_log /l svc; add_header C d; }"),
    ("http_splitting", "server", "location = /x { return 302 https://a.example$uri; }"),
    ("http_splitting", "server", "location = /x { rewrite ^ https://a.example${document_uri}; }"),
    ("http_splitting", "server", "location = /x { add_header X-Path $uri; }"),
    ("host_spoofing", "location", "fastcgi_param HTTP_HOST $http_host;"),
    ("alias_traversal", "server", "location /files { alias /srv/files/; }"),
    ("if_is_evil", "location", "if ($arg_a) { gzip off; }"),
    ("if_is_evil", "location", "if ($arg_a) { rewrite ^ /x break; }"),
    ("default_server", "http", "server { listen 81; server_tokens off; access_log /l svc; }"),
    ("default_server", "http", "server { server_tokens off; access_log /l svc; }"),
    ("version_disclosure", "http", "server { listen 80; access_log /l svc; }"),
    ("version_disclosure", "http", "server { listen 80; server_tokens on; access_log /l svc; }"),
    ("error_log_off", "server", "error_log off;"),
    ("log_device", "location", "error_log /dev/null emerg;"),
    ("allow_without_deny", "location", "allow 127.0.0.1;"),
    ("allow_without_deny", "location", "deny all; allow 127.0.0.1;"),
    ("return_bypasses_allow", "server", "location = /x { allow ::1; deny all; return 204; }"),
    ("secret_in_access_log", "http", "log_format bad '$remote_addr \"$request\"';"),
    ("secret_in_access_log", "http", "log_format bad '$request_uri';"),
    ("secret_in_access_log", "http", "log_format bad '$uri?${args}';"),
    ("secret_in_access_log", "http", "log_format bad '$uri?$query_string';"),
    ("secret_in_access_log", "http", "log_format bad $http_referer;"),
    ("secret_in_access_log", "http", "log_format bad '{\"to\":\"$sent_http_location\"}';"),
    ("secret_in_access_log", "http", "log_format bad $arg_code;"),
    ("secret_in_access_log", "location", "access_log /l;"),
    ("secret_in_access_log", "location", "access_log /l combined;"),
    ("secret_in_access_log", "http", "server { listen 80; server_tokens off; }"),
    ("secret_in_error_log", "location", "fastcgi_param HTTP_COOKIE $http_cookie;"),
    ("secret_in_error_log", "location",
     "error_log /l error; fastcgi_param HTTP_AUTHORIZATION $http_authorization;"),
    ("parameter_file", "server",
     f"location = /x {{ fastcgi_pass_request_headers off; {PASS} }}"),
    # A parameter of its own drops those that the server included.
    ("parameter_file", "server", "include svc-fastcgi.conf; "
     f"location = /x {{ fastcgi_param A b; {PASS} }}"),
    ("request_headers", "server",
     f"location = /x {{ include svc-fastcgi.conf; {PASS} fastcgi_pass_request_headers on; }}"),
    ("parameter_twice", "location", "fastcgi_param DOCUMENT_URI /healthz;"),
    ("body_on_get", "server", "location = /x { include svc-fastcgi.conf; fastcgi_pass pool; }"),
    ("body_on_get", "location", "fastcgi_param CONTENT_LENGTH $content_length;"),
    ("pass_variable", "server",
     "location = /x { include svc-fastcgi.conf; fastcgi_pass_request_body off;"
     " fastcgi_pass unix:/run/$arg_pool; }"),
    ("old_tls", "http", "ssl_protocols TLSv1.1 TLSv1.2;"),
    ("old_tls", "http", "server { listen 443 ssl default_server; server_tokens off; access_log /l svc; }"),
    ("redirect_to_any_host", "http",
     "server { listen 80; server_tokens off; access_log /l svc; return 301 https://$host$request_uri; }"),
    ("stale_cache", "location", "fastcgi_cache_use_stale updating;"),
    ("stale_cache", "http", "fastcgi_cache_lock on;"),
    ("stale_cache", "http", "fastcgi_cache one;"),
    ("stale_cache", "http", CACHED.replace("$request_method ", "")),
    ("stale_cache", "http", CACHED.replace("Cache-Control ", "")),
    ("stale_cache", "http", CACHED.replace("Expires;", "Expires Set-Cookie;")),
    ("stale_cache", "http", CACHED.replace("200 1s", "200 2s")),
    ("tries", "http", "upstream one { server unix:/run/p max_fails=0; }"),
    ("tries", "http", "upstream kept { server unix:/run/p max_fails=0;"
     " server unix:/run/p max_fails=0; keepalive 4; }"),
    ("tries", "http", "upstream out { server unix:/run/p; server unix:/run/p max_fails=0; }"),
]


@pytest.mark.parametrize("rule, place, snippet", BAD, ids=[f"{b[0]}: {b[2]}" for b in BAD])
def test_the_checker_flags(tmp_path, rule, place, snippet):
    found = {finding.rule for finding in findings(tmp_path, **{place: snippet})}
    # request_headers "on" behind "off" is one directive twice, which nginx itself refuses.
    assert found == {rule}


def test_the_checker_is_silent_about_a_cache_that_is_right(tmp_path):
    assert findings(tmp_path, http=CACHED) == []


def test_the_checker_has_a_bad_example_for_every_rule():
    assert {rule for rule, _, _ in BAD} == set(nginx_check.RULES)


@pytest.mark.parametrize("text", ["server {", "a b", "}", "a }", "; a", "'a", "include nothing;"])
def test_the_checker_refuses_what_it_cannot_read(tmp_path, text):
    file = tmp_path / "broken.conf"
    file.write_text(text)
    with pytest.raises(nginx_check.ConfigError):
        nginx_check.load(str(file))


# ---- running ----------------------------------------------------------------------------------


class EchoPool:
    """Stands where a pool's socket is; answers with the parameters and the body that it got."""

    def __init__(self, path, forget=0):
        self.forget = forget  # that many requests are read and then dropped, as by a worker's death
        self.answer = None  # in place of the echo; "" for none at all
        self.answered = threading.Event()
        self.seen = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            while True:
                kept, pairs, body = False, b"", b""
                while True:
                    header = stream.read(fcgi.HEADER.size)
                    if len(header) < fcgi.HEADER.size:
                        return
                    _, kind, _, length, padding = fcgi.HEADER.unpack(header)
                    content = stream.read(length + padding)[:length]
                    if kind == fcgi.BEGIN_REQUEST:
                        kept = bool(content[2] & fcgi.KEEP_CONN)
                    elif kind == fcgi.PARAMS:
                        pairs += content
                    elif kind == fcgi.STDIN and content:
                        body += content
                    elif kind == fcgi.STDIN:
                        break
                parameters = fcgi.decode_pairs(pairs)
                self.seen.append(dict(parameters))
                if len(self.seen) <= self.forget:
                    return
                text = "Content-Type: text/plain\r\n\r\n" + json.dumps(
                    {"parameters": parameters, "body": body.decode(), "kept": kept})
                if self.answer is not None:
                    text = self.answer
                if not text:
                    stream.read(1)  # until nginx gives up
                    return
                with contextlib.suppress(ConnectionError):
                    connection.sendall(fcgi.stream(fcgi.STDOUT, text.encode())
                                       + fcgi.record(fcgi.END_REQUEST, bytes(8)))
                    self.answered.set()
                if not kept:
                    return

    def close(self):
        self.listener.close()


# As Debian's nginx.conf has them, among many.
TYPES = "types { text/html html; text/xml xml; application/json json; image/x-icon ico; }\n"


class Front:
    """nginx with the shipped files, and an EchoPool for each pool."""

    def __init__(self, stack, site=SITES[0], **forget):
        self.stack = stack
        self.pools = {name: EchoPool(stack.directory / f"{name}.sock", forget.get(name, 0))
                      for name in ("embed", "grant", "web")}
        self.nginx = stack.start_nginx(lambda port: TYPES + install(stack.directory, port, SOON, site))

    def echo(self, target, **how):
        answer = self.nginx.request(target, **how)
        assert answer.status == 200, answer
        got = json.loads(answer.body)
        pairs, got["parameters"] = got["parameters"], dict(got["parameters"])
        assert len(pairs) == len(got["parameters"]), f"a name twice in {pairs}"
        return got

    def access_log(self, lines):
        file = self.stack.directory / "svc-access.log"
        return wait_until(lambda: len(text := file.read_text().splitlines()) >= lines and text,
                          "access log lines")


@pytest.fixture
def front(stack):
    one = Front(stack)
    yield one
    for pool in one.pools.values():
        pool.close()


# What a client may try to be taken for, or to have passed on.
SPOOFED = {"Proxy": "http://evil.example", "Remote-User": "admin", "Remote-Addr": "10.0.0.1",
           "Request-Id": "1" * 32, "Request-Scheme": "https", "X-Request-Id": "2" * 32,
           "Document-Uri": "/other", "X-Forwarded-For": "10.0.0.1", "X-Anything": "a"}
SENT = {"Authorization": "Basic YTpi", "Cookie": "a=b", "Origin": "null", "If-None-Match": '"e"',
        "Content-Type": "text/x"}

ALWAYS = {"REQUEST_METHOD": "POST", "QUERY_STRING": "a=%2f&b", "REMOTE_ADDR": "127.0.0.1",
          "REQUEST_SCHEME": "http", "HTTP_HOST": "", "REMOTE_USER": ""}
BODY = {"CONTENT_TYPE": "text/x", "CONTENT_LENGTH": "4"}
HANDED_OVER = [
    ("/oembed", True, "", {"HTTP_IF_NONE_MATCH": '"e"', "CONTENT_TYPE": "", "CONTENT_LENGTH": ""}),
    ("/oauth/token", True, "body", {"HTTP_AUTHORIZATION": "Basic YTpi", **BODY}),
    ("/login", False, "body", {"HTTP_COOKIE": "a=b", "HTTP_ORIGIN": "null",
                               "HTTP_IF_NONE_MATCH": '"e"', **BODY}),
]


@pytest.mark.parametrize("path, kept, body, more", HANDED_OVER, ids=[h[0] for h in HANDED_OVER])
def test_N3_a_worker_gets_these_parameters_and_no_others(front, path, kept, body, more):
    """N2, N3."""
    host = host_of(path)
    got = front.echo(f"{path}?a=%2f&b", method="POST", host=f"{host.upper()}:80",
                     headers={**SPOOFED, **SENT}, body=b"body")
    parameters = got["parameters"]
    assert re.fullmatch("[0-9a-f]{32}", parameters.pop("REQUEST_ID"))
    assert parameters == {**ALWAYS, "HTTP_HOST": host, "DOCUMENT_URI": path, **more}
    assert (got["body"], got["kept"]) == (body, kept)


def test_N3_what_a_client_did_not_send_is_not_passed(front):
    """`if_not_empty`: each parameter costs the worker an allocation."""
    assert front.echo("/login")["parameters"].keys() == (
        ALWAYS.keys() | {"DOCUMENT_URI", "REQUEST_ID"})


@pytest.mark.parametrize("path", ["/oembed", "/oembed/", "/oembed.json", "/oembed.xml", "/healthz",
                                  "/readyz"])
def test_embed_answers_exactly_these_paths(front, path):
    assert front.echo(path)["parameters"]["DOCUMENT_URI"] == path
    assert len(front.pools["embed"].seen) == 1


@pytest.mark.parametrize("role", ["embed", "grant", "web"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_each_pool_is_asked_for_its_own_health(front, role, path):
    assert front.echo(f"{path}/{role}?a")["parameters"]["DOCUMENT_URI"] == path
    assert len(front.pools[role].seen) == 1


@pytest.mark.parametrize("path", ["/x", "/oembed/x", "/oembed.json/", "/OEMBED", "/oembedx",
                                  "/healthz/", "/healthz/all", "/oauth/tokens", "/svc-site.conf"])
def test_N3_every_other_path_is_a_404_in_json(front, path):
    """N3."""
    answer = front.nginx.request(path)
    assert (answer.status, answer.body) == (404, b'{"error":"not found"}')
    assert answer.header("content-type") == "application/json"
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("server") == "nginx"
    assert not any(pool.seen for pool in front.pools.values())


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "svc.example", "", "_"])
def test_N3_an_unknown_name_gets_no_answer(front, host):
    """N3."""
    with pytest.raises((http.client.BadStatusLine, ConnectionError)):
        answer = front.nginx.request("/oembed", host=host)
        # nginx itself refuses a name that is none.
        raise ConnectionError if host == "" and answer.status == 400 else AssertionError(answer)


@pytest.mark.parametrize("pool, path", [("grant", "/oauth/token"), ("web", "/login")])
def test_N2_a_post_that_loses_its_worker_is_sent_again_with_the_same_id(stack, pool, path):
    """N2."""
    front = Front(stack, **{pool: 2})
    front.echo(path, method="POST", body=b"body")
    assert len({parameters["REQUEST_ID"] for parameters in front.pools[pool].seen}) == 1
    assert len(front.pools[pool].seen) == 3


JSON_PATHS = ["/oembed?url=a", "/oembed/", "/oembed.json", "/oembed.json?format=xml", "/embed/medias/a.m3u8",
              "/embed/medias/a.json", "/embed/playlists/a.json", "/providers.json", "/healthz",
              "/readyz/grant", "/oauth/token", "/oauth/revoke", "/oauth/introspect", "/v1/medias/a.json",
              "/.well-known/oauth-authorization-server"]
PAGES = ["/embed/iframe/a", "/embed/playlists/a", "/medias/a", "/medias/a.xml", "/embed-codes",
         "/login", "/", "/settings", "/settings/accounts/1/applications", "/oauth/authorize?a=b"]
XML_PATHS = ["/oembed.xml", "/oembed.xml?format=json", "/oembed?format=xml", "/oembed/?url=a&format=xml&b"]


def check_refusal(answer, status, words, form=None):
    """JSON or XML for programs, a page for people; for all when to come again, and nothing to keep."""
    assert answer.status == status
    if status == 429 or status >= 502:
        assert int(answer.header("retry-after")) >= 1
    assert answer.header("cache-control") == "no-store"
    assert answer.header("x-content-type-options") == "nosniff"
    assert b"nginx" not in answer.body
    form = form or ("json" if isinstance(words, dict) else "html")
    if form == "json":
        assert answer.header("content-type") == "application/json"
        assert answer.header("access-control-allow-origin") == "*"
        assert json.loads(answer.body) == words
    elif form == "xml":
        assert answer.header("content-type") == "text/xml; charset=utf-8"
        assert answer.header("access-control-allow-origin") == "*"
        error = xml.etree.ElementTree.fromstring(answer.body)
        assert (error.tag, error.text, len(error)) == ("error", words["error"], 0)
    else:
        assert answer.header("content-type") == "text/html; charset=utf-8"
        assert answer.header("access-control-allow-origin") is None
        check_page(answer, words)


def check_page(answer, words):
    """The product's page: its one style is allowed by its hash, light and dark, and nothing is loaded."""
    page = answer.body.decode()
    assert words in page
    (style,) = re.findall(r"(?s)<style>(.*)</style>", page)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert answer.header("content-security-policy") == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    # Its colours are those of our pages.
    ours = (REPOSITORY / "worker/pages/assets/site.css").read_text()
    light, dark = (dict(re.findall(r"--(\w+):\s*(#\w+)", half)) for half in style.split("prefers-color-scheme:dark"))
    for theirs, half in zip((light, dark), ours.split("prefers-color-scheme: dark")):
        known = {name: value.replace("#ffffff", "#fff") for name, value in re.findall(r"--(\w+):\s*(#\w+)", half)}
        assert theirs and theirs.items() <= known.items()
    assert not re.search(r"<(script|link|img)|\bsrc=|url\(", page)
    assert re.search(r"Request <code>[0-9a-f]{32}</code>", page)
    assert answer.header("referrer-policy") == "no-referrer"


AWAY = {"error": "temporarily unavailable"}
AWAY_PAGE = "<h1>Not available just now</h1>"


@pytest.mark.parametrize("how", ["the sockets are gone", "nobody listens", "every worker dies"])
def test_N4_what_is_said_when_a_pool_is_gone(stack, how):
    """N4."""
    front = Front(stack, **{name: 10**6 for name in ("embed", "grant", "web")})
    if how != "every worker dies":
        for name, pool in front.pools.items():
            pool.listener.shutdown(socket.SHUT_RDWR)
            pool.close()
            if how == "the sockets are gone":
                (stack.directory / f"{name}.sock").unlink()
    for path in JSON_PATHS:
        check_refusal(front.nginx.request(path), 502, AWAY)
    for path in PAGES:
        check_refusal(front.nginx.request(path), 502, AWAY_PAGE)
    for path in XML_PATHS:
        check_refusal(front.nginx.request(path), 502, AWAY, "xml")
    posted = front.nginx.request("/oauth/token", method="POST", body=b"grant_type=a")
    check_refusal(posted, 502, AWAY)
    head = front.nginx.request("/oembed", method="HEAD")
    assert (head.status, head.body, head.header("retry-after")) == (502, b"", "1")
    # The access log names what was asked for, not where it ended.
    lines = [json.loads(line) for line in front.access_log(len(JSON_PATHS + PAGES + XML_PATHS) + 2)]
    assert [line["uri"] for line in lines[:2]] == ["/oembed", "/oembed/"]
    assert {line["status"] for line in lines} == {502}


def test_N4_what_is_said_when_a_pool_does_not_answer_in_time(stack):
    """N4: by shorter time limits than the shipped ones."""
    front = Front(stack)
    for pool in front.pools.values():
        pool.answer = ""
    for file in (stack.directory / "svc").glob("*.conf"):
        file.write_text(re.sub(r"(fastcgi_read_timeout|fastcgi_next_upstream_timeout) \ds;",
                               r"\1 100ms;", file.read_text()))
    front.nginx.reload()
    wait_until(lambda: front.nginx.request("/oembed").status == 504, "the shorter limits")
    for path in ("/oembed", "/oauth/token"):
        check_refusal(front.nginx.request(path), 504, AWAY)
    for path in ("/embed/iframe/a", "/login"):
        check_refusal(front.nginx.request(path), 504, AWAY_PAGE)


def test_N4_what_is_said_to_whoever_asks_too_fast(front):
    """N4."""
    check_refusal(front.nginx.request("/too-fast", host=APP), 429, {"error": "too many requests"})
    check_refusal(front.nginx.request("/too-many", host=APP), 503, AWAY)
    check_refusal(front.nginx.request("/settings/too-fast"), 429, "<h1>Too many requests</h1>")


FORMS = [("/oauth/token", "json"), ("/v1/medias/a", "json"), ("/oembed", "json"), ("/oembed.xml", "xml"),
         ("/oembed/?format=xml", "xml"), ("/embed/medias/a.m3u8", "json"), ("/embed/playlists/a.json", "json"),
         ("/embed/playlists/a", "html"), ("/embed/iframe/a", "html"), ("/medias/a.xml", "html"), ("/", "html"),
         ("/login", "html"), ("/settings/security", "html"), ("/oauth/authorize", "html"), ("/embed-codes", "html"),
         ("/status/embed", "json"), ("/nothing", "json"), ("/nothing.xml", "xml"), ("/nothing.json", "json")]
PAGE_WORDS = {"not found": "There is nothing here", "the request is malformed": "This request cannot be read",
              "the address is too long": "This address is too long", "the body is too large": "This form is too long",
              "method not allowed": "This cannot be done here", "precondition failed": "This has changed",
              "forbidden": "This is not open to you"}


def check_form(answer, status, error, form):
    check_refusal(answer, status, f"<h1>{PAGE_WORDS[error]}</h1>" if form == "html" else {"error": error}, form)


@pytest.mark.parametrize("path, form", FORMS)
def test_N8_the_errors_of_nginx_have_the_form_of_their_path_on_every_host(front, path, form):
    """N8: also on a host that has not got that path."""
    for host in (APP, API, OEMBED, EMBED):
        malformed = front.nginx.request(path, host=host, headers={"Content-Length": "a"})
        check_form(malformed, 400, "the request is malformed", form)
        large = front.nginx.request(path, host=host, headers={"Cookie": "a" * 9000})
        check_form(large, 400, "the request is malformed", form)
        trace = front.nginx.request(path, host=host, method="TRACE")
        check_form(trace, 405, "method not allowed", form)
        if host != host_of(path) and path not in ("/status/embed",) and (host, path) != (API, "/oauth/authorize"):
            check_form(front.nginx.request(path, host=host), 404, "not found", form)
    assert not any(pool.seen for pool in front.pools.values() if path != "/status/embed")


@pytest.mark.parametrize("path, form", FORMS)
def test_N8_an_address_that_is_too_long_is_refused_in_the_form_of_its_path(front, path, form):
    """N8: before nginx knows the host, so by the same for all of them."""
    if path == "/nothing":
        return check_form(front.nginx.request("/" + "a" * 9000), 414, "the address is too long", "json")
    long = path + ("&" if "?" in path else "?") + "a" * 9000
    check_form(front.nginx.request(long), 414, "the address is too long", form)
    return None


@pytest.mark.parametrize("path, form", [("/oauth/token", "json"), ("/oembed.xml", "xml"), ("/login", "html"),
                                        ("/oauth/authorize", "html"), ("/settings/accounts/1/applications", "html"),
                                        ("/embed/iframe/a", "html"), ("/embed/medias/a.m3u8", "json")])
def test_N8_a_body_that_is_too_large_is_refused_in_the_form_of_its_path(front, path, form):
    check_form(front.nginx.request(path, method="POST", body=b"a" * 41_000), 413, "the body is too large", form)


def test_N8_a_file_that_cannot_be_had_like_that_is_refused_in_words_of_ours(front):
    """N8: nginx judges these by itself."""
    for path in ("/assets/site.css", "/assets/external/E-v1.js", "/deliveries/clipmp4/360p.mp4"):
        host = {"host": host_of(path)}
        wrong = front.nginx.request(path, method="POST", **host)
        check_form(wrong, 405, "method not allowed", "json")
        assert wrong.header("allow") == "GET, HEAD"
        changed = front.nginx.request(path, headers={"If-Match": '"other"'}, **host)
        check_form(changed, 412, "precondition failed", "json")
        as_page = front.nginx.request(path, headers={"If-Match": '"other"', "Accept": "text/html"}, **host)
        check_form(as_page, 412, "precondition failed", "html")


@pytest.mark.parametrize("raw", [b"\x16\x03\x01\r\n\r\n", b"GET /%zz HTTP/1.1\r\n\r\n",
                                 b"GET /login%00 HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET /oembed HTTP/1.1\r\n\r\n"])
def test_N8_a_request_that_is_none_gets_no_page_of_nginx(front, raw):
    answer = front.nginx.send(raw)
    check_form(answer, 400, "the request is malformed", "html" if raw.startswith(b"GET / ") else "json")


def test_N8_the_locations_of_error_pages_cannot_be_asked_for(front):
    for form in ("json", "xml", "html"):
        for host in (APP, API, OEMBED, EMBED):
            check_form(front.nginx.request(f"/svc-error-{form}", host=host), 404, "not found", "json")


def test_N3_a_browser_gets_a_page_where_nobody_answers(front):
    """N3."""
    answer = front.nginx.request("/nothing", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    check_form(answer, 404, "not found", "html")
    assert b"nothing</" not in answer.body


# ---- hosts ------------------------------------------------------------------------------------

# A path for each location, the hosts that have it, and which pool answers it; "file" is nginx itself.
EVERY = (APP, API, OEMBED, EMBED)
PATHS = [
    ("/oembed", (OEMBED,), "embed"), ("/oembed/", (OEMBED,), "embed"), ("/oembed.json", (OEMBED,), "embed"),
    ("/oembed.json?callback=a", (OEMBED,), "embed"), ("/oembed.xml", (OEMBED,), "embed"),
    ("/providers.json", (OEMBED,), "embed"),
    ("/embed/medias/a.m3u8", (EMBED,), "embed"), ("/embed/iframe/a", (EMBED,), "embed"),
    ("/embed/playlists/a", (EMBED,), "embed"), ("/embed/playlists/a.json", (EMBED,), "embed"),
    ("/medias/a", (EMBED,), "embed"), ("/medias/a/manage", (EMBED,), "embed"),
    ("/assets/external/E-v1.js", (EMBED,), "file"), ("/assets/external/frame-v1.css", (EMBED,), "file"),
    ("/deliveries/clipmp4/360p.mp4", (EMBED,), "file"),
    ("/assets/site.css", (APP, EMBED), "file"), ("/assets/flow.js", (APP, EMBED), "file"),
    ("/embed-codes", (APP,), "embed"), ("/", (APP,), "web"), ("/login", (APP,), "web"), ("/logout", (APP,), "web"),
    ("/settings", (APP,), "web"), ("/settings/", (APP,), "web"), ("/settings/connected", (APP,), "web"),
    ("/settings/connected/", (APP,), "web"), ("/settings/security", (APP,), "web"),
    ("/settings/security/", (APP,), "web"), ("/settings/accounts/1/applications", (APP,), "web"),
    ("/oauth/authorize", (APP, API), "web"),
    ("/oauth/token", (API,), "grant"), ("/oauth/revoke", (API,), "grant"), ("/oauth/introspect", (API,), "grant"),
    ("/.well-known/oauth-authorization-server", (API,), "grant"), ("/v1/medias", (API,), "grant"),
    ("/v1/medias/a", (API,), "grant"),
    ("/robots.txt", EVERY, "embed"), ("/healthz", EVERY, "embed"), ("/readyz", EVERY, "embed"),
    *((f"/{what}/{role}", EVERY, role) for what in ("healthz", "readyz", "status", "metrics")
      for role in ("embed", "grant", "web")),
]


def locations_of(server):
    """Of a server block: what a client can ask for, nested locations left out."""
    return {d.args[-1]: d for d in server.all("location")
            if not d.args[-1].startswith("@") and d.args[-1] != "/" or d.args[0] == "=" if not d.all("internal")}


def servers_of(tmp_path, site):
    """Those with names of ours, without redirects, by name."""
    found = {}
    for server in nginx_check.blocks(load_shipped(tmp_path, site), "server"):
        names = [name for d in server.all("server_name") for name in d.args]
        if names != ["_"] and locations_of(server):
            assert len(names) == 1 and names[0] not in found, names
            found[names[0]] = server
    return found


@pytest.mark.parametrize("site", SITES[:2])
def test_N8_each_host_has_a_server_with_the_paths_of_its_role_only(tmp_path, site):
    """N8: the table below knows every location of every server."""
    servers = servers_of(tmp_path, site)
    assert set(servers) == {APP, API, OEMBED, EMBED}
    for host, server in servers.items():
        known = set()
        for name, location in locations_of(server).items():
            exact = location.args[0] == "="
            matching = [path for path, hosts, _ in PATHS if host in hosts and
                        (path.split("?")[0] == name if exact else path.startswith(name))]
            assert matching, f"{host} has {name}, and the table does not know it"
            known |= set(matching)
        assert known == {path for path, hosts, _ in PATHS if host in hosts}


def test_N8_one_host_for_everything_has_what_the_four_have(tmp_path):
    one = servers_of(tmp_path, "svc-site-one.conf")
    assert set(one) == {APP}
    four = servers_of(tmp_path, "svc-site.conf").values()
    assert locations_of(one[APP]).keys() == set().union(*(locations_of(server) for server in four))


@pytest.mark.parametrize("site", [SITES[0], SITES[2]])
def test_N8_a_host_answers_the_paths_of_its_role_and_404_for_those_of_others(stack, site):
    front = Front(stack, site)
    for path, hosts, who in PATHS:
        for host in EVERY if site == SITES[0] else (APP,):
            for pool in front.pools.values():
                pool.seen.clear()
            answer = front.nginx.request(path, host=host)
            asked = [name for name, pool in front.pools.items() if pool.seen]
            if host in hosts or site != SITES[0]:
                assert (answer.status, asked) == (200, [] if who == "file" else [who]), (host, path)
            else:
                assert (answer.status, asked) == (404, []), (host, path)
                check_page(answer, "There is nothing here") if "html" in answer.header("content-type") else None
    for pool in front.pools.values():
        pool.close()


def test_N8_the_tests_know_which_host_a_path_is_on():
    for path, hosts, _ in PATHS:
        assert host_of(path) in hosts, path


def test_N8_the_settings_that_we_ship_name_the_hosts_that_nginx_has():
    settings = dict(re.findall(r"(?m)^([a-z-]+) = (.*)$", (REPOSITORY / "systemd/svc.conf").read_text()))
    assert {settings[key] for key in ("app-url", "base-url", "oembed-url", "embed-host")} == {
        f"https://{host}" for host in EVERY}
    assert all(host.split("://")[1].split(":")[0] in EVERY for host in (
        HOSTS[key] for key in ("app-url", "base-url", "oembed-url", "embed-host")))


# ---- a proxy in front ---------------------------------------------------------------------------

FORWARDED = {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.113.7", "X-Real-IP": "203.0.113.7",
             "Via": "1.1 proxy", "CF-Connecting-IP": "203.0.113.7", "True-Client-IP": "203.0.113.7",
             "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.example", "X-Client-IP": "127.0.0.1",
             "x-forwarded-for": "127.0.0.1"}
FOR_THIS_MACHINE = [f"/{what}/{role}" for what in ("status", "metrics", "healthz", "readyz")
                    for role in ("embed", "grant", "web")]


def test_N8_status_is_not_for_clients_of_a_proxy_on_this_machine(front):
    """N8: such a proxy connects from 127.0.0.1 for all of them."""
    for path in FOR_THIS_MACHINE:
        for name, value in FORWARDED.items():
            check_form(front.nginx.request(path, headers={name: value}), 403, "forbidden", "json")
    assert not any(pool.seen for pool in front.pools.values())
    for path in FOR_THIS_MACHINE:
        assert front.nginx.request(path).status == 200, "asked directly"
    # What is for everybody stays so.
    for path in ("/healthz", "/oembed", "/login"):
        assert front.nginx.request(path, headers=FORWARDED).status == 200


def test_N8_a_trusted_proxy_tells_who_asks_for_status(stack):
    """N8: set_real_ip_from and real_ip_header, as nginx/README.md has them."""
    (words,) = re.findall(r"(?ms)^```nginx\n(.*?)^```$", (REPOSITORY / "nginx/README.md").read_text())
    words = words.replace("192.0.2.10", "127.0.0.1")
    assert "set_real_ip_from 127.0.0.1;" in words and "real_ip_header X-Forwarded-For;" in words
    front = Front(stack)
    try:
        site = stack.directory / "svc" / "svc-site.conf"
        site.write_text(words + site.read_text())
        health = stack.directory / "svc" / "svc-fastcgi-health.conf"
        health.write_text(health.read_text().replace("allow ::1;", "allow ::1; allow 198.51.100.9;"))
        front.nginx.reload()
        ask = lambda **headers: front.nginx.request(  # noqa: E731
            "/status/embed", headers={name.replace("_", "-"): value for name, value in headers.items()}).status
        seen = lambda: front.echo("/oembed", headers={"X-Forwarded-For": "203.0.113.7"})["parameters"]  # noqa: E731
        wait_until(lambda: seen()["REMOTE_ADDR"] == "203.0.113.7", "the proxy is trusted")
        assert ask(X_Forwarded_For="203.0.113.7") == 403
        assert ask(X_Forwarded_For="198.51.100.9") == 200, "a machine of ours, behind the proxy"
        assert ask(X_Forwarded_For="198.51.100.9, 203.0.113.7") == 403, "what the client says of itself"
        assert ask(X_Forwarded_For="127.0.0.1, 203.0.113.7") == 403
        assert ask(X_Real_IP="198.51.100.9") == 403, "not the header that the proxy overwrites"
        assert ask() == 200, "asked directly"
    finally:
        for pool in front.pools.values():
            pool.close()


# ---- rates --------------------------------------------------------------------------------------

LIMITED = [
    # Method, paths, how many pass at once, what is said beyond.
    ("POST", ["/login"], 11, "<h1>Too many requests</h1>"),
    ("POST", ["/oauth/token", "/oauth/revoke", "/oauth/introspect"], 61,
     {"error": "too many requests"}),
    ("GET", ["/oembed", "/oembed/", "/oembed.json", "/oembed.xml"], 151,
     {"error": "too many requests"}),
    ("GET", ["/embed/medias/a.m3u8", "/embed/medias/a.json", "/embed/playlists/a.json"], 501,
     {"error": "too many requests"}),
    ("GET", ["/embed/iframe/a", "/embed/playlists/a", "/medias/a", "/embed-codes"], 501,
     "<h1>Too many requests</h1>"),
]


@pytest.mark.parametrize("method, paths, at_once, words", LIMITED, ids=[each[1][0] for each in LIMITED])
def test_N4_an_address_that_asks_too_fast_waits_and_nobody_else_does(front, method, paths, at_once,
                                                                     words):
    """N4: the paths of one zone count together, those of others apart."""
    def ask(number, path=None, source="127.0.0.1", how=method):
        with contextlib.closing(http.client.HTTPConnection(
                "127.0.0.1", front.nginx.port, timeout=PATIENCE, source_address=(source, 0))) as one:
            one.request(how, f"{path or paths[number % len(paths)]}?secret=s3cr3t",
                        headers={"Host": host_of(path or paths[number % len(paths)])})
            answer = one.getresponse()
            return fcgi.Answer(answer.status, {name.lower(): value for name, value
                                               in answer.getheaders()}, answer.read())

    # 100 a second may be more than this test can ask for on a busy machine; what passes at once stays.
    rates = front.stack.directory / "svc" / "svc-limits-rates.conf"
    text = rates.read_text()
    assert text.count("rate=100r/s") == 1
    rates.write_text(text.replace("rate=100r/s", "rate=1r/s"))
    front.nginx.reload()

    begun = time.monotonic()
    answers = []
    while not answers or answers[-1].status == 200:
        answers.append(ask(len(answers)))
        assert len(answers) < 5000, "there is no limit"
    refused = paths[(len(answers) - 1) % len(paths)]
    check_refusal(answers[-1], 429, words, "xml" if refused.endswith(".xml") else None)
    assert len(answers) > at_once
    # Beyond what passes at once, no more than the rate: 30 a minute; 20, 50 and 1 a second.
    rate = {11: 0.5, 61: 20, 151: 50, 501: 1}[at_once]
    assert len(answers) - 1 - at_once <= rate * (time.monotonic() - begun) + 1
    assert ask(0, source="127.0.0.2").status == 200, "another address"
    others = [row for row in LIMITED if row[1] != paths and at_once != row[2]]
    for other_method, other_paths, _, _ in others:
        assert ask(0, other_paths[0], how=other_method).status == 200
    assert ask(0, "/login", how="GET").status == 200, "looking at the page is not limited"
    for file in ("/assets/external/E-v1.js", "/deliveries/clipmp4/360p.mp4"):
        assert ask(0, file, how="GET").status == 200, "nor what nginx answers by itself"
    # A worker saw what passed and nothing else.
    assert sum(len(pool.seen) for pool in front.pools.values()) == len(answers) + 1 + len(others)
    for log in front.stack.directory.glob("*log*"):
        if log.is_file():
            assert "s3cr3t" not in log.read_text(), log


# Who sends it, by what a balancer says, and whom it counts for.
SOURCES = [("2001:db8:1:2::1", "a"), ("2001:db8:1:2:ffff:ffff:ffff:ffff", "a"), ("2001:db8:1:3::1", "b"),
           ("::ffff:192.0.2.1", "c"), ("192.0.2.1", "c"), ("::ffff:192.0.2.2", "d"), ("192.0.2.3", "e"),
           ("::1", "f"), ("2001:db8:a0a:2::1", "g"), ("2001:db8:a0a:20a:a::1", "h")]


def test_N4_a_network_of_ipv6_counts_as_one_address(stack):
    """N4: each of its 2^64 addresses had a count of its own."""
    front = Front(stack)
    try:
        site = stack.directory / "svc" / "svc-site.conf"
        site.write_text("set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP;\n" + site.read_text())
        front.nginx.reload()
        ask = lambda source: front.nginx.request("/login", method="POST", headers={"X-Real-IP": source}).status
        seen = lambda: front.echo("/oembed", headers={"X-Real-IP": "2001:db8:ffff::1"})["parameters"]["REMOTE_ADDR"]
        wait_until(lambda: [seen() for _ in range(5)] == ["2001:db8:ffff::1"] * 5, "the addresses of others are believed")
        for number, (source, whom) in enumerate(SOURCES):
            same = [other for other, of in SOURCES[:number] if of == whom]
            # Eleven at once and then one in two seconds: who begins anew gets six, who goes on does not.
            answers = [ask(source) for _ in range(6)]
            assert (answers == [200] * 6) == (not same), (source, same, answers)
            while ask(source) == 200:
                pass
    finally:
        for pool in front.pools.values():
            pool.close()


def test_N4_an_address_has_so_many_requests_in_hand(front):
    """N4."""
    for pool in front.pools.values():
        pool.answer = ""  # none
    with contextlib.ExitStack() as hanging:
        for _ in range(4):
            client = hanging.enter_context(
                socket.create_connection(("127.0.0.1", front.nginx.port), PATIENCE))
            client.sendall(b"POST /login HTTP/1.1\r\nHost: app.svc.example\r\n"
                           b"Content-Length: 0\r\n\r\n")
        wait_until(lambda: len(front.pools["web"].seen) == 4, "four are with the workers")
        check_refusal(front.nginx.request("/login", method="POST"), 429,
                      "<h1>Too many requests</h1>")
        front.pools["grant"].answer = None
        assert front.nginx.request("/oauth/token", method="POST").status == 200


def test_N4_one_line_turns_the_limits_off(stack):
    """N4: what scripts/serve takes out."""
    front = Front(stack)
    site = stack.directory / "svc" / "svc-site.conf"
    site.write_text(re.sub(r"(?m)^include svc/svc-limits-rates\.conf;\n", "", site.read_text()))
    front.nginx.reload()
    wait_until(lambda: b"svc-limits-rates" not in subprocess.run(
        ["nginx", "-T", "-p", str(stack.directory), "-c", str(front.nginx.config), "-e", "stderr"],
        capture_output=True, check=True).stdout, "the file is out of use")

    def all_pass():
        return {front.nginx.request("/login", method="POST").status for _ in range(30)} == {200}

    wait_until(all_pass, "nobody is refused")


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("path", ["/oembed", "/oauth/token", "/login"])
def test_N4_what_a_worker_says_itself_is_left_alone(front, path, status):
    """N4."""
    for pool in front.pools.values():
        pool.answer = f"Status: {status}\r\nContent-Type: a/b\r\nRetry-After: 7\r\n\r\nown words"
    answer = front.nginx.request(path)
    assert (answer.status, answer.body) == (status, b"own words")
    assert (answer.header("content-type"), answer.header("retry-after")) == ("a/b", "7")


@contextlib.contextmanager
def slow_reader(front, path):
    """A client that has asked, and of whose answer the kernel holds little."""
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        reader.settimeout(PATIENCE)
        reader.connect(("127.0.0.1", front.nginx.port))
        reader.sendall(f"GET {path} HTTP/1.0\r\nHost: {host_of(path)}\r\n\r\n".encode())
        yield reader


@pytest.mark.parametrize("pool, path, size", [("embed", "/oembed", 12_000_000),
                                              ("grant", "/v1/medias/a.json", 900_000)])
def test_a_worker_is_rid_of_a_large_answer_though_nobody_reads_it(front, pool, path, size):
    """It broke once: what nginx could not hold held up a worker, until that gave the answer up."""
    front.pools[pool].answer = "Content-Type: text/plain\r\n\r\n" + "a" * size
    with slow_reader(front, path) as reader:
        # Otherwise nginx gives up behind its send_timeout, and the pool sees its connection close.
        assert front.pools[pool].answered.wait(PATIENCE)
        body = reader.makefile("rb").read().partition(b"\r\n\r\n")[2]
    assert body == b"a" * size


def test_N5_a_large_answer_with_secrets_never_touches_the_disk(front):
    """N5: whatever the reader does, there is no temporary file to be written."""
    front.pools["grant"].answer = "Content-Type: text/plain\r\n\r\n" + "a" * 3_000_000
    with slow_reader(front, "/v1/medias/a.json") as reader:
        assert reader.recv(100)
        time.sleep(0.5)  # in which nginx would write all of it into a file
        assert not front.pools["grant"].answered.is_set()
        open_files = [os.readlink(f"/proc/{worker}/fd/{number}")
                      for worker in children_of(front.nginx.pid)
                      for number in os.listdir(f"/proc/{worker}/fd")]
        assert open_files and not [name for name in open_files if "/fastcgi/" in name]
        assert len(reader.makefile("rb").read()) > 2_900_000


SECRET = "5ecr3t"


def test_no_log_holds_a_query_string_or_a_referer(front):
    """N5, as far as nginx goes: pools that answer, that are gone, and requests nginx refuses."""
    everything = {"Referer": f"http://a/?code={SECRET}", "Authorization": SECRET, "Cookie": SECRET}
    targets = [f"{path}?code={SECRET}" for path in ("/oauth/token", "/login", "/oauth/tokens")]

    def ask_all():
        for target in targets:
            front.nginx.request(target, method="POST", headers=everything, body=b"a")
            front.nginx.request(target, method="POST", headers=everything, body=b"a" * 20000)

    ask_all()
    for pool in front.pools.values():
        pool.close()
    ask_all()
    for pool in front.pools:
        (front.stack.directory / f"{pool}.sock").unlink()
    ask_all()
    with contextlib.suppress(ConnectionError):
        front.nginx.request(f"/login?code={SECRET}", host="evil.example", headers=everything)
    front.access_log(3 * len(targets) * 2 + 1)
    logs = {file.name: file.read_text() for file in front.stack.directory.glob("*log")}
    # What nginx says below `error`, before it knows a location, goes to the test's own log only.
    del logs["nginx-error.log"]
    assert logs.keys() == {"svc-access.log", "svc-error.log"}
    assert [name for name, text in logs.items() if SECRET in text] == []


def test_each_line_of_the_access_log_is_json(front):
    """Whatever is sent."""
    front.nginx.request('/oembed"\\%00%ff%0a')
    for raw in (b"GET /old\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET /%zz HTTP/1.1\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"G\xff\"T / HTTP/1.0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", front.nginx.port), PATIENCE) as connection:
            connection.sendall(raw)
            with contextlib.suppress(ConnectionError):  # 444 resets
                connection.makefile("rb").read()
    for line in front.access_log(6):
        assert json.loads(line)["status"] in (400, 404, 444), line
