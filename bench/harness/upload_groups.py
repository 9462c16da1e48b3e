"""upload_groups: other answers while svc-ingest converts a film."""

import functools
import json
import time

import processes

from .loads import Load, ratio
from .results import at_most

SECONDS = 600  # of the film: longer to convert than a measurement takes


class Conversion:
    """While it lasts, ffmpeg uses all processor time that others leave."""

    def __init__(self, bench):
        self.service = bench.service
        self.film = bench.directory / "film.mp4"
        if not self.film.exists():
            processes.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-f",
                           "lavfi", "-i", "sine=frequency=440", "-t", SECONDS, "-c:v", "libx264", "-preset",
                           "ultrafast", "-crf", 30, "-pix_fmt", "yuv420p", "-c:a", "aac", self.film], timeout=600)

    def __enter__(self):
        added = self.service.svcctl("media", "add", self.film, "--account", 1001, "--no-wait", "--json").stdout
        self.media = json.loads(added)["hashed_id"]
        processes.wait_until(self._progress, "svc-ingest converts", pause=0.2)
        return self

    def _progress(self):
        lines = self.service.svcctl("jobs", "list", "--json").stdout.splitlines()
        return any("%" in json.loads(line)["status"] for line in lines)

    def __exit__(self, *_):
        self.service.svcctl("media", "delete", self.media, "--yes")
        processes.wait_until(lambda: not self.service.svcctl("jobs", "list", "--json").stdout, "the jobs are done",
                             pause=0.2)


def uploads(bench):
    """Cached oEmbed responses and refresh grants, with and without a conversion."""
    front = bench.service
    loads = {"oEmbed": Load("svc", front.url, bench.requests.hot(bench.hot_ids), connections=4, pause=4),
             "refresh": Load("svc", front.url, bench.requests.posts("svc-refresh", "/oauth/token",
                                                                    bench.refresh_bodies), connections=4, pause=4)}
    quiet, busy = ({name: [] for name in loads} for _ in range(2))
    conversion = Conversion(bench)
    for turn in range(bench.settings.rounds):
        bench.progress.say(f"beside a conversion: round {turn + 1} of {bench.settings.rounds}")
        for name, load in loads.items():
            quiet[name].append(load.measure(bench.settings.seconds))
        with conversion:
            time.sleep(1)
            for name, load in loads.items():
                busy[name].append(load.measure(bench.settings.seconds))
    bench.results.figures("uploads", **{name: {"alone": quiet[name], "beside a conversion": busy[name]}
                                        for name in loads})
    rows = functools.partial(bench.results.row, "uploads")
    for name, what in (("oEmbed", "cached oEmbed responses"), ("refresh", "refresh grants")):
        for part in ("p50", "p99"):
            rows(f"{part} of {what} beside a conversion, against without",
                 ratio({"a": busy[name], "b": quiet[name]}, "a", "b", part), at_most(1.2) if part == "p99" else None,
                 " ×")
