"""Fixtures of the fault injection tests, which use the helpers of e2e/."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("e2e", "")]
pytest.register_assert_rewrite("bounded_load", "oauth_store", "row", "shipped", "stack")

import report  # noqa: E402
from stack import Stack  # noqa: E402


@pytest.fixture
def stack():
    """A stack for one row."""
    one = Stack()
    yield one
    one.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Adds the programs' logs to the report of a failed test."""
    outcome = yield
    result = outcome.get_result()
    if result.failed:
        for living in Stack.living:
            result.sections += [(f"log of {name}", text) for name, text in living.logs()]


def pytest_terminal_summary(terminalreporter):
    if report.rows:
        terminalreporter.write_line("")
        terminalreporter.write(report.text())


def pytest_sessionfinish():
    report.write()
