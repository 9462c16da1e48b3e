"""Tests wait for events. Only the tests in these files wait for a fixed time, because they are about time."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# In JavaScript, a timer that a promise waits for; other timers do not wait.
WAIT = re.compile(r"sleep\(|sleep_for\(|setTimeout\(resolve, ")
# The pause between two looks at what announces nothing: one function per language, and one of a script of its own.
LOOKS = ("e2e/processes.py", "fakes/waiting.h", "browser/patience.js", "fastcgi/conformance")
# One place per file.
TIMES = {
    "e2e/test_micro_cache.py": "ages of cached responses",
    "e2e/test_status.py": "a slow store",
    "integration/ingest/transcoder_test.cpp": "a program that waits longer than a job may take",
    "fastcgi/conformance": "records that come late",
    "faults/bounded_load.py": "requests per second, and the length of a fault",
}


def waits(path):
    return len(WAIT.findall((ROOT / "tests" / path).read_text(encoding="utf-8", errors="replace")))


def test_no_other_test_lets_a_fixed_time_pass():
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "."], cwd=ROOT / "tests", check=True,
                           capture_output=True, text=True).stdout.splitlines()
    found = {path: waits(path) for path in files if Path(path).suffix in {".py", ".js", ".h", ".cpp", ""}
             and not path.startswith("structure/") and (ROOT / "tests" / path).is_file()}
    assert {path: number for path, number in found.items() if number} == {
        path: (path in LOOKS) + (path in TIMES) for path in {*LOOKS, *TIMES}}, (
        "wait for an event: wait_until() in Python and C++, until() in JavaScript")
