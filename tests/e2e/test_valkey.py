"""Valkey of Debian 13 in place of Redis, as either store: the tests with a real Redis and the shipped users. With SVC_LONG=1,
scripts/test --once -C long -R valkey, the faults, and suites of deaths, topologies and uploads, too."""

import os
import subprocess
import sys

import pytest

from clean_root import build_root
from stack import BUILD, REPOSITORY

# Found by PATH as redis-server; with the libraries of its Debian. redis-cli is this machine's.
SERVER = """#!/bin/sh
exec {libraries}/ld-linux-x86-64.so.2 --argv0 redis-server --library-path {libraries} {root}/usr/bin/valkey-server "$@"
"""
SUITES = ["integration", "e2e/test_redis_users.py"]
if os.environ.pop("SVC_LONG", None):  # these run their short forms
    SUITES += ["rules", "faults", "e2e/test_durability.py", "e2e/test_hanging_store.py", "e2e/test_oauth_deaths.py",
               "e2e/test_topologies.py", "e2e/test_upload.py"]


@pytest.fixture(scope="module", name="environment")
def fixture_environment(tmp_path_factory):
    root, folder = build_root("trixie", ["valkey-server"], "valkey"), tmp_path_factory.mktemp("valkey")
    server = folder / "redis-server"
    server.write_text(SERVER.format(root=root, libraries=f"{root}/usr/lib/x86_64-linux-gnu"))
    server.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SVC_BUILD_DIR": str(BUILD)}
    said = subprocess.run(["redis-server", "--version"], env=environment, capture_output=True, text=True, check=True).stdout
    assert said.startswith("Valkey server v=8."), said
    return environment


@pytest.mark.parametrize("suite", SUITES)
def test_operations_Y63_tests_with_a_real_redis_pass(environment, suite):
    program = BUILD / f"tests/svc-{suite}-tests"
    # Without conversions by ffmpeg, which take half of the time and use no store.
    command = ([program, "--gtest_brief=1", "--gtest_filter=-Transcoder.*"] if program.exists() else
               [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", REPOSITORY / "tests" / suite])
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-8000:]
