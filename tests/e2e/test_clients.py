"""Clients that others wrote: npm packages and ffprobe, against the service as scripts/serve starts it."""

import fcntl
import json
import re
import shutil
import subprocess
import sys

import pytest

import stack as stacks

CLIENTS = stacks.REPOSITORY / "tests" / "clients"
FILES = ("clients.test.js", "oauth.test.js")


@pytest.fixture(scope="module")
def service(module_stack):
    """The base URL of the shipped nginx, all four hosts being it, so that what an answer names is there."""
    stack = module_stack
    base = f"http://127.0.0.1:{stack.start_shipped_nginx().port}"
    hosts = dict.fromkeys(("app_url", "base_url", "oembed_url", "embed_host", "provider_url"), base)
    stack.write_config(**hosts)
    stack.import_catalog()
    for role, workers in (("embed", 2), ("web", 3), ("grant", 2)):
        stack.start_pool(role, roles=role, workers=workers)
    return base


def npm_packages():
    """Installed once for each lock file, by whoever comes first."""
    lock, installed = CLIENTS / "package-lock.json", CLIENTS / "node_modules" / ".package-lock.json"
    with open(lock, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if installed.exists() and installed.stat().st_mtime > lock.stat().st_mtime:
            return
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=CLIENTS, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def node_tests():
    """Names of the tests, so that each is one here and shows in the table of the contract."""
    text = "".join((CLIENTS / file).read_text() for file in FILES)
    return re.findall(r"^test\('([^']+)'", text, re.M)


@pytest.fixture(scope="module")
def node_results(service):
    npm_packages()
    done = subprocess.run(["node", "--test", "--test-reporter=tap", *FILES], cwd=CLIENTS,
                          capture_output=True, text=True, timeout=240,
                          env={**stacks.os.environ, "SVC_URL": service})
    print(done.stdout, file=sys.stderr)
    return dict((name, state == "ok") for state, name in
                re.findall(r"^(ok|not ok) \d+ - (.+?)(?: #.*)?$", done.stdout, re.M))


def _case(name):
    def run(node_results):
        assert node_results.get(name), f"{name}: see the output of node above"
    return run


# One function a test of node, named by its sentence: the ids of its rules stay in front.
for _name in node_tests():
    globals()["test_" + re.sub(r"\W+", "_", _name)] = _case(_name)


@pytest.mark.parametrize("media", ["l4unchf1lm", "p0rtrait99", "0dd1279717", "l1ves0und1"])
def test_M6_ffprobe_finds_every_variant(service, media):
    assert shutil.which("ffprobe"), "ffprobe comes with the package ffmpeg"
    done = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json",
                           f"{service}/embed/medias/{media}.m3u8"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    streams = json.loads(done.stdout)["streams"]
    catalog = next(line for line in map(json.loads, stacks.CATALOG.read_text().strip().split("\n"))
                   if line.get("id") == media)
    pictures = {(asset["width"], asset["height"]) for asset in catalog["assets"] if asset["width"]}
    assert {(stream["width"], stream["height"]) for stream in streams
            if stream["codec_type"] == "video"} == pictures
    assert any(stream["codec_type"] == "audio" for stream in streams)
