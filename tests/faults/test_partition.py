"""A primary that continues although it has a successor: an operator's failover, a partition. With two replicas and
three Sentinels."""

import pytest

import row
from failovers import FAILOVERS, count_losses, keep_out, let_in, supervised
from topologies import Watched


@pytest.mark.parametrize("paused", [False, True])
def test_oauth_K6_the_failover_of_an_operator(stack, paused):
    """Sentinel does not wait for the replica then. Writes that the old primary still accepts are lost, unless its writes
    are paused until it is a replica."""
    with supervised(Watched, stack) as topology:
        def fault(_, load):
            for _ in range(FAILOVERS):
                old = topology.primary()
                if paused:
                    topology.fail_over_as_documented()
                else:
                    topology.sentinels[0].command("SENTINEL", "FAILOVER", "svc")
                topology.wait_for_another(old)
                load.run_cycles(row.CYCLES)
                topology.wait_until_whole()
        how = "its writes paused" if paused else "SENTINEL FAILOVER alone"
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
        for server in (self.old, self.beside):
            keep_out(server, "sentinel")

    def end(self):
        for server in (self.old, self.beside):
            let_in(server, "sentinel")
        self.other.command("CONFIG", "SET", "masterauth", self.topology.secrets.passwords["replication"])
        self.topology.wait_until_whole()


@pytest.mark.parametrize("replicas", [1, 2])
def test_oauth_K6_a_partition_with_one_of_two_replicas(stack, replicas):
    """That replica alone confirms the old primary's writes. With redis-wait-replicas = 2 the old primary accepts no writes."""
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
