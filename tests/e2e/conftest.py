"""Fixtures of the end-to-end tests; see stack.py for what they hand out."""

import pytest

pytest.register_assert_rewrite("deployed", "nginx_front", "oauth_flow", "oauth_store", "oembed_asking", "settings_site", "stack",
                               "wire")

from stack import Stack  # noqa: E402


@pytest.fixture
def stack():
    """A stack of one test."""
    one = Stack()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def module_stack():
    """A stack that the tests of one module share."""
    one = Stack()
    yield one
    one.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """What the programs said goes into the report of a test that failed."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for living in Stack.living:
            report.sections += [(f"log of {name}", text) for name, text in living.logs()]
