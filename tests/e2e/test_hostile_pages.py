"""Public pages and data, requested through nginx in unusual ways: methods, headers, ranges, paths that nginx decodes."""

import re

import pytest

from hosts import host_of

# Path, and the media type of an error.
PAGE, DATA = "text/html; charset=utf-8", "application/json; charset=utf-8"
GOOD = {"/oembed?url=http://svc.localhost/m/l4unchf1lm": DATA, "/embed/medias/l4unchf1lm.m3u8": DATA,
        "/embed/playlists/pl4yl1st01.json": DATA, "/providers.json": DATA, "/embed/iframe/l4unchf1lm": PAGE,
        "/medias/l4unchf1lm": PAGE, "/embed-codes?url=l4unchf1lm": PAGE}


@pytest.fixture(scope="module", name="nginx")
def fixture_nginx(module_stack):
    module_stack.import_catalog()
    module_stack.start_pool(workers=2)
    return module_stack.start_shipped_nginx()


@pytest.mark.parametrize("text", ["l4unchf1lm%00", "%2e%2e%2f" * 4 + "etc%2fpasswd", "%zz"])
@pytest.mark.parametrize("path", [path for path in GOOD if "/embed/" in path or "/medias/" in path])
def test_a_path_that_nginx_cannot_decode_is_refused_in_its_form(nginx, path, text):
    answer = nginx.request(re.sub("l4unchf1lm|pl4yl1st01", lambda _: text, path), host=host_of(path))
    assert (answer.status, answer.header("Content-Type")) == (400, GOOD[path])
    assert b"nginx" not in answer.body and b"l4unchf1lm" not in answer.body


@pytest.mark.parametrize("path", GOOD)
def test_other_conditions_and_ranges_have_no_effect(nginx, path):
    plain = nginx.request(path, host=host_of(path))
    for headers in ({"If-Match": '"x"'}, {"If-Modified-Since": "Sat, 21 Nov 2099 08:00:00 GMT"},
                    {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, {"Range": "bytes=0-0"},
                    {"If-Range": "*", "Range": "bytes=5-,-1"}, {"Accept": "nothing/nothing;q=x"},
                    {"Accept-Encoding": "x" * 4000}, {"Cookie": "a=" + "b" * 4000},
                    {"X-HTTP-Method-Override": "DELETE"},
                    {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example", "X-Original-URL": "/x"}):
        answer = nginx.request(path, host=host_of(path), headers=headers)
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
