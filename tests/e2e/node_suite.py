"""Tests written for node. Each becomes a test here under its own name, which includes the ids of its rules."""

import fcntl
import json
import os
import re
import subprocess

import stack as stacks
from processes import SUITE_PATIENCE


def serve(stack, catalog=stacks.CATALOG, *, micro_cache=True, host="127.0.0.1", **settings):
    """Starts nginx, whose four hosts are one, and imports the catalog. Returns the URL. A browser does not repeat
    a request after a 503, but a store that hangs for some seconds must not fail a test."""
    stack.nginx = stack.start_shipped_nginx(micro_cache=micro_cache)
    base = f"http://{host}:{stack.nginx.port}"
    hosts = dict.fromkeys(("app_url", "base_url", "oembed_url", "embed_host", "provider_url"), base)
    stack.write_config(**hosts, redis_timeout=25_000, **settings)
    stack.import_catalog(catalog)
    return base


def install(folder):
    """Installs the packages of the lock file, once per lock file; parallel processes wait for each other."""
    lock, installed = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    with open(lock, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if installed.exists() and installed.stat().st_mtime > lock.stat().st_mtime:
            return
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def results(folder, files, only=(), concurrency=1, **environment):
    """Runs the files, or the tests of these names. Returns, by test name, node's report of a failed test, and "" for a
    passed one."""
    install(folder)
    patterns = [f"--test-name-pattern=^{re.escape(name)}$" for name in only]
    done = subprocess.run(["node", "--test", f"--test-concurrency={concurrency}", "--test-reporter=tap", *patterns, *files], cwd=folder,
                          capture_output=True, text=True, timeout=SUITE_PATIENCE, env={**os.environ, **environment})
    found = verdicts(done.stdout)
    assert found, done.stdout + done.stderr
    return {name: found[name] for name in only or found}


def of_two_tries(folder, files, **environment):
    """As results(). On a busy machine playback in real time sometimes fails, so that only what fails twice counts."""
    found = results(folder, files, **environment)
    failed = [name for name, report in found.items() if report]
    return found | (results(folder, files, failed, **environment) if failed else {})


# Where pages must look right, too: with fonts of fonts-noto-core, in another language and time zone.
OTHER = {"SVC_SURROUNDINGS": "other"}
IN_OTHER = ", in other surroundings"


def looks_elsewhere(folder, files, **environment):
    """As results(), of the tests of how pages look, in other surroundings; the names end with IN_OTHER."""
    found = results(folder, files, looks(folder, files), **environment, **OTHER)
    return {name + IN_OTHER: report for name, report in found.items()}


def names(folder, files):
    """The names of the tests of the files of tests/browser, without running one."""
    return json.loads(subprocess.run(["node", "names.js", *files], cwd=folder, capture_output=True, text=True, check=True).stdout)


def looks(folder, files):
    return [name for name in names(folder, files) if name.startswith("pages-W1 ")]


def verdicts(output):
    """Returns, by the name of a top-level test of that TAP, node's report if it failed or was skipped, else ""."""
    # A top-level test is "ok 1 - name"; after "not ok" follows its error, indented, up to the next test.
    found = {}
    for part in re.split(r"^(?=(?:not )?ok \d+ - |# Subtest: |1\.\.)", output, flags=re.M):
        if verdict := re.match(r"(ok|not ok) \d+ - (.+?)(?: # .*)?$", part, re.M):
            found[verdict[2]] = "" if verdict[1] == "ok" and "# SKIP" not in verdict[0] else part
    return found


def tests(folder, files, elsewhere=False):
    """Returns a test function per test of the files, by name, and per test of looks_elsewhere(); it uses the fixture
    `node_results`."""
    def case(name):
        def run(node_results):
            assert name in node_results, f"node did not run it, but {sorted(node_results)}"
            assert not node_results[name], node_results[name]
        return run

    all_names = names(folder, files) + [name + IN_OTHER for name in looks(folder, files) if elsewhere]
    found = {"test_" + re.sub(r"\W+", "_", name): case(name) for name in all_names}
    assert len(found) == len(all_names), "two tests of one name"
    return found
