"""loads: wrk for closed loops, h2load for open loops, and interleaved rounds: A B C A B C …

A closed loop sends the next request after a response, so it finds the maximum rate. An open loop sends at a fixed rate,
whether responses are late or not, so it finds the latency at that rate."""

import dataclasses
import json
import math
import os
import random
import signal
import statistics
import subprocess
import time
from pathlib import Path

import processes

CONNECTIONS = 32
OPEN_CONNECTIONS = 64
PERIOD = 0.05  # s between the steps of a load with fresh connections
SCRIPT = Path(__file__).resolve().parents[1] / "requests.lua"


def cpu_seconds(roots):
    """Returns the seconds of processor time that these processes and their children have used, ended children
    included."""
    times, parents = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        # Its own time; for a root process also that of its exited children.
        times[int(name)] = sum(map(int, fields[11:15 if int(name) in roots else 13]))
    return sum(time for pid, time in times.items() if pid in roots or parents[pid] in roots) / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Load:
    name: str
    url: str
    file: Path
    connections: int = CONNECTIONS
    refusals: str = "none"  # none, few, some, any, all: how many answers are not of 200 … 399
    once: bool = False      # each line at most once
    pause: int = 0          # ms, on average, that each connection waits before a request
    # Name of a part → its processes, whose processor time is measured with their children's.
    parts: dict = dataclasses.field(default_factory=dict)

    def start(self):
        """wrk, and it has begun."""
        wrk = processes.start(
            ["wrk", "-t1", f"-c{self.connections}", "-d3600s", "-s", SCRIPT, self.url, "--", self.file,
             0 if self.once else random.randrange(1_000_000), *(["once"] if self.once else []),
             *([self.pause] if self.pause else [])],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if wrk.stderr.readline() != "ready\n":
            wrk.kill()
            raise processes.Failed(f"wrk did not start: {wrk.communicate()[1]}")
        return wrk

    def finish(self, wrk):
        out = wrk.communicate(timeout=120)[0]
        lines = [line for line in out.splitlines() if line.startswith('{"requests"')]
        if wrk.returncode != 0 or not lines:
            raise processes.Failed(f"{self.name}: wrk gave up:\n{out[-1000:]}")
        got = json.loads(lines[0])
        bad = got["refused"]
        ok = {"none": bad == 0, "few": bad * 50 <= got["requests"], "some": bad * 2 <= got["requests"], "any": True,
              "all": bad == got["requests"]}[self.refusals]
        if got["broken"] or not got["requests"] or not ok:
            raise processes.Failed(f"{self.name} at {self.url}: of {got['requests']} answers {bad} were refusals, and "
                                   f"{got['broken']} requests broke off or took more than 2 s")
        return {"rate": got["requests"] / got["seconds"], **got}

    def measure(self, seconds):
        """Requests a second, percentiles of their latency in ms, and microseconds of processor time a request."""
        before = {name: cpu_seconds(pids) for name, pids in self.parts.items()}
        wrk = self.start()
        try:
            if self.once:
                wrk.wait(120)
            else:
                time.sleep(seconds)
                wrk.send_signal(signal.SIGINT)
            got = self.finish(wrk)
            cpu = {name: (cpu_seconds(pids) - before[name]) * 1e6 / got["requests"]
                   for name, pids in self.parts.items()}
            return {**got, "cpu": cpu}
        finally:
            if wrk.poll() is None:
                wrk.kill()
                wrk.wait()


@dataclasses.dataclass
class OpenLoad:
    """h2load at a fixed rate. Its log has a line for each request: when, status, microseconds.

    A kept connection sends no request while it waits for a response. So an overload needs `fresh`: a connection per
    request, opened in steps of PERIOD."""
    name: str
    url: str
    file: Path
    rate: float
    directory: Path
    fresh: bool = False
    refusals: bool = False  # whether responses other than 200 are expected; the percentiles are those of 200 only

    def measure(self, seconds):
        log, uris = self.directory / "h2load.log", self.directory / "h2load.uris"
        with open(self.file, encoding="utf-8") as lines:
            uris.write_text("".join(self.url + next(lines, "\n") for _ in range(2000)).strip() + "\n")
        whole = max(1, round(seconds))
        if self.fresh:
            step = max(1, round(self.rate * PERIOD))
            total = round(step * whole / PERIOD)
            how = [f"-c{total}", f"-n{total}", f"-r{step}", f"--rate-period={round(PERIOD * 1000)}ms"]
        else:
            how = [f"-c{OPEN_CONNECTIONS}", f"--rps={max(1, round(self.rate / OPEN_CONNECTIONS))}", f"-D{whole}"]
        processes.run(["h2load", "--h1", "-t1", *how, "-i", uris, f"--log-file={log}"])
        waits, refused, unexpected = [], 0, 0
        first, last = math.inf, 0  # µs
        with open(log, encoding="ascii") as lines:
            for line in lines:
                sent, status, micros = line.split("\t")
                first, last = min(first, int(sent)), max(last, int(sent) + int(micros))
                if status == "200":
                    waits.append(int(micros))
                else:
                    refused += 1
                    unexpected += status != "503"
        log.unlink()
        answered = len(waits) + refused
        if unexpected or (refused and not self.refusals) or not waits:
            raise processes.Failed(f"{self.name} at {self.url}: {refused} of {answered} answers were not 200, "
                                   f"{unexpected} of them not 503 either")
        waits.sort()

        def percentile(share):
            return waits[min(len(waits) - 1, int(len(waits) * share))] / 1000
        # The last responses of an overload come after its last request.
        took = (last - first) / 1e6 if self.fresh else whole
        return {"rate": len(waits) / took, "requests": len(waits), "refused": refused, "offered": answered / whole,
                "p50": percentile(0.5), "p90": percentile(0.9), "p99": percentile(0.99), "p999": percentile(0.999), "max": waits[-1] / 1000}


def interleave(title, loads, rounds, seconds, progress, warm_up=True, lead=0):
    """Returns per load its name and a dictionary for each round. Each load runs for `lead` seconds before it is
    measured, to fill caches that dropped its entries during the turns of other loads. Every second round goes
    backwards: what slows the machine down for a while, or a turn before it, meets both sides."""
    figures = {load.name: [] for load in loads}
    if warm_up:
        for load in loads:
            progress.say(f"{title}: {load.name} warms up")
            load.measure(min(1.0, max(0.2, seconds / 2)))
    for number in range(rounds):
        for load in loads if number % 2 == 0 else reversed(loads):
            progress.say(f"{title}: round {number + 1} of {rounds}, {load.name}")
            if lead:
                load.measure(lead)
            got = load.measure(seconds)
            figures[load.name].append(got)
    return figures


def medians(figures, field="rate"):
    return {name: statistics.median(each[field] for each in rounds) for name, rounds in figures.items()}


def ratio(figures, one, other, field="rate"):
    """The median of the ratios of single rounds."""
    return statistics.median(a[field] / b[field] for a, b in zip(figures[one], figures[other]))
