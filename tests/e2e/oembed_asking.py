"""oembed_asking: requests for oEmbed."""

import json
import urllib.parse

from fastcgi_client import Connection
from stack import catalog_lines

ACME = "https://acme.svc.localhost"
VIDEO = f"{ACME}/medias/l4unchf1lm"  # 1920 × 1080
VIDEO_QUERY, PLAYLIST_QUERY = (urllib.parse.urlencode({"url": url}) for url in (
    VIDEO, f"{ACME}/embed/playlists/pl4yl1st01"))
HOT = VIDEO_QUERY  # its response is cached


def query(media):
    return urllib.parse.urlencode({"url": f"{ACME}/medias/{media}"})


def start(stack):
    """Starts nginx and a pool with the demonstration catalog."""
    stack.import_catalog()
    stack.start_pool("embed")
    return stack.start_shipped_nginx()


def asking(front):
    """Returns a function that requests /oembed for the film, with these parameters."""
    return lambda **parameters: front.request("/oembed?" + urllib.parse.urlencode({"url": VIDEO, **parameters}))


def document(answer):
    """Returns the response's JSON."""
    assert answer.status == 200, answer
    assert answer.header("Content-Type") == "application/json; charset=utf-8"
    return json.loads(answer.body)


def title(answer):
    return document(answer)["title"]


def catalog_with(stack, media="l4unchf1lm", **changes):
    """Writes a catalog file that contains only that media's line, changed, and returns its path."""
    (line,) = [one for one in catalog_lines() if one["kind"] == "media" and one["id"] == media]
    path = stack.directory / "change.jsonl"
    path.write_text(json.dumps({**line, **changes}) + "\n")
    return path


class Everybody:
    """Enough connections that each worker of the pool has some, so that each worker's memory is tested."""

    def __init__(self, pool, count=12):
        self.connections = [Connection(pool.socket) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()

    def titles(self):
        return {title(connection.request("/oembed", HOT)) for connection in self.connections}


def import_media(stack, like, **changes):
    """Imports a copy of a media of the demonstration catalog with these changes."""
    media = next(one for one in catalog_lines() if one["kind"] == "media" and one["id"] == like)
    needed = [one for one in catalog_lines() if one["kind"] in ("account", "project")]
    catalog = stack.directory / "more.jsonl"
    catalog.write_text("".join(json.dumps(one) + "\n" for one in [*needed, {**media, **changes}]))
    stack.import_catalog(catalog)
