"""The public HTML pages: discovery, cards, the page of embed codes."""

import html.parser
import json
import urllib.parse

import pytest

import stack as stacks


class Document(html.parser.HTMLParser):
    """The elements in order, as (name, attributes), and the text of each textarea."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "textarea":
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


@pytest.mark.parametrize(("path", "status"), [
    ("/medias/nobodyhasthis", 404), ("/medias/aud10only1", 501), ("/embed/iframe/qu3u3d0001", 501),
    ("/embed/iframe/%3Cscript%3E", 404), ("/embed/playlists/pl4yempty0", 501), ("/embed/playlists/l4unchf1lm", 404)])
def test_a_page_without_a_video_explains_it(pool, path, status):
    document = page(pool, path, status=status)
    assert document.all("meta", name="robots") and not document.all("video") and not document.all("script")
    # The page of embed codes is available on the web application's host only, and in no frame.
    links = [] if path.startswith("/embed/") else [stacks.HOSTS["app-url"] + "/embed-codes"]
    assert [link["href"] for link in document.all("a")] == links


def test_a_video_without_a_manifest_plays_its_file(pool):
    (source,) = page(pool, "/embed/iframe/mp4only001").all("source")
    assert source["type"] == "video/mp4"


def test_only_players_may_be_framed(pool):
    policy = lambda path: pool.request(path).headers["content-security-policy"]  # noqa: E731
    assert "frame-ancestors" not in policy("/embed/iframe/l4unchf1lm")
    assert "frame-ancestors 'none'" in policy("/medias/l4unchf1lm")
    assert "frame-ancestors 'none'" in policy("/embed-codes")


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
