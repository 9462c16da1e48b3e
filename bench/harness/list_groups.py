"""list_groups: lists of media from an account of a million, and from one of a thousand."""

import functools
import json
import subprocess
import urllib.parse

from . import service
from .loads import OPEN_CONNECTIONS, Load, OpenLoad, interleave, ratio
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
OPEN_SHARE = 0.5  # of the maximum rate


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
    """Pages of 100 media from accounts of different sizes, and the latency at a fixed rate."""
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
    rate = min(each["rate"] for each in figures[f"{large}: the first page"]) * OPEN_SHARE
    paths = make.file("list-open", _paths(tokens[large], [*PAGES.values(), *walk[:20], *walk[-20:]]))
    open_loads = interleave("lists at a fixed rate", [OpenLoad("open", front.url, paths, rate, bench.directory)],
                            bench.settings.rounds, bench.settings.seconds, bench.progress)
    bench.results.figures("lists", rounds=figures, open=open_loads, large=large)

    for name, query in PAGES.items():
        if "page" not in query:
            rows(f"lists of {PAGE}, {name}: of {number(large)} media against {number(SMALL)}",
                 ratio(figures, f"{large}: {name}", f"{SMALL}: {name}"), at_least(0.9), " ×")
    rows(f"lists of {PAGE} by cursor: page {far} against the first ones",
         ratio(figures, f"{large}: a walk's end", f"{large}: a walk's beginning"), at_least(0.9), " ×")
    rows(f"lists of {PAGE} of {number(large)} media a second", sorted(
        each["rate"] for each in figures[f"{large}: the first page"])[bench.settings.rounds // 2])
    rows(f"p99 of such lists at half of that rate, {OPEN_CONNECTIONS} clients", sorted(
        each["p99"] for each in open_loads["open"])[bench.settings.rounds // 2], at_most(10), " ms")
