"""The pool as a process, with its socket and signals."""

import contextlib
import os
import re
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

import fastcgi_client as fcgi
from fastcgi_client import PARAMS, STDIN, begin, encode_pairs, environment, record, stream
from oembed_asking import VIDEO_QUERY
from processes import Program, parent_of, wait_until
from stack import ended, is_socket, program



def run(*arguments):
    """Runs svc-worker until it ends."""
    return ended("svc-worker", *arguments)


# --- operations-P2: the socket -------------------------------------------------------------------


def test_operations_P2_creates_its_socket_for_owner_and_group_only(stack):
    pool = stack.start_pool()
    assert is_socket(pool.socket)
    assert os.stat(pool.socket).st_mode & 0o7777 == 0o660


def test_operations_P2_replaces_a_stale_socket(stack):
    pool = stack.pool()
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(pool.socket))
        stale.listen()
    assert is_socket(pool.socket)
    pool.start().wait_ready()
    assert pool.request("/healthz").status == 200


def test_operations_P2_replaces_the_socket_of_a_killed_pool(stack):
    first = stack.start_pool(deaths_expected=True)
    first.stop(signal.SIGKILL)
    assert is_socket(first.socket)
    second = stack.pool("second", listen=first.socket).start().wait_ready()
    with fcgi.Connection(first.socket) as connection:
        assert connection.request("/healthz").status == 200
    assert second.alive()


def test_operations_P2_does_not_replace_the_socket_of_a_running_pool(stack):
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


def test_operations_P2_replaces_only_sockets(stack):
    path = stack.directory / "precious"
    path.write_text("precious")
    done = run("--config", stack.config, "--listen", path)
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert path.read_text() == "precious"


@pytest.mark.parametrize("address", ["127.0.0.1:9000", ":9000", "9000", "[::1]:9000",
                                     "localhost:9000", "*:9000"])
def test_operations_P2_never_listens_on_tcp(stack, address):
    done = run("--config", stack.config, "--listen", address)
    assert done.returncode == 2, done.stderr
    assert "listen" in done.stderr and "unix socket" in done.stderr


def test_operations_P2_refuses_a_url_as_a_path(stack):
    done = run("--config", stack.config, "--listen", "tcp://127.0.0.1:9000")
    assert done.returncode in (1, 2)
    assert "tcp://127.0.0.1:9000" in done.stderr or "unix socket" in done.stderr


def test_operations_P2_refuses_a_path_that_is_too_long_for_a_socket(stack):
    path = stack.directory / ("s" * 110)
    done = run("--config", stack.config, "--listen", path)
    assert done.returncode in (1, 2)
    assert "107" in done.stderr


def test_operations_P2_reports_that_listen_is_missing(stack):
    done = run("--config", stack.config)
    assert done.returncode in (1, 2)
    assert "listen" in done.stderr


def test_operations_P2_creates_a_new_socket_if_its_file_is_removed(stack):
    """Otherwise the pool would run on, unreachable."""
    pool = stack.start_pool(workers=2)
    workers = pool.workers()
    with pool.connect() as kept:
        assert kept.request("/healthz").status == 200
        pool.socket.unlink()
        # Nobody can connect before it has its mode.
        wait_until(lambda: is_socket(pool.socket) and os.stat(pool.socket).st_mode & 0o7777 != 0, "a new socket")
        assert os.stat(pool.socket).st_mode & 0o7777 == 0o660
        # Existing connections are served, and then closed after a response, as in a drain.
        answer = kept.request("/healthz")
        assert answer is None or answer.status == 200
    for _ in range(20):
        assert pool.request("/healthz").status == 200
    (said,) = pool.wait_for("socket.renewed")
    assert said["level"] == "warn"
    pool.wait_for_workers(2, without=workers)
    assert pool.stop() == 0
    assert not pool.socket.exists()


def test_operations_P2_reports_a_lost_socket_and_replaces_it_once_it_is_free(stack):
    pool = stack.start_pool(workers=2)
    with pool.connect() as kept:
        with socket.socket(socket.AF_UNIX) as other:
            pool.socket.unlink()
            other.bind(str(pool.socket))
            other.listen(64)
            taken = os.stat(pool.socket).st_ino
            (said,) = pool.wait_for("socket.lost")
            assert said["level"] == "error" and str(pool.socket) in said["reason"]
            # During two further checks the pool logs no further event and keeps the other process's socket.
            time.sleep(2.5)
            assert len(pool.events("socket.lost")) == 1
            assert os.stat(pool.socket).st_ino == taken
            assert kept.request("/healthz").status == 200
        # The other process has closed its socket, but the file still exists.
        pool.wait_for("socket.renewed")
    assert pool.request("/healthz").status == 200


# Becomes svc-worker as systemd would start it: sockets from descriptor 3 on, with the variables of sd_listen_fds(3).
# The descriptors are first moved out of the way, so that they are not overwritten.
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
    """Returns the command prefix that passes these sockets, and the arguments that Popen needs."""
    numbers = [one.fileno() for one in sockets]
    words = [sys.executable, "-c", PASS_SOCKETS, names, ",".join(map(str, numbers))]
    return words, {"pass_fds": numbers}


@contextlib.contextmanager
def listening(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
        one.listen(64)
        yield one


def test_operations_P2_takes_the_socket_that_systemd_passes(stack):
    path = stack.directory / "activated.sock"
    with listening(path) as ours:
        words, how = passing("embed", [ours])
        pool = stack.pool(listen=None).start(wrapper=words, **how)
        # A client that connects before the pool is ready waits, and is served.
        with fcgi.Connection(path) as connection:
            assert connection.request("/healthz").status == 200
    pool.wait_ready()
    workers = pool.workers()
    time.sleep(1.5)  # longer than the pool's interval for checking a socket of its own
    assert pool.workers() == workers
    assert not pool.events("socket.lost") and not pool.events("socket.renewed")
    assert pool.stop() == 0
    assert is_socket(path), "the socket is systemd's to remove"


def test_operations_P2_takes_its_socket_by_name(stack):
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
    """Runs svc-worker with these sockets until it ends. Returns its status and log."""
    words, how = passing(names, sockets)
    refused = stack.add(Program("refused", stack.directory / "refused.log"))
    refused.launch([*words, program("svc-worker"), "--config", str(stack.config),
                    "--roles", "embed"], **how)
    return refused.wait(), refused.log_text()


def test_operations_P2_refuses_sockets_with_the_names_of_other_roles(stack):
    with listening(stack.directory / "a.sock") as first, \
            listening(stack.directory / "b.sock") as second:
        status, said = passed(stack, "grant:web", [first, second])
    assert status == 1
    assert "embed" in said and "grant" in said


def test_operations_P2_refuses_a_tcp_socket_from_systemd(stack):
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        status, said = passed(stack, "embed", [tcp])
    assert status == 1
    assert "TCP" in said


def test_operations_P2_refuses_a_socket_that_does_not_listen(stack):
    first, second = socket.socketpair()
    with first, second:
        status, said = passed(stack, "embed", [first])
    assert status == 1
    assert "listen" in said


def inherited_by_children(pid):
    """Returns the descriptors of a process that a program started by it would inherit, without the standard ones."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            info = Path(f"/proc/{pid}/fdinfo/{number}").read_text()
            flags = int(re.search(r"^flags:\s*([0-7]+)$", info, re.MULTILINE)[1], 8)
            if int(number) > 2 and not flags & os.O_CLOEXEC:
                found[number] = os.readlink(f"/proc/{pid}/fd/{number}")
    return found


@pytest.mark.parametrize("passed_in", [False, True], ids=["own socket", "socket passed in"])
def test_operations_P1_no_descriptor_would_be_inherited_by_a_program(stack, passed_in):
    """All descriptors are close-on-exec: store, socket, connections, log."""
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
            assert connection.request("/oembed", VIDEO_QUERY).status == 200
        held.enter_context(fcgi.Connection(path)).send(fcgi.request("/oembed", VIDEO_QUERY)[:30])
        workers = pool.workers()
        assert any(len(os.listdir(f"/proc/{worker}/fd")) > 6 for worker in workers)
        for process in (pool.pid, *workers):
            assert inherited_by_children(process) == {}


# --- operations-P6, operations-P7: TERM ----------------------------------------------------------


def test_operations_P7_ends_at_TERM_with_status_0_and_removes_its_files(stack):
    pool = stack.start_pool()
    assert int(pool.pid_file.read_text()) == pool.pid
    workers = pool.workers()
    assert len(workers) == 2
    assert pool.stop() == 0
    assert not pool.socket.exists()
    assert not pool.pid_file.exists()
    assert not any(map(parent_of, workers))
    assert pool.events("pool.ended")


def test_operations_P7_TERM_closes_idle_connections(stack):
    pool = stack.start_pool()
    with contextlib.ExitStack() as kept:
        idle = [kept.enter_context(pool.connect()) for _ in range(6)]
        for connection in idle[:4]:
            assert connection.request("/healthz").status == 200
        assert pool.stop() == 0
        for connection in idle:
            assert connection.read_rest() == b""


def test_operations_P7_QUIT_closes_connections_after_a_response(stack):
    """A draining worker closes a connection after a response, never instead of one."""
    pool = stack.start_pool(drain_timeout=20)
    with pool.connect() as connection:
        assert connection.request("/healthz").status == 200
        pool.send_signal(signal.SIGQUIT)
        pool.wait_for("pool.drains")
        answer = connection.request("/healthz")
        assert answer is not None and answer.status == 200
        # The connection is served until it is closed.
        def gone():
            later = connection.request("/healthz")
            assert later is None or later.status == 200
            return later is None
        wait_until(gone, "the connection is closed")
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
def test_operations_P6_answers_a_request_that_a_signal_interrupts(stack, number, sent, rest):
    pool = stack.start_pool(workers=1)
    with pool.connect() as connection:
        connection.send(sent)
        pool.request("/healthz")  # the worker has read everything sent before
        pool.send_signal(number)
        pool.wait_for("pool.stops" if number == signal.SIGTERM else "pool.drains")
        connection.send(rest)
        answer = connection.read_answer()
        assert answer is not None and answer.status == 405
    assert pool.wait() == 0


def test_operations_P6_waits_for_the_rest_of_a_request_only_until_the_timeout(stack):
    pool = stack.start_pool(read_timeout=300, drain_timeout=1)
    with pool.connect() as connection:
        connection.send(POST_PARAMS)
        pool.request("/healthz")
        assert pool.stop() == 0
        assert connection.read_rest() == b""


def test_operations_P6_other_signals_have_no_effect(stack):
    pool = stack.start_pool()
    workers = pool.workers()
    for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT):
        pool.send_signal(number)
        for worker in workers:
            os.kill(worker, number)
    for _ in range(20):
        assert pool.request("/healthz").status == 200
    assert pool.workers() == workers


def test_operations_P1_workers_end_with_their_parent(stack):
    pool = stack.start_pool(deaths_expected=True)
    workers = pool.workers()
    pool.stop(signal.SIGKILL)
    wait_until(lambda: not any(map(parent_of, workers)), "the workers end")


@pytest.mark.parametrize("stopped", [0, 1, 2])
def test_operations_P1_even_stopped_workers_end_with_their_parent(stack, stopped):
    """The kernel sends them SIGKILL when the parent dies: a stopped worker does not act on SIGTERM."""
    pool = stack.start_pool(deaths_expected=True, workers=2)
    workers = sorted(pool.workers())
    for worker in workers[:stopped]:
        os.kill(worker, signal.SIGSTOP)
    with pool.connect() as connection:
        # A running worker has received a part of a request.
        connection.send(fcgi.request("/healthz")[:-4])
        pool.stop(signal.SIGKILL)
        wait_until(lambda: not any(map(parent_of, workers)), "the workers end")
        assert connection.read_rest() == b""
    # No process has the socket open any longer.
    with pytest.raises(ConnectionRefusedError):
        pool.connect()


# --- operations-P9: health -----------------------------------------------------------------------


def test_operations_P9_healthz_checks_the_process_and_readyz_the_store(stack):
    pool = stack.start_pool()  # without any Redis
    assert pool.request("/healthz").status == 200
    assert pool.request("/readyz").status == 503
    stack.start_redis()
    wait_until(lambda: pool.request("/readyz").status == 200, "the store is noticed")
