"""oembed-M1 to oembed-M6: the HLS manifest, requested directly from the pool."""

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


READY = [media["id"] for media in catalog().values()
         if media["status"] == "ready" and any(asset["type"] == "hls" for asset in media["assets"])]


@pytest.mark.parametrize("media", READY)
def test_oembed_M1_lists_exactly_the_attributes_of_the_assets(pool, media):
    answer = manifest(pool, media)
    assert answer.status == 200
    found = {variant["uri"]: variant for variant in hls_check.variants(answer.body.decode())}
    assets = [asset for asset in catalog()[media]["assets"] if asset["type"] == "hls"]
    assert len(found) == len(assets)
    for asset in assets:
        variant = found[stacks.EMBED_HOST + asset["url"]]
        assert variant["BANDWIDTH"] == str(asset["bandwidth"])
        assert variant.get("AVERAGE-BANDWIDTH") == str(asset["average_bandwidth"])
        assert variant["CODECS"] == f'"{asset["codecs"]}"'
        size = f'{asset["width"]}x{asset["height"]}' if asset["width"] else None
        assert variant.get("RESOLUTION") == size
        rate = f'{asset["frame_rate"]:.3f}' if asset.get("frame_rate") else None
        assert variant.get("FRAME-RATE") == rate


@pytest.mark.parametrize("media", READY)
def test_oembed_M2_lists_the_default_variant_first_and_the_others_by_falling_bandwidth(pool, media):
    first, *rest = hls_check.variants(manifest(pool, media).body.decode())
    width = lambda variant: int(variant.get("RESOLUTION", "0x0").split("x")[0])  # noqa: E731
    pictures = [variant for variant in [first, *rest] if width(variant)]
    fitting = [variant for variant in pictures if width(variant) <= 960]
    assert first == (max(fitting, key=width) if fitting else min(pictures, key=width))
    bandwidths = [int(variant["BANDWIDTH"]) for variant in rest]
    assert bandwidths == sorted(bandwidths, reverse=True)


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
    assert manifest(pool, "l4unchf1lm", method="OPTIONS").status == 204
    assert manifest(pool, "l4unchf1lm", method="POST").status == 405


@pytest.mark.parametrize("media", READY)
def test_oembed_M7_lists_segmented_captions_as_subtitles_of_every_variant(pool, media):
    text = manifest(pool, media).body.decode()
    captions = [asset for asset in catalog()[media]["assets"]
                if asset["type"] == "captions" and asset["url"].endswith(".m3u8")]
    assert hls_check.subtitles(text) == [
        {"TYPE": "SUBTITLES", "GROUP-ID": '"captions"', "NAME": f'"{asset["label"]}"',
         "LANGUAGE": f'"{asset["language"]}"', "DEFAULT": "YES" if asset.get("default") else "NO", "AUTOSELECT": "YES",
         "FORCED": "NO", "URI": f'"{stacks.EMBED_HOST}{asset["url"]}"'} for asset in captions]
    expected = '"captions"' if captions else None
    assert {variant.get("SUBTITLES") for variant in hls_check.variants(text)} == {expected}


def test_oembed_M7_players_and_applications_get_captions_of_both_kinds(pool):
    for media, segmented in (("l4unchf1lm", False), ("p0rtrait99", True), ("sm4ll480px", None)):
        facts = json.loads(pool.request(f"/embed/medias/{media}.json").body)
        assert facts.get("captions", []) == [
            {"url": stacks.EMBED_HOST + asset["url"], "language": asset["language"], "label": asset["label"],
             "default": asset.get("default", False), "segmented": segmented}
            for asset in catalog()[media]["assets"] if asset["type"] == "captions"]
        assert ("captions" in facts) == (segmented is not None)
        code = pool.request("/oembed", query=f"url={stacks.EMBED_HOST}/medias/{media}")
        assert "captions" not in json.loads(code.body), "oEmbed has no key for them"


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


@pytest.mark.parametrize(("media", "status"), [
    ("nobodyhasthis", 404), ("aud10only1", 501), ("pdf0file01", 501), ("qu3u3d0001", 501),
    ("mp4only001", 501), ("pl4yl1st01", 404), ("l4unchf1lm/x", 404), ("l4unchf1lm%2f", 404),
    ("a" * 65, 404), ("", 404)])
def test_oembed_M4_responds_with_an_error_if_there_is_no_manifest(pool, media, status):
    answer = manifest(pool, media)
    assert answer.status == status
    assert list(json.loads(answer.body)) == ["error"]
    assert answer.headers["access-control-allow-origin"] == "*"


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


def test_oembed_M5_serves_while_counting_is_refused_and_writes_the_counts_later(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1)
    # Redis allows reads, but refuses writes.
    stack.redis_state.command("CONFIG", "SET", "maxmemory", "1")
    for _ in range(20):
        assert manifest(pool, "l4unchf1lm").status == 200
    pool.wait_for("store.refused")
    for _ in range(20):
        assert manifest(pool, "l4unchf1lm").status == 200
        assert manifest(pool, "xss0title1").status == 200
    assert usage(stack, 1001) == 0
    stack.redis_state.command("CONFIG", "SET", "maxmemory", "0")
    stacks.wait_until(lambda: usage(stack, 1001) >= 40, "counts again")
    assert (usage(stack, 1001), usage(stack, 1002)) == (40, 20)
    assert not pool.events("store.lost")


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


def test_oembed_M5_svcctl_usage_reports_wrong_arguments(stack):
    stack.import_catalog()
    for arguments, status, words in [([], 2, "missing"), (["x"], 2, "ACCOUNT must be an integer"),
                                     (["1001", "--days", "0"], 2, "from 1 to 400"),
                                     (["999"], 1, "no account 999")]:
        done = subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), "usage", *arguments],
                              capture_output=True, text=True, timeout=stacks.PATIENCE)
        assert (done.returncode, words in done.stderr) == (status, True), (arguments, done)
