"""oEmbed through nginx with the shipped files. Unit tests have the tables of URLs, parameters, sizes and codes."""

import json
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from oembed_asking import (ACME, CACHE_AGE, COMMON_HEADERS, ERROR_KEYS, MAX_AGE, NEGATIVE, STALE, VIDEO, asking,
                           check_error, document, start)
from processes import wait_until
from stack import EMBED_HOST


@pytest.fixture(scope="module", name="front")
def fixture_front(module_stack):
    return start(module_stack)


@pytest.fixture(name="oembed")
def fixture_oembed(front):
    return asking(front)


DESCRIPTION = {
    "version": "1.0", "type": "video",
    "html": f'<iframe src="{EMBED_HOST}/embed/iframe/l4unchf1lm" title="Launch film Video" allow="autoplay; fullscreen" '
            'allowtransparency="true" frameborder="0" scrolling="no" class="svc_embed" name="svc_embed" '
            'msallowfullscreen width="640" height="360"></iframe>\n'
            f'<script src="{EMBED_HOST}/assets/external/E-v1.js" async></script>',
    "width": 640, "height": 360, "provider_name": "svc", "provider_url": "https://www.svc.example",
    "title": "Launch film",
    "thumbnail_url": f"{EMBED_HOST}/deliveries/l4unchf1lm/poster.jpg?image_crop_resized=640x360",
    "thumbnail_width": 640, "thumbnail_height": 360, "player_color": "54bbff", "duration": 8.008,
    "cache_age": CACHE_AGE}


@pytest.mark.parametrize("path, kind", [("/oembed", "json"), ("/oembed/", "json"), ("/oembed.json", "json"),
                                        ("/oembed.xml", "xml"), ("/oembed?format=xml", "xml")])
def test_oembed_E1_answers_in_the_requested_format(front, path, kind):
    answer = front.request(f"{path}{'&' if '?' in path else '?'}url={VIDEO}")
    if kind == "json":
        assert list(document(answer).items()) == list(DESCRIPTION.items())
    else:
        assert answer.header("Content-Type") == "text/xml; charset=utf-8"
        assert [(child.tag, child.text) for child in ElementTree.fromstring(answer.body)] == [
            (key, str(value)) for key, value in DESCRIPTION.items()]


@pytest.mark.parametrize("path", ["/oembed.yaml", "/oembed.json/", "/oembed//x", "/OEMBED",
                                  "/oembedx", "/oembed.xml.json", "/oembed/json"])
def test_oembed_E1_other_paths_are_404(front, path):
    answer = front.request(f"{path}?url={VIDEO}")
    assert answer.status == 404
    assert list(json.loads(answer.body)) == ERROR_KEYS


@pytest.mark.parametrize("query, status", [
    ("", 404), ("url=https://elsewhere.example/medias/l4unchf1lm", 404), (f"url={ACME}/medias/aud10only1", 501)])
def test_refuses_briefly_in_the_form_of_the_path(front, query, status):
    for path in ("/oembed", "/oembed.xml"):
        answer = front.request(f"{path}?{query}")
        check_error(answer, status, "elsewhere", "l4unchf1lm", "aud10only1")
        assert answer.header("Cache-Control") == f"public, max-age={NEGATIVE}"


def test_returns_503_while_the_store_is_unavailable_and_recovers(stack):
    stack.import_catalog()
    pool = stack.start_pool("embed")
    front = stack.start_shipped_nginx()
    stack.redis_state.stop()
    targets = [f"{path}?{urllib.parse.urlencode({'url': VIDEO})}" for path in ("/oembed.json", "/oembed.xml")]
    for target in targets:
        answer = front.request(target)
        assert answer.status == 503
        assert int(answer.header("Retry-After")) >= 1
        assert target[8:].partition("?")[0] in answer.header("Content-Type")
        check_error(answer, 503, "l4unchf1lm")
    # Requests that need no store succeed as usual.
    check_error(front.request("/oembed?url=https://elsewhere.example/"), 404)
    stack.redis_state.start()
    stack.import_catalog()
    for target in targets:
        wait_until(lambda: front.request(target).status == 200, "the store is noticed")  # pylint: disable=W0640
    assert not pool.events("worker.killed")


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
    assert "callback" not in query or answer.body == b"/**/cb(" + oembed().body + b");"
