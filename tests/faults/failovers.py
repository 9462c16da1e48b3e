"""failovers: a state of several servers under load, whose primaries are killed again and again."""

import contextlib
import http.client
import signal
import statistics
import threading
import time

import report
import row
from bounded_load import HOT_WIDTHS, WRONG, Audit, Connection, Load, is_invalid_grant, oembed_target
from oauth_store import exchange_fields
from shipped import Unit

FAILOVERS = 50 if row.LONG else 2
PROBE_EVERY = 0.01  # s


@contextlib.contextmanager
def supervised(kind, stack):
    """Yields a topology whose servers are restarted as by their units; `unit(server)` is the unit."""
    units = {}

    def start(server):
        units[server] = Unit(server)
    try:
        topology = kind(stack, start)
        topology.unit = units.get
        yield topology
    finally:
        for unit in units.values():
            unit.stop()


def keep_out(server, *users):
    """Cuts the server off from the other servers that log in as these users. The pools still reach it."""
    for user in users:
        server.command("ACL", "SETUSER", user, "off")
        server.command("CLIENT", "KILL", "USER", user)
    server.command("CLIENT", "KILL", "TYPE", "replica")


def let_in(server, *users):
    for user in users:
        server.command("ACL", "SETUSER", user, "on")
    # A Sentinel keeps a connection on which it could not log in, and counts the server as down.
    server.command("CLIENT", "KILL", "USER", "default")


def codes_exchanged_twice(load, audit):
    """Tries every code again whose exchange was acknowledged. After the audit, because a second use revokes the
    tokens."""
    return [grant.code for grant in load.grants if grant.state in ("live", "revoked")
            and not is_invalid_grant(*audit.certain("/oauth/token", fields=exchange_fields(grant.code)))]


def check_that_codes_are_spent(load, audit):
    assert codes_exchanged_twice(load, audit) == []


def count_losses(stack, topology, name, fault):
    """Runs a row of a fault that may lose acknowledged changes. Returns the losses. The service serves again without a
    restart."""
    with row.loaded(stack, topology=topology) as (service, load):
        load.phase = "during"
        fault(service, load)
        load.finish()
        # Lost codes and tokens are refused.
        assert [note for note in load.noted(WRONG) if note[3][:3] not in ("200", "400", "401")] == []
        with Load(service.nginx.port, service.many_codes(500)) as again:
            seconds = again.wait_until_right()
        audit = Audit(load, service.ledger)
        report.add(name, load, audit, seconds)
        twice = codes_exchanged_twice(load, audit)
        report.note(f"{name}: {len(twice)} codes could be exchanged a second time.")
        return sum(audit.lost.values()) + len(twice)


class Probe:
    """Asks for responses that are in every worker's memory at a fixed rate, whatever happens to the others."""

    def __init__(self, port):
        self.connection, self.over = Connection(port), threading.Event()
        self.seen = []  # when it was due, seconds until the response, whether it was right
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        due = time.monotonic()
        for number in iter(int, 1):
            if self.over.wait(max(0.0, due - time.monotonic())):
                return
            status = None
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = self.connection.send(oembed_target(HOT_WIDTHS[number % len(HOT_WIDTHS)]))[0]
            self.seen.append((due, time.monotonic() - due, status == 200))
            due += PROBE_EVERY

    def stop(self):
        assert self.thread.is_alive()
        self.over.set()
        self.thread.join()

    def between(self, begin, end):
        return [one for one in self.seen if begin <= one[0] < end]


def p99(values):
    return sorted(values)[int(len(values) * 0.99)] if values else 0.0


def run_failovers(stack, topology, name, primary, *, alone):
    """Kills the server that `primary(number)` returns, again and again. `alone`: the service is right again before the
    killed server is back."""
    outages, taken_over, back = [], [], []

    def fault(service, load):
        service.probe = Probe(service.nginx.port)
        for number in range(FAILOVERS):
            server = primary(number)
            before = time.monotonic()
            load.run_cycles(2)
            with topology.unit(server).held():
                killed = time.monotonic()
                server.send_signal(signal.SIGKILL)
                topology.wait_for_another(server)
                promoted = time.monotonic()
                if alone:
                    load.wait_until_right()
            if not alone:
                load.wait_until_right()
            right = time.monotonic()
            topology.wait_until_whole()
            outages.append((before, killed, right))
            taken_over.append(promoted - killed)
            back.append(right - promoted)
        service.probe.stop()

    service, load, audit = row.run(stack, f"{name}, {FAILOVERS} times", fault, topology=topology)
    check_that_codes_are_spent(load, audit)
    during = [one for _, killed, right in outages for one in service.probe.between(killed, right)]
    quiet = [one for before, killed, _ in outages for one in service.probe.between(before, killed)]
    share = sum(one[2] for one in during) / len(during)
    report.note(
        f"{FAILOVERS} times {name}: a replica took over after {statistics.median(taken_over):.1f} s (median; at most "
        f"{max(taken_over):.1f}), and all responses were right {statistics.median(back):.2f} s later (at most "
        f"{max(back):.2f}). Cached oEmbed responses at {1 / PROBE_EVERY:.0f} per second meanwhile: {100 * share:.2f} % "
        f"right of {len(during)}, p99 {1000 * p99([one[1] for one in during]):.1f} ms, against "
        f"{1000 * p99([one[1] for one in quiet]):.1f} ms before. No code was exchanged twice.")
    assert share >= 0.999, share
