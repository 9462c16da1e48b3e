"""The rules that need no change of a record or clock, through the shipped nginx: tests/rules/."""

import os
import subprocess

from processes import PATIENCE
from stack import BUILD


def test_the_rules_hold_behind_nginx(stack):
    stack.import_catalog()
    for role in ("embed", "grant", "web"):
        stack.start_pool(role, roles=role)
    nginx = stack.start_shipped_nginx()
    done = subprocess.run([BUILD / "tests/svc-rules-tests", "--gtest_brief=1", "--gtest_filter=*OnTheWire.*"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False,
                          env={**os.environ, "SVC_RULES_FRONT": f"127.0.0.1:{nginx.port}"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 tests" not in done.stdout, done.stdout
