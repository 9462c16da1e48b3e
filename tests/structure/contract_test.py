"""The contract: every rule has a test, every cited rule exists; and table.py, which reports both of a run."""

import re
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "contract"))

import table  # noqa: E402  # its folder is not installed

# The names of the tests, as their reports have them.
SOURCES = {"*.cpp": (r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", "{}.{}"), "*.py": (r"^def (test_\w+)\(", "{}"),
           "*.test.js": (r"^test\('([^']+)'", "test_{}")}
# Some files of JavaScript name their tests by functions of their own, which call test().
CITING = SOURCES | {"*.test.js": (r"^(?!require)\w+\('([^']+)'", "test_{}")}


def named_tests(sources=SOURCES):
    for files, (pattern, form) in sources.items():
        for path in sorted(TESTS.rglob(files)):
            if "node_modules" in path.parts or path.parent.name == "structure":
                continue
            for name in re.findall(pattern, path.read_text(encoding="utf-8"), re.M):
                name = form.format(*([name] if isinstance(name, str) else name))
                # As node_suite.py names tests of JavaScript.
                yield re.sub(r"[^\w.]+", "_", name), path.relative_to(TESTS)


def test_every_rule_has_a_test():
    cited = {rule for name, _ in named_tests() for rule in table.ids_of(name)}
    assert [rule for rule in table.rules() if rule not in cited] == []


def test_every_cited_rule_exists():
    known = table.rules()
    assert [(name, path) for name, path in named_tests(CITING)
            for rule in table.ids_of(name) if rule not in known] == []
    bare = re.compile(r"^(?:test_|\w+\.)[A-Z]\d{1,2}(?=[_A-Z])")
    assert [(name, path) for name, path in named_tests(CITING) if bare.match(name)] == [], "an id without its document"


def test_the_documents_have_rules_with_ids_of_their_own():
    known = table.rules()
    assert len(known) > 100 and {rule.split("-")[0] for rule in known} == set(table.DOCUMENTS)
    assert known["oembed-E1"] and all(known.values())


@pytest.mark.parametrize("name, expected", [
    ("unit.MediaUrls.OembedE6RefusesLookAlikes", ["oembed-E6"]),
    ("unit.AuthorizePageTest.OauthS3OauthL6AsksAgain", ["oauth-S3", "oauth-L6"]),
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
])
def test_ids_are_read_from_a_name(name, expected):
    assert table.ids_of(name) == expected


def test_the_table_has_a_row_per_test_and_names_each_problem(tmp_path):
    (tmp_path / "e2e.a.xml").write_text("""<testsuite>
        <testcase classname="tests.e2e.test_a" name="test_oembed_E1_works[x]"/>
        <testcase classname="tests.e2e.test_a" name="test_oembed_E1_works[y]"><failure/></testcase>
        <testcase classname="tests.e2e.test_a" name="test_oembed_E99_works"/>
        <testcase classname="tests.e2e.test_a" name="test_works"/></testsuite>""")
    (tmp_path / "ctest.rest.xml").write_text("""<testsuite>
        <testcase name="unit.Suite.OauthS1Works" status="run"/>
        <testcase name="unit.Suite.OauthS1Fails" status="fail"/></testsuite>""")
    more = tmp_path / "more"
    more.mkdir()
    (more / "unit.shard_0.xml").write_text("""<testsuites><testsuite>
        <testcase classname="Other" name="OauthS1Works" status="run" result="completed"/>
        <testcase classname="Other" name="OauthS1Skipped" status="run" result="skipped"><skipped/></testcase>
        </testsuite></testsuites>""")
    text, wrong = table.write({"oembed-E1": "first", "oauth-S1": "second", "pages-W1": "third"},
                              table.collect(tmp_path, more))
    assert text.splitlines()[4:] == [
        "| oembed-E1 | first | `test_a::test_oembed_E1_works` | 1 of 2 |",
        "| oauth-S1 | second | `unit.Other.OauthS1Skipped` | 0 of 1 |",
        "|  |  | `unit.Other.OauthS1Works` | yes |",
        "|  |  | `unit.Suite.OauthS1Fails` | 0 of 1 |",
        "|  |  | `unit.Suite.OauthS1Works` | yes |",
        "| pages-W1 | third | **none** | no |"]
    assert wrong == ["oembed-E99 is not a rule, and a test cites it: test_a::test_oembed_E99_works",
                     "oembed-E1: test_a::test_oembed_E1_works passes 1 of 2",
                     "oauth-S1: unit.Other.OauthS1Skipped passes 0 of 1",
                     "oauth-S1: unit.Suite.OauthS1Fails passes 0 of 1", "pages-W1 (third) has no test"]
