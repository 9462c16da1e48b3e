"""list_groups: lists of media from an account of a million, and from one of a thousand."""

import collections
import functools
import http.client
import itertools
import json
import re
import subprocess
import threading
import urllib.parse

import processes
from redis_client import Client

from . import service
from .loads import Load, ratio
from .results import at_least, at_most, number

SMALL = 1000
PAGE = 100
# Numbers of media that no other group uses, so that both accounts are new.
FIRST_LARGE, FIRST_SMALL = 20_000_000, 30_000_000
PAGES = {
    "the first page": {},
    "by name": {"sort_by": "name"},
    "by the time of the last change, descending": {"sort_by": "updated", "sort_direction": 0},
    "the hundredth page": {"page": 100},
}
CLIENTS = 64
# The pauses of a client between two pages, in ms. Without pauses the pages of 64 clients wait for each other:
# their latency is then 64 times the processor time of one.
PAUSES = (0, 150, 1000)


def _paths(token, queries):
    return [f"/v1/medias?{urllib.parse.urlencode({'access_token': token, 'per_page': PAGE, **query})}" for query in queries]


def _walk(front, token, pages):
    """The queries of a walk by cursor, from its beginning on."""
    queries = [{"cursor[enabled]": 1}]
    for _ in range(pages):
        last = json.loads(front.get(_paths(token, queries[-1:])[0]))[-1]
        queries.append({"cursor[enabled]": 1, "cursor[after]": last["cursor"]})
    return queries


class _Changes(threading.Thread):
    """Deletes media of the account one by one, and adds another after each in the order of lists, until `ended`."""

    def __init__(self, bench, lines):
        super().__init__()
        self.bench, self.lines = bench, lines
        self.deleted, self.ended, self.failed = set(), threading.Event(), None

    def run(self):
        file = self.bench.directory / "added.jsonl"
        try:
            for line in itertools.takewhile(lambda _: not self.ended.is_set(), self.lines):
                media = json.loads(line)
                self.deleted.add(media["id"])
                self.bench.service.svcctl("media", "delete", media["id"], "--yes")
                file.write_text(json.dumps({**media, "id": media["id"] + "x"}) + "\n")
                self.bench.service.svcctl("import", file)
        except processes.Failed as failed:
            self.failed = failed


def _seen(front, token):
    """How often a walk by cursor sees each id."""
    seen, query = collections.Counter(), {"cursor[enabled]": 1}
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    while True:
        connection.request("GET", _paths(token, [query])[0])
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise processes.Failed(f"a page of a walk is {answer.status}: {text!r}")
        if not (page := json.loads(text)):
            return seen
        seen.update(media["hashed_id"] for media in page)
        query = {"cursor[enabled]": 1, "cursor[after]": page[-1]["cursor"]}


def _used(redis):
    """The bytes that Redis has allocated."""
    return int(re.search(r"used_memory:(\d+)", redis.command("INFO", "memory"))[1])


def lists(bench):
    """Pages of 100 media from accounts of different sizes, and their latency for many clients."""
    rows, front, make = functools.partial(bench.results.row, "lists"), bench.service, bench.requests
    large = 100_000 if bench.settings.quick else 1_000_000
    tokens, used, redis = {}, {}, Client(front.redis_state)
    for count, first in ((SMALL, FIRST_SMALL), (large, FIRST_LARGE)):
        bench.progress.say(f"lists: importing an account of {count:,} media")
        file, account = bench.directory / "lists.jsonl", 1 + first // count
        with open(file, "wb") as out:
            subprocess.run([service.TOP / "scripts" / "make-catalog", str(count), "--first", str(first), "--per-account",
                            str(count)], stdout=out, check=True)
        before = _used(redis)
        front.svcctl("import", file)
        used[count] = (_used(redis) - before) / count
        with open(file, encoding="utf-8") as lines:
            # Those that change are spread over the whole account.
            media = [(json.loads(line)["id"], line if i % max(8, large // 1000) == 7 else None)
                     for i, line in enumerate(line for line in lines if line.startswith('{"kind":"media"'))]
        file.unlink()
        tokens[count] = bench.granted.token_of(account)

    parts = {**front.parts, "workers": front.pids("grant")}
    far = 20 if bench.settings.quick else 500
    loads = [Load(f"{size}: {name}", front.url, make.file(f"list-{size}-{i}", _paths(token, [query])), parts=parts)
             for size, token in tokens.items() for i, (name, query) in enumerate(PAGES.items()) if size > SMALL or "page" not in query]
    walk = _walk(front, tokens[large], far)
    loads += [Load(f"{large}: {name}", front.url, make.file(f"walk-{i}", _paths(tokens[large], queries)), parts=parts)
              for i, (name, queries) in enumerate({"a walk's beginning": walk[:10], "a walk's end": walk[-10:]}.items())]
    figures = bench.rounds("lists", loads, bench.settings.short)
    paths = make.file("list-clients", _paths(tokens[large], [*PAGES.values(), *walk[:20], *walk[-20:]]))
    clients = bench.rounds("lists for many clients", [
        Load(f"{pause} ms", front.url, paths, connections=CLIENTS, pause=pause, parts=parts) for pause in PAUSES],
        seconds=8, warm_up=False, lead=2)
    bench.progress.say(f"lists: a walk over {large:,} media while others are deleted and added")
    changes = _Changes(bench, (line for _, line in media if line))
    changes.start()
    seen = _seen(front, tokens[large])
    changes.ended.set()
    changes.join()
    if changes.failed:
        raise changes.failed
    missed = sum(seen[each] != 1 for each, _ in media if each not in changes.deleted)
    bench.results.figures("lists", rounds=figures, clients=clients, large=large)

    for name, query in PAGES.items():
        if "page" not in query:
            rows(f"lists of {PAGE}, {name}: of {number(large)} media against {number(SMALL)}",
                 ratio(figures, f"{large}: {name}", f"{SMALL}: {name}"), at_least(0.9), " ×")
    rows(f"lists of {PAGE} by cursor: page {far} against the first ones",
         ratio(figures, f"{large}: a walk's end", f"{large}: a walk's beginning"), at_least(0.9), " ×")
    rows(f"lists of {PAGE} of {number(large)} media a second", sorted(
        each["rate"] for each in figures[f"{large}: the first page"])[bench.settings.rounds // 2])
    rows(f"media of {number(large)} that a walk did not see exactly once, while {len(changes.deleted)} were deleted and added",
         missed, at_most(0))
    rows(f"bytes in Redis per media, with its indexes, in an account of {number(large)}", used[large], at_most(1500))
    for pause in PAUSES:
        rows(f"p99 of lists of {PAGE} of {number(large)} media, {CLIENTS} clients that pause {pause} ms", sorted(
            each["p99"] for each in clients[f"{pause} ms"])[bench.settings.rounds // 2],
            at_most(10) if pause == PAUSES[-1] else None, " ms")
