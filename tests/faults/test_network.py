"""Faults between the workers and Redis: a slow, resetting or lossy network, a silent name server."""

import contextlib
import random

import pytest

import row
from bounded_load import AWAY
from networks import Link, LossyNetwork, NameServer
from processes import free_port, wait_until


@contextlib.contextmanager
def linked(stack):
    """Yields a list that has the link once the pools use it, and the option for row.run()."""
    links = []

    def settings(one):
        links.append(Link(one.directory, one.redis_state))
        return {"redis_state": links[0].url}
    try:
        yield links, settings
    finally:
        for link in links:
            link.close()


@pytest.mark.parametrize("delay", [0.05, 0.5, 5.0])
def test_operations_D3_a_slow_redis(stack, delay):
    with linked(stack) as (links, settings):
        def fault(_, load):
            links[0].delay = delay
            load.run_cycles(row.CYCLES)
            links[0].delay = 0.0
        row.run(stack, f"Redis replies {delay * 1000:.0f} ms later", fault, settings=settings)


def test_operations_D3_reset_connections(stack):
    chance = random.Random(1)
    with linked(stack) as (links, settings):
        def fault(_, load):
            ended = []
            load.run_cycles(5 * row.CYCLES, meanwhile=lambda: ended.append(links[0].reset_half(chance)))
            assert sum(ended)
        row.run(stack, "half of the connections to Redis reset, 50 times per second", fault, settings=settings)


def test_operations_D3_a_network_that_drops_half_of_the_packets(stack):
    network = LossyNetwork()
    try:
        server = stack.redis_state
        server.wrapper = network.inside(network.far)
        server.flags = ["--port", "6379", "--bind", network.FAR, "--protected-mode", "no"]

        def fault(_, load):
            network.loss = 0.5
            load.run_cycles(row.CYCLES)
            network.loss = 0.0
            assert network.dropped
        row.run(stack, "half of the packets to and from Redis dropped", fault, wrapper=network.inside(network.near),
                settings=lambda _: {"redis_state": f"redis://{network.FAR}:6379"})
    finally:
        stack.redis_state.stop()
        for pool in stack.programs:
            pool.stop()
        network.close()


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
