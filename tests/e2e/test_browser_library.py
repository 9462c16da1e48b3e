"""As test_browser_settings.py: the pages of films, for those who edit them and for viewers, and a page of each kind in Firefox."""

import pytest

import node_suite
from test_browser import BROWSER
from test_browser_settings import results

FILES = ("settings/library.test.js", "settings/public.test.js", "settings/firefox.test.js")


@pytest.fixture(scope="module")
def node_results(module_stack, tmp_path_factory):
    return results(module_stack, tmp_path_factory, FILES)


globals().update(node_suite.tests(BROWSER, FILES, elsewhere=True))
