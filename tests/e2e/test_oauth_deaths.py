"""Workers that die during an exchange of a code."""

import pytest

from oauth_store import error_of, exchange, lives, refresh, start, tokens_of
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
    ("before it spends", "to", b"FCALL", Relay.LOSE, False),
    ("while Redis spends", "to", b"FCALL", Relay.KEEP, False),
    ("when it is spent and not known", "from", b"redeemed", Relay.LOSE, True),
    ("when it is spent and known", "from", b"redeemed", Relay.KEEP, True)],
    ids=lambda value: value.replace(" ", "_") if isinstance(value, str) and " " in value else "")
def test_a_worker_that_dies_at_any_step_does_not_fail_the_request(relayed, step, way, word, fate, spent):
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
