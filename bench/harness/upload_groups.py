"""upload_groups: other answers while svc-ingest converts a film, and how soon a film is closed."""

import contextlib
import functools
import json
import os
import time
import urllib.error
from pathlib import Path

import processes
from redis_client import Client

from .loads import Load, ratio
from .results import at_most

SECONDS = 600  # length of the film; its conversion takes longer than a measurement


def idle_group():
    """Makes a control group with cpu.idle (Linux 5.15), in either version of cgroups. Returns its path, or None."""
    for words in map(str.split, Path("/proc/self/mounts").read_text().splitlines()):
        if words[2] == "cgroup2" or (words[2] == "cgroup" and "cpu" in words[3].split(",")):
            group = Path(words[1], f"svc-bench-{os.getpid()}")
            with contextlib.suppress(OSError):  # read-only, or of another user
                group.mkdir()
                if (group / "cpu.idle").exists():
                    (group / "cpu.idle").write_text("1")
                    return group
                group.rmdir()
    return None


@contextlib.contextmanager
def only_idle_time(pid):
    """Limits the process and its later children to idle time, as CPUWeight=idle of svc-ingest.service does.

    Yields false where that is not possible.
    """
    group = idle_group()
    if group is None:
        yield False
        return
    try:
        (group / "cgroup.procs").write_text(str(pid))
        yield True
    finally:
        for process in (group / "cgroup.procs").read_text().split():
            (group.parent / "cgroup.procs").write_text(process)
        group.rmdir()


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
    with only_idle_time(*front.pids("ingest")) as idle:
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
    beside_what = "a conversion" if idle else "a conversion at niceness 19 (no control group here has cpu.idle)"
    for name, what in (("oEmbed", "cached oEmbed responses"), ("refresh", "refresh grants")):
        for part in ("p50", "p99"):
            rows(f"{part} of {what} beside {beside_what}, against without",
                 ratio({"a": busy[name], "b": quiet[name]}, "a", "b", part), at_most(1.2) if part == "p99" else None,
                 " ×")


JOBS = 100_000
# Jobs of another account, and of an import into it.
WAITING = ("for i = 1, ARGV[1] / 2 do "
           "redis.call('ZADD', 'ingest:guards', 0, 'b 1002 film' .. i, 0, 'c 1002 film' .. i) end")


def closing(bench):
    """From the call of svcctl to nginx' first refusal of the film's file."""
    front, redis = bench.service, Client(bench.service.redis_state)
    short = bench.directory / "short.mp4"
    processes.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10", "-t", 1,
                   "-c:v", "libx264", "-pix_fmt", "yuv420p", short], timeout=600)
    media = json.loads(front.svcctl("media", "add", short, "--account", 1001, "--json").stdout)["hashed_id"]
    folder = front.directory / "media" / media
    file = f"/files/{media}/{next(folder.rglob('*.m4s')).relative_to(folder)}"

    def is_open():
        try:
            return bool(front.get(file))
        except urllib.error.HTTPError as refused:
            if refused.code != 403:
                raise
            return False

    seconds = {"the film": [], "its account's list of sites": []}
    ways = {"the film": (("media", "edit", media, "--visibility"), "private", "public"),
            "its account's list of sites": (("account", "set", 1001, "--allowed-domains"), "site.example", "any")}
    for turn in range(bench.settings.rounds):
        bench.progress.say(f"closing: round {turn + 1} of {bench.settings.rounds}")
        for name, (words, closed, opened) in ways.items():
            processes.wait_until(is_open, "the film is open")
            redis.command("EVAL", WAITING, "0", JOBS)
            began = time.monotonic()
            front.svcctl(*words, closed)
            while is_open():
                time.sleep(0.001)
            seconds[name].append(time.monotonic() - began)
            redis.command("DEL", "ingest:guards")
            front.svcctl(*words, opened)
    bench.results.figures("closing", seconds=seconds)
    for name, each in seconds.items():
        bench.results.row("closing", f"{name} closes while {JOBS:,} jobs wait, the slowest", max(each), at_most(2),
                          " s")
