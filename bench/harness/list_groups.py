"""list_groups: lists of media from an account of a million, and from one of a thousand."""

import functools
import json
import subprocess
import urllib.parse

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
# What a client waits between a page and its next one, in ms. Without pauses the pages of 64 clients wait for each other:
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


def lists(bench):
    """Pages of 100 media from accounts of different sizes, and their latency for many clients."""
    rows, front, make = functools.partial(bench.results.row, "lists"), bench.service, bench.requests
    large = 100_000 if bench.settings.quick else 1_000_000
    tokens = {}
    for count, first in ((SMALL, FIRST_SMALL), (large, FIRST_LARGE)):
        bench.progress.say(f"lists: importing an account of {count:,} media")
        file, account = bench.directory / "lists.jsonl", 1 + first // count
        with open(file, "wb") as out:
            subprocess.run([service.TOP / "scripts" / "make-catalog", str(count), "--first", str(first), "--per-account",
                            str(count)], stdout=out, check=True)
        front.svcctl("import", file)
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
        seconds=4, warm_up=False, lead=2)
    bench.results.figures("lists", rounds=figures, clients=clients, large=large)

    for name, query in PAGES.items():
        if "page" not in query:
            rows(f"lists of {PAGE}, {name}: of {number(large)} media against {number(SMALL)}",
                 ratio(figures, f"{large}: {name}", f"{SMALL}: {name}"), at_least(0.9), " ×")
    rows(f"lists of {PAGE} by cursor: page {far} against the first ones",
         ratio(figures, f"{large}: a walk's end", f"{large}: a walk's beginning"), at_least(0.9), " ×")
    rows(f"lists of {PAGE} of {number(large)} media a second", sorted(
        each["rate"] for each in figures[f"{large}: the first page"])[bench.settings.rounds // 2])
    for pause in PAUSES:
        rows(f"p99 of lists of {PAGE} of {number(large)} media, {CLIENTS} clients that pause {pause} ms", sorted(
            each["p99"] for each in clients[f"{pause} ms"])[bench.settings.rounds // 2],
            at_most(10) if pause == PAUSES[-1] else None, " ms")
