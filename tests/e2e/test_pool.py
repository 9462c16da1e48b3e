"""The pool as a process, with its socket and signals."""

import contextlib
import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest

import fastcgi_client as fcgi
from oembed_asking import VIDEO_QUERY
from processes import parent_of, wait_for_wakeups, wait_until
from stack import ended, is_socket


def run(*arguments):
    """Runs svc-worker until it ends."""
    return ended("svc-worker", *arguments)


# --- operations-P2: the socket -------------------------------------------------------------------


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


@pytest.mark.parametrize("listen", [[], ["--listen", "127.0.0.1:9000"]], ids=["nowhere", "TCP"])
def test_operations_P2_listens_on_a_unix_socket_only(stack, listen):
    done = run("--config", stack.config, *listen)
    assert done.returncode in (1, 2) and "listen" in done.stderr and "unix socket" in done.stderr, done.stderr


def test_operations_P2_creates_a_new_socket_if_its_file_is_removed(stack):
    """Otherwise the pool would run on, unreachable."""
    pool = stack.start_pool(workers=2)
    workers = pool.workers()
    with pool.connect() as kept:
        assert kept.request("/healthz").status == 200
        pool.socket.unlink()
        # Clients can connect only once it has its mode.
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
            # At a further check the pool logs no further event and keeps the other process's socket.
            wait_for_wakeups(pool.pid, 12)  # it wakes up every 100 ms and checks each second
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


@pytest.mark.parametrize("number, said", [(signal.SIGTERM, "pool.stops"), (signal.SIGQUIT, "pool.drains")])
def test_operations_P6_answers_a_request_that_a_signal_interrupts(stack, number, said):
    pool = stack.start_pool(workers=1)
    request = fcgi.request("/oembed", method="POST", body=b"b" * 1000)
    with pool.connect() as connection:
        connection.send(request[:-600])
        pool.request("/healthz")  # the worker has read everything sent before
        pool.send_signal(number)
        pool.wait_for(said)
        connection.send(request[-600:])
        answer = connection.read_answer()
        assert answer is not None and answer.status == 405
    assert pool.wait() == 0


def test_operations_P6_other_signals_have_no_effect(stack):
    """Among them SIGHUP, which only the parent takes."""
    pool = stack.start_pool()
    workers = pool.workers()
    for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT, signal.SIGHUP):
        if number != signal.SIGHUP:
            pool.send_signal(number)
        for worker in workers:
            os.kill(worker, number)
    for _ in range(20):
        assert pool.request("/healthz").status == 200
    assert pool.workers() == workers and not pool.events("reload.begins")


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


# --- operations-P3: connections ------------------------------------------------------------------


def connections_of(pool):
    """Returns a function for the number of connections that each worker holds, smallest first. The pool must be
    unused."""
    before = {worker: descriptors(worker) for worker in pool.workers()}
    return lambda: sorted(descriptors(worker) - count for worker, count in before.items())


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.parametrize("requests", [0, 1])
def test_operations_P3_spreads_connections_evenly_over_all_workers(stack, requests):
    """Although Linux prefers to wake the same waiting process again."""
    pool = stack.start_pool(workers=4)
    held = connections_of(pool)
    kept = []
    try:
        for _ in range(40):
            kept.append(pool.connect())
            for _ in range(requests):
                assert kept[-1].request("/healthz").status == 200
        wait_until(lambda: sum(held()) == len(kept), "all connections are held")
        assert held()[0] >= 5 and held()[-1] <= 20, held()
    finally:
        for connection in kept:
            connection.close()
