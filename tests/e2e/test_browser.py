"""The player in real browsers: every embed code of the service, on a page of another site.

The tests themselves are in tests/browser, for node. Here they get a service to run against.
"""

import json
import os
import re
import subprocess

import pytest

import node_suite
import stack as stacks

BROWSER = stacks.REPOSITORY / "tests" / "browser"
FILES = json.loads((BROWSER / "package.json").read_text())["config"]["tests"].split()


def serve(stack):
    """Starts nginx and a pool with the demonstration catalog. Returns their URL."""
    base = node_suite.serve(stack)
    stack.start_pool(workers=4)
    return base


def run(base, *pattern):
    return subprocess.run([str(BROWSER / "run"), *pattern], env={**os.environ, "SVC_URL": base},
                          capture_output=True, text=True, timeout=stacks.SUITE_PATIENCE)


@pytest.fixture(scope="module")
def node_results(module_stack):
    base = serve(module_stack)
    done = run(base)
    results = node_suite.verdicts(done.stdout)
    assert "# skipped 0" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    # On a busy machine playback in real time sometimes fails, so that only what fails twice counts.
    if failed := [name for name, report in results.items() if report]:
        again = node_suite.verdicts(run(base, f"^({'|'.join(map(re.escape, failed))})$").stdout)
        results |= {name: again.get(name, results[name]) for name in failed}
    return results


globals().update(node_suite.tests(BROWSER, FILES))
