"""The packages that scripts/test installs for chosen tests: all that they need, none that only others need."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from packages import NEEDS, packages  # noqa: E402  # its folder is not installed

SUITES = [f"{kind}.{path.stem.removeprefix('test_')}" for kind in ("e2e", "faults")
          for path in sorted((TESTS / kind).glob("test_*.py"))]


@pytest.mark.parametrize("test, needed", [
    ("unit.Uri.Parses/two words", set()),
    ("structure.includes", set()),
    ("rules.shard_0", {"redis-server"}),
    ("integration.Grants.Any", {"ffmpeg", "openssl", "redis-server"}),
    ("sanitize.gcc", {"ffmpeg", "openssl", "redis-server"}),
])
def test_a_test_of_one_program_needs_the_packages_of_its_kind(test, needed):
    assert packages(test) == needed


@pytest.mark.parametrize("suite, needed, others", [
    ("e2e.hostile_pages", {"nginx-light", "redis-server"}, {"chromium", "prometheus", "mmdebstrap"}),
    ("e2e.browser", {"chromium-headless-shell"}, {"chromium", "prometheus", "mmdebstrap"}),
    ("e2e.browser.long", {"chromium"}, {"prometheus", "mmdebstrap"}),
    ("e2e.browser_settings", {"chromium-headless-shell"}, {"prometheus"}),
    ("e2e.monitoring", {"prometheus", "python3-yaml"}, {"chromium"}),
    ("faults.store.long", {"nginx-light", "redis-server", "python3-redis"}, {"chromium", "systemd-container"}),
    ("faults.network", {"iproute2"}, {"chromium"}),
    ("e2e.package.long", {"lintian", "mmdebstrap", "systemd-container"}, {"chromium"}),
])
def test_a_suite_needs_the_packages_of_its_file_and_its_helpers(suite, needed, others):
    assert needed <= packages(suite)
    assert not others & packages(suite)


def test_every_package_is_needed_by_some_suite():
    found = set().union(*map(packages, SUITES))
    assert {package for needs in NEEDS.values() for package in needs} <= found


def test_the_command_prints_one_package_per_line():
    done = subprocess.run([TESTS / "packages.py", "unit.A.B", "integration.C.D"], capture_output=True, text=True,
                          check=True)
    assert done.stdout == "ffmpeg\nopenssl\nredis-server\n"
