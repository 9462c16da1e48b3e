"""Hostile clients, full disks and stopped processes."""

import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
from pathlib import Path

import stack as stacks
from processes import accepts, start, wait_until


def test_operations_P7_ends_in_limited_time_despite_a_stopped_worker(stack):
    pool = stack.start_pool(workers=2, request_timeout=300, redis_timeout=100, read_timeout=300, write_timeout=200,
                            deaths_expected=True)
    os.kill(min(pool.workers()), signal.SIGSTOP)
    assert pool.stop() == 0


def test_operations_P3_waits_while_descriptors_are_exhausted_and_then_continues(stack):
    pool = stack.start_pool(workers=1)
    (worker,) = pool.workers()
    held = len(os.listdir(f"/proc/{worker}/fd"))
    limit = resource.prlimit(worker, resource.RLIMIT_NOFILE, (held, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    waiting = pool.connect()
    waiting.send(stacks.fastcgi_client.request("/healthz"))
    pool.wait_for("accept.failed")
    def switches():
        status = Path(f"/proc/{worker}/status").read_text()
        return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
    before = switches()
    stacks.wait_until(lambda: switches() >= before + 5, "the worker has paused after further attempts")
    assert len(pool.events("accept.failed")) == 1, "one line per outage, not per attempt"
    resource.prlimit(worker, resource.RLIMIT_NOFILE, limit)
    assert waiting.read_answer().status == 200
    waiting.close()


def listens(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0


def test_operations_P11_serves_although_its_log_is_not_read(stack):
    """Log lines are lost, but no requests."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    pool = stack.pool(workers=1, log_requests="on")
    process = start(pool.command(), stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    try:
        wait_until(lambda: listens(pool.socket), "the pool listens")
        for _ in range(300):
            assert pool.request("/healthz").status == 200
    finally:
        process.terminate()
        assert process.wait(stacks.PATIENCE) == 0
        os.close(reader)


def catalog_lines(count):
    yield {"kind": "account", "id": 1, "name": "A", "host": "a.svc.localhost", "url": "https://a.svc.localhost"}
    for number in range(count):
        yield {"kind": "media", "id": f"m{number}", "account_id": 1, "type": "Video", "name": "x" * 200,
               "status": "ready", "width": 640, "height": 360, "created": "2026-01-01T00:00:00Z",
               "updated": "2026-01-01T00:00:00Z", "assets": []}


def start_import(stack, count):
    file = stack.directory / "catalog.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in catalog_lines(count)))
    return file, start([stacks.program("svcctl"), "--config", str(stack.config), "import", str(file)],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_an_import_reports_that_the_store_became_unavailable(stack):
    stack.start_redis()
    _, process = start_import(stack, 30_000)
    wait_until(lambda: stack.redis_state.command("DBSIZE") > 1000, "some of it is written")
    stack.redis_state.stop(signal.SIGKILL)
    out, err = process.communicate(timeout=stacks.PATIENCE)
    assert process.returncode == 3, (out, err)
    assert "the store is unavailable" in err and "all written records are complete" in err


def wait_until_it_waits_for_a_socket(pid):
    """Waits until the process has an open socket, and did not run between two looks."""
    seen = [None]

    def rests():
        with contextlib.suppress(OSError):
            sockets = [one for one in os.listdir(f"/proc/{pid}/fd") if "socket:" in os.readlink(f"/proc/{pid}/fd/{one}")]
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            seen.append((fields[0], fields[11:13]))  # state; user and system time
            return sockets and seen[-1] == seen[-2] and fields[0] == "S"
        return False

    wait_until(rests, "the file is checked, and the store has a request", pause=0.1)


def test_refuses_a_file_that_is_truncated_during_the_import(stack):
    stack.start_redis()
    stack.redis_state.send_signal(signal.SIGSTOP)
    try:
        file, process = start_import(stack, 3000)
        lines = file.read_bytes().split(b"\n")
        wait_until_it_waits_for_a_socket(process.pid)
        os.truncate(file, sum(len(line) + 1 for line in lines[:1600]))
    finally:
        stack.redis_state.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=stacks.PATIENCE)
    assert process.returncode != 0
    assert "while" in err and "read" in err


def test_operations_P2_keeps_its_log_out_of_the_responses_when_started_without_descriptors(stack):
    pool = stack.pool(workers=1, log_requests="on")
    process = start(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *pool.command()])
    try:
        wait_until(lambda: accepts(pool.socket), "the pool listens")
        for _ in range(5):
            assert pool.request("/healthz").status == 200
    finally:
        process.terminate()
        assert process.wait(stacks.PATIENCE) == 0
