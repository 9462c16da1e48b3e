"""Faults between the workers and Redis: a slow or lossy network, reset connections, a silent name server."""

import contextlib
import random

import pytest

import row
from bounded_load import AWAY
from name_server import NameServer
from network import Network
from processes import free_port, wait_until

FAR = "10.97.0.2"  # of Redis


@contextlib.contextmanager
def apart(stack):
    """Yields a network between the pools and Redis, and the options for row.run()."""
    network = Network()
    try:
        inside = []
        for address in ("10.97.0.1", FAR):
            namespace = network.namespace()
            network.join(namespace, address)
            inside.append(["nsenter", f"--net={namespace.path}"])
        stack.redis_state.wrapper = inside[1]
        stack.redis_state.flags = ["--port", "6379", "--bind", FAR, "--protected-mode", "no"]
        yield network, {"wrapper": inside[0], "settings": lambda _: {"redis_state": f"redis://{FAR}:6379"}}
    finally:
        stack.redis_state.stop()
        for pool in stack.programs:
            pool.stop()
        network.end()


@pytest.mark.parametrize("what, value, name", [
    *(("delay", seconds / 2, f"Redis replies {seconds * 1000:.0f} ms later") for seconds in (0.05, 0.5, 5.0)),
    ("loss", 0.5, "half of the packets to and from Redis dropped")])
def test_operations_D3_a_bad_network(stack, what, value, name):
    with apart(stack) as (network, how):
        def fault(_, load):
            setattr(network, what, value)
            load.run_cycles(row.CYCLES)
            setattr(network, what, 0.0)
        row.run(stack, name, fault, **how)


def test_operations_D3_reset_connections(stack):
    chance = random.Random(1)

    def fault(service, load):
        ended = []

        def reset_half():
            for line in service.state.command("CLIENT", "LIST").splitlines():
                if " name=svc-worker:" in line and chance.random() < 0.5:
                    ended.append(service.state.command("CLIENT", "KILL", "ID", line.split()[0].removeprefix("id=")))
        load.run_cycles(5 * row.CYCLES, meanwhile=reset_half)
        assert sum(ended)
    row.run(stack, "half of the connections to Redis reset, 50 times per second", fault)


def test_operations_D3_a_silent_name_server(stack):
    """Redis has a host name, and all connections end, so that every worker has to look the name up."""
    server, port = NameServer(stack.directory), free_port()
    stack.redis_state.flags = ["--port", port, "--bind", "127.0.0.1"]
    try:
        def fault(service, load):
            asked = server.asked
            server.silent = True
            for role in ("embed", "grant"):
                service.state.command("CLIENT", "KILL", "USER", role)
            load.run_cycles(row.CYCLES)
            wait_until(lambda: server.asked > asked, "a worker looks the name up")
            server.silent = False
        _, load, _ = row.run(stack, "name server silent, connections to Redis ended", fault, wrapper=server.inside(),
                          settings=lambda _: {"redis_state": f"redis://redis.svc.example:{port}"})
        assert load.noted(AWAY)
    finally:
        server.close()
