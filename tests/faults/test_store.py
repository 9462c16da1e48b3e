"""Faults of the state Redis: stopped, killed, full, read-only, refusing, emptied."""

import contextlib
import shutil
import signal

import pytest

import report
import row
from bounded_load import WRONG, Audit, Load
from processes import run, wait_until

KILLS = 50 if row.LONG else 2
# Connections of a pool's user stay authenticated when the user changes, so they are closed as well.
ROLES = ("embed", "grant")


def change_users(service, *rules):
    for role in ROLES:
        service.state.command("ACL", "SETUSER", role, *rules)
        service.state.command("CLIENT", "KILL", "USER", role)


# The name of a fault, how it begins, and how it ends.
FAULTS = [
    ("Redis stopped (SIGSTOP)", lambda service: service.state.send_signal(signal.SIGSTOP),
     lambda service: service.state.send_signal(signal.SIGCONT)),
    # Nothing listens at its primary.
    ("Redis read-only (replica of a dead host)", lambda service: service.state.command("REPLICAOF", "127.0.0.1", "1"),
     lambda service: service.state.command("REPLICAOF", "NO", "ONE")),
    ("Redis out of memory (maxmemory)", lambda service: service.state.command("CONFIG", "SET", "maxmemory", "1"),
     lambda service: service.state.command("CONFIG", "SET", "maxmemory", "1gb")),
    ("Redis refuses the users (ACL off)", lambda service: change_users(service, "off"),
     lambda service: service.state.command("ACL", "LOAD")),
    ("Redis refuses the password", lambda service: change_users(service, "resetpass", ">another"),
     lambda service: service.state.command("ACL", "LOAD")),
]


@pytest.mark.parametrize("name, begin, end", FAULTS, ids=[row[0] for row in FAULTS])
def test_operations_D3_a_redis_that_does_not_serve(stack, name, begin, end):
    def fault(service, load):
        begin(service)
        load.run_cycles(row.CYCLES)
        end(service)
    row.run(stack, name, fault)


def kill_and_wait(service):
    before = service.unit.restarts
    service.state.send_signal(signal.SIGKILL)
    wait_until(lambda: service.unit.restarts > before, "the unit restarts Redis")


def test_operations_D3_oauth_K6_a_redis_killed_again_and_again(stack):
    def fault(service, load):
        for _ in range(KILLS):
            kill_and_wait(service)
            load.wait_until_right()
    row.run(stack, f"Redis killed {KILLS} times (SIGKILL)", fault)


def test_operations_D3_a_full_disk(stack):
    """Redis exits if it cannot write; the unit restarts it until there is room."""
    directory = stack.redis_state.directory
    run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=0700", "none", directory])
    try:
        def fault(service, load):
            filler = directory / "filler"
            with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):  # ENOSPC
                while True:
                    file.write(bytes(4096))
            load.run_cycles(row.CYCLES)
            wait_until(lambda: service.unit.restarts, "Redis has no room and exits")
            load.run_cycles(1)
            filler.unlink()
        row.run(stack, "disk of Redis full", fault)
    finally:
        stack.redis_state.stop(signal.SIGKILL)
        run(["umount", "--lazy", directory])


def test_operations_D3_a_redis_that_restarts_empty(stack):
    """Everything is lost, so that 401 and 404 are right. The service serves again after an import, without a restart,
    and no revoked token comes back."""
    with row.loaded(stack) as (service, load):
        load.phase = "during"
        with service.unit.held():
            service.state.send_signal(signal.SIGKILL)
            service.state.wait()
            shutil.rmtree(service.state.directory / "appendonlydir")
        wait_until(lambda: service.unit.restarts, "the unit restarts Redis")
        load.run_cycles(row.CYCLES)
        load.finish()
        assert [note for note in load.noted(WRONG) if note[3][:3] not in ("400", "401", "404")] == []
        stack.import_catalog()
        with Load(service.nginx.port, service.many_codes(500)) as again:
            seconds = again.wait_until_right()
        audit = Audit(load, service.ledger)
        report.add("Redis restarted empty, then an import", load, audit, seconds)
        assert audit.lost["token"] == audit.acknowledged["token"] > 0
        assert audit.lost["revocation"] == 0 < audit.acknowledged["revocation"]
