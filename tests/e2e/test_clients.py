"""Third-party clients: npm packages and ffprobe, against a service like that of scripts/serve."""

import json
import shutil
import subprocess

import pytest

import node_suite
import stack as stacks

CLIENTS = stacks.REPOSITORY / "tests" / "clients"


@pytest.fixture(scope="module")
def service(module_stack):
    base = node_suite.serve(module_stack)
    for role, workers in (("embed", 2), ("web", 3), ("grant", 2)):
        module_stack.start_pool(role, roles=role, workers=workers)
    return base


@pytest.mark.parametrize("file", ["clients.test.js", "oauth.test.js", "public.test.js"])
def test_clients_of_others_get_the_expected_responses(service, file):
    results = node_suite.results(CLIENTS, [file], SVC_URL=service)
    assert not any(results.values()), "".join(results.values())


@pytest.mark.parametrize("media", ["l4unchf1lm", "p0rtrait99", "0dd1279717", "l1ves0und1"])
def test_oembed_M6_ffprobe_finds_every_variant(service, media):
    assert shutil.which("ffprobe"), "ffprobe comes with the package ffmpeg"
    done = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json",
                           f"{service}/embed/medias/{media}.m3u8"],
                          capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    streams = json.loads(done.stdout)["streams"]
    catalog = next(line for line in map(json.loads, stacks.CATALOG.read_text().strip().split("\n"))
                   if line.get("id") == media)
    pictures = {(asset["width"], asset["height"]) for asset in catalog["assets"]
                if asset["type"] == "hls" and asset["width"]}
    assert {(stream["width"], stream["height"]) for stream in streams
            if stream["codec_type"] == "video"} == pictures
    assert any(stream["codec_type"] == "audio" for stream in streams)
