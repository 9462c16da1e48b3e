"""Workers that die, hang or are retired, and their replacement: rule operations-P8."""

import contextlib
import os
import resource
import signal
import socket
import threading
import time

import pytest

import fastcgi_client as fcgi
from oembed_asking import PLAYLIST_QUERY, VIDEO_QUERY
from processes import PATIENCE, wait_until
from stack import is_socket


# Under the sanitizers, these signals would otherwise end in a report and an exit status.
PLAIN_DEATHS = {**os.environ, "ASAN_OPTIONS": ":".join(
    [os.environ.get("ASAN_OPTIONS", ""), "handle_segv=0", "handle_sigbus=0", "handle_abort=0"]).strip(":")}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV,
                                    signal.SIGBUS])
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


def test_operations_P8_delays_replacements_increasingly_when_workers_keep_dying(stack):
    pool = stack.start_pool(workers=2, deaths_expected=True)
    survivor = min(pool.workers())
    killed = set()

    def growing():
        """Returns the delays since the last death without a delay, which belong to one series of early deaths."""
        delays = [death["delay_ms"] for death in pool.events("worker.died")]
        last = max((at for at, delay in enumerate(delays) if delay == 0), default=-1)
        return delays[last + 1:]

    # Each is killed as soon as it is there. One that lives longer ends the series, which happens on a busy machine.
    for number in range(60):
        (victim,) = wait_until(lambda: pool.workers() - killed - {survivor}, "another worker")
        killed.add(victim)
        os.kill(victim, signal.SIGKILL)
        pool.wait_for("worker.died", number + 1)
        if len(growing()) >= 3:
            break
    assert pool.request("/healthz").status == 200, "the other worker survives"
    delays = growing()
    assert len(delays) >= 3 and delays == sorted(delays) and len(set(delays)) == len(delays)
    assert pool.events("worker.died")[0]["delay_ms"] == 0
    pool.wait_for_workers(2, without=killed)
    for _ in range(10):
        assert pool.request("/healthz").status == 200


def test_operations_P8_also_backs_off_when_workers_die_later(stack):
    """A lifetime of 300 ms does not end the series of deaths."""
    pool = stack.start_pool(workers=8, deaths_expected=True)
    first_seen = {}

    def old_enough():
        """Returns the workers seen for over 0.3 s, measured from after their start."""
        now = time.monotonic()
        return [worker for worker in pool.workers()
                if now - first_seen.setdefault(worker, now) > 0.3]

    def delays():
        return [death["delay_ms"] for death in pool.events("worker.died")]

    # The test kills eight workers every 0.3 s. Up to four deaths per second cause no delay, and 64 in addition.
    for _ in range(40):
        victims = wait_until(old_enough, "workers that lived for 0.3 s")
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
            del first_seen[victim]
            pool.wait_for("worker.died", worker=victim)
        if len([delay for delay in delays() if delay > 0]) >= 6:
            break
    assert delays()[:50] == [0] * 50, "operations-N2: fifty deaths cause no delay"
    growing = [delay for delay in delays() if delay > 0]
    assert growing[:6] == [50, 100, 200, 400, 800, 1000]
    # The pool becomes complete again.
    pool.wait_for_workers(8)
    for _ in range(10):
        assert pool.request("/healthz").status == 200


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
    counts = []
    clients = [threading.Thread(target=ask, args=(pool, 300, counts)) for _ in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(PATIENCE)
    assert len(counts) == 4 and all(isinstance(count, tuple) for count in counts), counts
    assert sum(answers for answers, _ in counts) == 1200
    # A request on a connection that was closed was not processed: the log has one entry per response.
    wait_until(lambda: len(pool.events("request")) >= 1200, "the log has all requests")
    assert len(pool.events("request", path="/healthz", status=200)) == 1200
    retired = pool.wait_for("worker.retires", 10, reason="max-requests")
    assert len({entry["requests"] for entry in retired}) > 1, "without jitter"
    assert not pool.events("worker.died")


def test_operations_P8_retires_workers_behind_nginx_without_a_failed_request(stack):
    stack.start_redis()
    pool = stack.start_pool(workers=3, max_requests=40)
    # Two server lines more than keep-alive connections; nginx/svc-upstreams.conf explains the number.
    lines = f"server unix:{pool.socket} max_fails=0; " * 6
    nginx = stack.start_nginx(lambda port: f"""
      upstream pool {{ {lines} keepalive 4; }}
      server {{
        listen 127.0.0.1:{port};
        location / {{
          fastcgi_pass pool;
          fastcgi_keep_conn on;
          fastcgi_param REQUEST_METHOD $request_method;
          fastcgi_param DOCUMENT_URI $uri;
        }}
      }}""")
    statuses = []

    def browse():
        statuses.extend(nginx.request("/healthz").status for _ in range(120))

    browsers = [threading.Thread(target=browse) for _ in range(4)]
    for browser in browsers:
        browser.start()
    for browser in browsers:
        browser.join(PATIENCE)
    assert statuses == [200] * 480
    pool.wait_for("worker.retires", 5)


def test_operations_P8_retires_no_worker_while_the_store_is_unavailable(stack):
    stack.start_redis()
    pool = stack.start_pool(workers=1, max_requests=20)
    stack.redis_state.send_signal(signal.SIGSTOP)
    try:
        counts = []
        ask(pool, 200, counts)
        assert counts == [(200, 0)]
        assert not pool.events("worker.retires")
    finally:
        stack.redis_state.send_signal(signal.SIGCONT)
    ask(pool, 1, counts)
    pool.wait_for("worker.retires")


class HeldStore(threading.Thread):
    """A relay to Redis. Once held, it accepts commands but sends no replies."""

    def __init__(self, path, redis):
        super().__init__(daemon=True)
        self.path, self.redis = path, redis
        self.held = threading.Event()
        self.asked = threading.Event()  # a record was requested while it was held
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen(64)

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.server.accept()[0],),
                                 daemon=True).start()

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as store, contextlib.suppress(OSError):
            store.connect(str(self.redis.socket))
            answers = threading.Thread(target=self.relay, args=(store, client), daemon=True)
            answers.start()
            while data := client.recv(65536):
                if self.held.is_set():
                    # Not the commands that a worker sends when it subscribes to changes.
                    if b"GET\r\n" in data:
                        self.asked.set()
                else:
                    store.sendall(data)
            store.shutdown(socket.SHUT_RDWR)
            answers.join()

    def relay(self, store, client):
        with contextlib.suppress(OSError):
            while data := store.recv(65536):
                client.sendall(data)

    def stop(self):
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


@pytest.fixture(name="held_store")
def fixture_held_store(stack):
    """The stack's configuration, with a relay that can be held in place of Redis."""
    stack.import_catalog()
    held = HeldStore(stack.directory / "held.sock", stack.redis_state)
    held.start()
    stack.write_config(redis_state=f"unix://{held.path}", redis_timeout=800, request_timeout=900,
                       write_timeout=800)
    yield held
    held.stop()


def test_operations_P8_kills_a_worker_that_hangs_and_logs_the_path_of_its_request(stack, held_store):
    pool = stack.start_pool(workers=1, deaths_expected=True)
    assert pool.request("/oembed", VIDEO_QUERY).status == 200
    (worker,) = pool.workers()
    held_store.held.set()
    with pool.connect() as connection:
        connection.send(fcgi.request("/oembed", PLAYLIST_QUERY + "&secret=swordfish"))
        assert held_store.asked.wait(PATIENCE)
        os.kill(worker, signal.SIGSTOP)
        (killed,) = pool.wait_for("worker.killed", worker=worker)
        assert connection.read_answer() is None
    held_store.held.clear()
    assert (killed["reason"], killed["path"]) == ("no-heartbeat", "/oembed")
    assert killed["ms"] >= 900
    assert "swordfish" not in pool.log_text() and "pl4yl1st01" not in pool.log_text()
    pool.wait_for_workers(1, without=[worker])
    wait_until(lambda: pool.request("/oembed", VIDEO_QUERY).status == 200, "the pool answers again")


def test_operations_P8_an_idle_worker_has_no_deadline(stack):
    """For any length of idleness, and for any kind of next request."""
    pool = stack.start_pool(workers=1, request_timeout=1500, write_timeout=1000, redis_timeout=1000)
    (worker,) = pool.workers()
    with pool.connect() as connection, pool.connect() as bad:
        assert connection.request("/healthz").status == 200
        time.sleep(2.5)
        bad.send(fcgi.request("/oembed", method="POST", body=b"b" * 9, extra={"CONTENT_LENGTH": 8}))
        bad.read_rest()
        assert connection.request("/healthz").status == 200
    assert pool.workers() == {worker}
    assert not pool.events("worker.killed")


def test_operations_P8_a_slow_store_does_not_kill_a_worker(stack, held_store):
    pool = stack.start_pool(workers=1)
    (worker,) = pool.workers()
    held_store.held.set()
    answer = pool.request("/oembed", VIDEO_QUERY)
    assert answer.status == 503
    assert int(answer.header("Retry-After")) >= 1
    assert pool.workers() == {worker}
    held_store.held.clear()
    wait_until(lambda: pool.request("/oembed", VIDEO_QUERY).status == 200, "the store is noticed again")
