"""Rules oembed-C1 to oembed-C4 and operations-D3: the response caches, tested through real pools."""

import itertools
import json
import os
import signal
import threading
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


def fields(stack, media=MEDIA):
    return stack.redis_cache.command("HLEN", f"embed:rendering:{media}")


def age_renderings(stack, seconds, media=MEDIA):
    """Moves the time at which each cached rendering was begun into the past."""
    assert stack.redis_cache.command("EVAL", """
        for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
          local begun, rest = string.match(redis.call('HGET', KEYS[1], name), '^(%d+)( .*)$')
          redis.call('HSET', KEYS[1], name, string.format('%.0f', begun - 1000 * ARGV[1]) .. rest)
        end
        return redis.call('HLEN', KEYS[1])""", 1, f"embed:rendering:{media}", seconds) != 0


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


def test_oembed_C2_an_import_reaches_every_worker_and_invalidates_no_other_response(stack):
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


def test_oembed_C2_a_change_of_a_video_changes_its_playlists(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=2, memory_cache_unheard=3600)
    asked = urllib.parse.urlencode({"url": "http://svc.localhost/embed/playlists/pl4yl1st01"})
    before = json.loads(pool.request("/oembed", asked).body)
    stack.import_catalog(catalog_with(stack, duration=1234.5))
    stacks.wait_until(lambda: json.loads(pool.request("/oembed", asked).body)["duration"]
                      != before["duration"], "the sum of durations is new")


def test_oembed_C2_deleted_media_disappear_and_new_media_appear(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=2, memory_cache_unheard=3600, memory_cache_refusal_lifetime=3600)
    record = stack.redis_state.command("GET", KEY)
    stack.redis_state.command("DEL", KEY)
    with Everybody(pool, 6) as everybody:
        ask = lambda: {each.request("/oembed", HOT).status for each in everybody.connections}  # noqa: E731
        for _ in range(3):
            assert ask() == {404}
        stack.redis_state.command("SET", KEY, record)
        stacks.wait_until(lambda: ask() == {200}, "the media is found")
        stack.redis_state.command("FLUSHALL")
        stacks.wait_until(lambda: ask() == {404}, "the media is not found")


def test_oembed_C2_after_the_invalidation_connection_closes_no_stale_response_outlives_the_limit(stack):
    stack.import_catalog()
    bound = 2
    pool = stack.start_pool(workers=2, memory_cache_unheard=bound)
    with Everybody(pool, 6) as everybody:
        for _ in range(5):
            everybody.titles()
        old = everybody.titles()
        stack.redis_state.command("ACL", "SETUSER", "embed", "-client|tracking")
        stack.redis_state.command("CLIENT", "KILL", "TYPE", "pubsub")
        cut = time.monotonic()
        rename(stack, "Nobody hears of this")
        pool.wait_for("tracking.lost")
        late = 0
        while late < 50:
            asked = time.monotonic()
            seen = everybody.titles()
            if asked > cut + bound:
                assert seen == {"Nobody hears of this"}, f"{asked - cut} s after the cut"
                late += 1
            else:
                assert seen <= old | {"Nobody hears of this"}
        # Once the invalidation connection is back, changes are visible again.
        stack.redis_state.command("ACL", "SETUSER", "embed", "+client|tracking")
        pool.wait_for("tracking.back")
        rename(stack, "Heard again")
        stacks.wait_until(lambda: everybody.titles() == {"Heard again"}, "invalidations arrive again")


@pytest.mark.parametrize("levels", [{}, {"rendering_cache": "on", "memory_cache_size": 0}, {"rendering_cache": "on"}],
                         ids=["memory", "redis", "both"])
def test_oembed_C2_while_the_invalidation_connection_is_silent_no_stale_response_outlives_the_limit(
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


def test_oembed_C2_operations_D3_if_the_store_stops_after_a_change_no_old_response_is_fresh_beyond_the_limit(
        stack, relay):
    """The invalidation does not arrive, and then the store stops answering."""
    stack.import_catalog()
    bound = 2
    pool = stack.start_pool(workers=2, redis_state=relay.url, memory_cache_unheard=bound, redis_timeout=500)
    with Everybody(pool, 6) as everybody:
        for _ in range(5):
            everybody.titles()
        old = everybody.titles()
        relay.holds = is_tracking
        cut = time.monotonic()
        rename(stack, "Behind the change")
        stack.redis_state.send_signal(signal.SIGSTOP)
        late = 0
        while late < 30:
            for connection in everybody.connections:
                asked = time.monotonic()
                answer = connection.request("/oembed", HOT)
                assert {title(answer)} == old
                if asked > cut + bound:
                    assert answer.headers["cache-control"] == "no-cache", f"{asked - cut} s after the cut"
                    late += 1
        stack.redis_state.send_signal(signal.SIGCONT)
        relay.holds = lambda pid, name: False
        stacks.wait_until(lambda: everybody.titles() == {"Behind the change"}, "the new title is returned")
        assert all(everybody.titles() == {"Behind the change"} for _ in range(5))


def test_oembed_C2_a_restarted_worker_serves_changes_made_before_it_subscribed(stack, relay):
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


# --- operations-D3: the store is unavailable -----------------------------------------------------


@pytest.mark.parametrize("way", ["stopped", "ended"])
def test_operations_D3_while_the_store_is_unavailable_cached_responses_are_served_and_others_are_503(stack, way):
    stack.import_catalog()
    pool = stack.start_pool(workers=1, memory_cache_unheard=2, redis_timeout=500)
    with pool.connect() as connection:
        def in_memory():
            answer = connection.request("/oembed", HOT)
            return status(pool)["memory"]["hits"] > 0 and answer
        # Nothing is kept in memory before the worker's connection for invalidations is up.
        fresh = stacks.wait_until(in_memory, "the response is served from memory")
        assert title(fresh) and "max-age" in fresh.headers["cache-control"]
        if way == "stopped":
            stack.redis_state.send_signal(signal.SIGSTOP)
        else:
            stack.redis_state.stop()
        # The response is fresh at first. Later it is served as stale, with no-cache.
        def marked():
            answer = connection.request("/oembed", HOT)
            assert answer.body == fresh.body
            return answer.headers["cache-control"] == "no-cache"
        stacks.wait_until(marked, "the response is marked as stale")
        assert connection.request("/oembed", HOT, method="HEAD").body == b""
        for other in (query("p0rtrait99"), query("nobodyhasthis")):
            answer = connection.request("/oembed", other)
            assert (answer.status, "retry-after" in answer.headers) == (503, True)
        assert status(pool)["memory"]["stale"] > 0
        if way == "stopped":
            stack.redis_state.send_signal(signal.SIGCONT)
        else:
            stack.redis_state.start()
            stack.import_catalog()
        stacks.wait_until(lambda: connection.request("/oembed", HOT).headers["cache-control"]
                          == fresh.headers["cache-control"], "the response is fresh again")


# --- oembed-C3: hot, cold, random ----------------------------------------------------------------


def test_oembed_C3_after_a_change_each_worker_builds_a_hot_response_once(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=4, memory_cache_unheard=3600)
    changes = 40
    going = True
    wrong = []

    def ask():
        with Connection(pool.socket) as connection:
            while going:
                answer = connection.request("/oembed", HOT)
                if answer.status != 200:
                    wrong.append(answer.status)

    askers = [threading.Thread(target=ask) for _ in range(12)]
    for asker in askers:
        asker.start()
    try:
        stacks.wait_until(lambda: status(pool)["memory"]["hits"] > 1000, "it is hot")
        before = status(pool)
        for number in range(changes):
            rename(stack, f"Name {number}")
            stacks.wait_until(
                lambda: status(pool)["memory"]["invalidations"]
                >= before["memory"]["invalidations"] + 4 * (number + 1), "all received the invalidation")
            hits = status(pool)["memory"]["hits"]
            stacks.wait_until(lambda: status(pool)["memory"]["hits"] > hits + 100, "it is hot again")
    finally:
        going = False
        for asker in askers:
            asker.join(stacks.PATIENCE)
    assert not wrong
    after = status(pool)
    made = after["redis"]["misses"] - before["redis"]["misses"]
    # A response whose build overlapped the change is discarded and built again.
    assert changes <= made <= changes * 4 * 5 // 4, made


def test_oembed_C3_after_a_change_each_requested_worker_builds_the_response_exactly_once(stack):
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


# --- oembed-C1: renderings in Redis ----------------------------------------------------------------


def rendering_pool(stack, **options):
    stack.write_config(rendering_cache="on")
    stack.import_catalog()
    return stack.start_pool(**{"workers": 2, "memory_cache_size": 0, **options})


def until_kept(stack, pool, asked, count):
    def kept():
        assert pool.request("/oembed", asked).status == 200
        return fields(stack) >= count
    stacks.wait_until(kept, "the rendering is cached")


def test_oembed_C1_deleting_one_key_invalidates_every_rendering_of_a_media(stack):
    pool = rendering_pool(stack)
    variants = [HOT, query(width=400), query(format="xml"), query(embedType="async")]
    for number, variant in enumerate(variants):
        until_kept(stack, pool, variant, number + 1)
    manifest = lambda: pool.request(f"/embed/medias/{MEDIA}.m3u8").body  # noqa: E731
    text = manifest()
    stacks.wait_until(lambda: manifest() == text and fields(stack) == 5, "the manifest too")
    # Unknown and default parameters and callbacks create no further rendering.
    for same in (query(utm_source="x"), query(callback="f"), query(width="wrong"), query(embedType="iframe")):
        assert pool.request("/oembed", same).status == 200
    assert fields(stack) == 5
    assert 0 < stack.redis_cache.command("PTTL", f"embed:rendering:{MEDIA}") <= 60_000
    # As if begun over 2 s after the workers heard of changes, so that all accept them. On a busy machine a worker
    # may hear of them late.
    age_renderings(stack, -60)

    def found_in_redis():
        hits = status(pool)["redis"]["hits"]
        assert [pool.request("/oembed", each).status for each in variants] == [200] * 4
        return status(pool)["redis"]["hits"] == hits + 4
    stacks.wait_until(found_in_redis, "all workers find each in Redis")
    stack.import_catalog(catalog_with(stack, name="Another name"))
    assert fields(stack) == 0
    stacks.wait_until(lambda: title(pool.request("/oembed", HOT)) == "Another name", "the new title is returned")
    assert b"Another name" in pool.request("/oembed", query(format="xml")).body


def test_oembed_C1_operations_D3_requests_succeed_while_the_cache_is_unavailable(stack):
    pool = rendering_pool(stack, redis_timeout=500)
    until_kept(stack, pool, HOT, 1)
    stack.redis_cache.stop()
    with pool.connect() as connection:
        for width in range(100, 150):
            assert connection.request("/oembed", query(width=width)).status == 200
    stack.import_catalog(catalog_with(stack, name="Without a cache"))
    stacks.wait_until(lambda: title(pool.request("/oembed", HOT)) == "Without a cache", "the change is visible")


def test_oembed_C1_oembed_C2_a_restarted_worker_ignores_renderings_begun_before_its_start(stack):
    """The media changed while no worker ran, and its renderings were not deleted."""
    pool = rendering_pool(stack, workers=1, deaths_expected=True)
    until_kept(stack, pool, HOT, 1)
    pool.send_signal(signal.SIGSTOP)
    (former,) = stacks.children_of(pool.pid)
    os.kill(former, signal.SIGKILL)
    rename(stack, "Nobody heard of this")
    age_renderings(stack, 10)
    pool.send_signal(signal.SIGCONT)
    pool.wait_for_workers(1, without={former})
    for _ in range(50):
        assert title(pool.request("/oembed", HOT)) == "Nobody heard of this"
    hits = status(pool)["redis"]["hits"]
    stacks.wait_until(lambda: title(pool.request("/oembed", HOT)) == "Nobody heard of this" and
                      status(pool)["redis"]["hits"] > hits, "the new one is used")


def test_oembed_C1_oembed_C2_with_renderings_in_redis_a_change_reaches_every_worker(stack):
    pool = rendering_pool(stack, workers=4)
    with Everybody(pool) as everybody:
        stacks.wait_until(lambda: everybody.titles() and status(pool)["redis"]["hits"] > 100, "renderings are used")
        assert len(workers_that_hold(pool)) == 4
        for number in range(3):
            stack.import_catalog(catalog_with(stack, name=f"Import {number}"))
            assert fields(stack) == 0
            stacks.wait_until(lambda: everybody.titles() == {f"Import {number}"},  # pylint: disable=W0640
                              "every worker has it")
            assert all(everybody.titles() == {f"Import {number}"} for _ in range(5))
        # A direct write to Redis deletes no rendering, but the workers ignore the old ones.
        assert fields(stack) == 1
        rename(stack, "By hand")
        stacks.wait_until(lambda: everybody.titles() == {"By hand"}, "every worker has it")
        assert all(everybody.titles() == {"By hand"} for _ in range(5))


# --- oembed-C4: two stores -------------------------------------------------------------------------


def test_oembed_C4_warns_if_both_stores_are_the_same_redis(stack):
    stack.import_catalog()
    shared = stack.start_pool("shared", redis_cache=stack.redis_state.url)
    assert shared.wait_for("store.shared")[0]["level"] == "warn"
    apart = stack.start_pool("apart")
    assert not apart.events("store.shared")


def test_oembed_C4_the_cache_redis_contains_only_renderings(stack):
    pool = rendering_pool(stack, roles="all")
    until_kept(stack, pool, HOT, 1)
    pool.request("/login")
    pool.request("/oauth/token", method="POST", body=b"grant_type=refresh_token&refresh_token=x",
                 extra={"CONTENT_TYPE": "application/x-www-form-urlencoded"})
    assert pool.request(f"/embed/medias/{MEDIA}.m3u8").status == 200
    assert stack.redis_cache.command("DBSIZE") == 1
    assert stack.redis_cache.command("EXISTS", f"embed:rendering:{MEDIA}") == 1


# --- oembed-C3: responses that depend on many records ----------------------------------------------

LIST = "thousandvid"


def import_list(stack, count=1000, kind="Video"):
    """Imports an account and a playlist of `count` media. Returns the catalog's lines."""
    lines = [{"kind": "account", "id": 1001, "name": "Acme", "host": "acme.svc.localhost",
              "url": "https://acme.svc.localhost"}]
    lines += [{"kind": "media", "id": f"video{number}", "account_id": 1001, "type": kind, "name": f"Video {number}",
               "status": "ready", "duration": 1.5, "width": 1920, "height": 1080, "created": "2026-03-01T10:00:00Z",
               "updated": "2026-03-01T10:00:00Z", "assets": []} for number in range(count)]
    lines.append({"kind": "playlist", "id": LIST, "account_id": 1001, "name": "A thousand",
                  "media_ids": [f"video{number}" for number in range(count)]})
    file = stack.directory / "list.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    stack.import_catalog(file)
    return lines


def asked_for_many(stack):
    """Returns how many MGETs the state Redis has served: they read the members of playlists."""
    figures = stack.redis_state.command("INFO", "commandstats")
    return int(dict(line.split(":", 1) for line in figures.split("\r\n") if ":" in line)
               .get("cmdstat_mget", "calls=0,").partition("calls=")[2].partition(",")[0])


def list_query(**more):
    return urllib.parse.urlencode({"url": f"http://svc.localhost/embed/playlists/{LIST}", **more})


FROM_MANY = {"oembed": ("/oembed", list_query()), "player data": (f"/embed/playlists/{LIST}.json", ""),
             "playlist page": (f"/embed/playlists/{LIST}", "")}


def change_one(stack, lines, media):
    """Imports that media's line again, with a duration of 100 s."""
    changed = next(line for line in lines if line["id"] == media)
    file = stack.directory / "one.jsonl"
    file.write_text(json.dumps({**changed, "duration": 100}) + "\n")
    stack.import_catalog(file)


def list_duration(pool, **more):
    return json.loads(pool.request("/oembed", list_query(**more)).body)["duration"]


def test_oembed_C3_a_response_from_many_records_is_built_once_until_one_of_them_changes(stack):
    lines = import_list(stack)
    # So that neither expiry nor the cache Redis influences the result.
    pool = stack.start_pool(workers=1, memory_cache_unheard=3600, rendering_cache="off")

    def from_memory():  # true only after the worker has subscribed
        before = asked_for_many(stack)
        assert [pool.request(*each).status for each in FROM_MANY.values()] == [200] * 3
        return 0 < before == asked_for_many(stack)
    stacks.wait_until(from_memory, "all are cached in the worker's memory")
    before = asked_for_many(stack)
    for path, asked in FROM_MANY.values():
        etag = pool.request(path, asked).headers["etag"]
        assert pool.request(path, asked, method="HEAD").status == 200
        assert pool.request(path, asked, extra=[("HTTP_IF_NONE_MATCH", etag)]).status == 304
    # Parameters that a player or a page ignores cause no further build.
    for kind in ("player data", "playlist page"):
        for more in ("autoPlay=true", "_=1"):
            for method in ("GET", "HEAD"):
                assert pool.request(FROM_MANY[kind][0], more, method=method).status == 200
    assert asked_for_many(stack) == before
    change_one(stack, lines, "video777")
    stacks.wait_until(lambda: list_duration(pool) == 1.5 * 999 + 100, "the new duration")
    data = json.loads(pool.request(*FROM_MANY["player data"]).body)
    assert data["videos"][777]["duration"] == 100
    assert pool.request(*FROM_MANY["playlist page"]).status == 200
    assert asked_for_many(stack) >= before + 3 * 10, "each is built again, 100 records per MGET"


def test_oembed_C3_workers_share_responses_that_depend_on_many_records(stack):
    """With the shipped settings, through the cache Redis, for every requested size."""
    lines = import_list(stack)
    first, second = (stack.start_pool(name, workers=1) for name in ("first", "second"))

    widths = itertools.count(1000)

    def kept(pool):  # true only after the worker has subscribed
        assert pool.request("/oembed", list_query(width=next(widths))).status == 200
        return fields(stack, LIST) == 1

    def found_by_the_second():  # true only 2 s after its start: it ignores renderings begun before
        stack.redis_cache.command("FLUSHALL")
        stacks.wait_until(lambda: kept(first), "the rendering is cached")
        before = status(second)["redis"]["hits"]
        assert second.request("/oembed", list_query(width=next(widths))).status == 200
        return status(second)["redis"]["hits"] > before
    stacks.wait_until(found_by_the_second, "the second worker uses it")
    assert first.request(*FROM_MANY["player data"]).status == 200
    stacks.wait_until(lambda: fields(stack, LIST) == 2, "the player's data too")
    before = asked_for_many(stack)
    answers = {name: second.request(*asked) for name, asked in FROM_MANY.items()}
    assert json.loads(answers["oembed"].body)["duration"] == 1500
    assert [video["id"] for video in json.loads(answers["player data"].body)["videos"]] == [
        f"video{number}" for number in range(1000)]
    assert answers["playlist page"].status == 200
    for width in (111, 222, 333):
        assert json.loads(second.request("/oembed", list_query(width=width)).body)["width"] == width
    assert second.request("/embed-codes", list_query()).status == 200
    assert asked_for_many(stack) == before, "the second worker read no media"
    assert status(second)["redis"]["hits"] >= 6
    # A change of one member invalidates all of them, although no key is deleted.
    change_one(stack, lines, "video999")
    for width in (444, 222):
        stacks.wait_until(lambda: list_duration(second, width=width) == 1.5 * 999 + 100, "the new duration")
