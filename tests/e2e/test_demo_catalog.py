"""The demonstration catalog: its records agree with its films."""

import json
import subprocess

import pytest

from stack import CATALOG

FILMS = [record for record in map(json.loads, filter(None, CATALOG.read_text(encoding="utf-8").split("\n")))
         if record["kind"] == "media" and record["assets"]]


@pytest.mark.parametrize("film", FILMS, ids=[film["id"] for film in FILMS])
def test_the_duration_is_that_of_every_asset(film):
    for asset in film["assets"]:
        if asset["type"] == "captions":
            continue
        path = CATALOG.parent / asset["url"].lstrip("/")
        done = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "json", path],
                              capture_output=True, check=True, text=True)
        # A frame less is possible: sound alone is 30 ms shorter (scripts/make-demo-clips).
        assert abs(float(json.loads(done.stdout)["format"]["duration"]) - film["duration"]) < 0.05, asset["url"]


def test_a_film_has_only_hls_and_one_only_mp4_and_one_both():
    kinds = [{asset["type"] for asset in film["assets"]} - {"captions"} for film in FILMS]
    assert {"hls"} in kinds and kinds.count({"mp4"}) == 1 and kinds.count({"hls", "mp4"}) == 1
