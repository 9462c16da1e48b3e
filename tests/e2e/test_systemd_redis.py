"""The two Redis under systemd, on a booted machine: their users, and which data survives."""

import contextlib
import os
import re
import signal
import subprocess

import pytest

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


@pytest.mark.parametrize("user, store, words, allowed", [
    ("embed", "state", "GET catalog:media:l4unchf1lm", True),
    ("embed", "state", "SET catalog:media:l4unchf1lm x", False),
    ("embed", "state", "HINCRBY usage:test 1 1", True),
    ("embed", "state", "EXPIRE usage:test 0", True),
    ("embed", "state", "GET oauth:client:demo-client-0001", False),
    ("embed", "state", "EVAL return(1) 0", False),
    ("embed", "state", "XADD audit * what test", False),
    ("embed", "cache", "HSET embed:test field 1", True),
    ("embed", "cache", "UNLINK embed:test", True),
    ("embed", "cache", "HSET oauth:test field 1", False),
    ("grant", "state", "SET oauth:refresh:test 1 EX 1", True),
    ("grant", "state", "SET oauth:client:test x", False),
    ("grant", "state", "SET catalog:media:l4unchf1lm x", False),
    ("grant", "state", "HMGET web:session:test contact", False),
    ("grant", "state", "XADD audit:token * what test", True),
    ("grant", "state", "XADD audit:admin * what test", False),
    ("grant", "state", "XDEL audit 1-1", False),
    ("grant", "state", "EVAL return(redis.call('GET',KEYS[1])) 1 oauth:refresh:test", True),
    ("grant", "state", "EVAL return(redis.call('SET','elsewhere','x')) 0", False),
    ("web", "state", "DEL web:session:test", True),
    ("web", "state", "XADD audit:login * what test", True),
    ("web", "state", "XADD audit:reset * what test", False),
    ("web", "state", "XADD audit * what test", False),
    ("web", "state", "XRANGE audit - +", False),
    ("web", "state", "SET oauth:refresh:test x", False),
    ("web", "state", "SET elsewhere x", False),
    ("web", "state", "KEYS *", False),
    ("web", "state", "SCAN 0", False),
    ("web", "state", "FLUSHALL", False),
    ("web", "state", "CONFIG GET *", False),
    ("web", "state", "ACL LIST", False),
    ("web", "state", "DEBUG SLEEP 0", False),
    ("web", "state", "SHUTDOWN NOSAVE", False),
    ("web", "state", "PUBLISH __redis__:invalidate x", False),
    ("web", "state", "SUBSCRIBE other", False),
    ("web", "cache", "PING", False),
    ("svcctl", "state", "SCAN 0", True),
    ("svcctl", "state", "XRANGE audit - +", True),
    ("svcctl", "state", "DEL web:test", True),
    ("svcctl", "state", "DEL audit:test", False),
    ("svcctl", "state", "SET elsewhere x", False),
    ("svcctl", "state", "FLUSHALL", False),
    ("svcctl", "state", "CONFIG GET *", False),
    ("svcctl", "cache", "UNLINK embed:test", True),
    ("svcctl", "cache", "SET embed:test 1", False),
    ("monitoring", "state", "PING", True),
    ("monitoring", "state", "INFO server", True),
    ("monitoring", "state", "GET catalog:media:l4unchf1lm", False),
    ("monitoring", "state", "SCAN 0", False),
    ("monitoring", "state", "MONITOR", False),
    ("monitoring", "state", "SLOWLOG GET", False),
    ("monitoring", "cache", "INFO memory", True),
])
def test_operations_D4_a_user_may_only_run_the_commands_of_its_role(machine, user, store, words, allowed):
    said = redis(machine, user, *words.split(" "), store=store)
    # For DEBUG, Redis checks its own switch before the user's permissions. Not every user exists in both stores.
    refused = any(mark in said for mark in ("NOPERM", "can't access", "DEBUG command not allowed", "NOAUTH"))
    assert refused != allowed, said
    assert not allowed or "ERR" not in said, said


def test_oauth_K6_a_write_is_synced_before_its_reply(machine):
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
    synced = next(i for i, call in enumerate(calls) if "fdatasync(" in call)
    answered = max(i for i, call in enumerate(calls) if '"+OK\\r\\n"' in call)
    assert written < synced < answered, calls


def test_oauth_K6_acknowledged_writes_survive_kill_9_and_memory_is_limited(machine):
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


def test_operations_D6_a_transaction_survives_a_kill_and_a_restart_of_redis(machine):
    unit = "svc-redis-state.service"
    first = machine.show(unit)["InvocationID"]

    def spend(key):
        """Runs a script with several writes, which is a transaction in the append-only file."""
        script = "redis.call('SET', KEYS[1], 'spent') redis.call('UNLINK', KEYS[2]) return 1"
        assert redis(machine, "grant", "SET", f"{key}:code", "unspent") == "OK"
        assert redis(machine, "grant", "EVAL", script, "2", key, f"{key}:code") == "1"

    def is_spent(key):
        return redis(machine, "grant", "GET", key) == "spent" and redis(machine, "grant", "GET", f"{key}:code") == ""

    keys = [f"oauth:refresh:test{number}" for number in range(3)]
    spend(keys[0])
    machine.systemctl("kill", "--signal=KILL", unit)
    machine.wait_for(unit, "is restarted", lambda shown: is_running(shown) and shown["InvocationID"] != first)
    assert is_spent(keys[0])
    spend(keys[1])
    machine.systemctl("restart", unit)
    assert is_spent(keys[0]) and is_spent(keys[1])
    spend(keys[2])
    said = machine.journal("-u", unit, "-o", "cat")
    assert "DB loaded from append only file" in said
    for word in ("CRITICAL", "NOPERM", "ACL"):
        assert word not in said, said
    for key in keys:
        assert redis(machine, "grant", "UNLINK", key) == "1"
    wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200, "the store is back")


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


def test_operations_D6_redis_does_not_start_with_a_corrupt_file_until_it_is_repaired(machine):
    unit = "svc-redis-state.service"
    machine.systemctl("stop", unit)
    file = last_file(machine)
    sound = file.read_bytes()
    file.write_bytes(sound + b"x" + sound)
    machine.systemctl("start", unit, check=False)
    machine.wait_for(unit, "is refused", lambda shown: shown["SubState"] == "auto-restart")
    said = machine.journal("-u", unit, "-o", "cat")
    assert f"{file.name}: corrupt at byte {len(sound)} of {2 * len(sound) + 1}" in said
    assert "redis-check-aof --fix /var/lib/svc/redis-state/appendonlydir/" in said
    assert file.read_bytes() == sound + b"x" + sound
    file.write_bytes(sound)
    machine.wait_for(unit, "recovers", is_running)
    wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200, "the store is back")


def test_operations_D6_a_full_disk_refuses_writes_and_loses_no_acknowledged_one(machine):
    unit, folder = "svc-redis-state.service", "/var/lib/svc/redis-state"
    machine.systemctl("stop", unit)
    machine.run("sh", "-ec", f"mount -t tmpfs -o size=4m tmpfs /mnt; cp -a {folder}/. /mnt; "
                             f"mount --bind /mnt {folder}; umount /mnt")
    try:
        machine.systemctl("start", unit)
        fill = machine.path(folder) / "fill"
        with contextlib.suppress(OSError), open(fill, "wb", buffering=0) as file:
            while True:
                file.write(bytes(512))
        acknowledged = {}
        first = machine.show(unit)["InvocationID"]
        # The last page of the file may still have room.
        for number in range(200):
            key, value = f"oauth:refresh:test{number}", "x" * 200
            script = "redis.call('SET', KEYS[1], ARGV[1]) redis.call('UNLINK', KEYS[2]) return 'done'"
            if redis(machine, "grant", "EVAL", script, "2", key, "oauth:refresh:gone", value) != "done":
                break
            acknowledged[key] = value
        else:
            raise AssertionError("the disk is not full")
        # Redis has exited and restarted without the incomplete write. Reads succeed.
        machine.wait_for(unit, "is restarted", lambda shown: is_running(shown) and shown["InvocationID"] != first)
        wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200, "the store is back")
        said = machine.journal("-u", unit, "-o", "cat")
        assert "Can't recover from AOF write error when the AOF fsync policy is 'always'. Exiting" in said
        assert "an unfinished write that was not acknowledged" in said
        fill.unlink()
        key = "oauth:refresh:test"
        wait_until(lambda: redis(machine, "grant", "SET", key, "room") == "OK", "writes succeed again")
        machine.systemctl("restart", unit)
        assert {name: redis(machine, "grant", "GET", name) for name in acknowledged} == acknowledged
        assert redis(machine, "grant", "GET", key) == "room"
    finally:
        machine.systemctl("stop", unit)
        machine.run("umount", folder)
        machine.systemctl("start", unit)
    wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200, "the store is back")


def test_operations_D4_redis_files_belong_to_its_user(machine):
    status = machine.path("/var/lib/svc/redis-state").stat()
    user = int(machine.run("id", "-u", "svc-redis-state").stdout)
    assert (status.st_mode & 0o7777, status.st_uid) == (0o700, user)
    assert os.listdir(machine.path("/run/svc/redis-cache")) == ["redis.sock"]
