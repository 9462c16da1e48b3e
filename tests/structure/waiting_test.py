"""Tests wait for events. A fixed time only passes where it is what the test is about, in these files."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("sleep(", "sleep_for(", "setTimeout(")
# file → how many, at most, and why.
ALLOWED = {
    # The pause between two looks at what announces nothing: one function per language.
    "e2e/processes.py": (1, "wait_until()"),
    "fakes/waiting.h": (1, "wait_until()"),
    "browser/patience.js": (1, "until()"),
    "fastcgi/conformance": (3, "a script of its own: a pause before a new connection, records that come late"),
    # Time that the service, nginx or a network is given.
    "e2e/test_micro_cache.py": (4, "ages of cached responses"),
    "e2e/test_nginx_limits.py": (1, "in which nginx must write nothing"),
    "e2e/test_nginx_uploads.py": (1, "a client that is slower than a timeout"),
    "e2e/test_hostile.py": (1, "in which a process must not run"),
    "e2e/test_status.py": (1, "a slow store"),
    "integration/ingest/transcoder_test.cpp": (1, "a program that waits longer than a job may take"),
    "faults/shipped.py": (1, "the length of a fault"),
    # The pace of clients.
    "e2e/test_login_attack.py": (3, "persons, and Retry-After"),
    "e2e/test_package.py": (1, "kills per second"),
    "e2e/test_thumbnails.py": (1, "requests below a rate"),
    "faults/bounded_load.py": (1, "requests per second"),
    # Timers that are not waited for.
    "browser/embed-codes.test.js": (1, "the end of a task"),
    "browser/pages.test.js": (2, "counts the timers of a page"),
    "browser/webkit.test.js": (1, "a timeout"),
    "unit/loop/loop_test.cpp": (1, "the loop's own timers"),
    # To be rewritten.
    "e2e/test_login.py": (1, "a poll"),
    "unit/ctl/progress_bar_test.cpp": (1, "a poll"),
    "unit/login/passwords_test.cpp": (2, "polls"),
    "unit/redis/resolver_test.cpp": (1, "a poll"),
}


def waits(path):
    text = (ROOT / "tests" / path).read_text(encoding="utf-8", errors="replace")
    return sum(text.count(word) for word in WORDS)


def test_no_other_test_lets_a_fixed_time_pass():
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "."], cwd=ROOT / "tests", check=True,
                           capture_output=True, text=True).stdout.splitlines()
    found = {path: waits(path) for path in files if Path(path).suffix in {".py", ".js", ".h", ".cpp", ""}
             and not path.startswith("structure/") and (ROOT / "tests" / path).is_file()}
    assert {path: number for path, number in found.items() if number > ALLOWED.get(path, (0,))[0]} == {}, (
        "wait for an event: wait_until() in Python and C++, until() in JavaScript")
