"""The player in real browsers: every embed code of the service, on a page of another site.

The tests themselves are in tests/browser, for node. Here they get a service to run against.
"""

import json

import pytest

import node_suite
import stack as stacks

BROWSER = stacks.REPOSITORY / "tests" / "browser"


def listed(part):
    """The files of a part of the list of tests, which is too long for one suite."""
    return json.loads((BROWSER / "package.json").read_text())["config"][part].split()


FILES = listed("tests")


def serve(stack):
    """Starts nginx and the pools of players and of the pages for developers, with the demonstration catalog. Returns their
    URL."""
    base = node_suite.serve(stack)
    stack.start_pool(workers=4)
    stack.start_pool("web", roles="web")
    return base


def results(stack, files):
    return node_suite.of_two_tries(BROWSER, files, concurrency=2, SVC_URL=serve(stack), SVC_SVCCTL=stacks.program("svcctl"),
                                   SVC_CONFIG=str(stack.config))


@pytest.fixture(scope="module")
def node_results(module_stack):
    return results(module_stack, FILES)


globals().update(node_suite.tests(BROWSER, FILES))
