#!/usr/bin/python3
"""micro_cache.py [--rounds N] [--seconds N]: the service with and without nginx/svc-micro-cache.conf.

Starts it twice as scripts/serve does and loads both in turn with wrk: one URL, media drawn evenly,
ids that nobody has. Prints requests a second, the ratio of each round's pair, and what one request
costs nginx and the pool in processor time, which a busy machine hardly changes. Medians of the rounds.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests" / "e2e"))
import stack  # noqa: E402

MEDIA = "http://127.0.0.1:{}/oembed?url=http%3A%2F%2Fsvc.localhost%2Fmedias%2F{}"
COUNTS = (1000, 10_000, 30_000)
CONNECTIONS = 32
TICK = 1e6 / os.sysconf("SC_CLK_TCK")


def serve(directory, catalog, *options):
    """A running service, and its port."""
    port = stack.free_port()
    process = subprocess.Popen([TOP / "scripts" / "serve", "--port", str(port), "--workers", "4", "--dir", directory,
                                "--catalog", catalog, *options], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("ready "):
            return process, port
    raise SystemExit("scripts/serve did not become ready")


def microseconds(directory):
    """Of processor time that nginx and the embed pool have used, ended workers included."""
    total = 0
    for name in ("nginx", "embed"):
        parent = int((directory / f"{name}.pid").read_text())
        for pid in (parent, *stack.children_of(parent)):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15 if pid == parent else 13]))
    return total * TICK


def load(url, seconds, ids=None):
    """Requests a second, and how many."""
    script = ["-s", TOP / "bench" / "uniform.lua", url, "--", ids] if ids else [url]
    out = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", *script], check=True,
                         capture_output=True, text=True).stdout
    if "Socket errors" in out or ("Non-2xx" in out) != ("nobody" in str(ids)):
        raise SystemExit(f"{url}: {out}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), int(re.search(r"(\d+) requests in", out)[1])


def catalog_and_loads(directory):
    catalog = directory / "catalog.jsonl"
    catalog.write_bytes(subprocess.run([TOP / "scripts" / "make-catalog", str(max(COUNTS) * 2)],
                                       stdout=subprocess.PIPE, check=True).stdout)
    ready = [re.search(r'"id":"(\w+)"', line)[1] for line in catalog.read_text().splitlines()
             if '"kind":"media"' in line and '"type":"Video"' in line and '"status":"ready"' in line]
    loads = {"one URL": None}
    for count in COUNTS:
        loads[f"{count} media"] = directory / f"{count}.ids"
        loads[f"{count} media"].write_text("".join(f"{one}\n" for one in ready[:count]))
    loads["unknown ids"] = directory / "nobody.ids"
    loads["unknown ids"].write_text("".join(f"nobody{one}\n" for one in range(100_000)))
    return catalog, ready[0], loads


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    arguments = parser.parse_args()
    running = []
    with tempfile.TemporaryDirectory(prefix="svc-bench-", dir="/tmp") as name:
        directory = Path(name)
        catalog, media, loads = catalog_and_loads(directory)
        try:
            ports = {}
            for which, options in (("with", ()), ("without", ("--no-micro-cache",))):
                process, ports[which] = serve(directory / which, catalog, *options)
                running.append(process)
            for what, ids in loads.items():
                rates, costs = {which: [] for which in ports}, {which: [] for which in ports}
                for which, port in ports.items():
                    load(MEDIA.format(port, media), 1, ids)
                for _ in range(arguments.rounds):
                    for which, port in ports.items():
                        before = microseconds(directory / which)
                        rate, count = load(MEDIA.format(port, media), arguments.seconds, ids)
                        time.sleep(0.1)
                        rates[which].append(rate)
                        costs[which].append((microseconds(directory / which) - before) / count)
                ratios = [a / b for a, b in zip(rates["with"], rates["without"])]
                print(f"{what:12}", *(f"{which} {statistics.median(rates[which]):8,.0f}/s "
                                      f"{statistics.median(costs[which]):5.1f} us  " for which in ports),
                      f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)
        finally:
            for process in running:
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
