"""As test_browser.py: what viewers do for some time, and what the player then does."""

import pytest

import node_suite
from test_browser import BROWSER, listed, results

FILES = listed("viewing")


@pytest.fixture(scope="module")
def node_results(module_stack):
    return results(module_stack, FILES)


globals().update(node_suite.tests(BROWSER, FILES))
