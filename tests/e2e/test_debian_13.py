"""The sources build on Debian 13, with its compiler and libraries, without a warning; the tests of single
parts and those with a real Redis pass there. In the long suite: scripts/test --once -C long -R debian_13.
"""

import shlex
import subprocess

import pytest

from clean_root import build_root
from stack import BUILD, REPOSITORY

# A script for the host's shell, in a mount namespace of its own. The sources are read-only. The build folder
# stays, so that the next run compiles only changed files.
INSIDE = """
set -eu
mkdir -p "$root/src" "$root/build" "$build"
mount --bind -o ro "$sources" "$root/src"
mount --bind "$build" "$root/build"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
exec chroot "$root" sh -euc "$command"
"""


def packages():
    """Returns the packages for the build of the programs and tests, as scripts/test installs them, and for the tests' run."""
    shell = ". scripts/lib/packages.sh && printf '%s\\n' \"${kBuild[@]}\" \"${kTest[@]}\""
    commands = (["bash", "-c", shell], ["tests/packages.py", "sanitize.gcc"])
    return sorted({name for command in commands for name in subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split()})


@pytest.fixture(scope="module")
def inside():
    """Runs a shell command in Debian 13 and returns its outcome, standard error with its output."""
    root = build_root("trixie", packages())

    def run(command):
        variables = {"root": root, "build": BUILD / "trixie-build", "sources": REPOSITORY, "command": command}
        script = "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in variables.items()) + INSIDE
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script], text=True,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run


def test_builds_without_a_warning(inside):
    done = inside("cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSVC_WERROR=ON -DSVC_BENCH=OFF && "
                  "cmake --build /build")
    assert done.returncode == 0, done.stdout[-8000:]


@pytest.mark.parametrize("program", ["svc-unit-tests", "svc-integration-tests"])
def test_tests_pass(inside, program):
    done = inside(f"/build/tests/{program} --gtest_brief=1")
    assert done.returncode == 0, done.stdout[-8000:]
