"""The oEmbed contract from outside: through nginx with the shipped files.

The letters and numbers in the names are the rules of the oEmbed contract: E requests here, R responses in
test_oembed_answers.py. Embed codes, sizes and options are in tests/unit/embed/.
"""

import json
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from oembed_asking import (ACME, ERROR_KEYS, NEGATIVE, VIDEO, asking, async_code, check_error, document, import_media,
                           start)
from processes import wait_until
from stack import EMBED_HOST


@pytest.fixture(scope="module", name="front")
def fixture_front(module_stack):
    return start(module_stack)


@pytest.fixture(name="oembed")
def fixture_oembed(front):
    return asking(front)


# --- E: requests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path, kind", [
    ("/oembed", "json"), ("/oembed/", "json"), ("/oembed.json", "json"), ("/oembed.xml", "xml"),
    ("/oembed?format=json", "json"), ("/oembed/?format=json", "json"),
    ("/oembed?format=xml", "xml"), ("/oembed/?format=xml", "xml"),
    ("/oembed.json?format=xml", "json"), ("/oembed.xml?format=json", "xml"),
    ("/oembed.json?format=yaml", "json"), ("/oembed.xml?format=yaml", "xml"),
])
def test_oembed_E1_answers_in_the_requested_format(front, path, kind):
    separator = "&" if "?" in path else "?"
    answer = front.request(f"{path}{separator}url={VIDEO}")
    assert answer.status == 200
    if kind == "json":
        assert document(answer)["version"] == "1.0"
    else:
        assert answer.header("Content-Type") == "text/xml; charset=utf-8"
        assert ElementTree.fromstring(answer.body).tag == "oembed"


@pytest.mark.parametrize("path", ["/oembed", "/oembed/"])
@pytest.mark.parametrize("name", ["yaml", "jsonp", "html", "json,xml"])
def test_oembed_E1_refuses_other_formats_with_501(front, path, name):
    check_error(front.request(f"{path}?url={VIDEO}&format={name}"), 501)


@pytest.mark.parametrize("path", ["/oembed.yaml", "/oembed.json/", "/oembed//x", "/OEMBED",
                                  "/oembedx", "/oembed.xml.json", "/oembed/json"])
def test_oembed_E1_other_paths_are_404(front, path):
    answer = front.request(f"{path}?url={VIDEO}")
    assert answer.status == 404
    assert list(json.loads(answer.body)) == ERROR_KEYS


@pytest.mark.parametrize("target", [
    f"/oembed?url={VIDEO}", f"/oembed.xml?url={VIDEO}", f"/oembed?url={VIDEO}&callback=cb",
    "/oembed?url=http://elsewhere.example/", f"/oembed?url={VIDEO}&format=yaml",
    f"/oembed?url={ACME}/medias/aud10only1"])
def test_oembed_E2_answers_HEAD_with_the_headers_of_GET(front, target):
    get, head = front.request(target), front.request(target, method="HEAD")
    assert head.body == b"" and get.body != b""
    assert head.status == get.status
    assert head.header("Content-Length") == get.header("Content-Length") == str(len(get.body))
    different = {name for name in {*get.headers, *head.headers}
                 if get.header(name) != head.header(name)} - {"date"}
    assert not different


@pytest.mark.parametrize("path", ["/oembed", "/oembed/", "/oembed.json", "/oembed.xml"])
def test_oembed_E2_answers_a_preflight(front, path):
    answer = front.request(path, method="OPTIONS", headers={
        "Origin": "https://consumer.example", "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "x-requested-with"})
    assert answer.status in (200, 204)
    assert answer.body == b""
    assert answer.header("Access-Control-Allow-Origin") == "*"
    assert "GET" in answer.header("Access-Control-Allow-Methods")
    assert answer.header("Access-Control-Allow-Headers")


@pytest.mark.parametrize("query", [
    "", "url=", "url", "URL=" + VIDEO, "format=json", "url=l4unchf1lm", "url=/medias/l4unchf1lm",
    "url=https://", "url=https:///medias/l4unchf1lm", "url=javascript:alert(1)",
    "url=ftp://acme.svc.localhost/medias/l4unchf1lm", "url=//acme.svc.localhost/medias/l4unchf1lm",
    "url=https:acme.svc.localhost/medias/l4unchf1lm", "url=https://[::1/medias/l4unchf1lm",
    "url=https://acme.svc.localhost:port/medias/l4unchf1lm",
    "url=https://acme.svc.localhost:99999/medias/l4unchf1lm",
    "url=https://elsewhere.example/medias/l4unchf1lm", "url=https://acme.svc.localhost/",
    "url=https://acme.svc.localhost/medias/", "url=https://acme.svc.localhost/media/l4unchf1lm",
    "url=https://acme.svc.localhost/x/medias/l4unchf1lm", "url=%00", "url=%ff%fe",
])
def test_oembed_E3_refuses_a_missing_or_foreign_url_with_404(front, query):
    check_error(front.request(f"/oembed?{query}"), 404, "elsewhere", "l4unchf1lm", "alert")
    check_error(front.request(f"/oembed.xml?{query}"), 404, "elsewhere", "l4unchf1lm", "alert")


HOSTS = {
    "embed host": EMBED_HOST,
    "embed host, http": "http://embed.svc.example:8443",
    "embed host, default port": "https://embed.svc.example",
    "service domain": "https://svc.localhost",
    "service domain, http": "http://svc.localhost",
    "account": ACME,
    "another account": "https://binary.svc.localhost",
    "no account at all": "https://nobody.svc.localhost",
    "two labels": "https://a.b.svc.localhost",
    "short domain": "https://svc.test",
    "below the short domain": "http://acme.svc.test",
    "upper case": "HTTPS://ACME.SVC.LocalHost",
    "default port, https": "https://acme.svc.localhost:443",
    "default port, http": "http://acme.svc.localhost:80",
    "empty port": "https://acme.svc.localhost:",
}
PATHS = ["/medias/ID", "/medias/ID/", "/medias/ID/manage", "/medias/ID/manage/stats?x=1",
         "/medias/ID#t=1", "/medias/ID?x=1", "/embed/iframe/ID", "/embed/iframe/ID/",
         "/embed/iframe/ID/x", "/embed/iframe/ID?x=1", "/m/ID", "/m/ID?x=1"]


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_oembed_E5_recognises_our_hosts(oembed, host):
    assert document(oembed(f"{host}/medias/l4unchf1lm"))["title"] == "Launch film"


@pytest.mark.parametrize("path", PATHS)
def test_oembed_E5_recognises_the_paths_of_a_media(oembed, path):
    answer = oembed(ACME + path.replace("ID", "l4unchf1lm"))
    assert document(answer)["title"] == "Launch film"


@pytest.mark.parametrize("path", ["", "/", "/x", "?x=1", "#x"])
@pytest.mark.parametrize("host", [EMBED_HOST, ACME])
def test_oembed_E5_recognises_the_paths_of_a_playlist(oembed, host, path):
    answer = oembed(f"{host}/embed/playlists/pl4yl1st01{path}")
    assert document(answer)["title"] == "The launch films"


@pytest.mark.parametrize("path", ["/embed/playlists/l4unchf1lm", "/medias/pl4yl1st01",
                                  "/embed/iframe/pl4yl1st01", "/m/pl4yl1st01"])
def test_oembed_E5_media_and_playlist_paths_are_not_interchangeable(oembed, path):
    check_error(oembed(ACME + path), 404)


def test_oembed_E7_reads_an_unencoded_url(front):
    """After the first & follow parameters of the top level."""
    answer = front.request(f"/oembed?format=json&url={VIDEO}?embedType=async&width=400")
    assert document(answer)["html"] == async_code(width=400, height=225)


@pytest.mark.parametrize("inner", ["&embedType=async", "&", "&embedType=async&width=100"])
def test_oembed_E7_ends_the_id_at_an_inner_ampersand(oembed, inner):
    assert oembed(VIDEO + inner).body == oembed(VIDEO).body


# --- statuses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, status", [
    ("/medias/unkn0wn", 404),
    ("/embed/playlists/unkn0wn", 404),
    ("/medias/aud10only1", 501),
    ("/medias/pdf0file01", 501),
    ("/medias/qu3u3d0001", 501),
    ("/embed/playlists/pl4yempty0", 501),
    ("/embed/playlists/pl4ynov1d0", 501),
    ("/medias/mp4only001", 200),
    ("/medias/l1ves0und1", 200),
])
def test_returns_the_status_for_the_media_s_state(oembed, path, status):
    for form in ({}, {"format": "xml"}):
        answer = oembed(ACME + path, **form)
        assert answer.status == status
        if status != 200:
            check_error(answer, status, path.rpartition("/")[2])
            # Cached, but only briefly.
            assert answer.header("Cache-Control") == f"public, max-age={NEGATIVE}"


def test_returns_404_for_a_media_whose_processing_failed(module_stack, oembed):
    import_media(module_stack, "qu3u3d0001", id="fa1l3d0001", status="failed")
    check_error(oembed(f"{ACME}/medias/fa1l3d0001"), 404)


def test_returns_501_for_a_media_that_is_being_processed(module_stack, oembed):
    import_media(module_stack, "qu3u3d0001", id="pr0c3ss001", status="processing")
    check_error(oembed(f"{ACME}/medias/pr0c3ss001"), 501)


@pytest.mark.parametrize("form, kind", [({}, "json"), ({"format": "xml"}, "xml")])
def test_returns_503_while_the_store_is_unavailable_and_recovers(stack, form, kind):
    stack.import_catalog()
    pool = stack.start_pool("embed")
    front = stack.start_shipped_nginx()
    stack.redis_state.stop()
    query = urllib.parse.urlencode({"url": VIDEO, **form})
    answer = front.request(f"/oembed?{query}")
    assert answer.status == 503
    assert int(answer.header("Retry-After")) >= 1
    assert kind in answer.header("Content-Type")
    check_error(answer, 503, "l4unchf1lm")
    # Requests that need no store succeed as usual.
    check_error(front.request("/oembed?url=https://elsewhere.example/"), 404)
    stack.redis_state.start()
    stack.import_catalog()
    wait_until(lambda: front.request(f"/oembed?{query}").status == 200, "the store is noticed")
    assert not pool.events("worker.killed")
