"""operations-P12 and operations-P13: a store that hangs or is distant delays only requests that need it, and requests
wait for it in parallel.

The tests hold the store and count responses instead of measuring time."""

import contextlib
import re
import select
import signal
import subprocess
import threading
import urllib.parse

import pytest

import fastcgi_client as fcgi
from processes import PATIENCE, start, wait_until
from redis_relay import Relay
from stack import program
from test_status import status_of

# Long enough that none of these timeouts ends during a test.
PATIENT = {"redis_timeout": 60_000, "request_timeout": 100_000, "queue_timeout": 90_000, "memory_cache_unheard": 3600}


def query(media):
    return urllib.parse.urlencode({"url": f"https://acme.svc.localhost/medias/{media}"})


HOT = query("l4unchf1lm")


class HeldRelay:
    """A relay to Redis that can hold every reply. It counts the GETs that reached Redis."""

    def __init__(self, stack):
        self.asked = 0
        self.lock = threading.Lock()
        self.go_on = threading.Event()
        self.go_on.set()
        self.relay = Relay(stack.directory, stack.redis_state)
        self.relay.look = self.look
        self.url = self.relay.url

    def look(self, _pid, way, data):
        if way == "to":
            with self.lock:
                self.asked += len(re.findall(rb"\$3\r\nGET\r\n", data))
        else:
            self.go_on.wait(PATIENCE * 4)


@pytest.fixture(name="held")
def fixture_held(stack):
    stack.import_catalog()
    held = HeldRelay(stack)
    yield held
    held.go_on.set()


def has_answer(connection):
    return bool(select.select([connection.socket], [], [], 0)[0])


def keep_in_memory(pool, connection):
    """Requests HOT until the response comes from memory. A single entry may be stale: built before the worker subscribed."""
    def answered():
        assert connection.request("/oembed", HOT).status == 200
        return status_of(pool)["cache"]["memory"]["hits"]
    wait_until(answered, "the response is in memory")


def ask_for_cold(pool, closing, count):
    """Opens `count` connections, and sends on each a request for a media that is not cached."""
    connections = []
    for number in range(count):
        connection = closing.enter_context(pool.connect())
        connection.send(fcgi.request("/oembed", query(f"c0ld{number:06d}")))
        connections.append(connection)
    return connections


def test_operations_P12_memory_hits_are_served_while_the_store_hangs(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1, **PATIENT)
    with pool.connect() as hot, pool.connect() as cold:
        keep_in_memory(pool, hot)
        stack.redis_state.send_signal(signal.SIGSTOP)
        cold.send(fcgi.request("/oembed", query("p0rtrait99")))
        for _ in range(300):
            assert hot.request("/oembed", HOT).status == 200
        assert not has_answer(cold)
        stack.redis_state.send_signal(signal.SIGCONT)
        assert cold.read_answer().status == 200


def test_operations_P13_only_requests_that_need_the_store_are_limited(stack, held):
    pool = stack.start_pool(workers=1, redis_state=held.url, max_in_flight=4, max_queued=2, **PATIENT)
    with contextlib.ExitStack() as closing:
        hot = closing.enter_context(pool.connect())
        keep_in_memory(pool, hot)
        held.go_on.clear()
        waiting = ask_for_cold(pool, closing, 6)
        wait_until(lambda: [status_of(pool)[field] for field in ("in_flight", "queued")] == [4, 2], "the requests wait")
        for connection in ask_for_cold(pool, closing, 5):
            answer = connection.read_answer()
            assert answer.status == 503 and int(answer.header("Retry-After")) >= 1
        assert status_of(pool)["refused"] == 5
        assert hot.request("/oembed", HOT).status == 200 and pool.request("/healthz").status == 200
        metrics = pool.request("/metrics").body.decode()
        values = dict(re.findall(r'(?m)^svc_(in_flight|queued|refused)_requests(?:_total)?\{pool="embed"\} (\d+)$', metrics))
        assert values == {"in_flight": "4", "queued": "2", "refused": "5"}
        held.go_on.set()
        assert [connection.read_answer().status for connection in waiting] == [404] * 6
    wait_until(lambda: [status_of(pool)[field] for field in ("in_flight", "queued")] == [0, 0], "nobody waits")


def test_operations_P7_a_reload_loses_none_of_200_requests_in_flight(stack, held):
    pool = stack.start_pool(workers=2, redis_state=held.url, **PATIENT)
    wait_until(lambda: pool.request("/readyz").status == 200
               and stack.redis_state.cli("CLIENT", "LIST").count(" name=svc-worker:embed ") == 2, "both are connected")
    before, workers = held.asked, pool.workers()
    with contextlib.ExitStack() as closing:
        held.go_on.clear()
        waiting = ask_for_cold(pool, closing, 200)
        wait_until(lambda: held.asked == before + 200, "all requests have reached Redis")
        with start([program("svcctl"), "reload", "--socket", str(pool.socket)], stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT) as reload:
            wait_until(lambda: len(pool.workers() - workers) == 2, "the new workers run")
            held.go_on.set()
            assert [connection.read_answer().status for connection in waiting] == [404] * 200
            output = reload.communicate(timeout=2 * PATIENCE)[0]
        assert reload.returncode == 0, output
    pool.wait_for_workers(2, without=workers)
