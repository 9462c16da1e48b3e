"""Requests that the shipped nginx passes to the pools, and its own responses."""

import contextlib
import http.client
import json
import re
import socket
import ssl
import urllib.parse

import pytest

import documents
from hosts import host_of, hosts_of, public_routes
from nginx_front import AWAY, AWAY_PAGE, POOLS, Front, check_refusal
from processes import PATIENCE, wait_until
from shipped_nginx import API, APP, EMBED, OEMBED, SITES, make_certificate


@pytest.fixture
def front(stack):
    with Front(stack) as one:
        yield one


# Headers with which a client may try to forge parameters.
SPOOFED = {"Proxy": "http://evil.example", "Remote-User": "admin", "Remote-Addr": "10.0.0.1",
           "Request-Id": "1" * 32, "Request-Scheme": "https", "X-Request-Id": "2" * 32,
           "Document-Uri": "/other", "X-Forwarded-For": "10.0.0.1", "X-Anything": "a"}
SENT = {"Authorization": "Basic YTpi", "Cookie": "a=b", "Origin": "null", "If-None-Match": '"e"',
        "User-Agent": "Browser/1", "Content-Type": "text/x", "If-Match": '"m"', "Accept": "text/vtt",
        "Idempotency-Key": "k"}

ALWAYS = {"REQUEST_METHOD": "POST", "QUERY_STRING": "a=%2f&b", "REMOTE_ADDR": "127.0.0.1",
          "REQUEST_SCHEME": "http", "HTTP_HOST": "", "REMOTE_USER": ""}
BODY = {"CONTENT_TYPE": "text/x", "CONTENT_LENGTH": "4"}
HANDED_OVER = [
    ("/oembed", True, "", {"HTTP_IF_NONE_MATCH": '"e"', "CONTENT_TYPE": "", "CONTENT_LENGTH": ""}),
    ("/oauth/token", True, "body", {"HTTP_AUTHORIZATION": "Basic YTpi", "HTTP_IF_NONE_MATCH": '"e"',
                                     "HTTP_ACCEPT": "text/vtt", "HTTP_IDEMPOTENCY_KEY": "k", "HTTP_ORIGIN": "null", **BODY}),
    ("/login", False, "body", {"HTTP_COOKIE": "a=b", "HTTP_ORIGIN": "null", "HTTP_USER_AGENT": "Browser/1",
                               "HTTP_IF_NONE_MATCH": '"e"', **BODY}),
]


@pytest.mark.parametrize("path, kept, body, more", HANDED_OVER, ids=[h[0] for h in HANDED_OVER])
def test_operations_N3_a_worker_gets_exactly_these_parameters(front, path, kept, body, more):
    """operations-N2, operations-N3."""
    host = host_of(path)
    got = front.echo(f"{path}?a=%2f&b", method="POST", host=f"{host.upper()}:80",
                     headers={**SPOOFED, **SENT}, body=b"body")
    parameters = got["parameters"]
    assert re.fullmatch("[0-9a-f]{32}", parameters.pop("REQUEST_ID"))
    assert parameters == {**ALWAYS, "HTTP_HOST": host, "DOCUMENT_URI": path, **more}
    assert (got["body"], got["kept"]) == (body, kept)


@pytest.mark.parametrize("method, path", [
    ("PUT", "/v1/medias/a"), ("DELETE", "/v1/medias/a"), ("POST", "/v1/medias/a/customizations"), ("PUT", "/v1/projects/a%3Fb"),
    ("DELETE", "/v1/medias/a/captions/en")])
def test_operations_N3_a_change_brings_all_headers_but_no_parameter_that_nginx_sets(front, method, path):
    got = front.echo(f"{path}?a=%2f&b", method=method, host=f"{API.upper()}:80",
                     headers={**SPOOFED, **SENT, "If-Match": "", "HTTP_REQUEST_ID": "3"}, body=b"body")["parameters"]
    assert re.fullmatch("[0-9a-f]{32}", got["REQUEST_ID"])
    assert {name: value for name, value in got.items() if not name.startswith("HTTP_") and name != "REQUEST_ID"} == {
        **{name: value for name, value in ALWAYS.items() if name != "HTTP_HOST"}, **BODY,
        "REQUEST_METHOD": method, "DOCUMENT_URI": urllib.parse.unquote(path)}
    # HTTP_HOST is the configured host, HTTP_PROXY is empty or missing, and an empty If-Match stays empty.
    assert (got["HTTP_HOST"], got.get("HTTP_PROXY", ""), got["HTTP_IF_MATCH"]) == (API, "", "")
    assert got["HTTP_AUTHORIZATION"] == SENT["Authorization"]


@pytest.mark.parametrize("path, headers, site", [
    ("/embed/iframe/a", {"Referer": "https://site.example/path?token=a#b"}, "https://site.example"),
    ("/embed/iframe/a", {"Referer": "HTTPS://Site.Example:8443"}, "HTTPS://Site.Example:8443"),
    ("/embed/iframe/a", {"Referer": "http://[2001:db8::1]/"}, "http://[2001:db8::1]"),
    ("/embed/medias/a.json", {"Origin": "https://site.example", "Referer": "https://evil.example/"}, "https://site.example"),
    ("/embed/medias/a.json", {"Origin": "capacitor://localhost"}, "capacitor://localhost"),
    ("/embed/iframe/a", {"Referer": "app://-/index.html"}, "app://-"),
    ("/embed/medias/a.json", {"Origin": "file://", "Referer": "https://site.example/"}, None),
    ("/embed/medias/a.json", {"Origin": "null", "Referer": "https://site.example/"}, None),
    ("/embed/medias/a.json", {"Origin": "https://site.example/", "Referer": "https://site.example/"}, None),
    ("/embed/medias/a.json", {"Origin": "https://a.example https://b.example"}, None),
    ("/embed/medias/a.json", {"Referer": "https://site.example@evil.example/"}, None),
    ("/embed/medias/a.json", {"Referer": "https://site.example\\@evil.example/"}, None),
    ("/embed/medias/a.json", {"Referer": "file:///home/a"}, None),
    ("/embed/medias/a.json", {}, None),
    ("/medias/a", {"Referer": "https://site.example/"}, None),
    ("/oembed", {"Origin": "https://site.example"}, None),
])
def test_only_players_are_told_the_site_of_the_page_around_them(front, path, headers, site):
    """oembed-W2, oembed-W3."""
    assert front.echo(path, headers=headers)["parameters"].get("PAGE_ORIGIN") == site


def test_operations_N3_absent_headers_are_not_passed(front):
    """`if_not_empty`: each parameter costs the worker an allocation."""
    assert front.echo("/login")["parameters"].keys() == (
        ALWAYS.keys() | {"DOCUMENT_URI", "REQUEST_ID"})


@pytest.mark.parametrize("path", ["/x", "/oembed/x", "/oembed.json/", "/OEMBED", "/oembedx",
                                  "/healthz/", "/healthz/all", "/site.conf"])
def test_operations_N3_every_other_path_is_a_404_in_json(front, path):
    """operations-N3."""
    answer = front.nginx.request(path)
    assert (answer.status, answer.body) == (404, b'{"error":"not found"}')
    assert answer.header("content-type") == "application/json; charset=utf-8"
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("server") == "nginx"
    assert not any(pool.seen for pool in front.pools.values())


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "svc.example", "", "_"])
def test_operations_N3_an_unknown_host_gets_no_response(front, host):
    """operations-N3."""
    with pytest.raises((http.client.BadStatusLine, ConnectionError)):
        answer = front.nginx.request("/oembed", host=host)
        # nginx itself refuses an empty name.
        raise ConnectionError if host == "" and answer.status == 400 else AssertionError(answer)


BALANCERS = [b"HTTP/1.0\r\n\r\n", b"HTTP/1.0\r\nHost: 10.0.0.5\r\n\r\n",
             b"HTTP/1.1\r\nHost: 10.0.0.5:80\r\nConnection: close\r\n\r\n",
             b"HTTP/1.1\r\nHost: [2001:db8::5]\r\nConnection: close\r\n\r\n",
             b"HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"]


def checked(port, path, head, tls=None):
    """Returns status and body of a load balancer's check."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as plain:
        with tls.wrap_socket(plain, server_hostname=APP) if tls else plain as client:
            client.sendall(f"GET {path} ".encode() + head)
            answer = http.client.HTTPResponse(client)
            answer.begin()
            return answer.status, json.loads(answer.read())


@pytest.mark.parametrize("site", SITES)
def test_operations_N48_a_balancer_without_a_host_name_learns_the_health(stack, site):
    if site == "tls":
        make_certificate(stack.directory)
    front = Front(stack, site)
    for pool in front.pools.values():
        pool.answer = "Content-Type: application/json\r\n\r\n{\"status\":\"ok\"}"
    doors = [(front.nginx.port, None)]
    if site == "tls":
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        doors.append((front.tls_port, tls))
    for port, tls in doors:
        for head in BALANCERS:
            for path in ("/healthz", "/readyz"):
                assert checked(port, path, head, tls) == (200, {"status": "ok"}), (path, head)
            with pytest.raises((http.client.BadStatusLine, ConnectionError)):
                checked(port, "/oembed", head, tls)
    front.pools["grant"].answer = "Status: 503 a\r\nContent-Type: application/json\r\n\r\n{}"
    for head in BALANCERS:
        assert checked(front.nginx.port, "/healthz", head)[0] == 200
        assert checked(front.nginx.port, "/readyz", head) == (503, {"error": "temporarily unavailable"})
    front.__exit__()


def test_operations_N48_a_host_is_ready_if_its_pools_are(front):
    for broken, unready in (("embed", {OEMBED, EMBED}), ("grant", {API}), ("web", {APP}), ("upload", {APP, API})):
        front.pools[broken].answer = "Status: 503 a\r\n\r\n"
        for host in (APP, API, OEMBED, EMBED):
            answer = front.nginx.request("/readyz", host=host)
            assert answer.status == (503 if host in unready else 200), (broken, host)
            assert answer.header("cache-control") == "no-store"
        front.pools[broken].answer = None
    before = len(front.pools["web"].seen)
    front.pools["web"].answer = ""
    assert front.nginx.request("/readyz", host=APP).status == 503
    assert len(front.pools["web"].seen) == before + 1, "a pool that does not answer is asked once"
    front.pools["web"].close()
    (front.stack.directory / "web.sock").unlink()
    answer = front.nginx.request("/readyz", host=APP)
    assert (answer.status, answer.header("retry-after")) == (503, "1")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_operations_N48_another_method_on_readyz_is_a_405(front, method):
    for host in (APP, "unknown.example"):
        answer = front.nginx.request("/readyz", method=method, host=host)
        assert (answer.status, answer.header("allow"), answer.header("content-type")) == \
            (405, "GET, HEAD", "application/json; charset=utf-8")
        assert json.loads(answer.body) == {"error": "method not allowed"}


@pytest.mark.parametrize("pool, path", [("grant", "/oauth/token"), ("web", "/login")])
def test_operations_N2_a_post_whose_worker_dies_is_retried_with_the_same_id(stack, pool, path):
    """operations-N2."""
    front = Front(stack, **{pool: 2})
    front.echo(path, method="POST", body=b"body")
    assert len({parameters["REQUEST_ID"] for parameters in front.pools[pool].seen}) == 1
    assert len(front.pools[pool].seen) == 3


def paths_with(errors):
    """Without those of beacons: nginx answers them 204 whatever happens."""
    return [row["example"] for row in public_routes() if row["errors"] == errors and row["role"] != "each" and
            "viewing" not in row["zones"]]


JSON_PATHS = [*paths_with("json"), *paths_with("format"), "/oembed?url=a", "/oembed.json?format=xml", "/healthz",
              "/readyz/grant"]
API_PATHS = [*paths_with("api"), "/v1/medias/a.json"]
OAUTH_PATHS = paths_with("oauth")
PAGES = [*paths_with("html"), "/medias/a.xml", "/oauth/authorize?a=b"]
XML_PATHS = [*paths_with("xml"), "/oembed.xml?format=json",
             *(f"{path}?{query}" for path in paths_with("format") for query in ("format=xml", "url=a&format=xml&b"))]


@pytest.mark.parametrize("how", ["the sockets are gone", "nobody listens", "every worker dies"])
def test_operations_N4_the_response_if_a_pool_is_down(stack, how):
    """operations-N4."""
    front = Front(stack, **{name: 10**6 for name in POOLS})
    if how != "every worker dies":
        for name, pool in front.pools.items():
            pool.listener.shutdown(socket.SHUT_RDWR)
            pool.close()
            if how == "the sockets are gone":
                (stack.directory / f"{name}.sock").unlink()
    for path in JSON_PATHS:
        check_refusal(front.nginx.request(path), 502, AWAY)
    for path in API_PATHS:
        check_refusal(front.nginx.request(path), 502, AWAY, "api")
    for path in OAUTH_PATHS:
        check_refusal(front.nginx.request(path), 502, AWAY, "oauth")
    for path in PAGES:
        check_refusal(front.nginx.request(path), 502, AWAY_PAGE)
    for path in XML_PATHS:
        check_refusal(front.nginx.request(path), 502, AWAY, "xml")
    posted = front.nginx.request("/oauth/token", method="POST", body=b"grant_type=a")
    check_refusal(posted, 502, AWAY, "oauth")
    assert front.nginx.request("/embed/medias/a/viewing", method="POST", body=b"v1").status == 204  # and not in the log
    head = front.nginx.request("/oembed", method="HEAD")
    assert (head.status, head.body, head.header("retry-after")) == (502, b"", "1")
    # The access log contains the requested path, not that of the error page.
    lines = [json.loads(line) for line in front.access_log(len(JSON_PATHS + API_PATHS + OAUTH_PATHS + PAGES + XML_PATHS) + 2)]
    assert [line["uri"] for line in lines[:2]] == JSON_PATHS[:2]
    assert {line["status"] for line in lines} == {502}


def test_operations_N4_the_response_if_a_pool_times_out(stack):
    """operations-N4, with shorter timeouts than the shipped ones."""
    front = Front(stack)
    for pool in front.pools.values():
        pool.answer = ""
    for file in (stack.directory / "svc").glob("*.conf"):
        file.write_text(re.sub(r"(fastcgi_read_timeout|fastcgi_next_upstream_timeout) \ds;",
                               r"\1 100ms;", file.read_text()))
    front.nginx.reload()
    wait_until(lambda: front.nginx.request("/oembed").status == 504, "the shorter limits")
    check_refusal(front.nginx.request("/oembed"), 504, AWAY)
    check_refusal(front.nginx.request("/oauth/token"), 504, AWAY, "oauth")
    check_refusal(front.nginx.request("/v1/account"), 504, AWAY, "api")
    for path in ("/embed/iframe/a", "/login"):
        check_refusal(front.nginx.request(path), 504, AWAY_PAGE)


def test_operations_N4_the_response_above_a_rate_limit(front):
    """operations-N4."""
    check_refusal(front.nginx.request("/too-fast", host=APP), 429, {"error": "too many requests"})
    check_refusal(front.nginx.request("/too-many", host=APP), 503, AWAY)
    check_refusal(front.nginx.request("/settings/too-fast"), 429, "<h1>Too many requests</h1>")


FORMS = [*((path, "json") for path in JSON_PATHS), *((path, "api") for path in API_PATHS), *((path, "oauth") for path in OAUTH_PATHS), *((path, "html") for path in PAGES), *((path, "xml") for path in XML_PATHS),
         ("/status/embed", "json"), ("/nothing", "json"), ("/nothing.xml", "xml"), ("/nothing.json", "json"),
         ("/v1", "api"), ("/v1/nothing", "api"), ("/v1/a/..%2F..%2Fnothing", "api"), ("/v1/%2e%2e/nothing.xml", "api"),
         ("/oauth", "oauth"), ("/oauth/nothing", "oauth"), ("/oauth/a/..%2F..%2Fnothing", "oauth")]
PAGE_WORDS = {"not found": "Page not found", "the request is malformed": "This request cannot be read",
              "the address is too long": "This address is too long", "the body is too large": "This form is too long",
              "method not allowed": "This cannot be done here", "precondition failed": "This page has changed",
              "forbidden": "You do not have access"}


def check_form(answer, status, error, form):
    check_refusal(answer, status, f"<h1>{PAGE_WORDS[error]}</h1>" if form == "html" else {"error": error}, form)


@pytest.mark.parametrize("path, form", FORMS)
def test_operations_N8_errors_of_nginx_have_the_form_of_their_path_on_every_host(front, path, form):
    """operations-N8: also on a host that does not have the path."""
    for host in (APP, API, OEMBED, EMBED):
        malformed = front.nginx.request(path, host=host, headers={"Content-Length": "a"})
        check_form(malformed, 400, "the request is malformed", form)
        large = front.nginx.request(path, host=host, headers={"Cookie": "a" * 9000})
        check_form(large, 400, "the request is malformed", form)
        trace = front.nginx.request(path, host=host, method="TRACE")
        check_form(trace, 405, "method not allowed", form)
        if host not in hosts_of(path) or path == "/v1":
            check_form(front.nginx.request(path, host=host), 404, "not found", form)
    # nginx does not know the host yet, so that a single server handles this for all hosts.
    long = path + ("&" if "?" in path else "?" if path != "/nothing" else "/") + "a" * 9000
    check_form(front.nginx.request(long), 414, "the address is too long", form)
    assert not any(pool.seen for pool in front.pools.values() if path != "/status/embed")


@pytest.mark.parametrize("path, form", [("/oauth/token", "oauth"), ("/oembed.xml", "xml"), ("/login", "html"),
                                        ("/oauth/authorize", "html"), ("/settings/accounts/1/applications", "html"),
                                        ("/embed/iframe/a", "html"), ("/embed/medias/a.m3u8", "json"), ("/v1/medias/a", "api")])
def test_operations_N8_too_large_a_body_is_refused_in_the_form_of_its_path(front, path, form):
    check_form(front.nginx.request(path, method="POST", body=b"a" * 70_000), 413, "the body is too large", form)


@pytest.mark.parametrize("languages, tag, title, start", [
    ("fr", "fr", "Page introuvable", "Page d’accueil"), ("de-AT,de;q=0.9,en;q=0.8", "de", "Seite nicht gefunden", "Startseite"),
    ("nl, ja;q=0.5", "ja", "ページが見つかりません", "トップページ"), ("en-DE, de;q=0.9", "en", "Page not found", "Start page"),
    ("nl", "en", "Page not found", "Start page")])
def test_pages_W178_error_pages_of_nginx_are_in_the_language_of_the_browser(front, languages, tag, title, start):
    """pages-W178: in the frame of the pages; for programs nothing changes."""
    answer = front.nginx.request("/nothing", host=APP, headers={"Accept": "text/html", "Accept-Language": languages})
    page = answer.body.decode()
    assert (answer.status, answer.header("content-language")) == (404, tag)
    assert f'<html lang="{tag}">' in page and '<body class="narrow">' in page and f"<h1>{title}</h1>" in page and f'href="/">{start}</a>' in page
    assert f'<a class="brand" href="/"><svg' in page and f"<bdi>{APP}</bdi>" in page
    frame = front.nginx.request("/embed/iframe/a", host=APP, headers={"Accept-Language": languages}).body.decode()
    assert 'class="top"' not in frame and '<body class="frame">' in frame and f"<h1>{title}</h1>" in frame
    unread = front.nginx.send(b"GET /embed/iframe/%zz HTTP/1.1\r\n\r\n").body.decode()
    assert '<body class="frame">' in unread and 'class="top"' not in unread
    program = front.nginx.request("/nothing", host=APP, headers={"Accept": "*/*", "Accept-Language": languages})
    assert json.loads(program.body) == {"error": "not found"}


def test_oauth_P7_pages_read_errors_of_nginx_where_they_read_responses(front):
    """oauth-P7: nginx knows no application, and so not its origins."""
    large = {"method": "POST", "body": b"a" * 70_000}
    origins = {"https://spa.example": True, "http://[::1]:5173": True, "http://127.0.0.1": True, "null": False, "*": False,
               "https://a.example, https://b.example": False, "https://a.example/": False, "com.example.app:": False}
    for path in ("/oauth/token", "/oauth/revoke"):
        for origin, may_read in origins.items():
            answer = front.nginx.request(path, headers={"Origin": origin}, **large)
            assert (answer.status, answer.header("vary")) == (413, "Origin")
            assert answer.header("access-control-allow-origin") == (origin if may_read else None), origin
            assert answer.header("access-control-allow-credentials") is None
        assert front.nginx.request(path, **large).header("access-control-allow-origin") is None
    spa = {"headers": {"Origin": "https://spa.example", "Content-Length": "a"}}
    for path, method, reader in (("/oauth/introspect", "POST", None), ("/oauth/authorize", "GET", None), ("/login", "GET", None),
                                 ("/oauth/token", "POST", "https://spa.example"), ("/v1/medias", "GET", "*"),
                                 ("/v1/medias/a", "PUT", None), ("/.well-known/oauth-authorization-server", "GET", "*"), ("/oembed", "GET", "*")):
        answer = front.nginx.request(path, method=method, **spa)
        assert (answer.status, answer.header("access-control-allow-origin")) == (400, reader), path


def test_oauth_P7_errors_of_nginx_and_responses_name_the_same_request(front):
    """oauth-P7, api-N3: the id of the access log, in a header that pages may read."""
    exposed = ("X-Request-Id, ETag, Link, Location, Retry-After, WWW-Authenticate, Deprecation, Sunset, "
               "RateLimit-Policy, RateLimit")
    for path in ("/v1/medias", "/v1/captions", "/v1/medias/a/captions/en", "/v1/account", "/oauth/token"):
        answer = front.nginx.request(path, headers={"X-Request-Id": "a" * 32, "Origin": "https://spa.example"})
        parameters = dict(json.loads(answer.body)["parameters"])
        assert answer.header("x-request-id") == parameters["REQUEST_ID"] != "a" * 32, path
        assert answer.header("x-content-type-options") == "nosniff", path
        refused = front.nginx.request(path, headers={"Content-Length": "a", "Origin": "https://spa.example"})
        assert (refused.status, refused.header("access-control-expose-headers")) == (400, exposed), path
    lines = [json.loads(line) for line in front.access_log(10)]
    assert all(re.fullmatch("[0-9a-f]{32}", line["request_id"]) for line in lines)


def test_operations_N5_each_line_of_the_access_log_is_json_in_utf_8(front):
    paths = {b"/caf\xc3\xa9/\xe2\x82\xac\xf0\x9f\x8e\xac": "/café/€🎬", b"/caf%C3%A9": "/café", b"/caf\xe9": "-", b"/%FF": "-", b"/%ED%A0%80": "-",
             b"/signed-files/%FF": "/signed-files/-"}
    for path in paths:
        front.nginx.request(path, host=API)
    with contextlib.suppress(ConnectionError):
        front.nginx.send(b"GET /host HTTP/1.1\r\nHost: \xff.example\r\nConnection: close\r\n\r\n")
    front.access_log(len(paths) + 1)
    lines = (front.stack.directory / "svc-access.log").read_bytes().splitlines()
    logged = [json.loads(line.decode("utf-8")) for line in lines]
    assert [line["uri"] for line in logged] == [*paths.values(), "/host"]
    assert logged[-1]["host"] == "-"


def test_operations_N8_invalid_requests_for_files_get_our_own_error(front):
    """operations-N8: nginx itself checks these."""
    for path in ("/assets/site.css", "/assets/external/E-v1.js", "/deliveries/clipmp4/360p.mp4"):
        host = {"host": host_of(path)}
        wrong = front.nginx.request(path, method="POST", **host)
        check_form(wrong, 405, "method not allowed", "json")
        assert wrong.header("allow") == "GET, HEAD"
        changed = front.nginx.request(path, headers={"If-Match": '"other"'}, **host)
        check_form(changed, 412, "precondition failed", "json")
        as_page = front.nginx.request(path, headers={"If-Match": '"other"', "Accept": "text/html"}, **host)
        check_form(as_page, 412, "precondition failed", "html")


def test_error_pages_lead_to_the_start_page_where_there_is_one(front):
    way = b'<a class="button primary" href="/">Start page</a>'
    for path, host, leads in (("/nothing-here", APP, True), ("/login/nothing", APP, True), ("/nothing-here", API, False),
                              ("/nothing-here", EMBED, False)):
        answer = front.nginx.request(path, host=host, headers={"Accept": "text/html"})
        check_form(answer, 404, "not found", "html")
        assert (way in answer.body) == leads, (path, host)


def test_captions_of_the_demonstration_can_be_read_on_any_page(front):
    for path, kind in (("/deliveries/l4unchf1lm/en.vtt", "text/vtt"), ("/deliveries/p0rtrait99/en/0.vtt", "text/vtt"),
                       ("/deliveries/p0rtrait99/en/index.m3u8", "application/vnd.apple.mpegurl")):
        answer = front.nginx.request(path, host=host_of(path))
        assert (answer.status, answer.header("content-type")) == (200, kind)
        assert answer.header("access-control-allow-origin") == "*"
        assert answer.header("x-content-type-options") == "nosniff"
    missing = front.nginx.request("/deliveries/l4unchf1lm/fr.vtt", host=EMBED)
    assert (missing.status, missing.header("access-control-allow-origin")) == (404, "*")


@pytest.mark.parametrize("raw", [b"\x16\x03\x01\r\n\r\n", b"GET /%zz HTTP/1.1\r\n\r\n",
                                 b"GET /login%00 HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                                 b"GET /oembed HTTP/1.1\r\n\r\n"])
def test_operations_N8_a_malformed_request_gets_our_own_error(front, raw):
    answer = front.nginx.send(raw)
    check_form(answer, 400, "the request is malformed", "html" if raw.startswith(b"GET / ") else "json")


def test_operations_N8_the_locations_of_error_pages_are_not_accessible(front):
    for form in ("json", "api", "oauth", "xml", "html"):
        for host in (APP, API, OEMBED, EMBED):
            check_form(front.nginx.request(f"/svc-error-{form}", host=host), 404, "not found", "json")


@pytest.mark.parametrize("path", ["/login", "/settings", "/settings/media", "/settings/security", "/developers", "/embed-codes"])
def test_addresses_of_pages_with_a_slash_lead_to_the_page(front, path):
    for method in ("GET", "POST"):
        answer = front.nginx.request(f"{path}/?a=b", host=APP, method=method)
        assert (answer.status, answer.header("location")) == (308, f"{path}?a=b")


def test_operations_N3_a_browser_gets_a_page_for_an_unknown_path(front):
    """operations-N3."""
    answer = front.nginx.request("/nothing", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    check_form(answer, 404, "not found", "html")
    assert b"nothing</" not in answer.body


# ---- a proxy in front of nginx ------------------------------------------------------------------

FORWARDED = {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.113.7", "X-Real-IP": "203.0.113.7",
             "Via": "1.1 proxy", "CF-Connecting-IP": "203.0.113.7", "True-Client-IP": "203.0.113.7",
             "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.example", "X-Client-IP": "127.0.0.1",
             "x-forwarded-for": "127.0.0.1"}
FOR_THIS_MACHINE = [f"/{what}/{role}" for what in ("status", "metrics", "healthz", "readyz")
                    for role in POOLS]


def test_operations_N8_status_is_refused_to_clients_of_a_local_proxy(front):
    """operations-N8: all requests of such a proxy come from 127.0.0.1."""
    for path in FOR_THIS_MACHINE:
        for name, value in FORWARDED.items():
            check_form(front.nginx.request(path, headers={name: value}), 403, "forbidden", "json")
    assert not any(pool.seen for pool in front.pools.values())
    for path in FOR_THIS_MACHINE:
        assert front.nginx.request(path).status == 200, "asked directly"
    # Public paths are not affected.
    for path in ("/healthz", "/oembed", "/login"):
        assert front.nginx.request(path, headers=FORWARDED).status == 200


def test_operations_N8_a_trusted_proxy_forwards_the_address_for_status(stack):
    """operations-N8: set_real_ip_from and real_ip_header, as in nginx/README.md."""
    (words,) = [text for language, text in documents.fences(documents.tokens("nginx/README.md")) if language == "nginx"]
    words = words.replace("192.0.2.10", "127.0.0.1")
    assert "set_real_ip_from 127.0.0.1;" in words and "real_ip_header X-Forwarded-For;" in words
    front = Front(stack)
    try:
        site = stack.directory / "svc" / "site.conf"
        site.write_text(words + site.read_text())
        health = stack.directory / "svc" / "svc-fastcgi-health.conf"
        health.write_text(health.read_text().replace("allow ::1;", "allow ::1; allow 198.51.100.9;"))
        front.nginx.reload()
        ask = lambda **headers: front.nginx.request(  # noqa: E731
            "/status/embed", headers={name.replace("_", "-"): value for name, value in headers.items()}).status
        seen = lambda: front.echo("/oembed", headers={"X-Forwarded-For": "203.0.113.7"})["parameters"]  # noqa: E731
        wait_until(lambda: seen()["REMOTE_ADDR"] == "203.0.113.7", "the proxy is trusted")
        assert ask(X_Forwarded_For="203.0.113.7") == 403
        assert ask(X_Forwarded_For="198.51.100.9") == 200, "one of our machines, through the proxy"
        assert ask(X_Forwarded_For="198.51.100.9, 203.0.113.7") == 403, "the client's own claim"
        assert ask(X_Forwarded_For="127.0.0.1, 203.0.113.7") == 403
        assert ask(X_Real_IP="198.51.100.9") == 403, "not the header that the proxy overwrites"
        assert ask() == 200, "asked directly"
    finally:
        for pool in front.pools.values():
            pool.close()
