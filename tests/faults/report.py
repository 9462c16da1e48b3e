"""report: the table of a run, one row per fault."""

import os
from pathlib import Path

from bounded_load import KINDS, LOADS

HEAD = ("fault", "load during it", *KINDS, "tokens lost", "revocations lost", "codes lost", "unclear",
        "right again after")
rows, details, notes = [], [], []


def add(fault, load, audit, seconds):
    """Adds a row: the clients' responses during the fault, and the audit's findings afterwards."""
    counts = load.counts("during")
    total = {kind: sum(counts[name, kind] for name in LOADS) for kind in KINDS}
    losses = [f"{audit.lost[what]} of {audit.acknowledged[what]}" for what in ("token", "revocation", "code")]
    rows.append((fault, f"{len(load.clients)} clients, {sum(total.values())} requests",
                 *(str(total[kind]) for kind in KINDS), *losses, str(audit.unclear), f"{seconds:.1f} s"))
    details.append((fault, *("/".join(str(number) for number in
                                      (counts[name, KINDS[0]], counts[name, KINDS[1]],
                                       sum(counts[name, kind] for kind in KINDS[2:])))
                             for name in LOADS)))


def note(text):
    """Adds a paragraph below the tables."""
    notes.append(text)


def table(head, lines):
    widths = [max(len(line[at]) for line in (head, *lines)) for at in range(len(head))]
    written = [head, ["-" * width for width in widths], *lines]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
                     for line in written)


def text():
    """Returns both tables, or "" without a row."""
    if not rows:
        return ""
    return (f"{table(HEAD, rows)}\n\nBy load, during the fault: right/503/others.\n\n"
            f"{table(('fault', *LOADS), details)}\n" + "".join(f"\n{text}\n" for text in notes))


def write():
    """Writes the tables to the file that SVC_FAULTS_REPORT names, if it is set."""
    if (path := os.environ.get("SVC_FAULTS_REPORT")) and rows:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text(), encoding="utf-8")
