"""The document of the data API in tools of others: a linter, a validating proxy, generators of types and of clients, random requests."""

import os
import subprocess

import pytest

import node_suite
import stack as stacks
from processes import SUITE_PATIENCE
from uploads import Application

OPENAPI = stacks.REPOSITORY / "tests" / "openapi"


@pytest.fixture(scope="module")
def environment(module_stack):
    base = node_suite.serve(module_stack, stacks.served_catalog(module_stack.directory))
    for role, workers in (("grant", 2), ("upload", 1), ("web", 1), ("embed", 1)):
        module_stack.start_pool(role, roles=role, workers=workers)
    return {"SVC_URL": base, "SVC_TOKEN": Application(module_stack, module_stack.nginx, account=1001).token}


@pytest.mark.parametrize("file", ["document.test.js", "client.test.js", "generator.test.js", "random.test.js"])
def test_the_document_is_true_to_tools_of_others(environment, file):
    results = node_suite.results(OPENAPI, [file], **environment)
    assert not any(results.values()), "".join(results.values())


def test_every_response_of_the_rules_passes_a_validating_proxy(environment, tmp_path):
    recorded = tmp_path / "recorded.jsonl"
    done = subprocess.run([stacks.BUILD / "tests/svc-rules-tests", "--gtest_brief=1", "--gtest_filter=*Api*"],
                          capture_output=True, text=True, timeout=SUITE_PATIENCE, check=False,
                          env={**os.environ, "SVC_RULES_RECORD": str(recorded)})
    assert done.returncode == 0, done.stdout + done.stderr
    results = node_suite.results(OPENAPI, ["recorded.test.js"], **environment, SVC_RECORDED=str(recorded))
    assert not any(results.values()), "".join(results.values())
