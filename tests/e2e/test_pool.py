"""The pool as a process: its socket, its signals, its deaths, its configuration.

The letters and numbers in the names are the rules of operations, P1 to P11.
"""

import contextlib
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import fastcgi_client as fcgi
from fastcgi_client import PARAMS, STDIN, begin, encode_pairs, environment, record, stream
from stack import (PATIENCE, SANITIZER_REPORTS, Program, is_socket, parent_of, program,
                   wait_until)

MEDIA = "url=https%3A%2F%2Facme.svc.localhost%2Fmedias%2Fl4unchf1lm"
PLAYLIST = "url=https%3A%2F%2Facme.svc.localhost%2Fembed%2Fplaylists%2Fpl4yl1st01"


def run(*arguments):
    """Runs svc-worker until it ends by itself."""
    done = subprocess.run([program("svc-worker"), *map(str, arguments)], capture_output=True,
                          text=True, timeout=PATIENCE)
    assert not any(mark in done.stderr for mark in SANITIZER_REPORTS), done.stderr
    return done


# --- P2: the socket ------------------------------------------------------------------------------


def test_P2_makes_its_socket_for_owner_and_group_only(stack):
    pool = stack.start_pool()
    assert is_socket(pool.socket)
    assert os.stat(pool.socket).st_mode & 0o7777 == 0o660


def test_P2_replaces_a_socket_that_nobody_listens_on(stack):
    pool = stack.pool()
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(pool.socket))
        stale.listen()
    assert is_socket(pool.socket)
    pool.start().wait_ready()
    assert pool.request("/healthz").status == 200


def test_P2_replaces_the_socket_of_a_pool_that_was_killed(stack):
    first = stack.start_pool(deaths_expected=True)
    first.stop(signal.SIGKILL)
    assert is_socket(first.socket)
    second = stack.pool("second", listen=first.socket).start().wait_ready()
    with fcgi.Connection(first.socket) as connection:
        assert connection.request("/healthz").status == 200
    assert second.alive()


def test_P2_leaves_the_socket_of_a_living_pool_alone(stack):
    first = stack.start_pool(workers=1)
    inode = os.stat(first.socket).st_ino
    with first.connect() as kept:
        assert kept.request("/healthz").status == 200
        done = run("--config", stack.config, "--roles", "embed", "--listen", first.socket)
        assert done.returncode == 1
        assert str(first.socket) in done.stderr and "listens" in done.stderr
        assert kept.request("/healthz").status == 200
    assert os.stat(first.socket).st_ino == inode
    assert first.request("/healthz").status == 200


def test_P2_leaves_a_file_that_is_no_socket_alone(stack):
    path = stack.directory / "precious"
    path.write_text("precious")
    done = run("--config", stack.config, "--listen", path)
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert path.read_text() == "precious"


@pytest.mark.parametrize("address", ["127.0.0.1:9000", ":9000", "9000", "[::1]:9000",
                                     "localhost:9000", "*:9000"])
def test_P2_never_listens_on_tcp(stack, address):
    done = run("--config", stack.config, "--listen", address)
    assert done.returncode == 2, done.stderr
    assert "listen" in done.stderr and "unix socket" in done.stderr


def test_P2_takes_no_url_for_a_path(stack):
    done = run("--config", stack.config, "--listen", "tcp://127.0.0.1:9000")
    assert done.returncode in (1, 2)
    assert "tcp://127.0.0.1:9000" in done.stderr or "unix socket" in done.stderr


def test_P2_refuses_a_path_that_is_too_long_for_a_socket(stack):
    path = stack.directory / ("s" * 110)
    done = run("--config", stack.config, "--listen", path)
    assert done.returncode in (1, 2)
    assert "107" in done.stderr


def test_P2_says_that_listen_is_missing(stack):
    done = run("--config", stack.config)
    assert done.returncode in (1, 2)
    assert "listen" in done.stderr


def test_P2_makes_a_new_socket_when_its_file_is_removed(stack):
    """It broke once: the pool lived on, and nobody could reach it."""
    pool = stack.start_pool(workers=2)
    workers = pool.workers()
    with pool.connect() as kept:
        assert kept.request("/healthz").status == 200
        pool.socket.unlink()
        wait_until(lambda: is_socket(pool.socket), "a new socket")
        assert os.stat(pool.socket).st_mode & 0o7777 == 0o660
        # Whoever was connected is served on, and then given back, as in a drain.
        answer = kept.request("/healthz")
        assert answer is None or answer.status == 200
    for _ in range(20):
        assert pool.request("/healthz").status == 200
    (said,) = pool.wait_for("socket.renewed")
    assert said["level"] == "warn"
    pool.wait_for_workers(2, without=workers)
    assert pool.stop() == 0
    assert not pool.socket.exists()


def test_P2_says_that_its_socket_is_lost_and_takes_it_back_later(stack):
    pool = stack.start_pool(workers=2)
    with pool.connect() as kept:
        with socket.socket(socket.AF_UNIX) as other:
            pool.socket.unlink()
            other.bind(str(pool.socket))
            other.listen(64)
            taken = os.stat(pool.socket).st_ino
            (said,) = pool.wait_for("socket.lost")
            assert said["level"] == "error" and str(pool.socket) in said["reason"]
            # Two looks more, and neither a word nor a hand on what is another's.
            time.sleep(2.5)
            assert len(pool.events("socket.lost")) == 1
            assert os.stat(pool.socket).st_ino == taken
            assert kept.request("/healthz").status == 200
        # The other one is gone, its file is not.
        pool.wait_for("socket.renewed")
    assert pool.request("/healthz").status == 200


# Becomes svc-worker as systemd would start it: sockets from descriptor 3 on, the variables of
# sd_listen_fds(3). First out of the way, so that none is overwritten before it is moved.
PASS_SOCKETS = """
import fcntl, os, sys
names, numbers, command = sys.argv[1], map(int, sys.argv[2].split(",")), sys.argv[3:]
high = []
for number in numbers:
    high.append(fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 100))
    os.close(number)
for target, number in enumerate(high, 3):
    os.dup2(number, target, inheritable=True)
os.environ.update(LISTEN_FDS=str(len(high)), LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES=names)
os.execv(command[0], command)
"""


def passing(names, sockets):
    """The words in front of a command that is to get these sockets, and what Popen needs."""
    numbers = [one.fileno() for one in sockets]
    words = [sys.executable, "-c", PASS_SOCKETS, names, ",".join(map(str, numbers))]
    return words, {"pass_fds": numbers}


@contextlib.contextmanager
def listening(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
        one.listen(64)
        yield one


def test_P2_takes_the_socket_that_systemd_passes(stack):
    path = stack.directory / "activated.sock"
    with listening(path) as ours:
        words, how = passing("embed", [ours])
        pool = stack.pool(listen=None).start(wrapper=words, **how)
        # Whoever connects before the pool is ready waits, and is served.
        with fcgi.Connection(path) as connection:
            assert connection.request("/healthz").status == 200
    pool.wait_ready()
    workers = pool.workers()
    time.sleep(1.5)  # so long that a look at a socket of its own would have been
    assert pool.workers() == workers
    assert not pool.events("socket.lost") and not pool.events("socket.renewed")
    assert pool.stop() == 0
    assert is_socket(path), "the socket is systemd's to remove"


def test_P2_takes_its_socket_by_name(stack):
    other, own = stack.directory / "other.sock", stack.directory / "own.sock"
    with listening(other) as first, listening(own) as second:
        words, how = passing("web:embed", [first, second])
        pool = stack.pool(listen=None).start(wrapper=words, **how)
        with fcgi.Connection(own) as connection:
            assert connection.request("/healthz").status == 200
        first.setblocking(False)
        with pytest.raises(BlockingIOError):
            first.accept()
    pool.wait_ready()


def passed(stack, names, sockets):
    """How svc-worker ends that is passed these sockets."""
    words, how = passing(names, sockets)
    refused = stack.add(Program("refused", stack.directory / "refused.log"))
    refused.launch([*words, program("svc-worker"), "--config", str(stack.config),
                    "--roles", "embed"], **how)
    return refused.wait(), refused.log_text()


def test_P2_refuses_sockets_of_other_names(stack):
    with listening(stack.directory / "a.sock") as first, \
            listening(stack.directory / "b.sock") as second:
        status, said = passed(stack, "grant:web", [first, second])
    assert status == 1
    assert "embed" in said and "grant" in said


def test_P2_refuses_a_tcp_socket_from_systemd(stack):
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        status, said = passed(stack, "embed", [tcp])
    assert status == 1
    assert "TCP" in said


def test_P2_refuses_a_socket_that_does_not_listen(stack):
    first, second = socket.socketpair()
    with first, second:
        status, said = passed(stack, "embed", [first])
    assert status == 1
    assert "listen" in said


def inherited_by_children(pid):
    """Descriptors of a process that a program started by it would get, but the standard ones."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            info = Path(f"/proc/{pid}/fdinfo/{number}").read_text()
            flags = int(re.search(r"^flags:\s*([0-7]+)$", info, re.MULTILINE)[1], 8)
            if int(number) > 2 and not flags & os.O_CLOEXEC:
                found[number] = os.readlink(f"/proc/{pid}/fd/{number}")
    return found


@pytest.mark.parametrize("passed_in", [False, True], ids=["own socket", "socket passed in"])
def test_P1_no_descriptor_would_be_inherited_by_a_program(stack, passed_in):
    """Store, socket, connections, log: whoever may ever be started gets none of it."""
    stack.import_catalog()
    path = stack.directory / "embed.sock"
    with contextlib.ExitStack() as held:
        if passed_in:
            words, how = passing("embed", [held.enter_context(listening(path))])
            pool = stack.pool(listen=None, workers=2).start(wrapper=words, **how).wait_ready()
        else:
            pool = stack.start_pool(workers=2)
        kept = [held.enter_context(fcgi.Connection(path)) for _ in range(4)]
        for connection in kept:
            assert connection.request("/oembed", MEDIA).status == 200
        held.enter_context(fcgi.Connection(path)).send(fcgi.request("/oembed", MEDIA)[:30])
        workers = pool.workers()
        assert any(len(os.listdir(f"/proc/{worker}/fd")) > 6 for worker in workers)
        for process in (pool.pid, *workers):
            assert inherited_by_children(process) == {}


# --- P6, P7: TERM --------------------------------------------------------------------------------


def test_P7_ends_at_TERM_with_status_0_and_removes_its_files(stack):
    pool = stack.start_pool()
    assert int(pool.pid_file.read_text()) == pool.pid
    workers = pool.workers()
    assert len(workers) == 2
    assert pool.stop() == 0
    assert not pool.socket.exists()
    assert not pool.pid_file.exists()
    assert not any(map(parent_of, workers))
    assert pool.events("pool.ended")


def test_P7_does_not_wait_for_idle_connections_at_TERM(stack):
    pool = stack.start_pool()
    with contextlib.ExitStack() as kept:
        idle = [kept.enter_context(pool.connect()) for _ in range(6)]
        for connection in idle[:4]:
            assert connection.request("/healthz").status == 200
        assert pool.stop() == 0
        for connection in idle:
            assert connection.read_rest() == b""


def test_P7_drains_at_QUIT_behind_the_answers(stack):
    """A connection is given back behind an answer, never instead of one."""
    pool = stack.start_pool(drain_timeout=20)
    with pool.connect() as connection:
        assert connection.request("/healthz").status == 200
        pool.send_signal(signal.SIGQUIT)
        pool.wait_for("pool.drains")
        answer = connection.request("/healthz")
        assert answer is not None and answer.status == 200
        # Sooner or later it is told to go; until then it is served.
        def gone():
            later = connection.request("/healthz")
            assert later is None or later.status == 200
            return later is None
        wait_until(gone, "the connection is given back")
    assert pool.wait() == 0


POST = environment("/oembed", method="POST", body=b"b" * 1000)
POST_PARAMS = begin() + stream(PARAMS, encode_pairs(POST))


@pytest.mark.parametrize("sent, rest", [
    pytest.param(POST_PARAMS + record(STDIN, b"b" * 400),
                 record(STDIN, b"b" * 600) + record(STDIN), id="during the body"),
    pytest.param(POST_PARAMS + record(STDIN, b"b" * 1000), record(STDIN),
                 id="before the body's end"),
    pytest.param(POST_PARAMS, stream(STDIN, b"b" * 1000), id="before the body"),
    pytest.param(POST_PARAMS[:40], POST_PARAMS[40:] + stream(STDIN, b"b" * 1000),
                 id="during the params"),
])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT])
def test_P6_answers_a_request_that_a_signal_interrupts(stack, number, sent, rest):
    pool = stack.start_pool(workers=1)
    with pool.connect() as connection:
        connection.send(sent)
        pool.request("/healthz")  # the worker has seen what came before
        pool.send_signal(number)
        pool.wait_for("pool.stops" if number == signal.SIGTERM else "pool.drains")
        connection.send(rest)
        answer = connection.read_answer()
        assert answer is not None and answer.status == 405
    assert pool.wait() == 0


def test_P6_does_not_wait_for_ever_for_the_rest_of_a_request(stack):
    pool = stack.start_pool(read_timeout=300, drain_timeout=1)
    with pool.connect() as connection:
        connection.send(POST_PARAMS)
        pool.request("/healthz")
        assert pool.stop() == 0
        assert connection.read_rest() == b""


def test_P6_signals_without_meaning_change_nothing(stack):
    pool = stack.start_pool()
    workers = pool.workers()
    for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT):
        pool.send_signal(number)
        for worker in workers:
            os.kill(worker, number)
    for _ in range(20):
        assert pool.request("/healthz").status == 200
    assert pool.workers() == workers


def test_P1_workers_go_with_their_parent(stack):
    pool = stack.start_pool(deaths_expected=True)
    workers = pool.workers()
    pool.stop(signal.SIGKILL)
    wait_until(lambda: not any(map(parent_of, workers)), "the workers end")


@pytest.mark.parametrize("stopped", [0, 1, 2])
def test_P1_workers_go_with_their_parent_though_they_hear_nothing(stack, stopped):
    """It broke once: TERM waited for a worker that was stopped, for ever."""
    pool = stack.start_pool(deaths_expected=True, workers=2)
    workers = sorted(pool.workers())
    for worker in workers[:stopped]:
        os.kill(worker, signal.SIGSTOP)
    with pool.connect() as connection:
        # One of the others has half a request in hand.
        connection.send(fcgi.request("/healthz")[:-4])
        pool.stop(signal.SIGKILL)
        wait_until(lambda: not any(map(parent_of, workers)), "the workers end")
        assert connection.read_rest() == b""
    # Nobody holds the socket any more.
    with pytest.raises(ConnectionRefusedError):
        pool.connect()


# --- P8: deaths ----------------------------------------------------------------------------------

# Under the sanitizers these signals would end in a report and an exit status instead.
PLAIN_DEATHS = {**os.environ, "ASAN_OPTIONS": ":".join(
    [os.environ.get("ASAN_OPTIONS", ""), "handle_segv=0", "handle_sigbus=0", "handle_abort=0"]).strip(":")}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV,
                                    signal.SIGBUS])
def test_P8_replaces_a_worker_that_died_and_says_of_what(stack, number):
    pool = stack.pool(workers=3, deaths_expected=True).start(env=PLAIN_DEATHS).wait_ready()
    workers = pool.workers()
    victim = min(workers)
    with contextlib.ExitStack() as kept:
        connections = [kept.enter_context(pool.connect()) for _ in range(3)]
        for connection in connections:
            assert connection.request("/healthz").status == 200
        os.kill(victim, number)
        # The others serve on, and new connections are served too.
        served = [connection.request("/healthz") for connection in connections]
        assert any(served)
        for _ in range(20):
            assert pool.request("/healthz").status == 200
    (death,) = pool.wait_for("worker.died", worker=victim)
    assert death["signal"] == number
    assert death["delay_ms"] == 0, "the first death costs nothing"
    now = pool.wait_for_workers(3, without=[victim])
    assert workers - {victim} < now


def test_P8_replaces_ever_later_when_workers_keep_dying(stack):
    pool = stack.start_pool(workers=2, deaths_expected=True)
    killed = set()

    def growing():
        """The delays behind the last death that had none, those are the ones of one row of young deaths."""
        delays = [death["delay_ms"] for death in pool.events("worker.died")]
        last = max((at for at, delay in enumerate(delays) if delay == 0), default=-1)
        return delays[last + 1:]

    # A worker that lived a while breaks the row; a machine that does other things may let one live.
    for number in range(60):
        victim = min(wait_until(lambda: pool.workers() - killed, "another worker"))
        killed.add(victim)
        os.kill(victim, signal.SIGKILL)
        pool.wait_for("worker.died", number + 1)
        # One of the two lives on.
        assert pool.request("/healthz").status == 200
        if len(growing()) >= 3:
            break
    delays = growing()
    assert len(delays) >= 3 and delays == sorted(delays) and len(set(delays)) == len(delays)
    assert pool.events("worker.died")[0]["delay_ms"] == 0
    pool.wait_for_workers(2, without=killed)
    for _ in range(10):
        assert pool.request("/healthz").status == 200


def test_P8_backs_off_too_when_workers_keep_dying_later(stack):
    """It broke once: workers that died 200 ms after their start were replaced at once for ever."""
    pool = stack.start_pool(workers=8, deaths_expected=True)
    first_seen = {}

    def old_enough():
        """The workers that are no longer young, by a clock that began behind theirs."""
        now = time.monotonic()
        return [worker for worker in pool.workers()
                if now - first_seen.setdefault(worker, now) > 0.3]

    def delays():
        return [death["delay_ms"] for death in pool.events("worker.died")]

    # 8 a third of a second, of which four a second are free, and 64 more.
    for _ in range(40):
        victims = wait_until(old_enough, "workers that lived a while")
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
            del first_seen[victim]
            pool.wait_for("worker.died", worker=victim)
        if len([delay for delay in delays() if delay > 0]) >= 6:
            break
    assert delays()[:50] == [0] * 50, "N2: fifty at once cost nothing"
    growing = [delay for delay in delays() if delay > 0]
    assert growing[:6] == [50, 100, 200, 400, 800, 1000]
    # And then the pool is full again.
    pool.wait_for_workers(8)
    for _ in range(10):
        assert pool.request("/healthz").status == 200


def test_P8_keeps_its_socket_and_goes_on_trying_when_workers_die_at_start(stack):
    """What kills them is a limit of descriptors; lifted, the same pool comes up."""
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (4, hard))

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # Without a pid file, for which the parent too would lack a descriptor.
    pool = stack.pool(deaths_expected=True, pid_file=None)
    pool.start(preexec_fn=few_descriptors, env=PLAIN_DEATHS)
    (said,) = pool.wait_for("pool.failing")
    assert said["level"] == "error"
    pool.wait_for("worker.died", 7)
    assert is_socket(pool.socket)
    assert not pool.events("pool.ready")
    # Whoever comes now waits in the socket's queue, and is served once a worker lives.
    with pool.connect() as early:
        early.send(fcgi.request("/healthz"))
        resource.prlimit(pool.pid, resource.RLIMIT_NOFILE, (1024, hard))
        pool.wait_ready()
        assert early.read_answer().status == 200
    assert len(pool.events("pool.failing")) == 1, "said once, not with each death"


def ask(pool, times, counts):
    """One kept client. Counts its answers and the closes between two of them; a half answer is
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


def test_P8_retires_workers_after_max_requests_without_a_failed_request(stack):
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
    # A request that met a close was not acted on: as many were handled as were answered.
    wait_until(lambda: len(pool.events("request")) >= 1200, "the log has all requests")
    assert len(pool.events("request", path="/healthz", status=200)) == 1200
    retired = pool.events("worker.retires", reason="max-requests")
    assert len(retired) >= 10
    assert len({entry["requests"] for entry in retired}) > 1, "without jitter"
    assert not pool.events("worker.died")


def test_P8_retires_workers_behind_nginx_without_a_failed_request(stack):
    stack.start_redis()
    pool = stack.start_pool(workers=3, max_requests=40)
    # Two lines more than kept connections, as nginx/svc-upstreams.conf has them and says why.
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
    assert len(pool.events("worker.retires")) >= 5


def test_P8_retires_no_worker_while_the_store_is_away(stack):
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
    """A store in front of Redis. Once held, it takes commands and gives no more answers."""

    def __init__(self, path, redis):
        super().__init__(daemon=True)
        self.path, self.redis = path, redis
        self.held = threading.Event()
        self.asked = threading.Event()  # a record was asked for while it was held
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
                    # Not by what a worker says of itself when it begins to listen for changes.
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
    """The stack's configuration, with a store that can be held in place of Redis."""
    stack.import_catalog()
    held = HeldStore(stack.directory / "held.sock", stack.redis_state)
    held.start()
    stack.write_config(redis_state=f"unix://{held.path}", redis_timeout=800, request_timeout=900,
                       write_timeout=800)
    yield held
    held.stop()


def test_P8_ends_a_worker_that_hangs_and_names_the_path_of_its_request(stack, held_store):
    pool = stack.start_pool(workers=1, deaths_expected=True)
    assert pool.request("/oembed", MEDIA).status == 200
    (worker,) = pool.workers()
    held_store.held.set()
    with pool.connect() as connection:
        connection.send(fcgi.request("/oembed", PLAYLIST + "&secret=swordfish"))
        assert held_store.asked.wait(PATIENCE)
        os.kill(worker, signal.SIGSTOP)
        (killed,) = pool.wait_for("worker.killed", worker=worker)
        assert connection.read_answer() is None
    held_store.held.clear()
    assert (killed["reason"], killed["path"]) == ("no-heartbeat", "/oembed")
    assert killed["ms"] >= 900
    assert "swordfish" not in pool.log_text() and "pl4yl1st01" not in pool.log_text()
    pool.wait_for_workers(1, without=[worker])
    wait_until(lambda: pool.request("/oembed", MEDIA).status == 200, "the pool answers again")


def test_P8_a_worker_at_rest_has_no_deadline(stack):
    """However long it rests, and whatever wakes it then."""
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


def test_P8_a_store_that_is_too_slow_costs_no_worker(stack, held_store):
    pool = stack.start_pool(workers=1)
    (worker,) = pool.workers()
    held_store.held.set()
    answer = pool.request("/oembed", MEDIA)
    assert answer.status == 503
    assert int(answer.header("Retry-After")) >= 1
    assert pool.workers() == {worker}
    held_store.held.clear()
    wait_until(lambda: pool.request("/oembed", MEDIA).status == 200, "the store is noticed again")


# --- P9: health ----------------------------------------------------------------------------------


def test_P9_healthz_is_about_the_process_and_readyz_about_the_store(stack):
    pool = stack.start_pool()  # without any Redis
    assert pool.request("/healthz").status == 200
    assert pool.request("/readyz").status == 503
    stack.start_redis()
    wait_until(lambda: pool.request("/readyz").status == 200, "the store is noticed")


# --- P10: configuration --------------------------------------------------------------------------


def test_P10_check_config_says_that_all_is_right(stack):
    done = run("--config", stack.config, "--check-config")
    assert done.returncode == 0
    assert done.stdout.strip()


def test_P10_check_config_opens_nothing(stack):
    path = stack.directory / "unused.sock"
    done = run("--config", stack.config, "--listen", path, "--check-config")
    assert done.returncode == 0
    assert not path.exists()


# What stands in the file, and what is said about it beside the file and the line.
MISTAKES = [
    ("an unknown key", "wrokers = 4", ["wrokers", "workers"]),
    ("an unknown key with a dot", "pool.workers = 4", ["pool.workers"]),
    ("no number", "workers = four", ["workers", "1", "512"]),
    ("zero", "workers = 0", ["workers", "1", "512"]),
    ("a negative number", "workers = -1", ["workers", "1", "512"]),
    ("a number with a unit", "request-timeout = 3s", ["request-timeout", "integer"]),
    ("a fraction", "max-body = 1.5", ["max-body", "integer"]),
    ("a number beyond all", "max-requests = 99999999999999999999", ["max-requests", "integer"]),
    ("nothing", "workers =", ["workers"]),
    ("an unknown role", "roles = embed,admin", ["roles", "embed", "grant", "web"]),
    ("no role", "roles =", ["roles", "embed", "grant", "web"]),
    ("a mode for everybody", "listen-mode = 0666", ["listen-mode", "0660"]),
    ("a mode that is none", "listen-mode = rw", ["listen-mode", "0660"]),
    ("a TCP address", "listen = 127.0.0.1:9000", ["listen", "unix socket"]),
    ("a log level", "log-level = loud", ["log-level", "debug", "info", "warn", "error"]),
    ("a switch", "log-requests = maybe", ["log-requests", "on", "off"]),
    ("no equals sign", "workers 4", ["key = value"]),
    ("a section", "[pool]", ["key = value"]),
]
URL_MISTAKES = [
    ("a URL with a slash", "app-url", "https://app.example/"),
    ("a URL without a scheme", "app-url", "app.example"),
    ("a URL of another scheme", "embed-host", "ftp://embed.example"),
    ("a URL with a query", "oembed-url", "https://o.example?x=1"),
    ("a URL with a quote", "embed-host", 'https://e.example/"x'),
    ("a domain with a scheme", "service-domain", "https://svc.example"),
    ("a domain with a dot", "short-domain", ".svc.example"),
    ("a store of another kind", "redis-state", "mysql://localhost"),
    ("a store with a password", "redis-state", "redis://:swordfish@localhost"),
]
TOGETHER = [
    ("a store's timeout beyond a request's", ["request-timeout = 1000", "redis-timeout = 1000"],
     ["redis-timeout", "request-timeout"]),
    ("a refusal kept longer than an answer",
     ["oembed-max-age = 5", "oembed-negative-max-age = 10"],
     ["oembed-negative-max-age", "oembed-max-age"]),
]


def refused(stack, lines, *arguments):
    """What is said to a file with these lines behind right ones, and their numbers."""
    text = stack.config.read_text()
    keys = {line.split("=")[0].strip() for line in lines}
    right = [line for line in text.splitlines() if line.split("=")[0].strip() not in keys]
    stack.config.write_text("\n".join(["# A comment.", "", *right, *lines]) + "\n")
    done = run("--config", stack.config, *arguments)
    assert done.returncode == 2, done.stderr
    first = len(right) + 3
    return done.stderr, [f"{stack.config}:{first + i}" for i in range(len(lines))]


@pytest.mark.parametrize("line, named", [pytest.param(*row[1:], id=row[0]) for row in MISTAKES])
@pytest.mark.parametrize("how", ["--check-config", "--print-config", None])
def test_P10_refuses_a_mistake_with_its_line_and_what_is_allowed(stack, line, named, how):
    said, (place,) = refused(stack, [line], *[how] if how else [])
    assert place in said
    for word in named:
        assert word in said
    assert not stack.directory.joinpath("embed.sock").exists()


@pytest.mark.parametrize("key, value", [pytest.param(*row[1:], id=row[0]) for row in URL_MISTAKES])
def test_P10_refuses_an_address_that_is_none(stack, key, value):
    said, (place,) = refused(stack, [f"{key} = {value}"], "--check-config")
    assert place in said and key in said
    assert "swordfish" not in said


@pytest.mark.parametrize("lines, named", [pytest.param(*row[1:], id=row[0]) for row in TOGETHER])
def test_P10_refuses_what_cannot_be_together(stack, lines, named):
    said, places = refused(stack, lines, "--check-config")
    assert all(place in said for place in places)
    assert all(word in said for word in named)


def test_P10_refuses_a_key_that_is_set_twice(stack):
    said, (first, second) = refused(stack, ["workers = 2", "workers = 3"], "--check-config")
    assert first in said and second in said


@pytest.mark.parametrize("arguments, named", [
    (["--wrokers", "4"], "wrokers"), (["--workers", "many"], "workers"), (["--workers"], "workers"),
    (["extra"], ""), (["--work", "4"], "work")])
def test_P10_refuses_mistakes_on_the_command_line(stack, arguments, named):
    done = run("--config", stack.config, *arguments, "--check-config")
    assert done.returncode == 2
    assert "command line" in done.stderr and named in done.stderr


@pytest.mark.parametrize("name", ["svc-worker", "svcctl"])
def test_P10_check_config_looks_into_the_files_it_names(stack, name):
    def check():
        return subprocess.run([program(name), "--config", str(stack.config), "--check-config"],
                              capture_output=True, text=True, timeout=PATIENCE)
    assert check().returncode == 0
    stack.key_file.chmod(0o644)
    done = check()
    assert done.returncode == 2 and str(stack.key_file) in done.stderr and "0600" in done.stderr
    stack.key_file.chmod(0o600)
    stack.key_file.write_text("k1:swordfish\n")
    done = check()
    assert done.returncode == 2 and f"{stack.key_file}, line 1" in done.stderr
    assert "swordfish" not in done.stderr and "is right" not in done.stdout


def test_P10_refuses_a_file_that_is_not_there(stack):
    path = stack.directory / "nowhere.conf"
    done = run("--config", path, "--check-config")
    assert done.returncode == 2
    assert str(path) in done.stderr


def test_P10_a_flag_wins_over_the_file(stack):
    stack.write_config(workers=3)
    def workers(*flags):
        text = run("--config", stack.config, *flags, "--print-config").stdout
        return re.search(r"(?m)^workers = (.*)$", text).group(1)
    assert workers() == "3"
    assert workers("--workers", "5") == "5"


def test_P10_prints_a_configuration_that_it_accepts(stack):
    stack.write_config(workers=3, log_level="warn")
    printed = run("--config", stack.config, "--print-config")
    assert printed.returncode == 0
    again = stack.directory / "again.conf"
    again.write_text(printed.stdout)
    assert run("--config", again, "--check-config").returncode == 0
    assert run("--config", again, "--print-config").stdout == printed.stdout


def test_P10_prints_no_secret(stack):
    password = stack.directory / "password"
    password.write_text("swordfish\n")
    password.chmod(0o600)
    stack.write_config(redis_password_file=password)
    key = stack.key_file.read_text().strip().partition(":")[2]
    for how in ("--print-config", "--check-config"):
        done = run("--config", stack.config, how)
        assert done.returncode == 0
        assert "swordfish" not in done.stdout + done.stderr
        assert key not in done.stdout + done.stderr
