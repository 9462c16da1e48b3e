"""One account that requests as much as its limits permit, while others use the same shipped pool."""

import collections
import contextlib
import json
import threading

import pytest

import stack as stacks
from processes import PATIENCE, wait_until

FLOOD, OTHER = 1001, 1002
CLIENTS = 64  # connections; each waits for its response, so the load is bounded
PAGE = ("/v1/medias", "per_page=100&type=Large")


@pytest.fixture
def pool(stack):
    catalog = stack.directory / "large.jsonl"
    film = {"kind": "media", "account_id": FLOOD, "type": "Large", "description": "d" * 9000, "status": "ready",
            "created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z",
            "assets": [{"type": "mp4", "url": "/files/a.mp4", "bandwidth": 1}]}
    catalog.write_text(stacks.CATALOG.read_text() + "".join(
        json.dumps({**film, "id": f"large{i:05}", "name": f"Large {i}"}) + "\n" for i in range(100)))
    stack.import_catalog(catalog)
    return stack.start_pool("grant", roles="grant", workers=1)


def token_of(stack, account):
    done = stacks.ended("svcctl", "--config", stack.config, "token", "create", "--account", account, "--user", 502, "--name", "flood",
                        "--scopes", "media:read", "--expires", 30, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["token"]


class Flood(contextlib.AbstractContextManager):
    """CLIENTS that ask for the page all the time. Counts their responses by status. Without its body, a response costs the
    one worker much more than its client and Redis, so the pool is busy, also on a machine that has other work."""

    def __init__(self, pool, token):
        self.pool, self.token = pool, token
        self.seen, self.ended = collections.Counter(), threading.Event()
        self.has_used_all = False
        self.threads = [threading.Thread(target=self.ask) for _ in range(CLIENTS)]

    def ask(self):
        with self.pool.connect() as link:
            while not self.ended.is_set():
                answer = link.request(*PAGE, method="HEAD", extra={"HTTP_AUTHORIZATION": f"Bearer {self.token}"})
                self.seen[answer.status] += 1
                self.has_used_all |= answer.headers["ratelimit"].startswith('"account";r=0;')
                if answer.status == 429:
                    self.ended.wait(int(answer.headers["retry-after"]))

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        wait_until(lambda: self.seen.total() > CLIENTS, "the flood has come")
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join(PATIENCE)


def test_a_flood_of_one_account_refuses_no_other(stack, pool):
    flood, other = token_of(stack, FLOOD), token_of(stack, OTHER)
    workers = pool.workers()
    with Flood(pool, flood) as alone:
        wait_until(lambda: alone.seen.total() > 5 * CLIENTS, "it goes on")
    assert set(alone.seen) == {200}, "nobody else was there"
    with Flood(pool, flood) as beside, pool.connect() as link:
        asked = 0

        def has_used_all():
            nonlocal asked
            asked += 1
            answer = link.request("/v1/account", extra={"HTTP_AUTHORIZATION": f"Bearer {other}"})
            assert answer.status == 200, answer
            return asked > 100 and beside.has_used_all
        wait_until(has_used_all, "the flood has used its share")
    # Its requests wait. How many it takes until one is refused depends on the machine.
    assert set(beside.seen) <= {200, 429}
    assert pool.workers() == workers
