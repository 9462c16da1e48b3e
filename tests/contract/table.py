#!/usr/bin/python3
"""table.py REPORTS OUT: which test shows which rule of the contract, and whether it passes.

REPORTS is a folder of JUnit files, as ctest and pytest write them; a test carries the ids of its
rules in its name (MediaUrls.E6RefusesLookAlikes, test_E6_refuses[…]). Writes a table to OUT. Ends with
status 1 when a rule of rules.tsv has no test, or one of its tests did not pass.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

RULES = Path(__file__).with_name("rules.tsv")
# At the beginning of a test's own name: `.E6Refuses`, `test_E6_refuses`, `test_P1_P8_…`.
NAME = re.compile(r"(?:\.|::|^)(?:test_)?((?:[A-Z]\d{1,2}_?)+)(?=[A-Z_\[]|[a-z])")


def rules():
    return dict(line.split("\t", 1) for line in RULES.read_text().splitlines())


def ids_of(name):
    """The ids that a test's name begins with, behind its suite."""
    found = NAME.search(name.rsplit("/", 1)[-1])
    return re.findall(r"[A-Z]\d{1,2}", found.group(1)) if found else []


def cases(folder):
    """Of every test: its name without parameters, and whether it passed."""
    for report in sorted(Path(folder).glob("*.xml")):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            name = case.get("name")
            if report.name != "ctest.xml":
                name = f"{case.get('classname', '').rsplit('.', 1)[-1]}::{name}"
            bad = any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
            passed = not bad and case.get("status", "run") in ("run", "passed")
            yield re.sub(r"\[.*\]$", "", name, flags=re.S), passed


def collect(folder):
    """id → test → [passed, all], tests with parameters added up."""
    table = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for name, passed in cases(folder):
        for rule in ids_of(name.rpartition("::")[2] if "::" in name else name):
            table[rule][name][0] += passed
            table[rule][name][1] += 1
    return table


def main(folder, out):
    table, wrong = collect(folder), []
    lines = ["# Which test shows which rule", "", "Made by `scripts/test`; not written by hand.", "",
             "| id | rule | test | passes |", "|---|---|---|---|"]
    for rule, words in rules().items():
        if not table[rule]:
            wrong.append(f"{rule} ({words}) has no test")
            lines.append(f"| {rule} | {words} | **none** | no |")
        for number, (test, (passed, count)) in enumerate(sorted(table[rule].items())):
            if passed < count:
                wrong.append(f"{rule}: {test} passes {passed} of {count}")
            verdict = "yes" if passed == count == 1 else f"{passed} of {count}"
            lines.append(f"| {rule if number == 0 else ''} | {words if number == 0 else ''} "
                         f"| `{test}` | {verdict} |")
    Path(out).write_text("\n".join(lines) + "\n")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(rules())} rules, {sum(len(tests) for tests in table.values())} tests that carry an id")
    return 1 if wrong else 0


def self_test():
    for name, expected in {"unit.MediaUrls.E6RefusesLookAlikes": ["E6"],
                           "test_E5_recognises": ["E5"], "test_P1_P8_does": ["P1", "P8"],
                           "unit.Fit.S2S4Rounds": ["S2", "S4"], "unit.Utf8.AcceptsPlainText": [],
                           "test_P10_refuses": ["P10"], "unit.OptionsFile.P10IsRefused": ["P10"],
                           "test_answers_a_request": []}.items():
        assert ids_of(name) == expected, (name, ids_of(name))


if __name__ == "__main__":
    self_test()
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
