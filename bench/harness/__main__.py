"""The command line of scripts/bench."""

import argparse
import datetime
import json
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import processes

from . import groups as all_groups
from . import instructions, machine, report, results
from .service import BUILD, TOP, build

GROUPS = all_groups.GROUPS


class Progress:
    """Where it is, on standard error: one line that changes in a terminal, a line each time elsewhere."""

    def __init__(self, seconds):
        self.began, self.seconds = time.monotonic(), seconds
        self.terminal = sys.stderr.isatty()

    def say(self, what):
        passed = time.monotonic() - self.began
        line = f"{_clock(passed)} of about {_clock(max(self.seconds, passed))}  {what}"
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r\033[K" + line[:width])
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def end(self):
        if self.terminal:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Measures the service beside what people would use instead, on this machine.",
        epilog="groups: " + "; ".join(f"{group.name}: {group.title}" for group in GROUPS.values()))
    parser.add_argument("--quick", action="store_true",
                        help="all of it in a few minutes: fewer peers, short rounds, a small catalog")
    parser.add_argument("--only", metavar="GROUP", action="append", choices=list(GROUPS),
                        help="this group only; may be given more than once")
    parser.add_argument("--against", type=Path, metavar="DIR",
                        help="another checkout of the service, an earlier commit say, which is built there and loaded "
                             "in turns with this one")
    parser.add_argument("--instructions", action="store_true",
                        help="measure only what a request costs in instructions of worker and nginx, with --against DIR "
                             "compared with that checkout; other work of the machine does not matter")
    parser.add_argument("--requests", type=int, metavar="N", default=instructions.REQUESTS,
                        help=f"with --instructions: requests of each kind ({instructions.REQUESTS})")
    parser.add_argument("--build", type=Path, metavar="DIR", default=BUILD,
                        help="with --instructions: the folder with this checkout's programs (build)")
    parser.add_argument("--against-build", type=Path, metavar="DIR",
                        help="with --instructions: that with the other checkout's (build below its folder)")
    parser.add_argument("--rounds", type=int, metavar="N",
                        help="rounds of load, each of all loads in turn (5; quick: 3)")
    parser.add_argument("--seconds", type=float, metavar="S", help="seconds of a load in a round (4; quick: 0.3)")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="where report.html and figures.json go (build/bench-report)")
    parser.add_argument("--no-build", action="store_true",
                        help="measure the programs in build/ as they are; install nothing")
    parser.add_argument("--report", type=Path, metavar="FILE",
                        help="measure nothing: the report of an older figures.json")
    options = parser.parse_args(words)
    if options.rounds is not None and not 1 <= options.rounds <= 100:
        parser.error("--rounds: must be from 1 to 100")
    if options.seconds is not None and not 0.2 <= options.seconds <= 600:
        parser.error("--seconds: must be from 0.2 to 600")
    if options.against and not (options.against / "scripts" / "serve").is_file():
        parser.error(f"--against {options.against}: must be a checkout of the service, with scripts/serve")
    if not 10 <= options.requests <= 100_000:
        parser.error("--requests: must be from 10 to 100000")
    if "against" in (options.only or []) and not options.against:
        parser.error("--only against: needs --against DIR")
    return options


def measure(options):
    settings = all_groups.Settings(options.quick, options.rounds or (3 if options.quick else 5),
                                   options.seconds or (0.3 if options.quick else 4),
                                   against=options.against.resolve() if options.against else None)
    chosen = [group for name, group in GROUPS.items()
              if (options.against if name == "against" else not options.only or name in options.only)]
    progress = Progress(sum(group.guess(settings) for group in chosen) + 6)
    found = results.Results()
    began, now = time.monotonic(), datetime.datetime.now(datetime.timezone.utc)
    if not options.no_build:
        progress.say("building")
        build(["svc-worker", "svcctl", "svc-bench", "accept_loop", "responder", "svc-delay-relay"])
    on = machine.describe()
    directory = Path(tempfile.mkdtemp(prefix="svc-bench-", dir="/tmp"))
    failures = []
    try:
        with processes.Processes() as started:
            bench = all_groups.Bench(settings, directory, started, progress, found)
            for group in all_groups.in_order_of_running(chosen):
                # If one group cannot be measured, the figures of the others remain.
                try:
                    group.run(bench)
                except Exception as problem:  # pylint: disable=broad-exception-caught
                    failures.append({"group": group.name, "problem": str(problem) or repr(problem)})
                    progress.end()
                    print(f"{group.name}: {problem}", file=sys.stderr)
            progress.say("everything ends")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    progress.end()
    order = list(GROUPS)
    found.rows.sort(key=lambda row: order.index(row["group"]))
    return {"schema": 1, "began": now.isoformat(timespec="seconds"), "took_seconds": round(time.monotonic() - began, 1),
            "settings": {"quick": settings.quick, "rounds": settings.rounds, "seconds": settings.seconds,
                         "workers": settings.workers, "groups": [group.name for group in chosen]},
            "machine": on, "rows": found.rows, "groups": found.groups, "failures": failures}


def count_instructions(options):
    sides = [instructions.Side("now", TOP, options.build.resolve())]
    if options.against:
        top = options.against.resolve()
        sides.append(instructions.Side("before", top, (options.against_build or top / "build").resolve()))
    progress = Progress(40 * len(sides))
    for side in sides:
        if not options.no_build:
            progress.say(f"{side.name}: building")
            build(["svc-worker", "svcctl"], side.top, side.build)
    found = instructions.measure(sides, progress.say, options.requests)
    progress.end()
    print(instructions.table(found, sides), end="")
    return 0


def main(words=None):
    options = arguments(words)
    if options.instructions:
        return count_instructions(options)
    titles = {group.name: group.title for group in GROUPS.values()}
    out = options.out or BUILD / "bench-report"
    out.mkdir(parents=True, exist_ok=True)
    if options.report:
        data = json.loads(options.report.read_text())
    else:
        data = measure(options)
        (out / "figures.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    (out / "report.html").write_text(report.html(data, titles), encoding="utf-8")
    shown = results.Results()
    shown.rows = data["rows"]
    print(results.table(shown, titles, sys.stdout.isatty()))
    for failure in data["failures"]:
        print(f"not finished: {titles[failure['group']]}: {failure['problem'].splitlines()[0]}")
    print(f"\nreport   {out / 'report.html'}\nfigures  {options.report or out / 'figures.json'}")
    return 1 if data["failures"] else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except processes.Failed as failed:
        sys.exit(f"scripts/bench: {failed}")
    except KeyboardInterrupt:
        sys.exit(130)
