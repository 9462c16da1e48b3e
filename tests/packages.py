#!/usr/bin/python3
"""packages.py TEST…: prints the Debian packages that these tests need, one per line, in addition to those
that build them (kBuild and kTest of scripts/lib/packages.sh). TEST is a name that `ctest -N` prints.

There is no list per test: the patterns below are searched in the test's file and in the modules of
tests/e2e and tests/faults that it imports.
"""

import re
import shutil
import sys
from pathlib import Path

E2E, FAULTS = (Path(__file__).with_name(folder) for folder in ("e2e", "faults"))
IMPORT = re.compile(r"^[ \t]*(?:import|from) (\w+)", re.MULTILINE)

RUN = ("nginx-light", "libnginx-mod-http-image-filter", "redis-server", "redis-tools", "curl", "python3-redis")
# Some machines have Node.js from another source, which includes npm and conflicts with Debian's package.
NODE = () if shutil.which("npm") else ("nodejs", "npm")
NEEDS = {
    # ffmpeg brings the decoders for Firefox, under a name that is the same in each Debian.
    r'"tests" / "browser"': ("chromium-headless-shell", "firefox-esr", "ffmpeg", "fonts-dejavu-core", *NODE),
    # GStreamer: good has the MP4 demultiplexer, bad those of MPEG-TS and HLS, libav the decoders.
    r'"webkit\.test\.js"': ("webkit2gtk-driver", "xvfb", "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good",
                           "gstreamer1.0-plugins-bad", "gstreamer1.0-libav"),
    r'"npm"': NODE,
    r'"scripts" / "bench"': ("wrk", "nghttp2-client", "strace"),
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
    r'"xmllint"': ("libxml2-utils",),
    r"\.start_thumbnails\(": ("ffmpeg",),
    r'"tmux"': ("tmux",),
    r"import html5lib": ("python3-html5lib",),
    r"import yaml": ("python3-yaml",),
}


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
    if kind in ("integration", "sanitize"):
        return {"redis-server", "openssl", "ffmpeg"}
    if kind not in ("e2e", "faults"):
        return set()
    # e2e.package.long is in test_package.py, too.
    suite, _, form = name.partition(".")
    text = text_of(f"test_{suite}", set())
    found = {*RUN, *(package for word, needs in NEEDS.items() if re.search(word, text) for package in needs)}
    # The long form of a browser suite runs in the whole Chromium.
    return found | {"chromium"} if form and "chromium-headless-shell" in found else found


if __name__ == "__main__":
    print(*sorted(set().union(*map(packages, sys.argv[1:]))), sep="\n")
