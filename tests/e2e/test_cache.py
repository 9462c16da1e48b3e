"""The caches of real pools: several workers, lost connections. Rules: tests/rules/oembed/."""

import json
import os
import signal
import time
import urllib.parse

import pytest

import stack as stacks
from fastcgi_client import Connection
from redis_relay import Relay

MEDIA = "l4unchf1lm"
KEY = f"catalog:media:{MEDIA}"


def query(media=MEDIA, **more):
    return urllib.parse.urlencode({"url": f"http://svc.localhost/medias/{media}", **more})


HOT = query()


def status(pool):
    return json.loads(pool.request("/status").body)["cache"]


def title(answer):
    assert answer.status == 200, answer
    return json.loads(answer.body)["title"]


def rename(stack, name):
    """Changes the media's name in Redis directly, not by an import."""
    record = stack.redis_state.command("GET", KEY)
    first, rest = record.split("\n", 1)
    fields = json.loads(first)
    fields["name"] = name
    stack.redis_state.command("SET", KEY, json.dumps(fields, separators=(",", ":")) + "\n" + rest)


def catalog_with(stack, **changes):
    """Writes a catalog file that contains only MEDIA's line, changed, and returns its path."""
    for line in map(json.loads, stacks.CATALOG.read_text().splitlines()):
        if line.get("id") == MEDIA and line["kind"] == "media":
            path = stack.directory / "change.jsonl"
            path.write_text(json.dumps({**line, **changes}) + "\n")
            return path
    raise AssertionError(f"no {MEDIA} in the catalog")


class Everybody:
    """Enough connections that each worker of the pool has some, so that each worker's memory is tested."""

    def __init__(self, pool, count=12):
        self.connections = [Connection(pool.socket) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()

    def titles(self, asked=HOT):
        return {title(connection.request("/oembed", asked)) for connection in self.connections}


def fields(stack):
    return stack.redis_cache.command("HLEN", f"embed:rendering:{MEDIA}")


def age_renderings(stack, seconds):
    """Moves the time at which each cached rendering was begun into the past."""
    assert stack.redis_cache.command("EVAL", """
        for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
          local begun, rest = string.match(redis.call('HGET', KEYS[1], name), '^(%d+)( .*)$')
          redis.call('HSET', KEYS[1], name, string.format('%.0f', begun - 1000 * ARGV[1]) .. rest)
        end
        return redis.call('HLEN', KEYS[1])""", 1, f"embed:rendering:{MEDIA}", seconds) != 0


@pytest.fixture
def relay(stack):
    """A relay between the workers and the state Redis."""
    stack.start_redis()
    one = Relay(stack.directory, stack.redis_state)
    yield one
    one.close()


def is_tracking(_pid, name):
    return name.endswith(":tracking")


def workers_that_hold(pool):
    return [each for each in json.loads(pool.request("/status").body)["processes"]
            if each["connections"] > 0]


# --- oembed-C2: changes ------------------------------------------------------------------------


def test_an_import_reaches_every_worker_and_invalidates_no_other_response(stack):
    stack.import_catalog()
    # Within this test a response becomes stale only by an invalidation.
    pool = stack.start_pool(workers=4, memory_cache_unheard=3600)
    with Everybody(pool) as everybody:
        other = query("p0rtrait99")
        for _ in range(3):
            assert len(everybody.titles()) == 1
            everybody.titles(other)
        assert len(workers_that_hold(pool)) == 4
        before = status(pool)
        assert before["memory"]["hits"] > 0
        for name in ("Changed once", "Changed twice"):
            stack.import_catalog(catalog_with(stack, name=name))
            stacks.wait_until(lambda: everybody.titles() == {name}, "every worker returns the new title")
            # No worker returns the old response again.
            assert all(everybody.titles() == {name} for _ in range(5))
        after = status(pool)
        assert after["memory"]["invalidations"] >= before["memory"]["invalidations"] + 8
        hits = status(pool)["memory"]["hits"]
        everybody.titles(other)
        assert status(pool)["memory"]["hits"] == hits + len(everybody.connections)


@pytest.mark.parametrize("levels", [{}, {"rendering_cache": "on", "memory_cache_size": 0}, {"rendering_cache": "on"}],
                         ids=["memory", "redis", "both"])
def test_while_the_invalidation_connection_is_silent_no_stale_response_outlives_the_limit(
        stack, relay, levels):
    """The connection stays open, but nothing arrives. The Redis timeout is longer than the limit."""
    stack.import_catalog()
    bound = 2
    pool = stack.start_pool(workers=2, redis_state=relay.url, memory_cache_unheard=bound, redis_timeout=2900, **levels)
    with Everybody(pool, 6) as everybody:
        level = "redis" if levels.get("memory_cache_size") == 0 else "memory"
        if "rendering_cache" in levels:  # the workers accept renderings begun over 2 s after their own start
            # Nothing is cached until the workers have subscribed, some milliseconds after their start.
            stacks.wait_until(lambda: everybody.titles() and fields(stack) == 1, "the rendering is cached")
            age_renderings(stack, -3)
        stacks.wait_until(lambda: everybody.titles() and status(pool)[level]["hits"] > 12, "it is hot")
        old = everybody.titles()
        relay.holds = is_tracking
        cut = time.monotonic()
        rename(stack, "Nobody hears of this")
        late = 0
        while late < 30:
            asked = time.monotonic()
            seen = everybody.titles()
            if asked > cut + bound:
                assert seen == {"Nobody hears of this"}, f"{asked - cut} s after the cut"
                late += 1
            else:
                assert seen <= old | {"Nobody hears of this"}
        relay.holds = lambda pid, name: False
        rename(stack, "Heard again")
        stacks.wait_until(lambda: everybody.titles() == {"Heard again"}, "every worker has it")


def test_a_restarted_worker_serves_changes_made_before_it_subscribed(stack, relay):
    """The record changes while the worker is dead, and again between its first response and its subscription."""
    stack.import_catalog()
    pool = stack.start_pool(workers=1, redis_state=relay.url, memory_cache_unheard=3600, deaths_expected=True)
    with Everybody(pool, 2) as everybody:
        for _ in range(5):
            everybody.titles()
    (former,) = pool.workers()
    relay.holds = lambda pid, name: pid != former and is_tracking(pid, name)
    os.kill(former, signal.SIGKILL)
    rename(stack, "Before it began")
    pool.wait_for_workers(1, without={former})
    with Everybody(pool, 2) as everybody:
        for _ in range(5):
            assert everybody.titles() == {"Before it began"}
        rename(stack, "Before it listened")
        relay.holds = lambda pid, name: False
        stacks.wait_until(lambda: everybody.titles() == {"Before it listened"}, "the response is built again")
        assert all(everybody.titles() == {"Before it listened"} for _ in range(5))
        rename(stack, "Heard")
        stacks.wait_until(lambda: everybody.titles() == {"Heard"}, "the worker receives invalidations")


# --- oembed-C3: hot, cold, random ----------------------------------------------------------------


def test_after_a_change_each_requested_worker_builds_the_response_exactly_once(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=4, memory_cache_unheard=3600)
    with Everybody(pool) as everybody:
        for _ in range(5):
            everybody.titles()
        assert len(workers_that_hold(pool)) == 4
        for name in ("The first change of all", "Another", "And another"):
            before = status(pool)
            rename(stack, name)
            stacks.wait_until(lambda: status(pool)["memory"]["invalidations"]  # pylint: disable=W0640
                              == before["memory"]["invalidations"] + 4, "all received it")  # pylint: disable=W0640
            assert everybody.titles() == {name}
            after = status(pool)
            assert after["redis"]["misses"] - before["redis"]["misses"] == 4


# --- oembed-C4: two stores -------------------------------------------------------------------------


def test_oembed_C4_warns_if_both_stores_are_the_same_redis(stack):
    stack.import_catalog()
    shared = stack.start_pool("shared", redis_cache=stack.redis_state.url)
    assert shared.wait_for("store.shared")[0]["level"] == "warn"
    apart = stack.start_pool("apart")
    assert not apart.events("store.shared")
