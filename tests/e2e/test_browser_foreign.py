"""The player in the pages of others: the tests are in tests/browser/foreign.test.js and clobbering.test.js, for node."""

import pytest

import node_suite
from test_browser import BROWSER, serve

FILES = ("foreign.test.js", "clobbering.test.js")


@pytest.fixture(scope="module")
def node_results(module_stack):
    return node_suite.results(BROWSER, FILES, SVC_URL=serve(module_stack))


globals().update(node_suite.tests(BROWSER, FILES))
