#!/usr/bin/python3
"""table.py OUT REPORTS…: writes which test shows which rule of the contract, and whether it passed.

REPORTS are folders of JUnit files, as ctest, pytest and GoogleTest write them. The rules are the tables of the
documents in this folder. A test cites its rules at the beginning of its name:

    test_oembed_E6_refuses[…]              rule oembed-E6
    test_oauth_A5_pages_W4_denies          rules oauth-A5 and pages-W4
    MediaUrls.OembedE6RefusesLookAlikes    rule oembed-E6
    test_fits_the_size[oembed-S1-…]        rule oembed-S1, for this parameter only

Writes the table to OUT as Markdown. Exits with status 1 if a rule has no test or tests in two suites, if one of its
tests failed, or if a test cites an unknown rule.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import documents  # noqa: E402  # its folder is not installed

DOCUMENTS = ("oembed", "oauth", "pages", "operations", "api")
FOLDER = Path(__file__).parent
ANY = "|".join(DOCUMENTS)
PYTHON = re.compile(rf"(?:^|::)test((?:_(?:{ANY})_[A-Z]\d{{1,3}})+)(?![0-9A-Za-z])")
GTEST = re.compile(rf"\.((?:(?:{ANY.title()})[A-Z]\d{{1,3}})+)")
PARAMETER = re.compile(rf"\[((?:{ANY})-[A-Z]\d{{1,3}})(?=[-\]])")
# Each rule is asserted in one suite, that is, by tests of one folder of tests/. These in two, at most 15, because:
IN_TWO = {
    "api-C2": "unit/ names languages by all codes; rules/ asks for captions by some of them, and in each format",
    "api-N1": "rules/ asks the pool; only e2e asks each path through nginx",
    "api-N7": "rules/ asks the pools; only e2e shows what nginx reads and writes",
    "api-N9": "rules/ compares responses with the document; only e2e asks each path through nginx",
    "api-C3": "unit/ reads files of captions; rules/ sends some and shows them",
    "oauth-K6": "e2e shows that what no replica has is not acknowledged; only faults show that failovers lose nothing that is",
    "oauth-K7": "rules/ asks the pages; svcctl, which integration/ runs, records in a process of its own",
    "oauth-P7": "rules/ reads the pools' responses; only e2e reads those of nginx",
    "oauth-M2": "rules/ asks the pages, with the test in the place of the courier; only e2e has a server to fetch from",
    "oembed-M7": "rules/ reads the manifest and the player's data; only a browser shows captions",
    "oembed-O3": "rules/ reads the handle of a code; only a browser shows what the player's script assigns to",
    "operations-D3": "rules/ reads the responses; only faults show a real outage under load, and its end",
    "operations-U37": "rules/ reads the 507 of a client; svc-ingest, which integration/ runs, deletes and counts",
    "pages-W12": "rules/ sends forms; only nginx refuses one before its file, and deletes the file",
    "pages-W49": "rules/ sends forms late; only a browser goes back, forward and reloads",
}
ONE = re.compile(rf"({ANY})[-_]?([A-Z]\d{{1,3}})", re.I)


def rules(folder=FOLDER):
    """id → the rule's title. An id that is given twice, or in another document than its own, is an error."""
    found = {}
    for document in DOCUMENTS:
        for cells in documents.rows(documents.tokens(folder / f"{document}.md")):
            if not ONE.fullmatch(rule := cells[0].content):
                continue
            assert rule not in found and rule.startswith(f"{document}-"), f"{document}.md: {rule}"
            words = cells[1].children
            ends = [at for at, word in enumerate(words) if word.type in ("strong_open", "strong_close")]
            found[rule] = "".join(word.markup + word.content + word.markup for word in words[ends[0] + 1:ends[1]]).rstrip(".:")
    return found


def ids_of(name):
    """The ids at the beginning of a test's own name, after its suite, and of its parameters."""
    matches = (pattern.search(name) for pattern in (PYTHON, GTEST, PARAMETER))
    return [f"{document.lower()}-{number}" for match in matches if match
            for document, number in ONE.findall(match.group(1))]


def suite_of(kind, module):
    """The folder of tests/ that has the tests of a module: e2e/ runs those of browser/ and clients/."""
    return next((folder for folder in ("browser", "clients") if module.startswith(f"test_{folder}")), kind)


def cases(folders):
    """Each test's name, which begins with its suite, and whether it passed."""
    for report in sorted(path for folder in folders for path in Path(folder).glob("*.xml")):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            name, suite = case.get("name"), case.get("classname", "")
            kind = report.name.partition(".")[0]
            if kind in ("unit", "rules", "integration"):
                name = f"{kind}.{suite}.{name}"
            elif kind != "ctest":
                module = suite.rsplit(".", 1)[-1]
                name = f"{suite_of(kind, module)}.{module}::{name}"
            bad = any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
            yield name, not bad and case.get("status", "run") in ("run", "passed")


def collect(*folders):
    """id → test → [passed, all]. The parameters of a test are added up."""
    table = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for name, passed in cases(folders):
        for rule in ids_of(name):
            count = table[rule][re.sub(r"\[.*\]$", "", name, flags=re.S)]
            count[0] += passed
            count[1] += 1
    return table


def write(known, table):
    """The table as Markdown, and a line per problem."""
    wrong = [f"{rule} is not a rule, and a test cites it: {', '.join(tests)}"
             for rule, tests in table.items() if rule not in known]
    lines = ["# Which test shows which rule", "", "| id | rule | suite | test | passes |", "|---|---|---|---|---|"]
    for rule, title in known.items():
        tests = sorted(table[rule].items()) if rule in table else []
        if not tests:
            wrong.append(f"{rule} ({title}) has no test")
            lines.append(f"| {rule} | {title} | **none** | | no |")
        if len(suites := {test.partition(".")[0] for test, _ in tests}) > 1 + (rule in IN_TWO):
            wrong.append(f"{rule}: tests of {', '.join(sorted(suites))} assert it")
        for number, (test, (passed, count)) in enumerate(tests):
            if passed < count:
                wrong.append(f"{rule}: {test} passes {passed} of {count}")
            verdict = "yes" if passed == count == 1 else f"{passed} of {count}"
            suite, _, test = test.partition(".")
            lines.append(f"| {rule if number == 0 else ''} | {title if number == 0 else ''} | {suite} | `{test}` | {verdict} |")
    return "\n".join(lines) + "\n", wrong


def main(out, *folders):
    known, table = rules(), collect(*folders)
    text, wrong = write(known, table)
    Path(out).write_text(text, encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{out}: {len(known)} rules, {sum(len(tests) for tests in table.values())} tests that cite one")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
