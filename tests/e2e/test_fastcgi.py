"""The FastCGI conformance suite (tests/fastcgi), run against our pool and a plain loop of libfcgi. The results must be
those of its results.txt."""

import json
import re
import subprocess
import sys

import pytest

from processes import PATIENCE, Program, accepts, wait_until
from stack import BUILD, REPOSITORY

SUITE = REPOSITORY / "tests" / "fastcgi"
SEED = 20261123  # makes the random requests the same in every run


def expected(name):
    """Returns the results in the column of that name, by rule."""
    lines = (SUITE / "results.txt").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    head = next(row for row in rows if row[0] == "rule")
    column = head.index(name)
    return {row[0]: row[column] for row in rows if len(row) == len(head) and row[0] not in ("rule", "---")}


def results(socket, *, timeout, parameters=()):
    done = subprocess.run([sys.executable, SUITE / "conformance", "--json", "--timeout", str(timeout), "--seed",
                           str(SEED), "--random", "200", *parameters, socket],
                          capture_output=True, text=True, timeout=10 * PATIENCE)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert (done.returncode == 1) == bool(report["failed"])
    return {one["rule"]: one for one in report["rules"]}


def differences(found, name):
    known = expected(name)
    assert set(found) == set(known), "results.txt has other rules"
    return {rule: (one["result"], one["note"]) for rule, one in found.items() if one["result"] != known[rule]}


def test_operations_P4_the_pool_conforms_as_its_table_states(stack):
    pool = stack.start_pool(workers=2)
    # The path of a page without a store. Nothing hangs, so a long timeout costs no time.
    found = results(pool.socket, timeout=PATIENCE, parameters=["--param", "DOCUMENT_URI=/healthz"])
    assert differences(found, "svc") == {}
    assert [rule for rule, one in found.items() if one["level"] == "MUST" and one["result"] != "ok"] == []


def test_finds_the_errors_of_the_plain_loop(stack):
    """Otherwise the suite could pass everything."""
    socket = stack.directory / "loop.sock"
    loop = stack.add(Program("accept loop", stack.directory / "loop.log"))
    loop.launch([BUILD / "tests" / "svc-accept-loop", socket, 4])
    wait_until(lambda: accepts(socket), "the loop listens")
    # The timeout is that of a rule that hangs; a busy machine answers sooner.
    found = results(socket, timeout=3)
    assert differences(found, "libfcgi loop") == {}


@pytest.mark.parametrize("arguments, status, words", [
    (["--help"], 0, ["--param", "MUST", "hangs"]),
    ([], 2, ["ADDRESS"]),
])
def test_explains_itself(arguments, status, words):
    done = subprocess.run([sys.executable, SUITE / "conformance", *arguments], capture_output=True, text=True)
    assert done.returncode == status
    assert all(re.search(re.escape(word), done.stdout + done.stderr) for word in words)


def test_reports_a_responder_that_answers_nothing(stack):
    done = subprocess.run([sys.executable, SUITE / "conformance", "--timeout", "0.1", stack.directory / "none.sock"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "does not answer" in done.stderr
