"""store_groups: the effect of a store that is distant, does not answer, or is overloaded."""

import contextlib
import os
import re
import signal
import statistics
import subprocess
import time

import processes
import stack as stacks
from redis_client import Client

from . import requests, service
from .loads import Load
from .results import at_least, at_most

NEAR, FAR = 64, 1024  # clients: as many as a pool serves best, and far too many
REDIS_TIMEOUT = 500   # ms, the default of redis-timeout


class Distance:
    """The state Redis of a service with a round trip of `ms`."""

    def __init__(self, started, front, ms):
        self.socket = front.directory / f"redis-state-{ms}ms.sock"
        self.socket.unlink(missing_ok=True)
        relay = started.start([service.BUILD / "bench" / "svc-delay-relay", self.socket, front.redis_state, ms / 2],
                              stdout=subprocess.PIPE, text=True)
        if relay.stdout.readline() != "ready\n":
            raise processes.Failed("svc-delay-relay did not start")
        self.options = {"redis-state": f"unix://{self.socket}"}

    def trip(self, near):
        """Milliseconds that a command takes longer than at the Redis `near`, the median."""
        return _ping(Client(self.socket)) - _ping(near)


def _ping(redis, count=200):
    waits = []
    for _ in range(count):
        began = time.perf_counter()
        redis.command("PING")
        waits.append((time.perf_counter() - began) * 1000)
    return statistics.median(waits)


@contextlib.contextmanager
def _meanwhile(load):
    """The load continues in this block; afterwards the list has its measurements."""
    found, wrk = [], load.start()
    try:
        yield found
        wrk.send_signal(signal.SIGINT)
        found.append(load.finish(wrk))
    finally:
        if wrk.poll() is None:
            wrk.kill()
            wrk.wait()


class Found:
    """Per figure the values of all rounds; the rows are their medians."""

    def __init__(self, bench, group):
        self.bench, self.group, self.values = bench, group, {}

    def add(self, what, value, need=None, unit=" ×"):
        self.values.setdefault(what, ([], need, unit))[0].append(value)

    def tell(self):
        self.bench.results.figures(self.group, **{what: values for what, (values, _, _) in self.values.items()})
        for what, (values, need, unit) in self.values.items():
            self.bench.results.row(self.group, what, statistics.median(values), need, unit)


def _pools(bench, started):
    """Fronts of embed pools by name: near and far away, with a worker's memory and without it."""
    front = bench.service
    two, twenty = Distance(started, front, 2), Distance(started, front, 20)
    pools = {"near": {}, "2 ms": two.options, "near, no memory": service.MEMORY_OFF,
             "2 ms, no memory": {**service.MEMORY_OFF, **two.options},
             "20 ms, no memory": {**service.MEMORY_OFF, **twenty.options}}
    fronts = {}
    for name, options in pools.items():
        pool = re.sub(r"\W+", "-", name)
        fronts[name] = front.front(pool, front.pool(pool, options=options))
    return fronts, two, twenty


def distance(bench):
    """A store 2 and 20 ms away, a stopped store, and more clients than the service can serve."""
    front, settings, found = bench.service, bench.settings, Found(bench, "distance")
    hot = bench.requests.file("hot-50", map(requests.oembed, bench.hot_ids[:50]))
    cold, any_media = bench.requests.storm(), bench.requests.uniform("any", bench.hot_ids)
    seconds = settings.seconds
    with processes.Processes() as started, front.started_by(started):
        fronts, two, twenty = _pools(bench, started)
        near_redis = Client(front.redis_state)
        refresh = bench.requests.posts("svc-refresh", "/oauth/token", bench.refresh_bodies)
        grants = {name: front.front(f"grant-{name}", front.pool(f"grant-{name}", role="grant", options=options),
                                    "grant")
                  for name, options in (("near", {}), ("far", two.options))}

        def load(where, file, clients, refusals="few", pause=0):
            return Load(where, fronts[where].url, file, connections=clients, refusals=refusals, pause=pause)

        for turn in range(settings.rounds):
            say = bench.progress.say
            say(f"distance: round {turn + 1} of {settings.rounds}, a store 2 ms away")
            trip = two.trip(near_redis)
            found.add("2 ms away: a round trip of the relay", trip, unit=" ms")
            for pool in ("near", "2 ms"):
                load(pool, hot, 4).measure(0.5)
            beside = {}
            for pool in ("near", "2 ms"):
                with _meanwhile(load(pool, cold, 16, "all")):
                    beside[pool] = load(pool, hot, 4).measure(seconds)["p50"]
            found.add("2 ms away: p50 of hot answers beside 16 cold clients, against near",
                      beside["2 ms"] / beside["near"],
                      at_most(1.2))
            few = {pool: load(pool, any_media, 4).measure(seconds)["p50"]
                   for pool in ("near, no memory", "2 ms, no memory")}
            found.add("2 ms away: p50 of a cold answer is longer by",
                      (few["2 ms, no memory"] - few["near, no memory"]) / trip,
                      at_most(1.1), " trips")
            many = {pool: load(pool, any_media, NEAR).measure(seconds)
                    for pool in ("near, no memory", "2 ms, no memory", "20 ms, no memory")}
            near = many["near, no memory"]
            found.add("near: cold answers a second, 64 clients", near["rate"], unit="")
            found.add("2 ms away: cold, 64 clients, against near", many["2 ms, no memory"]["rate"] / near["rate"],
                      at_least(0.8))
            bound = NEAR / (twenty.trip(near_redis) + near["p50"]) * 1000
            found.add("20 ms away: cold, 64 clients, against 64 / (trip + the near p50)",
                      many["20 ms, no memory"]["rate"] / bound, at_least(0.85))
            wide = {pool: load(pool, any_media, 256).measure(seconds)
                    for pool in ("near, no memory", "2 ms, no memory")}
            found.add("2 ms away: cold, 256 clients, against near",
                      wide["2 ms, no memory"]["rate"] / wide["near, no memory"]["rate"])
            for clients, need in ((NEAR, at_least(0.8)), (256, None)):
                rates = {name: Load(name, grants[name].url, refresh, connections=clients).measure(seconds)["rate"]
                         for name in grants}
                found.add(f"2 ms away: refresh grants, {clients} clients, against near", rates["far"] / rates["near"],
                          need)

            say(f"distance: round {turn + 1} of {settings.rounds}, a store that is stopped")
            _stopped(front, load, hot, cold, found)

            say(f"distance: round {turn + 1} of {settings.rounds}, too many clients")
            most = near["rate"]
            for pool, what, need, need_refused in (("near, no memory", "near", 0.95, 0),
                                                   ("20 ms, no memory", "20 ms away", 0.9, 0.05)):
                before = load(pool, any_media, NEAR).measure(seconds)
                much = load(pool, any_media, FAR, "some").measure(max(2, seconds))
                good = (much["requests"] - much["refused"]) / much["seconds"]
                found.add(f"{what}: goodput of 1 024 clients, against 64 clients near", good / most, at_least(need))
                found.add(f"{what}: refused of them", much["refused"] / much["requests"], at_most(need_refused), "")
                if pool.startswith("near"):
                    found.add(f"{what}: p99 of 1 024 clients, against that of 64", much["p99"] / before["p99"],
                              at_most(16))
                after = load(pool, any_media, NEAR).measure(seconds)
                found.add(f"{what}: 64 clients afterwards, against before", after["rate"] / before["rate"],
                          at_least(0.95))
    found.tell()


def _stopped(front, load, hot, cold, found):
    """The state Redis is stopped for 3 s, while 16 clients want what every worker has and 8 what none has."""
    redis = front.pids("redis-state")[0]
    load("near", hot, 16).measure(1)
    with _meanwhile(load("near", cold, 8, "all", pause=80)):
        before = load("near", hot, 16).measure(2)
    os.kill(redis, signal.SIGSTOP)
    try:
        with _meanwhile(load("near", cold, 8, "all", pause=80)) as others:
            during = load("near", hot, 16).measure(2.5)
    finally:
        os.kill(redis, signal.SIGCONT)
    time.sleep(1)
    with _meanwhile(load("near", cold, 8, "all", pause=80)):
        after = load("near", hot, 16).measure(1)
    found.add("store stopped for 3 s: hot answers a second, against before", during["rate"] / before["rate"],
              at_least(0.9))
    found.add("store stopped for 3 s: their p99, against before", during["p99"] / before["p99"], at_most(2))
    found.add("store stopped for 3 s: the slowest 503", others[0]["max"], at_most(REDIS_TIMEOUT + 100), " ms")
    found.add("1 s after it goes on: hot answers a second, against before", after["rate"] / before["rate"],
              at_least(0.95))


def memory(bench):
    """Private memory of a worker with 1 000 requests in flight that wait for a store 20 ms away."""
    front = bench.service
    any_media = bench.requests.uniform("any", bench.hot_ids)
    with processes.Processes() as started, front.started_by(started):
        twenty = Distance(started, front, 20)
        pool = front.pool("waiting", 1, options={**service.MEMORY_OFF, **twenty.options, "max-in-flight": 1000})
        url = front.front("waiting", pool).url
        (worker,) = stacks.children_of(front.pids(pool)[0])
        rest = service.private_mib(worker)
        with _meanwhile(Load("waiting", url, any_media, connections=FAR, refusals="some")):
            most = 0
            for _ in range(20):
                time.sleep(0.1)
                most = max(most, service.private_mib(worker))
    bench.results.figures("memory", rest_mib=rest, most_mib=most)
    bench.results.row("memory", "private memory of a worker with 1 000 requests in flight", most, at_most(16), " MiB")
