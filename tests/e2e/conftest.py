"""Fixtures of the end-to-end tests; see stack.py."""

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # documents and facts

# A shell starts background jobs with SIGINT ignored, and children would inherit that: tests interrupt programs.
signal.signal(signal.SIGINT, signal.default_int_handler)

pytest.register_assert_rewrite("deployed", "nginx_front", "oauth_store", "oembed_asking",
                               "stack", "user_agent", "wire")

from stack import Stack  # noqa: E402


@pytest.fixture
def stack():
    """A stack for one test."""
    one = Stack()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def module_stack():
    """A stack shared by the tests of a module."""
    one = Stack()
    yield one
    one.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Adds the programs' logs to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for living in Stack.living:
            report.sections += [(f"log of {name}", text) for name, text in living.logs()]
