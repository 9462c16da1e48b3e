"""Faults of a primary with two replicas and three Sentinels: killed, cut off, behind; a Sentinel that lies. With the
shipped settings and users of the servers, and redis-wait-replicas = 1."""

import os
import signal

import pytest

import row
from failovers import FAILOVERS, check_that_codes_are_spent, count_losses, run_failovers, supervised
from processes import PATIENCE, run
from topologies import Watched

PAUSE = 10_000  # ms; Sentinels turn the old primary into a replica within about 8 s


def test_operations_D2_operations_D3_oauth_K6_failovers(stack):
    with supervised(Watched, stack) as topology:
        run_failovers(stack, topology, "primary killed, a replica takes over", lambda _: topology.primary(), alone=True)


def switch(server, rule):
    """Lets the replicas and the Sentinels reach a server, or not: to them it is cut off, to the pools it is not."""
    for user in ("replication", "sentinel"):
        server.command("ACL", "SETUSER", user, rule)
    server.command("CLIENT", "KILL", "USER", "sentinel")
    server.command("CLIENT", "KILL", "TYPE", "replica")


def test_oauth_K6_a_primary_cut_off_from_its_replicas_acknowledges_nothing(stack):
    """The pools still reach the old primary when a replica has taken over."""
    with supervised(Watched, stack) as topology:
        def fault(_, load):
            old = topology.primary()
            switch(old, "off")
            load.run_cycles(row.CYCLES)
            topology.wait_for_another(old)
            load.run_cycles(row.CYCLES)
            switch(old, "on")
            topology.wait_until_whole()
        _, load, audit = row.run(stack, "primary cut off from its replicas and Sentinels", fault,
                                 topology=topology)
        check_that_codes_are_spent(load, audit)


def test_oauth_K6_a_replica_that_lags_takes_over(stack):
    """Its link was cut while the primary still took requests, and then the primary ends."""
    with supervised(Watched, stack) as topology:
        def fault(service, load):
            old = topology.primary()
            with topology.unit(old).held():
                old.command("ACL", "SETUSER", "replication", "off")
                old.command("CLIENT", "KILL", "TYPE", "replica")
                load.run_cycles(row.CYCLES)
                old.send_signal(signal.SIGKILL)
                topology.wait_for_another(old)
                load.run_cycles(row.CYCLES)
            topology.wait_until_whole()
        _, load, audit = row.run(stack, "a replica with lag takes over", fault, topology=topology)
        check_that_codes_are_spent(load, audit)


def test_operations_D2_a_sentinel_that_lies(stack):
    """One of three names a replica as the primary, and the pools have to ask."""
    with supervised(Watched, stack) as topology:
        def fault(service, load):
            liar, replica = topology.sentinels[0], topology.servers[1]
            liar.command("SENTINEL", "REMOVE", "svc")
            liar.command("SENTINEL", "MONITOR", "svc", "127.0.0.1", replica.port, 2)
            for role in ("embed", "grant"):
                service.state.command("CLIENT", "KILL", "USER", role)
            load.run_cycles(row.CYCLES)
        row.run(stack, "one of three Sentinels names a replica as the primary", fault, topology=topology)


@pytest.mark.parametrize("paused", [False, True])
def test_oauth_K6_the_failover_of_an_operator(stack, paused):
    """Sentinel does not wait for the replica then. What the old primary takes meanwhile is lost, unless its writes are
    paused first."""
    with supervised(Watched, stack) as topology:
        def as_sentinel(port, *words):
            run(["redis-cli", "-p", str(port), "--user", "sentinel", *words],
                env={**os.environ, "REDISCLI_AUTH": topology.secrets.passwords["sentinel"]}, timeout=PATIENCE)

        def fault(_, load):
            for _ in range(FAILOVERS):
                old = topology.primary()
                if paused:
                    as_sentinel(old.port, "client", "pause", str(PAUSE), "write")
                as_sentinel(topology.sentinels[0].port, "sentinel", "failover", "svc")
                topology.wait_for_another(old)
                load.run_cycles(row.CYCLES)
                topology.wait_until_whole()
        how = f"CLIENT PAUSE {PAUSE} WRITE, SENTINEL FAILOVER" if paused else "SENTINEL FAILOVER"
        lost = count_losses(stack, topology, f"failover by an operator ({how}), {FAILOVERS} times", fault)
        assert lost == 0 or not paused


class Partition:
    """Cuts the primary off with one of its replicas: from the Sentinels and from the other replica. The pools still
    reach everything."""

    def __init__(self, topology):
        self.topology, self.old = topology, topology.primary()
        self.beside, self.other = (server for server in topology.servers if server is not self.old)

    def begin(self):
        self.other.command("CONFIG", "SET", "masterauth", "wrong")
        self.old.command("CLIENT", "KILL", "TYPE", "replica")
        for server in (self.old, self.beside):
            server.command("ACL", "SETUSER", "sentinel", "off")
            server.command("CLIENT", "KILL", "USER", "sentinel")

    def end(self):
        for server in (self.old, self.beside):
            server.command("ACL", "SETUSER", "sentinel", "on")
        self.other.command("CONFIG", "SET", "masterauth", self.topology.secrets.passwords["replication"])
        self.topology.wait_until_whole()


@pytest.mark.parametrize("replicas", [1, 2])
def test_oauth_K6_a_partition_with_one_of_two_replicas(stack, replicas):
    """That replica alone confirms what the old primary takes. With redis-wait-replicas = 2 it takes nothing."""
    with supervised(Watched, stack) as topology:
        topology.settings["redis_wait_replicas"] = replicas

        def fault(_, load):
            for _ in range(FAILOVERS):
                partition = Partition(topology)
                partition.begin()
                load.run_cycles(row.CYCLES)
                topology.wait_for_another(partition.old)
                load.run_cycles(row.CYCLES)
                partition.end()
                load.run_cycles(row.CYCLES)
        lost = count_losses(stack, topology, f"primary cut off with one of two replicas, redis-wait-replicas = "
                            f"{replicas}, {FAILOVERS} times", fault)
        assert replicas == 1 or lost == 0
