"""The public HTML pages: discovery, cards, escaping, the page of embed codes."""

import html.parser
import json
import re
import urllib.parse

import pytest

import stack as stacks

HOSTILE = "\"><script>alert('svc')</script> & <b>bold</b> ]]> 'quoted'"


class Document(html.parser.HTMLParser):
    """The elements in order, as (name, attributes), and the text of each textarea, title and h1."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("textarea", "title", "h1"):
            self._inside = tag
            self.texts.append([tag, ""])

    def handle_endtag(self, tag):
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data):
        if self._inside:
            self.texts[-1][1] += data

    def all(self, tag, **having):
        return [attributes for name, attributes in self.elements if name == tag
                and all(attributes.get(key.rstrip("_")) == value for key, value in having.items())]

    def text(self, tag):
        return [text for name, text in self.texts if name == tag]


@pytest.fixture(scope="module")
def pool(module_stack):
    module_stack.import_catalog()
    return module_stack.start_pool(workers=2)


def page(pool, path, query="", status=200):
    answer = pool.request(path, query)
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "unsafe" not in answer.headers["content-security-policy"]
    return Document(answer.body.decode())


@pytest.mark.parametrize("path", ["/medias/l4unchf1lm", "/medias/l4unchf1lm/manage", "/embed/iframe/l4unchf1lm",
                                  "/embed/playlists/pl4yl1st01"])
def test_each_page_links_to_its_oembed_response(pool, path):
    document = page(pool, path)
    for kind, form in (("application/json+oembed", "json"), ("text/xml+oembed", "xml"),
                       ("application/xml+oembed", "xml")):
        (link,) = document.all("link", type=kind)
        url = urllib.parse.urlsplit(link["href"])
        assert f"{url.scheme}://{url.netloc}" == stacks.HOSTS["oembed-url"]
        query = urllib.parse.parse_qs(url.query)
        assert set(query) == {"url", "format"} and query["format"] == [form]
        assert pool.request(url.path, url.query).status == 200
    (card,) = document.all("meta", name="twitter:player")
    (video,) = document.all("meta", property="og:video:url")
    assert card["content"] == video["content"]
    assert pool.request(urllib.parse.urlsplit(card["content"]).path).status == 200


@pytest.mark.parametrize("path", ["/medias/xss0title1", "/embed/iframe/xss0title1"])
def test_oembed_R5_a_hostile_title_is_escaped_on_every_page(pool, path):
    document = page(pool, path)
    assert document.text("title") == [HOSTILE]
    assert all(attributes.get("src", "").startswith(stacks.EMBED_HOST) for attributes in document.all("script")
               if attributes.get("type") != "application/ld+json")
    assert not document.all("b")
    assert document.all("meta", property="og:title")[0]["content"] == HOSTILE


@pytest.mark.parametrize(("path", "status"), [
    ("/medias/nobodyhasthis", 404), ("/medias/aud10only1", 501), ("/embed/iframe/qu3u3d0001", 501),
    ("/embed/iframe/%3Cscript%3E", 404), ("/embed/playlists/pl4yempty0", 501), ("/embed/playlists/l4unchf1lm", 404)])
def test_a_page_without_a_video_explains_it(pool, path, status):
    document = page(pool, path, status=status)
    assert document.all("meta", name="robots") and not document.all("video") and not document.all("script")
    # The page of embed codes is available on the web application's host only, and in no frame.
    links = [] if path.startswith("/embed/") else [stacks.HOSTS["app-url"] + "/embed-codes"]
    assert [link["href"] for link in document.all("a")] == links


def test_pages_W9_the_media_page_describes_the_video_for_other_sites(pool):
    document = page(pool, "/medias/mp4only001")
    (iframely,) = document.all("link", rel="iframely player")
    assert iframely["media"] == "(aspect-ratio: 640/360)"
    assert iframely["href"] == f"{stacks.EMBED_HOST}/embed/iframe/mp4only001"
    (file,) = document.all("meta", property="og:video")
    assert file["content"].endswith("/deliveries/clipmp4/360p.mp4")
    assert document.all("link", rel="icon")[0]["href"].endswith("/assets/icon.svg")
    film = page(pool, "/medias/l4unchf1lm")
    assert film.all("meta", property="og:description")[0]["content"] == "The film that every example embeds."
    assert not film.all("meta", property="og:video")


@pytest.mark.parametrize("media", ["l4unchf1lm", "xss0title1", "un1c0de777", "p0rtrait99", "mp4only001"])
def test_pages_W9_the_structured_data_is_json_that_cannot_end_its_element(pool, media):
    body = pool.request(f"/medias/{media}").body.decode()
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', body, re.S)
    assert "<" not in text and ">" not in text
    video = json.loads(text)
    url = urllib.parse.quote(f"{stacks.EMBED_HOST}/medias/{media}", safe="")
    answer = json.loads(pool.request("/oembed", f"url={url}").body)
    assert video["@type"] == "VideoObject" and video["name"] == answer["title"]
    assert video["duration"] == f"PT{answer['duration']:g}S" and video["thumbnailUrl"] == answer["thumbnail_url"]
    assert ("contentUrl" in video) == (media == "mp4only001")


def test_pages_W9_what_to_share_is_in_the_page_as_text(pool):
    document = page(pool, "/medias/p0rtrait99")
    (link,) = document.all("input", id="page-link")
    assert link["value"] == f"{stacks.EMBED_HOST}/medias/p0rtrait99" and "readonly" in link
    url = urllib.parse.quote(link["value"], safe="")
    assert document.text("textarea") == [json.loads(pool.request("/oembed", f"url={url}").body)["html"]]
    (stage,) = document.all("img")
    width, height = map(int, re.findall(r'(?:width|height)="(\d+)"', urllib.parse.unquote(stage["src"])))
    assert width * 1920 == height * 1080, "the ratio of the video"


def test_a_video_without_a_manifest_plays_its_file(pool):
    (source,) = page(pool, "/embed/iframe/mp4only001").all("source")
    assert source["type"] == "video/mp4"


def test_only_players_may_be_framed(pool):
    policy = lambda path: pool.request(path).headers["content-security-policy"]  # noqa: E731
    assert "frame-ancestors" not in policy("/embed/iframe/l4unchf1lm")
    assert "frame-ancestors 'none'" in policy("/medias/l4unchf1lm")
    assert "frame-ancestors 'none'" in policy("/embed-codes")


@pytest.mark.parametrize("path", ["/oembed", "/embed/medias/l4unchf1lm.m3u8", "/embed/medias/l4unchf1lm.json",
                                  "/embed/playlists/pl4yl1st01.json", "/embed/iframe/l4unchf1lm"])
def test_pages_W26_isolated_pages_may_load_it(pool, path):
    headers = pool.request(path, "url=x" if path == "/oembed" else "").headers
    assert headers["cross-origin-resource-policy"] == "cross-origin"


@pytest.mark.parametrize("choice", ["", "embedType=async&width=500", "embedType=async_popover", "videoFoam=true",
                                    "embedType=async&videoFoam=true&playerColor=ff0000", "embedType=open_graph_tags"])
def test_the_page_of_embed_codes_shows_the_oembed_response(pool, choice):
    """Without JavaScript: the request that the form sends."""
    query = "url=l4unchf1lm" + ("&" + choice if choice else "")
    document = page(pool, "/embed-codes", query)
    url = urllib.parse.quote(f"{stacks.EMBED_HOST}/medias/l4unchf1lm", safe="")
    answer = json.loads(pool.request("/oembed", f"url={url}" + ("&" + choice if choice else "")).body)
    assert document.text("textarea")[0] == answer["html"]
    assert json.loads(document.text("textarea")[1]) == answer


def test_the_page_of_embed_codes_has_templates_to_copy(pool):
    codes = page(pool, "/embed-codes").text("textarea")
    assert len(codes) == 5, "no AMP without a component"
    assert 'style="height:366px;width:600px"' in codes[0]
    assert "?seo=true&amp;videoFoam=false" in codes[3] and 'width="640" height="360"' in codes[3]


def test_pages_W10_the_page_of_embed_codes_has_amp_codes_if_a_component_is_configured(stack):
    stack.write_config(amp_script_url="https://amp.example/player.js")
    stack.import_catalog()
    codes = page(stack.start_pool(workers=1), "/embed-codes", "url=l4unchf1lm").text("textarea")
    assert codes[-2:] == [
        '<script async custom-element="amp-svc-player" src="https://amp.example/player.js"></script>',
        '<amp-svc-player data-media-hashed-id="l4unchf1lm" width="512" height="360"></amp-svc-player>']


def test_every_placeholder_of_the_templates_is_explained(pool):
    answer = pool.request("/embed-codes")
    codes = "".join(Document(answer.body.decode()).text("textarea"))
    assert set(re.findall(r"\b(?:ID|TITLE)\b", codes)) == {"ID", "TITLE"}
    (words,) = re.findall(r"<p>[^\n]*building by hand[^\n]*", answer.body.decode())
    assert re.findall("<code>(.*?)</code>", words) == ["ID", "TITLE"]


@pytest.mark.parametrize("pasted", ["pl4yl1st01", " pl4yl1st01 ", f"{stacks.EMBED_HOST}/embed/playlists/pl4yl1st01"])
def test_the_page_of_embed_codes_accepts_the_id_of_a_playlist(pool, pasted):
    shown = page(pool, "/embed-codes", "url=" + urllib.parse.quote(pasted)).text("textarea")
    url = urllib.parse.quote(f"{stacks.EMBED_HOST}/embed/playlists/pl4yl1st01", safe="")
    answer = json.loads(pool.request("/oembed", f"url={url}").body)
    assert shown[0] == answer["html"] and json.loads(shown[1]) == answer


@pytest.mark.parametrize("pasted", ["nope1", "http://evil.example/medias/l4unchf1lm", "\"><script>alert(1)</script>",
                                    "a\x00\x1b", "aud10only1", "%ff%fe"])
def test_the_page_of_embed_codes_reports_invalid_input(pool, pasted):
    document = page(pool, "/embed-codes", "url=" + urllib.parse.quote(pasted))
    (field,) = document.all("input", id="url")
    assert field["aria-describedby"] == "url-hint url-problem" and document.all("span", id="url-problem")
    (summary,) = document.all("div", role="alert")
    assert "autofocus" in summary and summary["tabindex"] == "-1" and document.all("a", href="#url")
    assert len(document.all("script")) == 2, "ours"
    raw = pool.request("/embed-codes", "url=" + urllib.parse.quote(pasted)).body
    raw.decode()
    assert b"\x00" not in raw and b"\x1b" not in raw


def test_oembed_E27_the_registry_entry_lists_the_recognised_urls(pool):
    (entry,) = json.loads(pool.request("/providers.json").body)
    (endpoint,) = entry["endpoints"]
    assert endpoint["url"] == stacks.HOSTS["oembed-url"] + "/oembed" and endpoint["discovery"] is True
    assert "example_urls" not in endpoint, "no example-media is set"
    for scheme in endpoint["schemes"]:
        media = "pl4yl1st01" if "playlists" in scheme else "l4unchf1lm"
        url = scheme.replace("://*.", "://acme.").replace("*", media)
        assert pool.request("/oembed", "url=" + urllib.parse.quote(url, safe="")).status == 200, scheme
    assert b"Disallow" not in pool.request("/robots.txt").body
