"""Counts of manifests, while workers die and the store hangs."""

import json
import os
import signal
import subprocess

import stack as stacks


def manifest(pool, media, **how):
    return pool.request(f"/embed/medias/{media}.m3u8", **how)


def usage(stack, account):
    done = subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), "usage", str(account),
                           "--json"], capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert sum(day["manifests"] for day in counted["days"]) == counted["manifests"]
    return counted["manifests"]


def test_oembed_M5_counts_responses_per_account_even_if_the_worker_is_killed(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1, deaths_expected=True)
    assert usage(stack, 1001) == 0
    for _ in range(25):
        assert manifest(pool, "l4unchf1lm").status == 200
    etag = manifest(pool, "l4unchf1lm").headers["etag"]
    assert manifest(pool, "l4unchf1lm", extra={"HTTP_IF_NONE_MATCH": etag}).status == 304
    manifest(pool, "xss0title1")  # belongs to another account
    for media, how in [("mp4only001", {}), ("nobodyhasthis", {}), ("l4unchf1lm", {"method": "HEAD"})]:
        manifest(pool, media, **how)  # requests that are not counted
    for worker in stacks.children_of(pool.pid):
        os.kill(worker, signal.SIGKILL)
    stacks.wait_until(lambda: usage(stack, 1001) >= 27, "the dead worker's responses are counted")
    assert (usage(stack, 1001), usage(stack, 1002)) == (27, 1)
    assert stack.redis_state.command("KEYS", "usage:*")


def test_oembed_M5_counts_each_response_once_if_the_store_hangs(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1, memory_cache_unheard=3600)
    answered = 0

    def ask(times):
        nonlocal answered
        for _ in range(times):
            assert manifest(pool, "l4unchf1lm").status == 200
            answered += 1

    def is_in_memory():
        ask(1)
        return json.loads(pool.request("/status").body)["cache"]["memory"]["entries"] == 1

    stacks.wait_until(is_in_memory, "a worker has it in memory")
    stacks.wait_until(lambda: usage(stack, 1001) == answered, "the responses are counted")
    stack.redis_state.send_signal(signal.SIGSTOP)
    ask(30)
    pool.wait_for("store.lost")
    # Redis now executes all commands that were sent to it.
    stack.redis_state.send_signal(signal.SIGCONT)
    stacks.wait_until(lambda: usage(stack, 1001) >= answered, "the responses during the outage are counted")
    ask(5)
    stacks.wait_until(lambda: usage(stack, 1001) >= answered, "later responses are counted")
    assert usage(stack, 1001) == answered
