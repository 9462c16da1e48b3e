"""Workers that die during an exchange of a code."""

import collections
import contextlib
import json
import os
import random
import signal
import threading
import time

import pytest

from oauth_store import (connections, error_of, exchange, exchange_fields, introspect, lives, refresh, start,
                         tokens_of)
from processes import PATIENCE
from redis_relay import Relay
from stack import Stack


@pytest.fixture(scope="module")
def relayed():
    """A service of its own, with a relay to Redis."""
    stack = Stack()
    stack.start_redis()
    stack.relay = Relay(stack.directory, stack.redis_state)
    start(stack, redis_state=stack.relay.url, deaths_expected=True)
    yield stack
    stack.relay.close()
    stack.stop()


@pytest.mark.parametrize("step, way, word, fate, spent", [
    ("before it has read", "to", b"HMGET", Relay.LOSE, False),
    ("when what it read is on its way", "from", b"media:read", Relay.LOSE, False),
    ("when it has read", "from", b"media:read", Relay.KEEP, False),
    ("before it spends", "to", b"EVALSHA", Relay.LOSE, False),
    ("while Redis spends", "to", b"EVALSHA", Relay.KEEP, False),
    ("when it is spent and not known", "from", b"redeemed", Relay.LOSE, True),
    ("when it is spent and known", "from", b"redeemed", Relay.KEEP, True)],
    ids=lambda value: value.replace(" ", "_") if isinstance(value, str) and " " in value else "")
def test_oauth_T8_a_worker_that_dies_at_any_step_does_not_fail_the_request(relayed, step, way, word, fate, spent):
    nginx, relay = relayed.nginx, relayed.relay
    for _ in range(4):
        assert exchange(nginx, relayed.codes.new()).status == 200
    for _ in range(5):
        code = relayed.codes.new()
        killed, was_spent = [], []

        def look(pid, towards, data, code=code, killed=killed, was_spent=was_spent):
            if killed or towards != way or word not in data:
                return None
            killed.append(pid)
            was_spent.append(relayed.codes.spent(code))
            return fate

        relay.look = look
        try:
            answer = exchange(nginx, code)
        finally:
            relay.look = lambda pid, towards, data: None
        assert killed and was_spent == [spent], step
        tokens = tokens_of(answer)
        assert relayed.codes.spent(code)
        assert lives(nginx, tokens["access_token"]) and refresh(nginx, tokens["refresh_token"]).status == 200
        # Tokens that the client did not receive are deleted; its access token and that of the refresh remain.
        grant = code[5:37]
        assert relayed.redis_state.command("XLEN", f"oauth:access:{{{grant}}}") == 2, step
        assert error_of(exchange(nginx, code)) == (400, "invalid_grant")
        relayed.grant.wait_for_workers(4, killed)


def test_oauth_T8_random_deaths_under_load_lose_no_code(stack):
    start(stack, deaths_expected=True)
    nginx, over, kills, outcomes = stack.nginx, threading.Event(), [], []

    def kill_now_and_then():
        """At most one death per round of requests: nginx sends a request to three workers at most."""
        chance = random.Random(1)
        reached = -1
        while not over.wait(0.01 + chance.random() * 0.04):
            workers = sorted(stack.grant.workers())
            if len(workers) >= 3 and len(outcomes) > reached:
                reached = len(outcomes)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    kills.append(1)

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    give_up = time.monotonic() + 10 * PATIENCE
    try:
        with connections(nginx, 8) as many:
            while len(kills) < 40 or len(outcomes) < 600:
                assert time.monotonic() < give_up, (len(kills), len(outcomes))
                codes = [stack.codes.new() for _ in many]
                for one, code in zip(many, codes):
                    one.send("/oauth/token", exchange_fields(code))
                outcomes += [(code, one.receive()) for one, code in zip(many, codes)]
    finally:
        over.set()
        killer.join(PATIENCE)
    assert collections.Counter(answer.status for _, answer in outcomes) == {200: len(outcomes)}, len(kills)
    for code, answer in outcomes:
        tokens = json.loads(answer.body)
        assert stack.codes.spent(code)
        assert json.loads(introspect(nginx, tokens["access_token"]).body)["active"]
