#!/usr/bin/python3
"""suites.py COMMIT: prints which suites of the full lane the files can break that differ from COMMIT: a regular
expression for ctest's names in the release build, and on a second line one for those in the build with sanitizers. An
empty line: none. If COMMIT is empty or unknown here: all.

The quick lane always runs whole. A suite of it is named below for a person who asks what to run.
"""

import re
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from packages import words_of

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent
# Those of our own code: unit, rules and integration tests, and of the suites below those that have sanitizers.
SANITIZERS = "sanitizers"
ALL = "all"

BROWSERS = ("browser*", "clients")
PLAYER = ("browser", "browser_foreign", "browser_frames", "browser_upload", "browser_viewing", "browser_webkit",
          "private_film", "serve", "clients")
UPLOADS = ("ingest", "private_film", "thumbnails", "upload*", "nginx_uploads", "browser_upload*", "readme")
MACHINES = ("systemd*", "doctor", "procedures", "machines*", "topologies", "redis_users", "monitoring", "exporters",
            "package")
STORES = ("durability", "topologies", "hanging_store", "redis_users", "valkey", "machines*",
          "secrets", "status", "faults.*")
PEOPLE = ("login*", "authorize", "settings*", "browser_oauth", "browser_passkeys", "browser_library", "browser_settings", "clients", "secrets", "hostile*",
          "second_factor", "oauth*", "redirect_names", "ctl", "topologies")
EMBEDS = ("rules_on_the_wire", "manifest", "viewing", "hostile*", "micro_cache", "demo_catalog", "nginx_requests", "nginx_signed_files", "thumbnails",
          "readme", *PLAYER)
POOLS = ("pool*", "reload", "status", "wire", "fastcgi", "forged_body", "hostile*", "system_calls",
         "hanging_store", "viewing", "shares", "monitoring", "systemd", "package", "faults.*")

# Of a file, the first row with a pattern that matches its path (* also matches a slash), and the suites that its
# change can break. A suite without a kind is one of e2e/.
ROWS = (
    # What builds or runs the tests.
    (("CMakeLists.txt", "*/CMakeLists.txt", ".ci/run", "scripts/test", "scripts/lib/*.sh", "tests/packages.py", "tests/suites.py",
      "tests/e2e/conftest.py"),
     (ALL,)),
    # What the pages for developers show.
    (("worker/pages/developers/*", "nginx/player/README.md"), (SANITIZERS, "developers", "micro_cache", "browser_library", "browser_settings", "readme")),
    # Read by the quick lane only, or by a person.
    ((".ci/full", ".gitignore", ".clang-format", ".clang-tidy", ".luacheckrc", "scripts/check", "scripts/format",
      "scripts/fuzz", "scripts/mutate", "scripts/words", "scripts/lib/tidy.py", "tests/mutations/*", "tests/structure/*", "tests/contract/*"), ()),
    # Documents whose commands are run.
    (("systemd/README.md",), ("readme", *MACHINES)),
    (("*.md",), ("readme",)),

    (("worker/captions/*", "worker/ingest/*", "worker/ingest_main.cpp", "worker/listed_decoders.cpp"), (SANITIZERS, "hardening", *UPLOADS)),
    (("worker/keeper/*", "worker/keeper_main.cpp"), (SANITIZERS, "hardening", "systemd", "serve", *UPLOADS)),
    (("worker/courier/*", "worker/courier_main.cpp"), (SANITIZERS, "courier", "hardening")),
    (("worker/ctl/*", "worker/ctl_main.cpp"),
     (SANITIZERS, "ctl*", "demo_catalog", "durability", "hardening", "nginx_signed_files", "readme", *MACHINES)),
    (("worker/repair/*", "worker/repair_main.cpp"), (SANITIZERS, "systemd_redis", "hardening")),
    (("worker/pages/*",), (SANITIZERS, "serve", "developers", *PEOPLE, *BROWSERS)),
    (("worker/login/*", "worker/oauth/*", "worker/library/*"), (SANITIZERS, "durability", "nginx_uploads", "ctl*", *PEOPLE)),
    (("worker/embed/*", "worker/hls/*", "worker/viewing/*"), (SANITIZERS, *EMBEDS)),
    (("worker/endpoints/*",), (SANITIZERS, "developers", "openapi", "nginx_uploads", "settings_rate", *EMBEDS, *PEOPLE, *UPLOADS)),
    (("worker/redis/*", "worker/stores/*", "worker/cache/*"), (SANITIZERS, "ctl*", "ingest", *STORES, *PEOPLE)),
    (("worker/fastcgi/*", "worker/pool/*", "worker/loop/*"), (SANITIZERS, "secrets", "upload*", "nginx_uploads", *POOLS)),
    # In all programs.
    (("worker/*",), (ALL,)),

    (("nginx/player/*",), ("tls", "developers", "browser_library", "browser_settings", *PLAYER)),
    (("nginx/*",), ("rules_on_the_wire", "nginx_*", "micro_cache", "settings_rate", "tls", "hostile*", "thumbnails", "upload*", "serve", "status",
                    "monitoring", "pool_config", "developers", "browser_foreign", "browser_frames", "faults.processes", *MACHINES)),
    (("systemd/monitoring/*",), ("monitoring", "exporters")),
    (("systemd/redis-*",), ("serve", *STORES, *MACHINES)),
    (("systemd/operate", "systemd/backup-archive"), ("backup_archive", "package", *MACHINES)),
    (("systemd/*",), ("readme", "nginx_config", "nginx_signed_files", "ctl_help", "thumbnails", *MACHINES)),

    (("bench/*", "scripts/bench", "scripts/make-catalog", "tests/data/bench/*"), ("bench",)),
    (("scripts/derive-routes",), ("nginx_config",)),
    (("scripts/derive-rights",), ("redis_users",)),
    (("scripts/serve",), ("serve", "micro_cache", "nginx_limits", "browser_oauth", "browser_library", "browser_settings", "clients", "readme")),
    (("scripts/demo/*", "scripts/make-demo-clips"), ("demo_catalog", "serve", *EMBEDS)),
    (("scripts/package",), ("package",)),

    (("tests/unit/*", "tests/rules/*", "tests/integration/*", "tests/fakes/*", "tests/fuzz/*", "tests/data/stored_formats.txt"),
     (SANITIZERS,)),
    (("tests/browser/oauth/passkeys.test.js",), ("browser_passkeys",)),
    (("tests/browser/oauth/*",), ("browser_oauth", "browser_passkeys")),
    (("tests/browser/settings/uploads.test.js",), ("browser_uploads",)),
    (("tests/browser/settings/*",), ("browser_library", "browser_settings")),
    (("tests/browser/frames/private.test.js",), ("private_film",)),
    (("tests/browser/frames/viewers.js",), ("private_film", "browser_frames")),
    (("tests/browser/frames/*",), ("browser_frames",)),
    (("tests/browser/serve/*",), ("serve",)),
    (("tests/browser/foreign.test.js", "tests/browser/clobbering.test.js"), ("browser_foreign",)),
    (("tests/browser/uploads.test.js", "tests/browser/customizations.test.js"), ("browser_upload",)),
    (("tests/browser/webkit*",), ("browser_webkit",)),
    (("tests/browser/*.test.js",), ("browser", "browser_viewing")),
    (("tests/browser/*",), ("serve", *BROWSERS)),
    (("tests/clients/private.test.js",), ("private_film",)),
    (("tests/clients/*",), ("clients",)),
    (("tests/openapi/*",), ("openapi",)),
    (("tests/fastcgi/*",), ("fastcgi", "wire", "readme")),
    (("tests/faults/conftest.py", "tests/faults/clock_shift.cpp"), ("faults.*",)),
    (("tests/data/nginx-sites/*",), ("nginx_*", "tls")),
    (("tests/data/*",), ("hostile_pages",)),
)


@cache
def all_suites():
    """Those of the full lane, as ctest names them."""
    return [name_of(path) for kind in ("e2e", "faults") for path in sorted((TESTS / kind).glob("test_*.py"))
            if path.stem != "test_debian_13"]


def name_of(path):
    return f"{path.parent.name}.{path.stem.removeprefix('test_')}"


def expand(pattern):
    """The suites of an entry of the table."""
    whole = pattern if "." in pattern else f"e2e.{pattern}"
    return [suite for suite in all_suites() if fnmatchcase(suite, whole)]


@cache
def modules_of(suite):
    """The suite's own module and those that it imports, also through others."""
    words_of(f"test_{suite.partition('.')[2]}", found := set())
    return found


def suites_of(path):
    """The suites that a change of that file can break, or ALL; with SANITIZERS if these may find more."""
    for patterns, suites in ROWS:
        if any(fnmatchcase(path, pattern) for pattern in patterns):
            return {ALL} if ALL in suites else {SANITIZERS} & {*suites} | {
                each for pattern in suites for each in expand(pattern)}
    if path.startswith("tests/") and path.endswith(".py"):
        return {suite for suite in all_suites() if Path(path).stem in modules_of(suite)}
    raise LookupError(f"{path} matches no row of tests/suites.py")


def changed(commit, folder=REPOSITORY):
    """The files that differ from that commit; None if it is unknown."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    if git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}").returncode:
        return None
    return [path for words in (("diff", "--name-only", "--no-renames", commit), ("ls-files", "--others", "--exclude-standard"))
            for path in git(*words, "--").stdout.splitlines()]


def chosen(paths):
    """The two lines that main prints."""
    if paths is None or ALL in (suites := set().union(*map(suites_of, paths))):
        return ".", "."
    names = [re.escape(suite) for suite in sorted(suites - {SANITIZERS})]
    own = [r"(unit|rules|integration)\..*", *names] if SANITIZERS in suites else []
    return tuple(f"^({'|'.join(words)})$" if words else "" for words in (names, own))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(*chosen(changed(sys.argv[1])), sep="\n")
