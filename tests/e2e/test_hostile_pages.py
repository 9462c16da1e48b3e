"""Pages, manifests and the players' data, requested in unusual ways: paths, methods, conditions, forms.

Through the shipped nginx. strict.py checks the properties that every page must have.
"""

import json
import re
import urllib.parse

import pytest

import strict
from hosts import host_of
from stack import HOSTS
from strict import read_page

# Path, and the kind of its response: data or page.
GOOD = {
    "/oembed?url=http://svc.localhost/m/l4unchf1lm": "data",
    "/oembed.xml?url=http://svc.localhost/m/l4unchf1lm": "data",
    "/embed/medias/l4unchf1lm.m3u8": "data", "/embed/medias/l4unchf1lm.json": "data",
    "/embed/playlists/pl4yl1st01.json": "data", "/providers.json": "data", "/robots.txt": "data",
    "/embed/iframe/l4unchf1lm": "page", "/embed/playlists/pl4yl1st01": "page", "/medias/l4unchf1lm": "page",
    "/embed-codes": "page", "/embed-codes?url=l4unchf1lm&embedType=async": "page",
}
BAD = {
    "/oembed?url=x": (404, "data"), "/oembed?url=http://svc.localhost/m/aud10only1": (501, "data"),
    "/embed/medias/unkn0wn.m3u8": (404, "data"), "/embed/medias/aud10only1.m3u8": (501, "data"),
    "/embed/medias/unkn0wn.json": (404, "data"), "/embed/playlists/pl4yempty0.json": (501, "data"),
    "/embed/iframe/unkn0wn": (404, "page"), "/embed/playlists/pl4yempty0": (501, "page"),
    "/medias/aud10only1": (501, "page"), "/medias/": (404, "page"), "/embed/iframe/": (404, "page"),
    "/embed/medias/": (404, "data"),
}


@pytest.fixture(scope="module", name="pool")
def fixture_pool(module_stack):
    module_stack.import_catalog()
    return module_stack.start_pool(workers=2)


@pytest.fixture(scope="module", name="nginx")
def fixture_nginx(module_stack, pool):
    return module_stack.start_shipped_nginx() if pool else None


@pytest.fixture(name="ask")
def fixture_ask(nginx):
    def ask(target, **how):
        answer = nginx.request(target, **how)
        strict.check_head(answer)
        return answer
    return ask


# --- paths ---------------------------------------------------------------------------------------

# Text in the place of an id, as it is sent; with None, nginx itself refuses the line with 400.
IDS = {
    "very long": ("a" * 7000, 404), "markup": ("%3Cscript%3Ealert(1)%3C/script%3E", 404),
    "line feeds": ("l4unchf1lm%0d%0aSet-Cookie:%20a=b", 404), "NUL": ("l4unchf1lm%00", None),
    "raw, no UTF-8": (b"l4unchf1lm\xff", 404), "control": ("%01%1b%7f", 404),
    "dot": (".", 404), "dots, encoded": ("%2e%2e%2f" * 4 + "etc%2fpasswd", None), "bad escape": ("%zz", None),
    "template": ("%7b%7bTITLE%7d%7d", 404),
}
FOLDERS = [("/medias/", "", "page"), ("/m/", "", "page"), ("/embed/iframe/", "", "page"), ("/embed/playlists/", "", "page"),
           ("/embed/medias/", ".m3u8", "data"), ("/embed/medias/", ".json", "data"),
           ("/embed/playlists/", ".json", "data")]


@pytest.mark.parametrize("folder, suffix, kind", FOLDERS)
@pytest.mark.parametrize("text, status", IDS.values(), ids=IDS)
def test_oembed_M4_accepts_only_an_exact_id(ask, folder, suffix, kind, text, status):
    text = text if isinstance(text, bytes) else text.encode()
    answer = ask(folder.encode() + text + suffix.encode())
    assert answer.status == (status or 400)
    for part in (b"alert", b"l4unchf1lm", b"Set-Cookie", b"aaaa"):
        assert part not in answer.body
    if status is None:
        # nginx's own error, in the form of the path.
        kinds = {"page": "text/html; charset=utf-8", "data": "application/json; charset=utf-8"}
        assert answer.header("Content-Type") == kinds[kind]
        assert b"nginx" not in answer.body
    elif kind == "page":
        read_page(answer, status)
    else:
        strict.check_error(answer, "json")


@pytest.mark.parametrize("query", [
    "%00%ff%", "&" * 7000, "url=x&callback=alert(1)&format=xml&autoPlay=%22%3E%3Cscript%3E&stillUrl=javascript:alert(1)"])
@pytest.mark.parametrize("path", [path for path in GOOD if "?" not in path and path != "/embed-codes"])
def test_an_ignored_query_has_no_effect(ask, path, query):
    answer, plain = ask(f"{path}?{query}"), ask(path)
    assert (answer.status, answer.body, answer.header("ETag")) == (200, plain.body, plain.header("ETag"))


# --- the page of embed codes ---------------------------------------------------------------------

HOSTILE = ["\"><script>alert(1)</script>", "' autofocus onfocus='alert(1)", "</textarea><script>alert(1)</script>",
           "{{URL}}{{#RESULT}}", "javascript:alert(1)", "\0\x01\x1b\x7f", "\r\nSet-Cookie: a=b", "\u2028\u202e\ufffe",
           b"\xff\xc0\xaf\xed\xa0\x80\xe2\x82", "&quot;&#34;", "%22%3E", "x" * 6000, "-1", "99999999999999999999",
           " 5", "+5"]
FIELDS = ["url", "embedType", "width", "playerColor", "videoFoam", "autoPlay", "muted", "unknown"]


@pytest.mark.parametrize("url", ["l4unchf1lm", "unkn0wn"])
@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("field", FIELDS)
def test_oembed_R5_a_field_of_the_form_cannot_escape_its_context(ask, field, value, url):
    def elements(text):
        given = {name: "" for name in FIELDS} | {"url": url} | {field: text}
        return read_page(ask("/embed-codes?" + urllib.parse.urlencode(given)))
    found = elements(value)
    text = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
    nothing = not re.sub("[\0-\x20\x7f]", "", text)
    assert strict.outline(found) == strict.outline(elements("" if nothing else "x"))
    shown = {attributes["id"]: attributes["value"] for name, attributes, _ in found
             if name == "input" and attributes.get("type") is None}
    if field in shown and text.isprintable():
        # The number of replacement characters for invalid bytes is not compared.
        assert shown[field].replace("\ufffd", "") == text.replace("\ufffd", "")
    assert shown["url"] == url or field == "url"
    # The code is identical to that from oEmbed for every content of the form.
    codes = [text for name, attributes, text in found if name == "textarea" and attributes.get("id") == "code"]
    for code in codes:
        strict.check_embed_code(code)
    links = [attributes["href"] for name, attributes, _ in found
             if name == "a" and attributes["href"].startswith(strict.HOSTS["oembed-url"])]
    assert len(links) == len(codes)
    for link in links:
        there = urllib.parse.urlsplit(link)
        answer = ask(f"{there.path}?{there.query}", host="oembed.svc.example")
        assert strict.read_oembed(answer, "json")["html"] == codes[0]


# --- methods -------------------------------------------------------------------------------------

ODD = ["POST", "DELETE", "PROPFIND"]


@pytest.mark.parametrize("path", GOOD)
@pytest.mark.parametrize("method", ODD)
def test_oembed_E2_refuses_methods_that_change_something_with_405(ask, path, method):
    answer = ask(path, method=method)
    assert answer.status == 405
    assert answer.header("Allow") == ("GET, HEAD, OPTIONS" if GOOD[path] == "data" else "GET, HEAD")
    if GOOD[path] == "data":
        strict.check_error(answer, "xml" if "xml" in path else "json")
    else:
        assert answer.header("Content-Type") == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", [*GOOD, *BAD])
def test_oembed_E2_answers_OPTIONS_for_any_id(ask, path):
    answer = ask(path, method="OPTIONS",
                 headers={"Origin": "https://x.example", "Access-Control-Request-Method": "GET"})
    kind = GOOD[path] if path in GOOD else BAD[path][1]
    assert answer.status == {"data": 204, "page": 405}[kind]
    if kind == "data":
        assert (answer.body, answer.header("Access-Control-Allow-Origin")) == (b"", "*")
    else:
        assert answer.header("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("method, status", [
    ("FOO", 405), ("TRACE", 405), ("CONNECT", 405), ("get", 400), ("G\"T", 400), ("G\x01T", 400), ("X" * 8300, 414)])
def test_nginx_refuses_unknown_methods(nginx, method, status):
    for path in ("/oembed?url=http://svc.localhost/m/l4unchf1lm", "/embed/iframe/l4unchf1lm"):
        answer = nginx.request(path, method=method, host=host_of(path))
        assert answer.status == status
        assert b"l4unchf1lm" not in answer.body and b"XXX" not in answer.body


@pytest.mark.parametrize("path", [*GOOD, *BAD])
def test_oembed_E2_HEAD_is_GET_without_the_body(ask, path):
    get, head = ask(path), ask(path, method="HEAD")
    assert (get.status, head.body) == (200 if path in GOOD else BAD[path][0], b"")
    assert get.body and head.status == get.status
    ignored = {"date"}
    assert ({name: value for name, value in get.headers.items() if name not in ignored}
            == {name: value for name, value in head.headers.items() if name not in ignored})
    assert int(head.header("Content-Length")) == len(get.body)


# --- conditions ----------------------------------------------------------------------------------

# If-None-Match, with {weak} and {strong} for the correct tag. A unit test of EntityTag has the other forms.
CONDITIONS = {
    "weak": ("{weak}", 304), "strong, in a list of 8 KB": ('W/"a",' * 1300 + "{strong}", 304),
    "another": ('W/"0000000000000000"', 200), "8 KB of garbage": ("\xff\xc0\x80" * 2600, 200),
}


@pytest.mark.parametrize("condition, status", CONDITIONS.values(), ids=CONDITIONS)
@pytest.mark.parametrize("path", GOOD)
def test_oembed_R4_compares_tags_and_ignores_malformed_ones(nginx, path, condition, status):
    plain = nginx.request(path, host=host_of(path))
    weak = plain.header("ETag")
    value = condition.replace("{weak}", weak).replace("{strong}", weak[2:])
    for method in ("GET", "HEAD"):
        answer = nginx.send(f"{method} {path} HTTP/1.1\r\nHost: {host_of(path)}\r\nConnection: close\r\n"
                            f"If-None-Match: {value}\r\n\r\n".encode("latin-1"), method)
        strict.check_head(answer)
        assert answer.status == status, answer
        assert answer.header("ETag") == weak
        for name in ("Cache-Control", "Access-Control-Allow-Origin", "Content-Security-Policy",
                     "X-Content-Type-Options"):
            assert answer.header(name) == plain.header(name)
        if status == 304:
            assert answer.body == b"" and not answer.header("Content-Type") and not answer.header("Content-Length")
        else:
            assert answer.body == (plain.body if method == "GET" else b"")


@pytest.mark.parametrize("path", BAD)
def test_oembed_R4_an_error_never_becomes_a_304(ask, path):
    for condition in ("*", '"a"', 'W/"0000000000000000"'):
        assert ask(path, headers={"If-None-Match": condition}).status == BAD[path][0]


@pytest.mark.parametrize("path", GOOD)
def test_other_conditions_and_ranges_have_no_effect(ask, path):
    plain = ask(path)
    for headers in ({"If-Match": '"x"'}, {"If-Modified-Since": "Sat, 21 Nov 2099 08:00:00 GMT"},
                    {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, {"Range": "bytes=0-0"},
                    {"If-Range": "*", "Range": "bytes=5-,-1"},
                    {"Accept": "nothing/nothing;q=x"},
                    {"Accept-Encoding": "x" * 4000}, {"Cookie": "a=" + "b" * 4000},
                    {"X-HTTP-Method-Override": "DELETE"},
                    {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example", "X-Original-URL": "/x"}):
        answer = ask(path, headers=headers)
        assert (answer.status, answer.body) == (200, plain.body), headers


@pytest.mark.parametrize("lines, status", [
    (b"If-None-Match: *\r\nIf-None-Match: \"x\"\r\n", 400), (b"If-None-Match: \"x\"\r\nIf-None-Match: \"y\"\r\n", 400),
    (b"If-None-Match:\r\n", 200), (b"If-None-Match: \0\r\n", 400), (b"If-None-Match: " + b"x" * 9000 + b"\r\n", 400),
    (b"If-None-Match: x\r\n *\r\n", 400)])
def test_refuses_malformed_and_repeated_headers(nginx, lines, status):
    for path in GOOD:
        answer = nginx.send(b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n"
                            % (path.encode(), host_of(path).encode(), lines))
        assert answer.status == status, (path, answer)


# --- documents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for path, kind in GOOD.items() if kind == "page"])
def test_pages_are_valid_html(ask, path):
    elements = read_page(ask(path))
    names = [name for name, _, _ in elements]
    assert names[:2] == ["html", "head"] and names.count("title") == 1
    ids = [attributes["id"] for _, attributes, _ in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes, _ in elements:
        for name in ("for", "aria-describedby", "aria-labelledby"):
            assert attributes.get(name) in (None, *ids)


def test_pages_W7_every_page_reports_that_the_store_is_unavailable(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1)
    stack.redis_state.stop()
    for path, query in [("/medias/l4unchf1lm", ""), ("/embed/iframe/l4unchf1lm", ""),
                        ("/embed/playlists/pl4yl1st01", ""),
                        ("/embed-codes", "url=l4unchf1lm")]:
        answer = pool.request(path, query, extra={"REQUEST_ID": "<script>"})
        elements = read_page(answer, 503)
        assert int(answer.header("Retry-After")) >= 1
        assert [text for name, _, text in elements if name == "code"] == ["<script>"]
    for path in ("/embed/medias/l4unchf1lm.json", "/embed/medias/l4unchf1lm.m3u8", "/embed/playlists/pl4yl1st01.json"):
        answer = pool.request(path)
        assert answer.status == 503 and json.loads(answer.body) == {"error": "temporarily unavailable"}
        assert int(answer.header("Retry-After")) >= 1 and answer.header("Access-Control-Allow-Origin") == "*"
    assert read_page(pool.request("/embed-codes"))
    assert HOSTS["embed-host"].encode() in pool.request("/providers.json").body
