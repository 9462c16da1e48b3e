"""overload: requests at several times the rate that the service can answer, in an open loop.

The load generator needs the same processors, so the pool is limited by its store instead: one worker with at most
IN_FLIGHT requests at a store 20 ms away. Everything else is as shipped, so the queue and the refusals are."""

import time
import urllib.error
import urllib.request

import processes

from . import service
from .loads import Load, OpenLoad
from .results import at_least, at_most
from .store_groups import Distance, Found

IN_FLIGHT = 4           # max-in-flight of the worker: a capacity of 200 requests per second
CLOSED = 16             # clients of the closed loop that finds the capacity
FACTORS = (4, 10)


def _recovery(url, path, good):
    """Returns the seconds until a request is answered with 200 in at most `good` seconds."""
    began = time.monotonic()

    def fast():
        sent = time.monotonic()
        try:
            with urllib.request.urlopen(url + path, timeout=10):
                return time.monotonic() - sent <= good
        except urllib.error.HTTPError:
            return False
    processes.wait_until(fast, "the service is as fast as before")
    return time.monotonic() - began


def overload(bench):
    """Goodput, latency of the responses with 200, refusals, and the time to recover, at 4 and 10 times the capacity."""
    front, settings, found = bench.service, bench.settings, Found(bench, "overload")
    any_media = bench.requests.uniform("any", bench.hot_ids)
    with open(any_media, encoding="utf-8") as lines:
        path = next(lines).strip()
    with processes.Processes() as started, front.started_by(started):
        distant = Distance(started, front, 20)
        options = {**service.MEMORY_OFF, **distant.options, "max-in-flight": IN_FLIGHT}
        pool = front.pool("overloaded", 1, options=options)
        url = front.front("overloaded", pool).url
        for turn in range(settings.rounds):
            bench.progress.say(f"overload: round {turn + 1} of {settings.rounds}")
            few = Load("below capacity", url, any_media, connections=IN_FLIGHT).measure(settings.seconds)
            before = Load("capacity", url, any_media, connections=CLOSED).measure(settings.seconds)
            found.add("capacity: responses per second", before["rate"], unit="")
            for factor in FACTORS:
                load = OpenLoad(f"{factor} times", url, any_media, factor * before["rate"], bench.directory,
                                fresh=True, refusals=True)
                got = load.measure(max(3, settings.seconds))
                what = f"{factor} times the capacity"
                found.add(f"{what}: offered, against capacity", got["offered"] / before["rate"])
                found.add(f"{what}: goodput, against capacity", got["rate"] / before["rate"], at_least(0.9))
                found.add(f"{what}: p50 of the responses with 200", got["p50"], unit=" ms")
                # A request waits in the queue for at most queue-timeout, 1 s, and then for the store.
                found.add(f"{what}: their p99, against queue-timeout", got["p99"] / 1000, at_most(1.5))
                found.add(f"{what}: until a request takes at most twice as long as before",
                          _recovery(url, path, 2 * few["p50"] / 1000), unit=" s")
            after = Load("afterwards", url, any_media, connections=CLOSED).measure(settings.seconds)
            found.add("afterwards: capacity, against before", after["rate"] / before["rate"], at_least(0.95))
    found.tell()
