"""Workers that die, hang or are retired, and their replacement: rule operations-P8."""

import contextlib
import os
import resource
import signal
import threading

import pytest

import fastcgi_client as fcgi
from oembed_asking import PLAYLIST_QUERY, VIDEO_QUERY
from processes import PATIENCE, wait_for_wakeups, wait_until
from redis_relay import Relay
from stack import is_socket


# Under the sanitizers, these signals would otherwise end in a report and an exit status.
PLAIN_DEATHS = {**os.environ, "ASAN_OPTIONS": ":".join(
    [os.environ.get("ASAN_OPTIONS", ""), "handle_segv=0", "handle_sigbus=0", "handle_abort=0"]).strip(":")}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT])
def test_operations_P8_replaces_a_dead_worker_and_logs_the_signal(stack, number):
    pool = stack.pool(workers=3, deaths_expected=True).start(env=PLAIN_DEATHS).wait_ready()
    workers = pool.workers()
    victim = min(workers)
    with contextlib.ExitStack() as kept:
        connections = [kept.enter_context(pool.connect()) for _ in range(3)]
        for connection in connections:
            assert connection.request("/healthz").status == 200
        os.kill(victim, number)
        # The other workers keep serving, and new connections are served, too.
        served = [connection.request("/healthz") for connection in connections]
        assert any(served)
        for _ in range(20):
            assert pool.request("/healthz").status == 200
    (death,) = pool.wait_for("worker.died", worker=victim)
    assert death["signal"] == number
    assert death["delay_ms"] == 0, "the first death causes no delay"
    now = pool.wait_for_workers(3, without=[victim])
    assert workers - {victim} < now


def test_operations_P8_keeps_its_socket_and_retries_when_workers_die_at_start(stack):
    """A descriptor limit kills them. Once it is raised, the pool becomes ready."""
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (4, hard))

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # The pid file would require a descriptor of the parent, which lacks one as well.
    pool = stack.pool(deaths_expected=True, pid_file=None)
    pool.start(preexec_fn=few_descriptors, env=PLAIN_DEATHS)
    (said,) = pool.wait_for("pool.failing")
    assert said["level"] == "error"
    pool.wait_for("worker.died", 7)
    assert is_socket(pool.socket)
    assert not pool.events("pool.ready")
    # A client that connects now waits in the socket's queue, and is served once a worker lives.
    with pool.connect() as early:
        early.send(fcgi.request("/healthz"))
        resource.prlimit(pool.pid, resource.RLIMIT_NOFILE, (1024, hard))
        pool.wait_ready()
        assert early.read_answer().status == 200
    assert len(pool.events("pool.failing")) == 1, "logged once, not per death"


def ask(pool, times, counts):
    """A keep-alive client. Counts its responses and the connections closed between responses; a partial response raises
    Broken."""
    answers, closes = 0, 0
    connection = pool.connect()
    try:
        while answers < times:
            answer = connection.request("/healthz")
            if answer is None:
                closes += 1
                connection.close()
                connection = pool.connect()
                continue
            assert answer.status == 200
            answers += 1
    except Exception as error:  # pylint: disable=broad-except
        counts.append(repr(error))
        return
    finally:
        connection.close()
    counts.append((answers, closes))


def test_operations_P8_retires_workers_after_max_requests_without_a_failed_request(stack):
    stack.start_redis()
    pool = stack.start_pool(workers=3, max_requests=60, log_requests="on")
    answers = 0

    def ten_have_retired():
        # On a busy machine replacements take long, and workers retire one at a time.
        nonlocal answers
        counts = []
        clients = [threading.Thread(target=ask, args=(pool, 300, counts)) for _ in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(PATIENCE)
        assert len(counts) == 4 and all(isinstance(count, tuple) for count in counts), counts
        assert sum(answers for answers, _ in counts) == 1200
        answers += 1200
        return len(pool.events("worker.retires", reason="max-requests")) >= 10

    wait_until(ten_have_retired, "ten workers have retired")
    # A request on a connection that was closed was not processed: the log has one entry per response.
    wait_until(lambda: len(pool.events("request")) >= answers, "the log has all requests")
    assert len(pool.events("request", path="/healthz", status=200)) == answers
    retired = pool.events("worker.retires", reason="max-requests")
    assert len({entry["requests"] for entry in retired}) > 1, "without jitter"
    assert not pool.events("worker.died")


def test_operations_P8_kills_a_worker_that_hangs_and_logs_the_path_of_its_request(stack):
    stack.import_catalog()
    relay = Relay(stack.directory, stack.redis_state)
    pool = stack.start_pool(workers=1, deaths_expected=True, redis_state=relay.url, redis_timeout=800,
                            request_timeout=900, write_timeout=800)
    assert pool.request("/oembed", VIDEO_QUERY).status == 200
    (worker,) = pool.workers()
    asked, go_on = threading.Event(), threading.Event()

    def hold(_pid, way, data):
        # Not the commands that a worker sends when it subscribes to changes.
        if way == "to" and b"GET\r\n" in data:
            asked.set()
            go_on.wait(PATIENCE)

    relay.look = hold
    with pool.connect() as connection:
        connection.send(fcgi.request("/oembed", PLAYLIST_QUERY + "&secret=swordfish"))
        assert asked.wait(PATIENCE)
        os.kill(worker, signal.SIGSTOP)
        (killed,) = pool.wait_for("worker.killed", worker=worker)
        assert connection.read_answer() is None
    go_on.set()
    assert (killed["reason"], killed["path"]) == ("no-heartbeat", "/oembed")
    assert killed["ms"] >= 900
    assert "swordfish" not in pool.log_text() and "pl4yl1st01" not in pool.log_text()
    pool.wait_for_workers(1, without=[worker])
    wait_until(lambda: pool.request("/oembed", VIDEO_QUERY).status == 200, "the pool answers again")


def test_operations_P8_an_idle_worker_is_never_killed(stack):
    """For any length of idleness, and for any kind of next request."""
    pool = stack.start_pool(workers=1, request_timeout=1500, write_timeout=1000, redis_timeout=1000)
    (worker,) = pool.workers()
    with pool.connect() as connection, pool.connect() as bad:
        assert connection.request("/healthz").status == 200
        wait_for_wakeups(pool.pid, 25)  # every 100 ms
        bad.send(fcgi.request("/oembed", method="POST", body=b"b" * 9, extra={"CONTENT_LENGTH": 8}))
        bad.read_rest()
        assert connection.request("/healthz").status == 200
    assert pool.workers() == {worker}
    assert not pool.events("worker.killed")
