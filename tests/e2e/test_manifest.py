"""The HLS manifest, requested directly from the pool."""

import json
import os
import signal
import subprocess

import pytest

import hls_check
import stack as stacks


@pytest.fixture(scope="module")
def pool(module_stack):
    module_stack.import_catalog()
    return module_stack.start_pool(workers=2)


def manifest(pool, media, **how):
    return pool.request(f"/embed/medias/{media}.m3u8", **how)


def catalog():
    return {line["id"]: line for line in map(json.loads, stacks.CATALOG.read_text().strip().split("\n"))
            if line["kind"] == "media"}


def test_oembed_M6_each_manifest_has_only_attributes_of_the_rfc(pool):
    ready = {media["id"]: [asset for asset in media["assets"] if asset["type"] == "hls"]
             for media in catalog().values() if media["status"] == "ready"}
    for media, assets in ready.items():
        answer = manifest(pool, media)
        assert answer.status == (200 if assets else 501), media
        if assets:
            assert {variant["uri"] for variant in hls_check.variants(answer.body.decode())} == {
                stacks.EMBED_HOST + asset["url"] for asset in assets}


def test_oembed_M3_has_its_content_type_and_allows_cross_origin_reads_and_caching(pool):
    answer = manifest(pool, "l4unchf1lm")
    assert answer.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "public, max-age=60"
    again = manifest(pool, "l4unchf1lm", extra={"HTTP_IF_NONE_MATCH": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    head = manifest(pool, "l4unchf1lm", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(answer.body))


SUBTITLES = ('TYPE=SUBTITLES,GROUP-ID="captions",NAME="A, b",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,'
             'URI="http://h/a"')


@pytest.mark.parametrize(("part", "other", "allowed"), [
    ("", "", True), ("LANGUAGE", "LANG", False), ("DEFAULT=NO,AUTOSELECT=YES", "DEFAULT=YES,AUTOSELECT=NO", False),
    ('"captions"', '"other"', False), (',URI="http://h/a"', "", False), ("AUTOSELECT=YES", "AUTOSELECT=Y", False),
    ('NAME="A, b"', 'NAME="A"b"', False)])
def test_oembed_M7_the_parser_of_these_tests_refuses_invalid_subtitles(part, other, allowed):
    text = ("#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MEDIA:" + SUBTITLES.replace(part, other, 1)
            + '\n#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES="captions"\nhttp://h/v\n')
    if allowed:
        assert hls_check.variants(text)
    else:
        with pytest.raises(AssertionError):
            hls_check.variants(text)


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
