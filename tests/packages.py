#!/usr/bin/python3
"""packages.py TEST…: prints the Debian packages that these tests need, one per line, in addition to those
that build them (kBuild and kTest of scripts/lib/packages.sh). TEST is a name that `ctest -N` prints.

There is no list per test: the patterns below are searched in the test's file and, for tests/e2e and tests/faults, in
the modules that it imports.
"""

import re
import shutil
import sys
from pathlib import Path

E2E, FAULTS, INTEGRATION = (Path(__file__).with_name(folder) for folder in ("e2e", "faults", "integration"))
IMPORT = re.compile(r"^[ \t]*(?:import|from) (\w+)", re.MULTILINE)

RUN = ("nginx-light", "libnginx-mod-http-image-filter", "redis-server", "redis-tools", "curl", "python3-redis")
# Some machines have Node.js from another source, which includes npm and conflicts with Debian's package.
NODE = () if shutil.which("npm") else ("nodejs", "npm")
NEEDS = {
    # ffmpeg brings the decoders for Firefox, under a name that is the same in each Debian.
    r'"tests" / "browser"': ("chromium-headless-shell", "firefox-esr", "ffmpeg", "fonts-dejavu-core", *NODE),
    # GStreamer: good has the MP4 demultiplexer, bad those of MPEG-TS and HLS, libav the decoders.
    r"node_suite\.looks_elsewhere\(": ("fonts-noto-core",),
    r'"webkit\.test\.js"': ("webkit2gtk-driver", "xvfb", "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good",
                           "gstreamer1.0-plugins-bad", "gstreamer1.0-libav"),
    r'"npm"': NODE,
    r'"scripts" / "bench"': ("libbenchmark-dev", "wrk", "nghttp2-client", "strace"),
    r'scripts/package"': ("debhelper", "lintian"),
    r'"systemd-nspawn"|"machinectl"|import Machine\b': ("systemd-container", "ffmpeg"),
    r'"scripts" / "serve"|\.start_ingest\(': ("ffmpeg",),
    r'\["ip", ': ("iproute2",),
    r'"mmdebstrap"': ("mmdebstrap",),
    r'"ffprobe"': ("ffmpeg",),
    r'"h2load"': ("nghttp2-client",),
    r'"openssl"|"TLS to the store"': ("openssl",),
    r'"php"': ("php-cli",),
    r'"promtool"': ("prometheus",),
    r'"strace"': ("strace",),
    r"\.start_thumbnails\(": ("ffmpeg",),
    r'"tmux"': ("tmux",),
    r"import html5lib": ("python3-html5lib",),
    r"import yaml": ("python3-yaml",),
}
# The same for integration tests, which are in C++.
INTEGRATION_NEEDS = {r'"integration/tls\.h"': ("openssl",), r"ffmpeg": ("ffmpeg",)}


def needs_of(text, needs):
    return {package for word, found in needs.items() if re.search(word, text) for package in found}


def integration_text(suite):
    """The text of the files that define a suite of GoogleTest; of all files if none does: a shard has all suites."""
    texts = [path.read_text(encoding="utf-8") for path in INTEGRATION.rglob("*_test.cpp")]
    return "".join([text for text in texts if re.search(rf"^TEST_?[FP]?\({suite},", text, re.MULTILINE)] or texts)


def text_of(name, seen):
    """The text of a module of those folders and of the modules that it imports; empty if there is no such module."""
    path = next((path for folder in (FAULTS, E2E) if (path := folder / f"{name}.py").exists()), None)
    if name in seen or path is None:
        return ""
    seen.add(name)
    text = path.read_text(encoding="utf-8")
    return text + "".join(text_of(other, seen) for other in IMPORT.findall(text))


def packages(test):
    kind, _, name = test.partition(".")
    if kind == "rules":
        return {"redis-server"}
    if kind in ("integration", "sanitize"):
        # A test with parameters: integration.Each/Suite.Test/0.
        suite = re.escape(name.rpartition(".")[0].rpartition("/")[2])
        return {"redis-server"} | needs_of(integration_text(suite), INTEGRATION_NEEDS)
    if kind not in ("e2e", "faults"):
        return set()
    # e2e.package.long is in test_package.py, too.
    suite, _, form = name.partition(".")
    text = text_of(f"test_{suite}", set())
    found = {*RUN, *needs_of(text, NEEDS)}
    # The long form of a browser suite runs in the whole Chromium.
    return found | {"chromium"} if form and "chromium-headless-shell" in found else found


if __name__ == "__main__":
    print(*sorted(set().union(*map(packages, sys.argv[1:]))), sep="\n")
