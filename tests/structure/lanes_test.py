"""The lanes of scripts/test, the table of suites that they use (tests/suites.py), and the conditions of a release."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/e2e")]

from mutations.table import MUTATIONS  # noqa: E402  # the same
from processes import PATIENCE, wait_until  # noqa: E402  # the same
import suites  # noqa: E402  # its folder is not installed


def git(folder, *words):
    return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@a.example", *words], cwd=folder, check=True,
                          capture_output=True, text=True).stdout


FILES = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
EARLY = {".ci/full", "tests/rules/*"}  # patterns of files that may not exist yet


def test_every_file_has_a_row():
    assert [suites.suites_of(path) for path in FILES]


def test_every_pattern_has_a_file_and_a_suite():
    patterns = {pattern for row in suites.ROWS for pattern in row[0]} - EARLY
    assert [pattern for pattern in patterns if not any(fnmatchcase(path, pattern) for path in FILES)] == []
    named = {name for row in suites.ROWS for name in row[1]} - {suites.ALL, suites.SANITIZERS}
    assert [name for name in named if not suites.expand(name)] == []


def test_every_suite_is_named_for_more_than_its_own_file():
    named = {suite for row in suites.ROWS for name in row[1] for suite in suites.expand(name)}
    assert [suite for suite in suites.all_suites() if suite not in named] == []


@pytest.mark.parametrize("path, some, others", [
    ("CMakeLists.txt", {suites.ALL}, set()),
    ("tests/fuzz/CMakeLists.txt", {suites.ALL}, set()),
    ("tests/e2e/conftest.py", {suites.ALL}, set()),
    (".ci/full", set(), {suites.ALL}),
    ("worker/base/log.cpp", {suites.ALL}, set()),
    ("worker/oauth/client.h", {suites.SANITIZERS, "e2e.authorize", "e2e.clients"}, {"e2e.tls", "e2e.browser_webkit"}),
    ("nginx/player/src/page.js", {"e2e.browser", "e2e.browser_webkit"}, {"e2e.nginx_config", suites.SANITIZERS}),
    ("nginx/svc-tls.conf", {"e2e.tls", "e2e.nginx_config"}, {"e2e.browser", suites.SANITIZERS}),
    ("README.md", {"e2e.readme"}, {"e2e.tls"}),
    ("tests/e2e/test_tls.py", {"e2e.tls"}, {"e2e.wire"}),
    ("tests/e2e/uploads.py", {"e2e.ingest"}, {"e2e.tls"}),
    ("tests/e2e/processes.py", {"e2e.tls", "faults.store"}, {suites.ALL}),
    ("tests/faults/failovers.py", {"faults.failover"}, {"faults.store", "e2e.tls"}),
    ("tests/e2e/test_removed.py", set(), {suites.ALL}),
])
def test_a_change_chooses_the_suites_that_it_can_break(path, some, others):
    found = suites.suites_of(path)
    assert some <= found and not others & found


def test_a_file_without_a_row_is_named():
    with pytest.raises(LookupError, match="new-folder/a.c"):
        suites.suites_of("new-folder/a.c")


def test_every_mutation_can_be_made_and_every_folder_has_one():
    assert len(MUTATIONS) >= 60
    wrong = [(file, text) for file, text, replacement, _ in MUTATIONS
             if (ROOT / "worker" / file).read_text(encoding="utf-8").count(text) != 1 or text == replacement]
    assert wrong == [], "a text occurs once"
    folders = {path.parent.name for path in (ROOT / "worker").glob("*/*.cpp")}
    assert folders <= {file.partition("/")[0] for file, *_ in MUTATIONS}


# ---- the scripts, with programs that only note how they were called -------------------------------------------

CTEST = """#!/bin/sh
case " $* " in
  *" -N "*) echo '  Test #1: e2e.tls' ;;
  *) echo "$@" >>"$CALLS"; case " $* " in *"$FAILS"*) exit 8 ;; esac ;;
esac
"""
INSTALLED = '#!/bin/sh\nshift 2\nfor name; do echo "$name ii"; done\n'


@pytest.fixture
def clone(tmp_path):
    """Returns the clone, and a function that runs a script in it and returns its status and the calls of ctest."""
    folder, tools, calls = tmp_path / "clone", tmp_path / "tools", tmp_path / "calls"
    for path in ("scripts/test", "scripts/package", "scripts/lib/packages.sh", "scripts/lib/suites.sh", "tests/suites.py", "tests/packages.py",
                 "tests/contract/table.py", ".gitignore"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    (folder / "tests/contract/table.py").write_text("")
    (folder / "systemd/debian").mkdir(parents=True)
    (folder / "systemd/debian/changelog").write_text("svc-worker (0.2.0) bookworm; urgency=medium\n")
    (folder / ".ci").mkdir()
    for path in ("worker/oauth/client.cpp", "README.md", "tests/e2e/test_authorize.py", "tests/e2e/test_tls.py"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("one\n")
    git(folder, "init", "-q")
    commit(folder)
    tools.mkdir()
    for name, text in (("cmake", "#!/bin/sh\n"), ("ctest", CTEST), ("dpkg-query", INSTALLED)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)

    def run(*command, fails="nothing"):
        calls.write_text("")
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(calls), "FAILS": fails}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        chosen = [line.partition(" reports/")[2].split(" ", 1) for line in calls.read_text().splitlines()]
        return done.returncode, {name.split(".")[1]: options for name, options in chosen}
    return folder, run


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a")
    return git(folder, "rev-parse", "HEAD").strip()


QUICK = {"release": "-L ^quick$"}
FULL = {**QUICK, "rest": "-R . -LE ^quick$", "sanitizers": "-R ."}


@pytest.mark.parametrize("arguments, expected", [
    ([], QUICK),
    (["--full"], FULL),
    (["--once"], {name: FULL[name] for name in ("release", "rest")}),
    (["--soak"], {"release": "-C long -L long"}),
    (["--once", "-R", "tls"], {"release": "-R tls"}),
    (["-L", "unit"], {"release": "-L unit", "sanitizers": "-L unit"}),
    (["--changed", ""], FULL),
    (["--changed", "0123456789012345678901234567890123456789"], FULL),
])
def test_a_lane_runs_its_tests(clone, arguments, expected):
    assert clone[1]("scripts/test", *arguments) == (0, expected)


@pytest.mark.parametrize("path, more", [
    (None, {}),
    ("README.md", {}),
    ("tests/e2e/test_tls.py", {"rest": r"-R ^(e2e\.tls)$ -LE ^quick$"}),
    ("worker/oauth/client.cpp", {"rest": r"-R ^(e2e\.authorize)$ -LE ^quick$",
                                 "sanitizers": r"-R ^((unit|rules|integration)\..*|e2e\.authorize)$"}),
    ("scripts/lib/packages.sh", {name: FULL[name] for name in ("rest", "sanitizers")}),
    ("scripts/new", {name: FULL[name] for name in ("rest", "sanitizers")}),
])
def test_after_a_change_run_the_suites_that_it_can_break(clone, path, more):
    folder, run = clone
    before = commit(folder)
    if path:
        with open(folder / path, "a", encoding="utf-8") as file:
            file.write("# two\n")
        commit(folder)
    assert run("scripts/test", "--changed", before) == (0, {**QUICK, **more})


def test_the_full_lane_without_a_failure_records_its_commit(clone):
    folder, run = clone
    record = folder / ".ci/full"
    assert run("scripts/test", "--full", fails="sanitizers")[0] == 8 and not record.exists()
    assert run("scripts/test", "--full", fails="-L ^quick$") == (8, QUICK), "the rest waits for the quick lane"
    (folder / "README.md").write_text("two\n")
    assert run("scripts/test", "--full")[0] == 0 and not record.exists(), "of files that are not committed"
    passed = commit(folder)
    assert run("scripts/test", "--once")[0] == 0 and not record.exists(), "without the sanitizers"
    assert run("scripts/test", "--full")[0] == 0 and record.read_text() == f"{passed}\n"
    commit(folder)
    assert run("scripts/test", "--changed", passed) == (0, QUICK), "the record itself can break nothing"


# The build for the sanitizers notes its session, and how the kernel groups it; then it lets the tests begin.
BUILD = """#!/bin/sh
case "$*" in
  "--build build-sanitize")
    { cut -d ' ' -f 6 /proc/$$/stat; cat /proc/self/autogroup; } >"$CALLS.build"
    mv "$CALLS.build" "$CALLS.built"
    echo >"$CALLS.begun"
    %s ;;
esac
"""


def let_build(folder, what):
    """From now on the build for the sanitizers does that, and the first tests wait until it has begun."""
    os.mkfifo(folder.parent / "calls.begun")
    (folder.parent / "tools/cmake").write_text(BUILD % what)
    ctest = folder.parent / "tools/ctest"
    ctest.write_text(ctest.read_text().replace('  *) echo', '  *"reports/ctest.release"*) read -r _ <"$CALLS.begun" ;;\nesac\n'
                                               'case " $* " in *" -N "*) ;;\n  *) echo'))


def built_session(folder):
    """Waits for the build. Returns its session, and the kernel's group of it: "" if it makes none."""
    note = folder.parent / "calls.built"
    wait_until(note.exists, "the build begins")
    session, group, *_ = note.read_text().split("\n")
    return int(session), group


def session_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[3])


def test_the_build_for_the_sanitizers_yields_to_the_tests_and_its_failure_is_that_of_the_run(clone):
    folder, run = clone
    let_build(folder, "exit 3")
    assert run("scripts/test", "--full") == (3, {name: FULL[name] for name in ("release", "rest")})
    session, group = built_session(folder)
    assert session != session_of("self")
    assert not group or group.endswith(" nice 19")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupted_run_leaves_no_build(clone, number):
    folder, _ = clone
    let_build(folder, "sleep 1000")
    tools = folder.parent / "tools"
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(folder.parent / "calls"), "FAILS": "nothing"}
    # A shell in the background ignores SIGINT, and so do its children.
    run = subprocess.Popen(["scripts/test", "--full"], cwd=folder, env=environment, stdout=subprocess.DEVNULL, start_new_session=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    session, _ = built_session(folder)
    os.killpg(run.pid, number)
    assert run.wait(PATIENCE) == 130

    def is_left():
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if session_of(stat.parent.name) == session:
                    return True
        return False

    wait_until(lambda: not is_left(), "no process of the build is left")


@pytest.mark.parametrize("repeat, fails_once, fails, status", [
    ("", 1, 0, 8),
    ("1", 0, 0, 0),
    ("1", 1, 0, 0),
    ("1", 1, 1, 8),
    ("1", 6, 0, 8),  # too many for chance
])
def test_suites_that_fail_once_run_again(tmp_path, repeat, fails_once, fails, status):
    flakes = [f"flake_{number}" for number in range(fails_once)]
    tests = [("passes", "true"), *[(name, f"test -e {name} || {{ touch {name}; false; }}") for name in flakes],
             *[(f"fault_{number}", "false") for number in range(fails)]]
    (tmp_path / "CTestTestfile.cmake").write_text("".join(f'add_test({name} "sh" "-c" "{command}")\n' for name, command in tests))
    script = f'. {ROOT}/scripts/lib/suites.sh; run_suites "$PWD" a "{repeat}"'
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    found = tmp_path / "reports/flaky.txt"
    expected = "".join(f"flaky: {name}\n" for name in flakes) if status == 0 else ""
    assert (found.read_text() if found.exists() else "") == expected
    if expected:
        assert "***Failed" in done.stdout and "100% tests passed" in done.stdout
        assert flakes[0] in (tmp_path / "reports/ctest.a.first.log").read_text()


def test_ci_repeats(clone):
    assert "scripts/test --repeat " in (ROOT / ".ci/run").read_text()
    assert clone[1]("scripts/test", "--repeat", "--full") == (0, FULL)


def test_only_files_that_passed_the_full_lane_are_a_release(clone):
    folder, run = clone
    (folder / "nginx/player").mkdir(parents=True)
    (folder / "nginx/player/build").write_text("#!/bin/sh\nexit 42\n")  # where a package begins
    (folder / "nginx/player/build").chmod(0o755)
    git(folder, "tag", "v0.2.0")
    assert run("scripts/package", "--passed")[0] == 1
    assert run("scripts/package")[0] == 42
    (folder / ".ci/full").write_text(commit(folder))
    assert run("scripts/package", "--passed")[0] == 1, "without the tag of its version"
    git(folder, "tag", "-f", "v0.2.0")
    assert run("scripts/package", "--passed")[0] == 42
    commit(folder)
    git(folder, "tag", "-f", "v0.2.0")
    assert run("scripts/package", "--passed")[0] == 42, "with the record committed"
    (folder / "scripts/new").write_text("a\n")
    assert run("scripts/package", "--passed")[0] == 1
    commit(folder)
    assert run("scripts/package", "--passed")[0] == 1


def test_clang_tidy_reads_a_source_again_only_after_a_change(tmp_path):
    source, header, calls, tool = (tmp_path / name for name in ("a.cpp", "a.h", "calls", "clang-tidy"))
    source.write_text('#include "a.h"\nint a = B;\n')
    header.write_text("#define B 1\n")
    (tmp_path / ".clang-tidy").write_text("Checks: '*'\n")
    (tmp_path / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(tmp_path), "file": str(source), "command": "c++ -o a.o -c a.cpp"}]))
    tool.write_text(f"""#!/bin/sh\n[ "$1" = --version ] || {{ echo >>{calls}; echo finding; ! grep -q wrong {header}; }}\n""")
    tool.chmod(0o755)

    def tidy():
        """Returns the status and the output, and whether clang-tidy read the source."""
        calls.write_text("")
        done = subprocess.run([ROOT / "scripts/lib/tidy.py", tmp_path, "a.cpp"], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
        return done.returncode, done.stdout, bool(calls.read_text())
    assert tidy() == (0, "", True)
    assert tidy() == (0, "", False)
    header.write_text("#define B 1  // NOLINT\n")
    assert tidy() == (0, "", True)
    (tmp_path / ".clang-tidy").write_text("Checks: '-*'\n")
    assert tidy() == (0, "", True)
    header.write_text("#define B wrong\n")
    assert [tidy(), tidy()] == [(1, "finding\n", True)] * 2, "a finding is shown until it is mended"
