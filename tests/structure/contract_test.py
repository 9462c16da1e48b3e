"""The contract: every rule has a test, every cited rule exists; and table.py, which reports both of a run."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "contract")]

import facts  # noqa: E402  # its folder is not installed
import table  # noqa: E402


BARE = re.compile(r"(?:test_|\w+\.)[A-Z]\d{1,3}(?=[_A-Z])")


def of_programs(suite):
    listed = subprocess.run([facts.BUILD / "tests" / f"svc-{suite}-tests", "--gtest_list_tests"], capture_output=True, text=True,
                            check=True).stdout
    for line in listed.splitlines():
        if line.startswith(" "):
            yield f"{group}{line.split()[0]}"
        else:
            group = line.split()[0]


def of_modules(folder):
    for path in sorted((TESTS / folder).glob("*test*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield table.suite_of(folder, path.stem), node.name


def of_browsers():
    files = [path.relative_to(TESTS / "browser") for path in (TESTS / "browser").rglob("*.test.js") if "node_modules" not in path.parts]
    listed = subprocess.run(["node", "names.js", *files], cwd=TESTS / "browser", capture_output=True, text=True, check=True).stdout
    # As node_suite.py names them.
    return ["test_" + "".join(c if c.isalnum() else "_" for c in name) for name in json.loads(listed)]


NAMED = [*((suite, name) for suite in ("unit", "rules", "integration") for name in of_programs(suite)),
         *(named for folder in ("e2e", "faults", "structure") for named in of_modules(folder)),
         *(("browser", name) for name in of_browsers())]


def test_every_rule_has_a_test():
    cited = {rule for _, name in NAMED for rule in table.ids_of(name)}
    assert [rule for rule in table.rules() if rule not in cited] == []


def test_each_rule_is_asserted_in_one_suite():
    suites = {}
    for suite, name in NAMED:
        for rule in table.ids_of(name):
            suites.setdefault(rule, set()).add(suite)
    wrong = [f"{rule}: {', '.join(sorted(found))}" for rule, found in sorted(suites.items()) if len(found) > 1 + (rule in table.IN_TWO)]
    assert not wrong, "\n".join(["name the tests of all suites but one by what else they show:", *wrong])
    assert len(table.IN_TWO) <= 15 and [rule for rule in table.IN_TWO if len(suites[rule]) < 2] == []


def test_every_cited_rule_exists():
    known = table.rules()
    assert [named for named in NAMED for rule in table.ids_of(named[1]) if rule not in known] == []
    assert [named for named in NAMED if BARE.match(named[1])] == [], "an id without its document"


def test_the_documents_have_rules_with_ids_of_their_own():
    known = table.rules()
    assert len(known) > 100 and {rule.split("-")[0] for rule in known} == set(table.DOCUMENTS)
    assert known["oembed-E1"] and all(known.values())


# No parameters of pytest: their names are in the report, where these would cite rules.
IDS = (
    ("unit.MediaUrls.OembedE6RefusesLookAlikes", ["oembed-E6"]),
    ("unit.AuthorizationTest.OauthS3OauthL6AsksAgain", ["oauth-S3", "oauth-L6"]),
    ("unit.OptionsFile.OperationsP10IsRefused", ["operations-P10"]),
    ("integration.Grants.OauthT10ARefreshLoses", ["oauth-T10"]),
    ("unit.Utf8.AcceptsPlainText", []),
    ("unit.Oauth.AcceptsA1", []),
    ("test_oembed::test_oembed_E5_recognises[a b]", ["oembed-E5"]),
    ("test_oauth_A5_pages_W4_a_user_denies", ["oauth-A5", "pages-W4"]),
    ("test_pool::test_operations_P2", ["operations-P2"]),
    ("test_oembed::test_fits_the_size[oembed-S1-l4unchf1lm-]", ["oembed-S1"]),
    ("test_oauth_flow_works", []),
    ("test_answers_a_request[operations]", []),
)


def test_ids_are_read_from_a_name():
    assert [(name, table.ids_of(name)) for name, _ in IDS] == list(IDS)


def test_the_table_has_a_row_per_test_and_names_each_problem(tmp_path):
    (tmp_path / "e2e.a.xml").write_text("""<testsuite>
        <testcase classname="tests.e2e.test_a" name="test_oembed_E1_works[x]"/>
        <testcase classname="tests.e2e.test_a" name="test_oembed_E1_works[y]"><failure/></testcase>
        <testcase classname="tests.e2e.test_a" name="test_oembed_E99_works"/>
        <testcase classname="tests.e2e.test_a" name="test_works"/></testsuite>""")
    (tmp_path / "ctest.rest.xml").write_text("""<testsuite>
        <testcase name="unit.Suite.OauthS1Works" status="run"/>
        <testcase name="unit.Suite.OauthS1Fails" status="fail"/>
        <testcase name="rules.Suite.OembedE1Works" status="run"/></testsuite>""")
    more = tmp_path / "more"
    more.mkdir()
    (more / "unit.shard_0.xml").write_text("""<testsuites><testsuite>
        <testcase classname="Other" name="OauthS1Works" status="run" result="completed"/>
        <testcase classname="Other" name="OauthS1Skipped" status="run" result="skipped"><skipped/></testcase>
        </testsuite></testsuites>""")
    text, wrong = table.write({"oembed-E1": "first", "oauth-S1": "second", "pages-W1": "third"},
                              table.collect(tmp_path, more))
    assert text.splitlines()[4:] == [
        "| oembed-E1 | first | e2e | `test_a::test_oembed_E1_works` | 1 of 2 |",
        "|  |  | rules | `Suite.OembedE1Works` | yes |",
        "| oauth-S1 | second | unit | `Other.OauthS1Skipped` | 0 of 1 |",
        "|  |  | unit | `Other.OauthS1Works` | yes |",
        "|  |  | unit | `Suite.OauthS1Fails` | 0 of 1 |",
        "|  |  | unit | `Suite.OauthS1Works` | yes |",
        "| pages-W1 | third | **none** | | no |"]
    assert wrong == ["oembed-E99 is not a rule, and a test cites it: e2e.test_a::test_oembed_E99_works",
                     "oembed-E1: tests of e2e, rules assert it",
                     "oembed-E1: e2e.test_a::test_oembed_E1_works passes 1 of 2",
                     "oauth-S1: unit.Other.OauthS1Skipped passes 0 of 1",
                     "oauth-S1: unit.Suite.OauthS1Fails passes 0 of 1", "pages-W1 (third) has no test"]
