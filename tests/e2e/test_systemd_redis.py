"""The two Redis under systemd, on a booted machine: their users, and which data survives."""

import os
import re
import signal
import subprocess

import documents
from deployed import (MEDIA, ask, booted, is_running, machine, redis)
from processes import PATIENCE, start, wait_until


def last_file(machine):
    """Returns the part of the append-only file to which Redis appends."""
    folder = machine.path("/var/lib/svc/redis-state/appendonlydir")
    return max(folder.glob("*.incr.aof"), key=lambda path: int(path.name.split(".")[-3]))


def test_operations_D4_unauthenticated_commands_are_refused(machine):
    for store in ("state", "cache"):
        said = machine.run("redis-cli", "-s", f"/run/svc/redis-{store}/redis.sock", "GET",
                           "catalog:media:l4unchf1lm", check=False).stdout
        assert "NOAUTH" in said


def test_operations_Y22_the_command_of_the_alert_names_the_slow_requests(machine):
    (command,) = [code for code in documents.codes(*(cell for row in documents.rows(documents.tokens(
        "systemd/README.md", "Alerts")) for cell in row)) if code.endswith("LATENCY LATEST")]
    # Redis runs a library while it loads it, for at most half a second.
    redis(machine, "loader", "FUNCTION", "LOAD", "#!lua name=slow\nfor _ = 1, 2e8 do end")
    assert "command" in machine.run("sh", "-ec", command).stdout.split()


def test_a_write_is_synced_before_its_reply(machine):
    server = machine.main_pid("svc-redis-state.service")
    tracer = start(["strace", "-f", "-s", "256", "-p", str(server), "-e",
                    "trace=fdatasync,fsync,write,writev,sendto", "-o", "/dev/stdout"],
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert "attached" in tracer.stderr.readline()
        assert redis(machine, "grant", "SET", "oauth:refresh:test", "acknowledged") == "OK"
    finally:
        tracer.send_signal(signal.SIGINT)
        calls = tracer.communicate(timeout=PATIENCE)[0].splitlines()
    written = next(i for i, call in enumerate(calls) if r"oauth:refresh:test\r\n" in call)
    # Others write, too: svc-keeper renews its mark that it guards folders.
    synced = next(i for i, call in enumerate(calls) if i > written and "fdatasync(" in call)
    answered = max(i for i, call in enumerate(calls) if '"+OK\\r\\n"' in call)
    assert written < synced < answered, calls


def test_acknowledged_writes_survive_kill_9_and_memory_is_limited(machine):
    assert redis(machine, "grant", "SET", "oauth:refresh:test", "survives") == "OK"
    os.kill(machine.main_pid("svc-redis-state.service"), signal.SIGKILL)
    machine.wait_for("svc-redis-state.service", "is restarted", lambda shown: (
        is_running(shown) and int(shown["NRestarts"]) >= 1))
    assert redis(machine, "grant", "GET", "oauth:refresh:test") == "survives"
    assert redis(machine, "grant", "UNLINK", "oauth:refresh:test") == "1"
    # The pools, which were not restarted, are connected again.
    wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200, "the store is back")
    for store, policy in (("state", "noeviction"), ("cache", "allkeys-lfu")):
        info = redis(machine, "monitoring", "INFO", store=store)
        assert f"maxmemory_policy:{policy}" in info
        assert not re.search(r"^maxmemory:0\r?$", info, re.M)
        assert f"aof_enabled:{int(store == 'state')}" in info
        assert "tcp_port:0" in info


def test_operations_D6_an_incomplete_write_is_removed_before_redis_starts_and_logged(machine):
    unit = "svc-redis-state.service"
    machine.systemctl("stop", unit)
    file = last_file(machine)
    sound = file.read_bytes()
    half = b"*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$15\r\noauth:ref"
    file.write_bytes(sound + half)
    machine.systemctl("start", unit)
    assert (f"svc-repair-state: /var/lib/svc/redis-state/appendonlydir/{file.name}: removed the last {len(half)} of "
            f"{len(sound + half)} bytes") in machine.journal("-u", unit, "-o", "cat")
    assert redis(machine, "grant", "SET", "oauth:refresh:test", "after") == "OK"
    machine.systemctl("restart", unit)
    assert redis(machine, "grant", "GET", "oauth:refresh:test") == "after"
    assert redis(machine, "grant", "UNLINK", "oauth:refresh:test") == "1"
    wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200, "the store is back")


def test_operations_D4_redis_files_belong_to_its_user(machine):
    status = machine.path("/var/lib/svc/redis-state").stat()
    user = int(machine.run("id", "-u", "svc-redis-state").stdout)
    assert (status.st_mode & 0o7777, status.st_uid) == (0o700, user)
    assert os.listdir(machine.path("/run/svc/redis-cache")) == ["redis.sock"]
