"""The fields and headers of oEmbed responses. See test_oembed.py."""

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from oembed_asking import (ACME, COMMON_HEADERS, MAX_AGE, PLAYLIST, SMALL, STALE, VIDEO, asking, check_error, document,
                           iframe_code, import_media, start)
from stack import EMBED_HOST


@pytest.fixture(scope="module", name="front")
def fixture_front(module_stack):
    return start(module_stack)


@pytest.fixture(name="oembed")
def fixture_oembed(front):
    return asking(front)


# --- R: responses --------------------------------------------------------------------------------


def test_R_describes_an_iframe_completely(oembed):
    answer = document(oembed())
    assert answer == {
        "version": "1.0", "type": "video", "html": iframe_code(), "width": 640, "height": 360,
        "provider_name": "svc", "provider_url": "https://www.svc.example", "title": "Launch film",
        "thumbnail_url":
            f"{EMBED_HOST}/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360",
        "thumbnail_width": 640, "thumbnail_height": 360, "player_color": "54bbff",
        "duration": 8.008}


ALL_KEYS = ["version", "type", "html", "width", "height", "provider_name", "provider_url", "title",
            "thumbnail_url", "thumbnail_width", "thumbnail_height", "player_color", "duration"]


@pytest.mark.parametrize("url, query, without", [
    (VIDEO, {}, []),
    (SMALL, {}, ["player_color"]),
    (VIDEO, {"embedType": "async"}, ["player_color"]),
    (VIDEO, {"embedType": "async_popover"}, ["player_color"]),
    (VIDEO, {"embedType": "open_graph_tags"}, ["player_color"]),
    (VIDEO, {"videoFoam": "true"}, []),
    (PLAYLIST, {"embedType": "playlist_api"}, ["player_color"]),
])
def test_R_orders_the_keys(oembed, url, query, without):
    keys = [key for key in ALL_KEYS if key not in without]
    assert list(document(oembed(url, **query))) == keys
    xml = oembed(url, **query, format="xml")
    assert [child.tag for child in ElementTree.fromstring(xml.body)] == keys


@pytest.mark.parametrize("media, duration", [
    ("l4unchf1lm", "8.008"), ("sm4ll480px", "8"), ("0dd1279717", "8.008"), ("cinema2391", "8.008"),
    ("p0rtrait99", "8")])
def test_R_writes_a_duration_with_the_necessary_decimals(oembed, media, duration):
    number = document(oembed(f"{ACME}/medias/{media}"))["duration"]
    assert number == float(duration)
    body = oembed(f"{ACME}/medias/{media}").body.decode()
    assert re.search(r'"duration":([0-9.]+)', body).group(1) in (duration, duration + ".0")


def test_R_writes_cache_age_last_if_configured(stack):
    stack.write_config(oembed_cache_age=900)
    stack.import_catalog()
    answer = json.loads(stack.start_pool("embed").request("/oembed", f"url={VIDEO}").body)
    assert list(answer) == [*ALL_KEYS, "cache_age"]
    assert answer["cache_age"] == 900


HOSTILE = "https://binary.svc.localhost/medias/xss0title1"
HOSTILE_TITLE = "\"><script>alert('svc')</script> & <b>bold</b> ]]> 'quoted'"
INTERNATIONAL = "https://binary.svc.localhost/medias/un1c0de777"


@pytest.mark.parametrize("query", [
    {}, {"embedType": "async"}, {"embedType": "async_popover"}, {"embedType": "open_graph_tags"},
    {"videoFoam": "true"}, {"callback": "cb"}])
@pytest.mark.parametrize("url", [VIDEO, HOSTILE, INTERNATIONAL])
def test_oembed_R1_escapes_markup_in_json(oembed, url, query):
    answer = oembed(url, **query)
    assert answer.status == 200
    text = answer.body.decode("utf-8")
    for character in "<>&\u2028\u2029\0":
        assert character not in text
    assert "\\u003c" in text
    if url == INTERNATIONAL:
        assert "\\u2028" in text
        assert "Żółta łódź" in text and "🎬" in text, "UTF-8 is written as it is"


def test_oembed_R1_returns_titles_unchanged(oembed):
    assert document(oembed(HOSTILE))["title"] == HOSTILE_TITLE
    assert document(oembed(INTERNATIONAL))["title"].startswith("Żółta łódź — ビデオ 🎬")


CALLBACKS = ["cb", "$", "_", "a", "jQuery112409871_1700000000000", "a.b", "a.b.c.d", "$.ajax._1",
             "window.svc.cb", "Reflect", "classy", "a.new1", "c" * 128, "a." * 63 + "bb"]
NOT_CALLBACKS = [" ", "1a", "a-b", "a b", "a..b", ".a", "a.", ".", "a[0]", "a['b']", "alert(1)",
                 "a;b", "a=b", "a/b", "a\nb", "a\0", "<script>", "é", "ａ", "a%20b", "while",
                 "a.class.b", "this", "null", "true", "new", "c" * 129, "a." * 64 + "b",
                 "/**/a", "a//", "\u2028"]


@pytest.mark.parametrize("callback", CALLBACKS)
def test_oembed_R2_wraps_the_response_in_a_callback(oembed, callback):
    answer = oembed(callback=callback)
    assert answer.status == 200
    assert answer.header("Content-Type") == "application/javascript; charset=utf-8"
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert answer.body == b"/**/" + callback.encode() + b"(" + oembed().body + b");"


@pytest.mark.parametrize("callback", NOT_CALLBACKS)
def test_oembed_R2_refuses_an_invalid_callback_with_400(oembed, callback):
    check_error(oembed(callback=callback), 400, *([callback] if len(callback) > 6 else []))


def test_oembed_R2_checks_the_callback_before_the_url(oembed):
    check_error(oembed("https://elsewhere.example/", callback="alert(1)"), 400, "alert")


@pytest.mark.parametrize("callback", ["cb", "alert(1)", ""])
def test_oembed_R2_ignores_a_callback_on_xml(oembed, callback):
    assert oembed(format="xml", callback=callback).body == oembed(format="xml").body
    assert oembed(path="/oembed.xml", callback=callback).body == oembed(format="xml").body


@pytest.mark.parametrize("query", [
    {}, {"embedType": "async"}, {"embedType": "async_popover"}, {"embedType": "open_graph_tags"},
    {"videoFoam": "true"}, {"plugin[x][y]": "<&>\"']]>", "stillUrl": "https://x.example/?a=b&c=d"}])
@pytest.mark.parametrize("url", [VIDEO, SMALL, HOSTILE, INTERNATIONAL])
def test_oembed_R3_xml_has_the_same_contents(oembed, url, query):
    answer = oembed(url, **query, format="xml")
    assert answer.status == 200
    assert answer.header("Content-Type") == "text/xml; charset=utf-8"
    assert answer.body.startswith(b"<?xml ")
    for forbidden in (b"<![CDATA[", b"<!DOCTYPE", b"<!--"):
        assert forbidden not in answer.body
    check = subprocess.run(["xmllint", "--nonet", "--noout", "-"], input=answer.body,
                           capture_output=True)
    assert check.returncode == 0, check.stderr
    root = ElementTree.fromstring(answer.body)
    assert root.tag == "oembed" and not root.attrib
    json_answer = document(oembed(url, **query))
    assert [child.tag for child in root] == list(json_answer)
    for child in root:
        value = json_answer[child.tag]
        assert len(child) == 0 and not child.attrib
        assert (float(child.text) if isinstance(value, float) else child.text) == (
            value if isinstance(value, float) else str(value))


def test_oembed_R3_drops_characters_that_xml_forbids(module_stack, oembed):
    import_media(module_stack, "sm4ll480px", id="c0ntr0l001",
                 name="a\u0001b\u001fc\ufffed\uffffe\tf")
    answer = oembed(f"{ACME}/medias/c0ntr0l001", format="xml")
    assert answer.status == 200
    assert ElementTree.fromstring(answer.body).find("title").text == "abcde\tf"


@pytest.mark.parametrize("query", [{}, {"format": "xml"}, {"callback": "cb"}])
def test_oembed_R4_sends_the_headers_of_a_public_response(oembed, query):
    answer = oembed(**query)
    for name, value in COMMON_HEADERS.items():
        assert answer.header(name) == value, name
    assert answer.header("Cache-Control") == (
        f"public, max-age={MAX_AGE}, stale-while-revalidate={STALE}")
    assert re.fullmatch(r'W/"[^"]+"', answer.header("ETag"))
    assert answer.header("Content-Length") == str(len(answer.body))
    assert answer.header("Set-Cookie") is None


@pytest.mark.parametrize("wanted", ["{tag}", "{strong}", "*", '"other", {tag}', '{tag}, "other"',
                                    'W/"other",{strong}'])
@pytest.mark.parametrize("query", [{}, {"format": "xml"}, {"callback": "cb"}])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_oembed_R4_returns_304_if_the_etag_matches(oembed, method, query, wanted):
    tag = oembed(**query).header("ETag")
    wanted = wanted.format(tag=tag, strong=tag.removeprefix("W/"))
    answer = oembed(method=method, headers={"If-None-Match": wanted}, **query)
    assert answer.status == 304
    assert answer.body == b""
    assert answer.header("ETag") == tag
    assert answer.header("Cache-Control") and answer.header("Access-Control-Allow-Origin") == "*"


@pytest.mark.parametrize("other", ['W/"other"', '"other"', "other", '"', "W/", ",", '""', "W/*x"])
def test_oembed_R4_returns_200_if_the_etag_differs(oembed, other):
    plain = oembed()
    answer = oembed(headers={"If-None-Match": other})
    assert answer.status == 200 and answer.body == plain.body


def test_oembed_R4_different_responses_have_different_etags(oembed):
    answers = [oembed(), oembed(width=400), oembed(format="xml"), oembed(callback="a"),
               oembed(callback="b"), oembed(SMALL), oembed(embedType="async")]
    tags = [answer.header("ETag") for answer in answers]
    assert len(set(tags)) == len(tags)
    assert oembed().header("ETag") == tags[0]


@pytest.mark.parametrize("embed_type", ["iframe", "async", "async_popover", "open_graph_tags"])
def test_oembed_R5_a_title_cannot_escape_its_attribute(oembed, embed_type):
    html = document(oembed(HOSTILE, embedType=embed_type))["html"]
    assert "<script>alert" not in html and "<b>" not in html
    assert "alert('svc')" not in html


def test_oembed_R5_replaces_quotes_and_brackets_in_an_iframes_title(oembed):
    html = document(oembed(HOSTILE))["html"]
    assert ('title="”›‹script›alert(&#39;svc&#39;)‹/script› &amp; ‹b›bold‹/b› ]]› &#39;quoted&#39; '
            'Video"') in html.replace("&#x27;", "&#39;").replace("&apos;", "&#39;")


def test_oembed_R5_writes_ids_from_the_store(oembed):
    """Extra characters in the URL do not appear in the code."""
    html = document(oembed(f"{ACME}/medias/l4unchf1lm/\"><x>?y=<z>#'"))["html"]
    assert html == iframe_code()
