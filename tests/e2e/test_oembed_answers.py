"""The contents of oEmbed responses: the fields, the embed code, its options. See test_oembed.py."""

import json
import re
import subprocess
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from oembed_asking import (ACME, CINEMA, COMMON_HEADERS, LATIN_SCRIPT, MAX_AGE, ODD, PLAYLIST,
                           PORTRAIT, SCRIPT, SMALL, STALE, VIDEO, asking, async_code, check_error,
                           document, iframe_code, iframe_tag, import_media, start)
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


# --- embed codes ---------------------------------------------------------------------------------


def popover_code(media="l4unchf1lm", options="", width=150, height=100):
    return (f'{LATIN_SCRIPT}<span class="svc_embed svc_async_{media} popover=true{options}" '
            f'style="display:inline-block;height:{height}px;width:{width}px">&nbsp;</span>')


def responsive(padding, inner):
    return (f'<div class="svc_responsive_padding" style="padding:{padding};position:relative;">'
            '<div class="svc_responsive_wrapper" '
            'style="height:100%;left:0;position:absolute;top:0;width:100%;">'
            f"{inner}</div></div>")


def responsive_iframe(media, title, percent, query="?seo=true&amp;videoFoam=true"):
    tag = iframe_tag(f"/embed/iframe/{media}{query}", title, "svc_embed", "100%", "100%")
    return responsive(f"{percent}% 0 0 0", tag) + "\n" + SCRIPT


def responsive_async(media, percent, options=""):
    return LATIN_SCRIPT + responsive(
        f"{percent}% 0 28px 0",
        f'<div class="svc_embed svc_async_{media} videoFoam=true{options}" '
        'style="height:100%;width:100%">&nbsp;</div>')


def playlist_iframe(width=640, height=360):
    return iframe_tag("/embed/playlists/pl4yl1st01", "The launch films Video", "svc_playlist",
                      width, height) + "\n" + SCRIPT


def playlist_api(handle="svcPlaylist", options="{}", width=640, height=360):
    return (f'<div id="svc_pl4yl1st01" class="svc_embed" style="width:{width}px;height:{height}px;"'
            f' data-video-width="{width}" data-video-height="{height}">&nbsp;</div>\n'
            f'<script charset="ISO-8859-1" src="{EMBED_HOST}/assets/external/playlist-v1.js">'
            f'</script>\n<script>\n{handle} = svc.playlist("pl4yl1st01", {options});\n</script>')


def playlist_popover(width=150, height=100):
    return (f'{LATIN_SCRIPT}<span class="svc_embed svc_playlist_pl4yl1st01 popover=true" '
            f'style="display:inline-block;height:{height}px;width:{width}px">&nbsp;</span>')


CODES = {
    "iframe": (VIDEO, {}, iframe_code()),
    "iframe, asked for": (VIDEO, {"embedType": "iframe"}, iframe_code()),
    "iframe, a size": (VIDEO, {"width": 400}, iframe_code(width=400, height=225)),
    "iframe, options": (VIDEO, {"playerColor": "ff0000", "autoPlay": "true"},
                        iframe_code(query="?autoPlay=true&amp;playerColor=ff0000")),
    "iframe, no colour": (SMALL, {}, iframe_code("sm4ll480px", "A small film Video", "", 480, 270)),
    "async": (VIDEO, {"embedType": "async"}, async_code()),
    "async, a size": (VIDEO, {"embedType": "async", "width": 500}, async_code(width=500,
                                                                              height=281)),
    "async, options": (VIDEO, {"embedType": "async", "volume": "0", "autoPlay": "true"},
                       async_code(options=" autoPlay=true volume=0")),
    "async, handle": (VIDEO, {"embedType": "async", "handle": "myPlayer"},
                      async_code(options=" handle=myPlayer")),
    "async, default handle": (VIDEO, {"embedType": "async", "handle": "svcEmbed"}, async_code()),
    "async, popover=false": (VIDEO, {"embedType": "async", "popover": "false"}, async_code()),
    "popover": (VIDEO, {"embedType": "async_popover"}, popover_code()),
    "popover, by popover=true": (VIDEO, {"embedType": "async", "popover": "true"}, popover_code()),
    "popover, a size": (VIDEO, {"embedType": "async_popover", "width": 300},
                        popover_code(width=300, height=169)),
    "popover, a maximum": (VIDEO, {"embedType": "async_popover", "maxwidth": 300},
                           popover_code(width=300, height=169)),
    "popover, options": (VIDEO, {"embedType": "async_popover", "popoverContent": "link"},
                         popover_code(options=" popoverContent=link")),
    "responsive iframe": (VIDEO, {"videoFoam": "true"},
                          responsive_iframe("l4unchf1lm", "Launch film Video", "56.25")),
    "responsive iframe, a size": (VIDEO, {"videoFoam": "true", "width": 400},
                                  responsive_iframe("l4unchf1lm", "Launch film Video", "56.25")),
    "responsive iframe, options": (
        VIDEO, {"videoFoam": "true", "autoPlay": "true"},
        responsive_iframe("l4unchf1lm", "Launch film Video", "56.25",
                          "?autoPlay=true&amp;seo=true&amp;videoFoam=true")),
    "responsive async": (VIDEO, {"embedType": "async", "videoFoam": "true"},
                         responsive_async("l4unchf1lm", "56.25")),
    "responsive async, two decimals": (ODD, {"embedType": "async", "videoFoam": "true"},
                                       responsive_async("0dd1279717", "56.06")),
    "responsive async, no decimals needed": (
        CINEMA, {"embedType": "async", "videoFoam": "true"},
        responsive_async("cinema2391", "41.88")),
    "responsive async, portrait": (PORTRAIT, {"embedType": "async", "videoFoam": "true"},
                                   responsive_async("p0rtrait99", "177.78")),
    "videoFoam=false": (VIDEO, {"embedType": "async", "videoFoam": "false"},
                        async_code(options=" videoFoam=false")),
    "playlist iframe": (PLAYLIST, {}, playlist_iframe()),
    "playlist iframe, a size": (PLAYLIST, {"embedType": "playlist_iframe", "width": 400},
                                playlist_iframe(400, 225)),
    "playlist api": (PLAYLIST, {"embedType": "playlist_api"}, playlist_api()),
    "playlist api, handle": (PLAYLIST, {"embedType": "playlist_api", "handle": "my.list"},
                             playlist_api("my.list")),
    "playlist api, a size": (PLAYLIST, {"embedType": "playlist_api", "width": 400},
                             playlist_api(width=400, height=225)),
    "playlist popover": (PLAYLIST, {"embedType": "playlist_popover"}, playlist_popover()),
    "playlist popover, a size": (PLAYLIST, {"embedType": "playlist_popover", "width": 300},
                                 playlist_popover(300, 169)),
}


@pytest.mark.parametrize("url, query, html", CODES.values(), ids=CODES)
def test_writes_the_embed_code(oembed, url, query, html):
    assert document(oembed(url, **query))["html"] == html


def test_a_popover_does_not_change_the_size_in_the_response(oembed):
    answer = document(oembed(embedType="async_popover"))
    assert (answer["width"], answer["height"]) == (640, 360)


def test_a_playlist_has_the_total_duration_and_the_thumbnail_of_its_first_video(oembed):
    answer = document(oembed(PLAYLIST))
    assert answer["duration"] == 24.016
    assert answer["title"] == "The launch films"
    assert answer["thumbnail_url"].startswith(f"{EMBED_HOST}/deliveries/l4unchf1lm/poster.jpg?")


def test_a_playlist_passes_its_options_to_its_player_as_json(oembed):
    html = document(oembed(PLAYLIST, embedType="playlist_api", playlistLoop="true",
                           stillUrl="</script><script>alert(1)//"))["html"]
    lines = html.splitlines()
    assert len(lines) == 5
    options = re.fullmatch(r'svcPlaylist = svc\.playlist\("pl4yl1st01", (\{.*\})\);', lines[3])
    parsed = json.loads(options.group(1))
    assert sorted(parsed) == ["playlistLoop", "stillUrl"]
    assert parsed["stillUrl"] == "</script><script>alert(1)//"
    assert html.count("</script>") == 2


def test_writes_open_graph_tags(oembed):
    html = document(oembed(embedType="open_graph_tags", width=400))["html"]
    tags = {}
    for line in html.splitlines():
        found = re.fullmatch(r'<meta property="(og:[a-z_:]+)" content="([^"<>]*)">', line)
        assert found, line
        assert found.group(1) not in tags
        tags[found.group(1)] = found.group(2)
    assert len(tags) >= 8
    frame = f"{EMBED_HOST}/embed/iframe/l4unchf1lm"
    assert "l4unchf1lm" in tags.pop("og:url")
    assert tags == {
        "og:title": "Launch film", "og:type": "video.other",
        "og:image": f"{EMBED_HOST}/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=400x225",
        "og:image:width": "400", "og:image:height": "225", "og:video:secure_url": frame,
        "og:video:url": frame, "og:video:type": "text/html", "og:video:width": "400",
        "og:video:height": "225", "og:site_name": "svc"}


# --- O: options and handles ----------------------------------------------------------------------

OPTIONS = """autoPlay controlsVisibleOnLoad endVideoBehavior playerColor playbar playButton
    playbackRateControl fullscreenButton volumeControl volume muted time resumable silentAutoPlay
    smallPlayButton stillUrl preload seo doNotTrack wmode qualityControl qualityMin qualityMax
    settingsControl email popoverContent popoverAnimateThumbnail popoverSize popoverCaption
    playlistLoop playlistLinks theme plugin[a][b] plugin[a-b_1][c.d] media_0_1[x]
    videoOptions[volume]""".split()


@pytest.mark.parametrize("option", OPTIONS)
def test_oembed_O1_passes_options_to_the_player(oembed, option):
    html = document(oembed(embedType="async", **{option: "v1"}))["html"]
    assert html == async_code(options=f" {option}=v1")
    html = document(oembed(**{option: "v1"}))["html"]
    assert html == iframe_code(query=f"?{urllib.parse.quote(option, safe='')}=v1")


@pytest.mark.parametrize("name", [
    "autoplay", "AUTOPLAY", "onload", "class", "style", "src", "autoPlay ", " autoPlay",
    "autoPlay\"", "plugin", "plugin[]", "plugin[a", "plugin[a]x", "plugin[a b]", "plugin[a]['x']",
    "plugin[\"><script>]", "plugin[<]", "videoOptions", "media_x_1[a]", "media_1[a]", "media_1_[a]",
    "xplugin[a]", "autoPlay[a]", "__proto__", "constructor", "plugin[" + "a" * 200 + "]"])
def test_oembed_O1_drops_other_parameters(oembed, name):
    assert document(oembed(**{name: "v1"}))["html"] == iframe_code()
    assert document(oembed(embedType="async", **{name: "v1"}))["html"] == async_code()


@pytest.mark.parametrize("value, encoded", [
    ("a b", "a%20b"), ("a+b", "a%2Bb"), ("&", "%26"), ("<>\"'", "%3C%3E%22%27"), ("é", "%C3%A9"),
    ("a=b", "a%3Db"), ("-._~", "-._~"), ("/?#[]@:", "%2F%3F%23%5B%5D%40%3A"), ("%41", "%2541"),
    ("!$()*,;", "%21%24%28%29%2A%2C%3B"), ("", ""), ("\n\t", "%0A%09"), ("\0", "%00")])
def test_oembed_O2_encodes_values(oembed, value, encoded):
    assert document(oembed(theme=value))["html"] == iframe_code(query=f"?theme={encoded}")
    assert (document(oembed(embedType="async", theme=value))["html"]
            == async_code(options=f" theme={encoded}"))


def test_oembed_O2_encodes_bytes_that_are_not_utf_8(front):
    html = document(front.request(f"/oembed?url={VIDEO}&theme=%ff%fe"))["html"]
    assert html == iframe_code(query="?theme=%FF%FE")


def test_oembed_O2_sorts_by_name(oembed):
    given = {"volume": "1", "plugin[b]": "2", "autoPlay": "3", "plugin[a]": "4", "email": "5"}
    assert document(oembed(**given))["html"] == iframe_code(
        query="?autoPlay=3&amp;email=5&amp;plugin%5Ba%5D=4&amp;plugin%5Bb%5D=2&amp;volume=1")
    assert document(oembed(embedType="async", **given))["html"] == async_code(
        options=" autoPlay=3 email=5 plugin[a]=4 plugin[b]=2 volume=1")


@pytest.mark.parametrize("handle", ["a", "my.player", "$p", "_1", "players.main", "h" * 64])
def test_oembed_O3_assigns_the_player_to_a_handle(oembed, handle):
    assert document(oembed(embedType="async", handle=handle))["html"] == async_code(
        options=f" handle={urllib.parse.quote(handle, safe='')}")
    assert document(oembed(PLAYLIST, embedType="playlist_api", handle=handle))["html"] == (
        playlist_api(handle))


@pytest.mark.parametrize("handle", ["", "1a", "a-b", "a b", "a..b", "alert(1)", "a=1;b", "var",
                                    "a.class", "h" * 65, "é", "</script>", "a[0]", "x\n", "app.__proto__.isAdmin",
                                    "__proto__", "app.prototype.x", "app.constructor.prototype.x", "app.toString.x",
                                    "document.body.innerHTML", "window.location", "window.players.main", "top.app",
                                    "onerror", "svc.players"])
def test_oembed_O3_falls_back_to_the_default_handle(oembed, handle):
    assert document(oembed(embedType="async", handle=handle))["html"] == async_code()
    assert document(oembed(PLAYLIST, embedType="playlist_api", handle=handle))["html"] == (
        playlist_api())


@pytest.mark.parametrize("url, query, html", [
    (VIDEO, {}, iframe_code()), (VIDEO, {"embedType": "async_popover"}, popover_code()),
    (PLAYLIST, {}, playlist_iframe())])
def test_oembed_O3_other_codes_have_no_handle(oembed, url, query, html):
    assert document(oembed(url, **query, handle="myPlayer"))["html"] == html
