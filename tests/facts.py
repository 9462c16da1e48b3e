"""facts: tables of the code, as data: what svc-test-facts prints, and the keys of the stored records."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("SVC_BUILD_DIR", ROOT / "build"))


def printed():
    """{name of the table: its rows}. A row of one text is that text."""
    lines = subprocess.run([BUILD / "tests" / "svc-test-facts"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: [row[0] if len(row) == 1 else tuple(row) for row in rows] for name, *rows in map(json.loads, lines)}


def kind_of(key):
    """`oauth:code` of `oauth:code:{1}:2`."""
    return ":".join(key.split(":")[:2])


def stored_keys():
    """[(kind, type, lifetime)] of each key that the service writes. From the file that a test of integration/ compares with
    what the code writes: a line per key of Redis."""
    lines = (ROOT / "tests/data/stored_formats.txt").read_text(encoding="utf-8").splitlines()
    found = [line.rsplit(": ", 1) for line in lines if not line.startswith(" ") and ", lives " in line]
    return [(kind_of(key), *told.split(", lives ")) for key, told in found]
