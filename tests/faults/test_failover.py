"""Faults of a primary with two replicas and three Sentinels: servers that are killed, cut off or lagging, and a Sentinel
that names a wrong primary. With the shipped settings and users of the servers, and redis-wait-replicas = 1."""

import signal

import row
from failovers import check_that_codes_are_spent, keep_out, let_in, run_failovers, supervised
from topologies import Watched


def test_operations_D3_oauth_K6_failovers(stack):
    with supervised(Watched, stack) as topology:
        run_failovers(stack, topology, "primary killed, a replica takes over", lambda _: topology.primary(), alone=True)


def test_oauth_K6_a_primary_cut_off_from_its_replicas_acknowledges_nothing(stack):
    """The pools still reach the old primary when a replica has taken over."""
    with supervised(Watched, stack) as topology:
        def fault(_, load):
            old = topology.primary()
            keep_out(old, "replication", "sentinel")
            load.run_cycles(row.CYCLES)
            topology.wait_for_another(old)
            load.run_cycles(row.CYCLES)
            let_in(old, "replication", "sentinel")
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
                keep_out(old, "replication")
                load.run_cycles(row.CYCLES)
                old.send_signal(signal.SIGKILL)
                topology.wait_for_another(old)
                load.run_cycles(row.CYCLES)
            topology.wait_until_whole()
        _, load, audit = row.run(stack, "a replica with lag takes over", fault, topology=topology)
        check_that_codes_are_spent(load, audit)


def test_a_sentinel_that_names_a_wrong_primary(stack):
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
