"""An uploaded film in real clients: Chromium, Firefox, ffprobe, and a strict HLS parser: tests/browser/uploads.test.js,
customizations.test.js."""

import json
import re
import subprocess

import pytest

import node_suite
import stack as stacks
import uploads
from processes import PATIENCE
from test_browser import BROWSER


@pytest.fixture(scope="module")
def film(module_stack):
    """A film with captions that an application has uploaded; returns the URL of the service and the id."""
    stack = module_stack
    base = node_suite.serve(stack)
    for role in ("embed", "grant", "upload"):
        stack.start_pool(role, roles=role)
    stack.start_ingest()
    words = stack.directory / "words.srt"
    words.write_text("1\n00:00:00,000 --> 00:00:04,000\nHello\n")
    path = uploads.make(stack.directory / "film.mkv", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-f",
                        "lavfi", "-i", "sine=frequency=440", "-i", words, "-map", "0", "-map", "1", "-map", "2", "-t",
                        6, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-c:s",
                        "srt", "-metadata:s:s:0", "language=eng")
    app = uploads.Application(stack, stack.nginx)
    media_id = app.upload(path, name="Uploaded film")["hashed_id"]
    media = app.wait(media_id)
    assert {asset["type"] for asset in media["assets"]} == {"hls", "mp4", "captions", "storyboard"}
    return base, media_id, app


def test_an_uploaded_film_plays_in_chromium_and_firefox(film):
    base, media_id, _ = film
    found = node_suite.of_two_tries(BROWSER, ["uploads.test.js"], SVC_URL=base, SVC_UPLOADED=media_id)
    assert len(found) == 4 and not any(found.values()), "".join(found.values())[-8000:]


def test_its_manifest_is_strict_and_ffprobe_finds_every_rendition(film):
    base, media_id, _ = film
    url = f"{base}/embed/medias/{media_id}.m3u8"
    text = subprocess.run(["curl", "-fsS", url], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    variants = [dict(re.findall(r'([A-Z-]+)=("[^"]*"|[^,]*)', line)) for line in text.splitlines()
                if line.startswith("#EXT-X-STREAM-INF:")]
    sizes = {variant["RESOLUTION"] for variant in variants}
    assert "1280x720" in sizes and len(sizes) == len(variants) > 1
    for variant in variants:
        assert int(variant["AVERAGE-BANDWIDTH"]) <= int(variant["BANDWIDTH"])
    done = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", url], capture_output=True,
                          text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    found = {f"{stream['width']}x{stream['height']}" for stream in json.loads(done.stdout)["streams"]
             if stream["codec_type"] == "video"}
    assert found == sizes


def test_parsers_of_others_accept_its_playlists(film):
    base, media_id, _ = film
    found = node_suite.results(stacks.REPOSITORY / "tests" / "clients",
                               ["--test-name-pattern", "manifest|variant", "clients.test.js"], SVC_URL=base,
                               SVC_MEDIA=media_id)
    assert sum(not report for report in found.values()) == 3, found


def test_api_Z2_a_customized_film_has_its_options_in_every_code(film):
    base, media_id, app = film
    path = app.path(f"/v1/medias/{media_id}/customizations")
    options = {"playerColor": "00ff00", "playbar": False, "muted": True, "volume": 0.5}
    answer = app.nginx.request(path, method="PUT", host=uploads.API, body=json.dumps(options).encode(),
                               headers={"Content-Type": "application/json"})
    assert (answer.status, json.loads(answer.body)) == (200, options)
    found = node_suite.of_two_tries(BROWSER, ["customizations.test.js"], SVC_URL=base, SVC_CUSTOMIZED=media_id)
    assert len(found) == 4 and not any(found.values()), "".join(found.values())[-8000:]
    assert app.nginx.request(path, method="DELETE", host=uploads.API).status == 204
