"""Faults of a Redis Cluster of three primaries with a replica each: a primary killed, slots that move, slots without a
server. With the shipped settings and users of the servers, and redis-wait-replicas = 1."""

import os
import signal
import time

import row
from failovers import FAILOVERS, check_that_codes_are_spent, run_failovers, supervised
from processes import run, wait_until
from topologies import SLOTS, Nodes

MANUAL_FAILOVER_TIMEOUT = 6  # s; Redis gives up after 5


def test_operations_D3_oauth_K6_failovers(stack):
    with supervised(Nodes, stack) as topology:
        # The new primary refuses writes until the killed server is its replica.
        run_failovers(stack, topology, "primary of a Cluster killed, its replica takes over",
                      lambda number: topology.primaries()[number % 3], alone=False)


def fail_over(replica):
    """Repeats the command until it works: a primary ignores it from a replica that it does not know yet."""
    asked = 0.0

    def is_promoted():
        nonlocal asked
        if not replica.is_primary() and time.monotonic() - asked > MANUAL_FAILOVER_TIMEOUT:
            asked = time.monotonic()
            replica.command("CLUSTER", "FAILOVER")
        return replica.is_primary()
    wait_until(is_promoted, "the replica takes over")


def test_oauth_K6_the_failover_of_an_operator(stack):
    """CLUSTER FAILOVER stops the clients of the old primary until the replica has everything."""
    with supervised(Nodes, stack) as topology:
        def fault(_, load):
            for number in range(FAILOVERS):
                old, replica = topology.pair(number % 3)
                fail_over(replica)
                topology.wait_for_another(old)
                topology.wait_until_whole()
                load.run_cycles(row.CYCLES)
        _, load, audit = row.run(stack, f"failover by an operator (CLUSTER FAILOVER), {FAILOVERS} times", fault,
                                 topology=topology)
        check_that_codes_are_spent(load, audit)


def move_slots(topology, source, target, count):
    """As an operator does it."""
    names = {server: server.command("CLUSTER", "MYID") for server in (source, target)}
    run(["redis-cli", "--user", "cluster", "--cluster", "reshard", f"127.0.0.1:{source.port}", "--cluster-from",
         names[source], "--cluster-to", names[target], "--cluster-slots", str(count), "--cluster-yes"],
        env={**os.environ, "REDISCLI_AUTH": topology.secrets.passwords["cluster"]}, timeout=600)


def test_resharding(stack):
    """Every slot of one primary moves to another, and back."""
    with supervised(Nodes, stack) as topology:
        def fault(_, load):
            source, target, _ = topology.primaries()
            for one, other in ((source, target), (target, source)):
                move_slots(topology, one, other, SLOTS // (3 if row.LONG else 12))
                load.run_cycles(row.CYCLES)
        _, load, audit = row.run(stack, "slots of a Cluster move to another primary, and back", fault,
                                 topology=topology, settings=row.patient)
        check_that_codes_are_spent(load, audit)
        assert not [note for note in load.notes if note[0] == "during"], "no request notices it"


def test_operations_D3_slots_without_a_server(stack):
    """A primary and its replica end (CLUSTERDOWN). All other slots serve."""
    served = {}
    with supervised(Nodes, stack) as topology:
        def fault(_, load):
            primary, replica = topology.servers[0], topology.servers[3]
            with topology.unit(primary).held(), topology.unit(replica).held():
                for server in (replica, primary):
                    server.send_signal(signal.SIGKILL)
                load.run_cycles(1)
                before = load.counts("during")
                load.run_cycles(row.CYCLES)
                counts = load.counts("during")
                served.update({kind: counts[kind, "right"] - before[kind, "right"] for kind in ("exchange", "refresh")})
            topology.wait_until_whole()
        _, load, audit = row.run(stack, "a third of a Cluster's slots without a server", fault, topology=topology)
        check_that_codes_are_spent(load, audit)
        assert served["exchange"] and served["refresh"], "the other slots serve"
