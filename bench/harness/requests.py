"""requests: files of requests for bench/requests.lua: one line per request, sent in that order, repeatedly."""

import json
import random
import urllib.parse
from pathlib import Path

HOT = 1000  # media of the hot set


def oembed(media_id, more="", path="/oembed", of=""):
    """`more` are parameters of the request, `of` those of the media's URL."""
    url = urllib.parse.quote(f"http://svc.localhost/medias/{media_id}{of}", safe="")
    return f"{path}?{more}url={url}"


def manifest(media_id):
    return f"/embed/medias/{media_id}.m3u8"


def embeddable_ids(catalog):
    """Returns the ids of a catalog from scripts/make-catalog that have an embed code, in its order."""
    start, ids = '{"kind":"media","id":"', []
    with open(catalog, encoding="utf-8") as lines:
        for line in lines:
            # Not json.loads: there may be a million of them.
            if line.startswith(start) and '"status":"ready"' in line and '"type":"Video"' in line:
                ids.append(line[len(start):line.index('"', len(start))])
    return ids


class Requests:
    """Writes the files, the same ones for the same seed."""

    def __init__(self, directory, seed=42):
        self.directory, self.source = Path(directory), random.Random(seed)

    def file(self, name, lines):
        path = self.directory / f"{name}.requests"
        path.write_text("\n".join(lines) + "\n")
        return path

    def zipf(self, ids, count=50_000):
        """Draws from them: the second is asked for half as often as the first, the third a third as often …"""
        return self.source.choices(ids, [1 / (rank + 1) for rank in range(len(ids))], k=count)

    def random_ids(self, count=50_000):
        """Unknown ids."""
        letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        return ["zz" + "".join(self.source.choices(letters, k=8)) for _ in range(count)]

    def hot(self, ids):
        return self.file("hot", map(oembed, self.zipf(ids[:HOT])))

    def uniform(self, name, ids, count=200_000):
        return self.file(name, map(oembed, self.source.choices(ids, k=count)))

    def storm(self):
        return self.file("storm", map(oembed, self.random_ids()))

    def manifests(self, ids):
        return self.file("manifests", map(manifest, self.zipf(ids[:HOT])))

    def mixed_lines(self, ids, count=50_000):
        """Formats, embed types, sizes and players, as many consumers ask."""
        kinds = [lambda i: oembed(i), lambda i: oembed(i, path="/oembed.json"), lambda i: oembed(i, path="/oembed.xml"),
                 lambda i: oembed(i, "format=xml&"), lambda i: oembed(i, "callback=show&"),
                 lambda i: oembed(i, "maxwidth=640&"), lambda i: oembed(i, "maxwidth=400&maxheight=300&"),
                 lambda i: oembed(i, of="?embedType=async"), lambda i: oembed(i, of="?embedType=async_popover"),
                 lambda i: oembed(i, of="?embedType=async&videoFoam=true"),
                 lambda i: oembed(i, of="?embedType=open_graph_tags"), lambda i: oembed(i, of="?embedType=web_component"),
                 lambda i: oembed(i, of="?playerColor=ff0000&autoPlay=true")]
        return [kind(media) for media, kind in zip(self.zipf(ids[:HOT], count), self.source.choices(kinds, k=count))]

    def mixed(self, ids):
        return self.file("mixed", self.mixed_lines(ids))

    def bearer(self, media_id, tokens, name="bearer"):
        return self.file(name, (f"GET\t/v1/medias/{media_id}\tBearer {token}" for token in tokens))

    def beacons(self, tickets, sessions, events):
        """What players of these media tell; `tickets`: id → its ticket. The same sessions again and again."""
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        views = [(media, "".join(self.source.choices(letters, k=14)) + tickets[media])
                 for media in self.source.choices(list(tickets), k=sessions)]
        told = ["load", "play", *(f"seen {part * 2}-{part * 2 + 1}" for part in range(events - 2))]
        return self.file("beacons", (f"BEACON\t/embed/medias/{media}/viewing\t\tv1 {view} {what}"
                                     for what in told for media, view in views))

    def posts(self, name, path, bodies):
        return self.file(name, (f"POST\t{path}\t\t{urllib.parse.urlencode(body)}" for body in bodies))

    def day(self, ids, media_id, access_tokens, refresh_bodies):
        """The mix of a day, by shares of requests: mostly hot media, some of the whole catalog, a little of everything
        else."""
        count = 50_000
        shares = {
            "hot": (70, map(oembed, self.zipf(ids[:HOT], count))),
            "any": (10, map(oembed, self.source.choices(ids, k=count))),
            "mixed": (8, iter(self.mixed_lines(ids, count))),
            "manifest": (6, map(manifest, self.zipf(ids[:HOT], count))),
            "unknown": (3, map(oembed, self.random_ids(count))),
            "bearer": (2, (f"GET\t/v1/medias/{media_id}\tBearer {token}"
                           for token in self.source.choices(access_tokens, k=count))),
            "refresh": (1, (f"POST\t/oauth/token\t\t{urllib.parse.urlencode(body)}"
                            for body in self.source.choices(refresh_bodies, k=count))),
        }
        order = self.source.choices(list(shares), [share for share, _ in shares.values()], k=count)
        return self.file("day", (next(shares[name][1]) for name in order))


def store_renderings(redis, front, ids):
    """Stores the service's responses for the hot set where the peers read them. Returns the first response."""
    first = None
    for start in range(0, len(ids), 100):
        commands = []
        for media_id in ids[start:start + 100]:
            body = front.get(oembed(media_id))
            first = first or body
            commands.append(("SET", f"bench:rendering:{media_id}", body))
        redis.commands(commands)
    json.loads(first)
    return first
