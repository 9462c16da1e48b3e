"""Faults of a primary with two replicas and three Sentinels: killed, cut off, behind; a Sentinel that lies. With the
shipped settings and users of the servers, and redis-wait-replicas = 1."""

import contextlib
import signal
import statistics
import threading
import time

import report
import row
from bounded_load import HOT_WIDTHS, Connection, is_invalid_grant, oembed_target
from oauth_store import exchange_fields
from processes import wait_until
from shipped import Unit
from topologies import IN_SYNC, Sentinel, Secrets, Server

FAILOVERS = 50 if row.LONG else 3
PROBE_EVERY = 0.01  # s


class Topology:
    """Makes the state Redis of a stack the first primary. Each server is restarted as by its unit."""

    def __init__(self, stack):
        self.secrets = Secrets(stack.directory)
        self.servers = [Server(stack.directory / f"server-{number}", self.secrets, "redis-state-replicated.conf")
                        for number in range(3)]
        stack.redis_state = self.servers[0]
        stack.write_config()
        self.stack, self.units = stack, {}
        self.sentinels = []

    def begin(self, stack):
        """Called once the first server runs. Returns the settings of the pools."""
        first, *others = self.servers
        for server in others:
            stack.add(server)
            self.units[server] = Unit(server)
            server.command("REPLICAOF", "127.0.0.1", str(first.port))
        self.sentinels = [stack.add(Sentinel(stack.directory / f"sentinel-{number}", self.secrets, first).start())
                          for number in range(3)]
        self.wait_for_replicas()
        return {"redis_state": "sentinel://" + ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels) + "/svc",
                "sentinel_user": "discovery", "sentinel_password_file": self.secrets.file("discovery"),
                "redis_wait_replicas": 1}

    def primary(self):
        """The server that two Sentinels name."""
        port = statistics.mode(one.primary_port() for one in self.sentinels)
        return next(server for server in self.servers if server.port == port)

    def wait_for_replicas(self):
        """Waits until both other servers are in sync with the primary, and all Sentinels know them."""
        def ready():
            primary = self.primary()
            with contextlib.suppress(Exception):  # a server that is just starting
                return primary.is_primary() and all(
                    IN_SYNC in server.command("INFO", "replication") and str(primary.port) in
                    server.command("INFO", "replication") for server in self.servers if server is not primary)
            return False
        wait_until(ready, "both replicas are in sync")
        for sentinel in self.sentinels:
            wait_until(lambda one=sentinel: one.sees("status=ok") and one.sees("slaves=2,sentinels=3"),
                       "the Sentinels know all servers")

    def wait_for_another(self, than):
        """Returns once all Sentinels name the same other server."""
        def another():
            primary = self.primary()
            return primary is not than and primary.is_primary()
        wait_until(another, "another server is the primary")
        port = self.primary().port
        for sentinel in self.sentinels:
            wait_until(lambda one=sentinel: one.primary_port() == port, "all Sentinels know it")

    def unit(self, service, server):
        return self.units.get(server, service.unit)

    def stop(self):
        for unit in self.units.values():
            unit.stop()


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
            with contextlib.suppress(OSError):
                status = self.connection.send(oembed_target(HOT_WIDTHS[number % len(HOT_WIDTHS)]))[0]
                self.seen.append((due, time.monotonic() - due, status == 200))
            due += PROBE_EVERY

    def stop(self):
        self.over.set()
        self.thread.join()

    def between(self, begin, end):
        return [one for one in self.seen if begin <= one[0] < end]


@contextlib.contextmanager
def replicated(stack):
    topology = Topology(stack)
    try:
        yield topology
    finally:
        topology.stop()


def check_that_codes_are_spent(load, audit):
    """After the audit, because a second use revokes the tokens."""
    for grant in load.grants:
        if grant.state in ("live", "revoked"):
            assert is_invalid_grant(*audit.certain("/oauth/token", fields=exchange_fields(grant.code))), grant.code


def p99(values):
    return sorted(values)[int(len(values) * 0.99)] if values else 0.0


def test_operations_D2_operations_D3_oauth_K6_failovers(stack):
    with replicated(stack) as topology:
        outages, taken_over, back = [], [], []

        def fault(service, load):
            service.probe = Probe(service.nginx.port)
            for _ in range(FAILOVERS):
                primary = topology.primary()
                before = time.monotonic()
                load.run_cycles(2)
                with topology.unit(service, primary).held():
                    killed = time.monotonic()
                    primary.send_signal(signal.SIGKILL)
                    topology.wait_for_another(primary)
                    promoted = time.monotonic()
                    load.wait_until_right()
                right = time.monotonic()
                topology.wait_for_replicas()
                outages.append((before, killed, right))
                taken_over.append(promoted - killed)
                back.append(right - promoted)
            service.probe.stop()

        service, load, audit = row.run(stack, f"primary killed, a replica takes over, {FAILOVERS} times", fault,
                                       settings=topology.begin)
        check_that_codes_are_spent(load, audit)
        probe = service.probe
        during = [one for _, killed, right in outages for one in probe.between(killed, right)]
        quiet = [one for before, killed, _ in outages for one in probe.between(before, killed)]
        share = sum(one[2] for one in during) / len(during)
        report.note(f"{FAILOVERS} failovers: a replica took over after {statistics.median(taken_over):.1f} s (median; "
                    f"at most {max(taken_over):.1f}), and all responses were right "
                    f"{statistics.median(back):.2f} s later (at most {max(back):.2f}). Cached oEmbed responses at "
                    f"{1 / PROBE_EVERY:.0f} per second meanwhile: {100 * share:.2f} % right of {len(during)}, p99 "
                    f"{1000 * p99([one[1] for one in during]):.1f} ms, against "
                    f"{1000 * p99([one[1] for one in quiet]):.1f} ms before. No code was exchanged twice.")
        assert share >= 0.999, share


def switch(server, rule):
    """Lets the replicas and the Sentinels reach a server, or not: to them it is cut off, to the pools it is not."""
    for user in ("replication", "sentinel"):
        server.command("ACL", "SETUSER", user, rule)
    server.command("CLIENT", "KILL", "USER", "sentinel")
    server.command("CLIENT", "KILL", "TYPE", "replica")


def test_oauth_K6_a_primary_cut_off_from_its_replicas_acknowledges_nothing(stack):
    """The pools still reach the old primary when a replica has taken over."""
    with replicated(stack) as topology:
        def fault(_, load):
            old = topology.primary()
            switch(old, "off")
            load.run_cycles(row.CYCLES)
            topology.wait_for_another(old)
            load.run_cycles(row.CYCLES)
            switch(old, "on")
            topology.wait_for_replicas()
        _, load, audit = row.run(stack, "primary cut off from its replicas and Sentinels", fault,
                                 settings=topology.begin)
        check_that_codes_are_spent(load, audit)


def test_oauth_K6_a_replica_that_lags_takes_over(stack):
    """Its link was cut while the primary still took requests, and then the primary ends."""
    with replicated(stack) as topology:
        def fault(service, load):
            old = topology.primary()
            with topology.unit(service, old).held():
                old.command("ACL", "SETUSER", "replication", "off")
                old.command("CLIENT", "KILL", "TYPE", "replica")
                load.run_cycles(row.CYCLES)
                old.send_signal(signal.SIGKILL)
                topology.wait_for_another(old)
                load.run_cycles(row.CYCLES)
            topology.wait_for_replicas()
        _, load, audit = row.run(stack, "a replica with lag takes over", fault, settings=topology.begin)
        check_that_codes_are_spent(load, audit)


def test_operations_D2_a_sentinel_that_lies(stack):
    """One of three names a replica as the primary, and the pools have to ask."""
    with replicated(stack) as topology:
        def fault(service, load):
            liar, replica = topology.sentinels[0], topology.servers[1]
            liar.command("SENTINEL", "REMOVE", "svc")
            liar.command("SENTINEL", "MONITOR", "svc", "127.0.0.1", replica.port, 2)
            for role in ("embed", "grant"):
                service.state.command("CLIENT", "KILL", "USER", role)
            load.run_cycles(row.CYCLES)
        row.run(stack, "one of three Sentinels names a replica as the primary", fault, settings=topology.begin)
