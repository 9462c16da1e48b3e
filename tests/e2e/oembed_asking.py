"""oembed_asking: the requests of the oEmbed contract's tests, and checks for every response."""

import json
import urllib.parse
import xml.etree.ElementTree as ElementTree

from stack import CATALOG

ACME = "https://acme.svc.localhost"
VIDEO = f"{ACME}/medias/l4unchf1lm"  # 1920 × 1080
VIDEO_QUERY, PLAYLIST_QUERY = (urllib.parse.urlencode({"url": url}) for url in (
    VIDEO, f"{ACME}/embed/playlists/pl4yl1st01"))
ERROR_KEYS = ["error"]

MAX_AGE, STALE, NEGATIVE, CACHE_AGE = 120, 30, 7, 900  # differ from the defaults, so that the tests see the configured values


def start(stack):
    """Starts nginx and a pool with the demonstration catalog."""
    stack.write_config(oembed_max_age=MAX_AGE, oembed_stale_while_revalidate=STALE, oembed_negative_max_age=NEGATIVE,
                       oembed_cache_age=CACHE_AGE)
    stack.import_catalog()
    stack.start_pool("embed")
    return stack.start_shipped_nginx()


def asking(front):
    """Returns a function that requests /oembed for a URL, with parameters of the top level."""
    def ask(url=VIDEO, *, path="/oembed", method="GET", headers=(), **parameters):
        query = urllib.parse.urlencode({**({} if url is None else {"url": url}), **parameters},
                                       quote_via=urllib.parse.quote)
        return front.request(f"{path}?{query}", method=method, headers=headers)
    return ask


def document(answer):
    """Returns the response's JSON."""
    assert answer.status == 200, answer
    assert answer.header("Content-Type") == "application/json; charset=utf-8"
    return json.loads(answer.body)


def check_error(answer, status, *secrets):
    """Checks the common form of all errors, and that none of `secrets` is in it."""
    assert answer.status == status, answer
    text = answer.body.decode()
    if answer.header("Content-Type") == "text/xml; charset=utf-8":
        assert text.startswith("<?xml ")
        root = ElementTree.fromstring(text)
        assert root.tag == "error" and root.text and len(root) == 0 and not root.attrib
    else:
        assert answer.header("Content-Type") == "application/json; charset=utf-8"
        error = json.loads(text)
        assert list(error) == ERROR_KEYS and isinstance(error["error"], str) and error["error"]
    for secret in secrets:
        assert secret not in text
    for name, value in COMMON_HEADERS.items():
        assert answer.header(name) == value


def import_media(stack, like, **changes):
    """Imports a copy of a media of the demonstration catalog with these changes."""
    records = [json.loads(line) for line in CATALOG.read_text().split("\n") if line]
    media = next(one for one in records if one["kind"] == "media" and one["id"] == like)
    needed = [one for one in records if one["kind"] in ("account", "project")]
    catalog = stack.directory / "more.jsonl"
    catalog.write_text("".join(json.dumps(one) + "\n" for one in [*needed, {**media, **changes}]))
    stack.import_catalog(catalog)


COMMON_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Timing-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
}
