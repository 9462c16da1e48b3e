"""Passkeys in a real browser, and with a library of others, against a service at a name.

The tests themselves are in tests/browser/oauth, for node. Each has a user of its own.
"""

import json

import pytest

import node_suite
import stack as stacks
from test_browser import BROWSER

FILES = ("oauth/passkeys.test.js",)
NEWCOMERS = 5


@pytest.fixture(scope="module")
def node_results(module_stack, tmp_path_factory):
    stack = module_stack
    lines = [{"kind": "user", "id": 900 + number, "name": f"Newcomer {number}",
              "email": f"newcomer{number}@acme.example", "password": f"newcomer{number}-password",
              "memberships": [{"account_id": 1001, "role": "owner"}]} for number in range(1, NEWCOMERS + 1)]
    catalog = tmp_path_factory.mktemp("catalog") / "catalog.jsonl"
    catalog.write_text(stacks.CATALOG.read_text() + "".join(json.dumps(line) + "\n" for line in lines))
    base = node_suite.serve(stack, catalog, host="localhost")
    stack.start_pool("web", roles="web", workers=2)
    return node_suite.results(BROWSER, FILES, SVC_URL=base, SVC_NEWCOMERS=str(NEWCOMERS))


globals().update(node_suite.tests(BROWSER, FILES))
