"""As test_browser.py: viewers that watch for some time, and the player's reactions."""

import pytest

import node_suite
from test_browser import BROWSER, listed, results

FILES = listed("viewing")


@pytest.fixture(scope="module")
def node_results(module_stack):
    return results(module_stack, FILES)


globals().update(node_suite.tests(BROWSER, FILES))
