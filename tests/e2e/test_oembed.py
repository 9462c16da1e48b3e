"""The oEmbed contract from outside: through nginx with the shipped files.

The letters and numbers in the names are the rules of the oEmbed contract: E requests and S sizes here, R responses and
O options in test_oembed_answers.py. Expected responses are written out, not computed as the service computes them.
"""

import json
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from oembed_asking import (ACME, CINEMA, ERROR_KEYS, NEGATIVE, ODD, PLAYLIST, PORTRAIT, SMALL,
                           VIDEO, asking, async_code, check_error, document, iframe_code,
                           import_media, start)
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


@pytest.mark.parametrize("more", ["_=1700000000000", "dnt=1", "utm_source=x&utm_medium=y", "x",
                                  "=", "&&&", "%00=%00", "for=me", "type=xml", "Width=100",
                                  "a=" + "b" * 3000])
def test_oembed_E4_ignores_unknown_parameters(front, more):
    plain = front.request(f"/oembed?url={VIDEO}")
    with_more = front.request(f"/oembed?url={VIDEO}&{more}")
    before = front.request(f"/oembed?{more}&url={VIDEO}")
    for answer in (with_more, before):
        assert answer.body == plain.body
        assert answer.header("ETag") == plain.header("ETag")


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


@pytest.mark.parametrize("inner, top, width, height", [
    ("width=300", {}, 300, 169),
    ("width=300", {"width": 500}, 500, 281),
    ("height=480", {"height": 1080}, 1920, 1080),
    ("maxwidth=300", {"maxwidth": 500}, 300, 169),
    ("maxwidth=500", {"maxwidth": 300}, 300, 169),
    ("maxwidth=300", {"width": 500}, 300, 169),
    ("width=500", {"maxwidth": 300}, 300, 169),
    ("maxheight=169", {"maxheight": 900, "width": 640}, 300, 169),
    ("width=300", {"width": "none"}, 300, 169),
])
def test_oembed_E8_the_top_level_takes_precedence_but_every_maximum_applies(oembed, inner, top, width, height):
    answer = document(oembed(f"{VIDEO}?{inner}", **top))
    assert (answer["width"], answer["height"]) == (width, height)


@pytest.mark.parametrize("inner, top, code", [
    ("embedType=async", {}, "async"), ("embedType=async", {"embedType": "iframe"}, "iframe"),
    ("embedType=iframe", {"embedType": "async"}, "async"), ("", {"embedType": "async"}, "async"),
])
def test_oembed_E8_reads_the_embed_type_from_both_places(oembed, inner, top, code):
    html = document(oembed(f"{VIDEO}?{inner}", **top))["html"]
    assert html == {"async": async_code(), "iframe": iframe_code()}[code]


def test_oembed_E8_reads_options_from_both_places(oembed):
    html = document(oembed(f"{VIDEO}?autoPlay=true&volume=1", volume="0"))["html"]
    assert html == iframe_code(query="?autoPlay=true&amp;volume=0")


@pytest.mark.parametrize("unknown", ["flash", "", "ASYNC", "async ", "<script>"])
def test_oembed_E9_ignores_an_unknown_embed_type(oembed, unknown):
    assert oembed(embedType=unknown).body == oembed().body
    assert oembed(PLAYLIST, embedType=unknown).body == oembed(PLAYLIST).body


@pytest.mark.parametrize("playlist_type, media_type", [
    ("playlist_iframe", "iframe"), ("playlist_api", "async"),
    ("playlist_popover", "async_popover")])
def test_oembed_E9_maps_embed_types_between_media_and_playlists(oembed, playlist_type, media_type):
    assert oembed(embedType=playlist_type).body == oembed(embedType=media_type).body
    assert (oembed(PLAYLIST, embedType=media_type).body
            == oembed(PLAYLIST, embedType=playlist_type).body)


def test_oembed_E9_refuses_open_graph_tags_for_a_playlist(oembed):
    check_error(oembed(PLAYLIST, embedType="open_graph_tags"), 501)


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

# --- S: sizes ------------------------------------------------------------------------------------

SIZES = [
    ("oembed-S1", VIDEO, {}, 640, 360),
    ("oembed-S1", SMALL, {}, 480, 270),
    ("oembed-S1", PORTRAIT, {}, 640, 360),  # each side is limited separately
    ("oembed-S1", ODD, {}, 640, 360),
    ("oembed-S1", CINEMA, {}, 640, 360),
    ("oembed-S1", PLAYLIST, {}, 640, 360),
    *(("oembed-S4", VIDEO, {"width": width}, width, height) for width, height in (
        (620, 349), (540, 304), (660, 371), (300, 169), (700, 394), (200, 113), (150, 84),
        (500, 281))),
    ("oembed-S4", VIDEO, {"height": 480}, 853, 480),
    ("oembed-S4", CINEMA, {"width": 1}, 1, 1),
    ("oembed-S4", PORTRAIT, {"height": 1}, 1, 1),
    ("oembed-S4", CINEMA, {"maxheight": 1}, 2, 1),
    ("oembed-S2", VIDEO, {"width": 640}, 640, 360),
    ("oembed-S2", VIDEO, {"width": 3840}, 3840, 2160),
    ("oembed-S2", VIDEO, {"width": 1}, 1, 1),
    ("oembed-S2", SMALL, {"width": 960}, 960, 540),
    ("oembed-S2", SMALL, {"height": 540}, 960, 540),
    ("oembed-S2", VIDEO, {"height": 225}, 400, 225),
    ("oembed-S2", VIDEO, {"width": 400, "height": 400}, 400, 225),
    ("oembed-S2", VIDEO, {"width": 4000, "height": 225}, 400, 225),
    ("oembed-S2", VIDEO, {"width": 640, "height": 360}, 640, 360),
    ("oembed-S2", PORTRAIT, {"width": 540}, 540, 960),
    ("oembed-S2", PORTRAIT, {"height": 480}, 270, 480),
    ("oembed-S2", PORTRAIT, {"width": 640, "height": 360}, 203, 360),
    ("oembed-S2", CINEMA, {"width": 640}, 640, 268),
    ("oembed-S2", ODD, {"width": 640}, 640, 359),
    ("oembed-S2", ODD, {"height": 717}, 1279, 717),
    ("oembed-S2", PLAYLIST, {"width": 400}, 400, 225),
    ("oembed-S3", VIDEO, {"maxwidth": 400}, 400, 225),
    ("oembed-S3", VIDEO, {"maxheight": 225}, 400, 225),
    ("oembed-S3", VIDEO, {"maxwidth": 400, "maxheight": 100}, 178, 100),
    ("oembed-S3", VIDEO, {"maxwidth": 5000}, 1920, 1080),
    ("oembed-S3", VIDEO, {"maxwidth": 5000, "maxheight": 5000}, 1920, 1080),
    ("oembed-S3", SMALL, {"maxwidth": 640}, 480, 270),
    ("oembed-S3", SMALL, {"maxheight": 9999}, 480, 270),
    ("oembed-S3", PORTRAIT, {"maxwidth": 540}, 540, 960),
    ("oembed-S3", PORTRAIT, {"maxwidth": 540, "maxheight": 480}, 270, 480),
    ("oembed-S3", VIDEO, {"width": 800, "maxwidth": 400}, 400, 225),
    ("oembed-S3", VIDEO, {"width": 800, "maxheight": 300}, 533, 300),
    ("oembed-S3", VIDEO, {"width": 300, "maxwidth": 800}, 300, 169),
    ("oembed-S3", VIDEO, {"height": 900, "maxwidth": 400}, 400, 225),
    ("oembed-S3", VIDEO, {"width": 800, "height": 100, "maxwidth": 400}, 178, 100),
    ("oembed-S3", SMALL, {"width": 960, "maxwidth": 2000}, 960, 540),
    *(("oembed-S5", VIDEO, {"width": wrong}, 640, 360) for wrong in (
        "abc", "0", "-5", "", "640em", "50%", "0x280", "640,5", "६४०")),
    *(("oembed-S5", VIDEO, {"maxwidth": text}, width, height) for text, width, height in (
        ("353.5", 353, 199), ("320px", 320, 180), ("1e2", 100, 56), (" 300\t", 300, 169), ("+300", 300, 169),
        ("0.5", 1, 1), ("10001", 1920, 1080), ("9" * 400, 1920, 1080))),
    *(("oembed-S5", VIDEO, {"width": large}, 10000, 5625) for large in ("10001", "1e9", "9" * 400)),
    ("oembed-S5", VIDEO, {"width": "10000"}, 10000, 5625),
    ("oembed-S5", VIDEO, {"width": "wide", "height": "480"}, 853, 480),
    ("oembed-S5", VIDEO, {"maxwidth": "0", "maxheight": "-1"}, 640, 360),
    ("oembed-S5", VIDEO, {"maxwidth": "10001", "width": "300"}, 300, 169),
    ("oembed-S7", f"{VIDEO}?videoWidth=400", {}, 400, 225),
    ("oembed-S7", f"{VIDEO}?videoHeight=225", {}, 400, 225),
    ("oembed-S7", f"{VIDEO}?videoWidth=400&videoHeight=100", {}, 178, 100),
    ("oembed-S7", f"{VIDEO}?videoWidth=400", {"width": 300}, 300, 169),
    ("oembed-S7", f"{VIDEO}?videoWidth=800", {"maxwidth": 400}, 400, 225),
]


NATIVE = {VIDEO: (1920, 1080), PLAYLIST: (1920, 1080), SMALL: (480, 270), PORTRAIT: (1080, 1920), ODD: (1279, 717), CINEMA: (1920, 804)}


def size_id(row):
    rule, url, query, *_ = row
    asked = ",".join(f"{name}={value}" for name, value in query.items())
    return f"{rule}-{url.rpartition('/')[2]}-{asked}"


@pytest.mark.parametrize("row", SIZES, ids=size_id)
def test_S_has_the_expected_size(oembed, row):
    _, url, query, width, height = row
    answer = document(oembed(url, **query))
    assert (answer["width"], answer["height"]) == (width, height)
    assert f'width="{width}" height="{height}"' in answer["html"]
    # oembed-S6: the thumbnail has the same size, if the poster is as large. Posters are as large as these videos.
    native = NATIVE[url.partition("?")[0]]
    if width > native[0] or height > native[1]:
        width, height = native
    assert (answer["thumbnail_width"], answer["thumbnail_height"]) == (width, height)
    assert answer["thumbnail_url"].endswith(f"/poster.jpg?image_crop_resized={width}x{height}")


def test_oembed_S6_omits_the_thumbnail_without_a_poster(module_stack, oembed):
    import_media(module_stack, "sm4ll480px", id="n0p0st3r01", thumbnail=None, duration=None)
    assert list(document(oembed(f"{ACME}/medias/n0p0st3r01"))) == [
        "version", "type", "html", "width", "height", "provider_name", "provider_url", "title"]
