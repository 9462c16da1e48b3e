"""The table of kinds of keys (worker/stores/kinds.h): it has each key that the code writes, with its type and lifetime."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import facts  # noqa: E402  # its folder is not installed

ROWS = {facts.kind_of(key): (kind, lives) for key, kind, lives, _ in facts.printed()["kinds"]}
UNITS = {"s": 1, "minute": 60, "hour": 3600, "day": 86400, "year": 31536000, "week": 604800}


def row_of(kind):
    return ROWS["audit:<kind>" if kind.startswith("audit:") else kind]


def test_every_kind_that_is_written_has_a_row_and_every_row_is_written():
    written = {"audit:<kind>" if kind.startswith("audit:") else kind for kind, *_ in facts.stored_keys()}
    assert len(written) > 80 and written ^ ROWS.keys() == {"audit"}, "versions before kinds existed wrote it"


def test_every_row_has_the_type_of_its_keys():
    assert [(kind, told) for kind, told, _ in facts.stored_keys() if row_of(kind)[0] != told] == []


def test_every_row_has_the_lifetime_of_its_keys():
    """If it begins with a time, or ends with one that is the most. A setting is named, and its default not repeated."""
    wrong = []
    for kind, _, lives in facts.stored_keys():
        told = row_of(kind)[1].replace("a week", "1 week")
        times = {str(int(number) * UNITS[unit]) for number, unit in re.findall(r"(\d+) (s|minute|hour|day|year|week)s?\b", told)}
        is_timed = re.match(r"\d", told) is not None
        if lives == "for ever" and is_timed or lives.startswith("about") and is_timed and lives.split()[1] not in times:
            wrong.append((kind, told, lives))
    assert wrong == []
