#!/usr/bin/python3
"""packages.py TEST…: prints the Debian packages that these tests need, one per line, in addition to those
that build them (kBuild and kTest of scripts/lib/packages.sh). TEST is a name that `ctest -N` prints.
packages.py --need PACKAGE TEST…: prints which of the tests need it, separated by semicolons as a list of CMake.

There is no list per test: the words below are searched in the test's module and in those that it imports.
"""

import ast
import functools
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).parent
FOLDERS = [TESTS / folder for folder in ("faults", "e2e", "")]

RUN = {"nginx-light", "libnginx-mod-http-image-filter", "redis-server", "redis-tools", "curl", "python3-redis"}
INTEGRATION = {"ffmpeg", "openssl", "redis-server"}
# Some machines have Node.js from another source, which includes npm and conflicts with Debian's package.
NODE = () if shutil.which("npm") else ("nodejs", "npm")
# A text, the last part of a path, an imported name, or a function that is called.
NEEDS = {
    # ffmpeg brings the decoders for Firefox, under a name that is the same in each Debian.
    "browser": ("chromium-headless-shell", "firefox-esr", "ffmpeg", "fonts-dejavu-core", *NODE),
    "looks_elsewhere": ("fonts-noto-core",),
    # GStreamer: good has the MP4 demultiplexer, bad those of MPEG-TS and HLS, libav the decoders.
    "webkit.test.js": ("webkit2gtk-driver", "xvfb", "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good",
                       "gstreamer1.0-plugins-bad", "gstreamer1.0-libav"),
    "npm": NODE,
    "bench": ("libbenchmark-dev", "wrk", "nghttp2-client", "strace", "valgrind"),
    "package": ("debhelper", "lintian"),
    "systemd-nspawn": ("systemd-container", "ffmpeg"),
    "machinectl": ("systemd-container", "ffmpeg"),
    "Machine": ("systemd-container", "ffmpeg"),
    "zstd": ("zstd",),
    "serve": ("ffmpeg",),
    "start_ingest": ("ffmpeg",),
    "start_thumbnails": ("ffmpeg",),
    "ip": ("iproute2",),
    "mmdebstrap": ("mmdebstrap",),
    "ffprobe": ("ffmpeg",),
    # test_valkey.py runs suites that it does not import.
    "valkey-server": ("ffmpeg", "iproute2", "openssl"),
    "cvlc": ("vlc-bin", "vlc-plugin-base"),
    "yt-dlp": ("yt-dlp",),
    "h2load": ("nghttp2-client",),
    "openssl": ("openssl",),
    "oathtool": ("oathtool",),
    "zbarimg": ("zbar-tools", "librsvg2-bin"),
    "A store that survives its machine": ("redis-sentinel", "openssl"),
    "php": ("php-cli",),
    "promtool": ("prometheus",),
    "prometheus-redis-exporter": ("prometheus", "prometheus-node-exporter", "prometheus-redis-exporter",
                                  "prometheus-blackbox-exporter"),
    "strace": ("strace",),
    "gnuplot": ("gnuplot-nox",),
    "html5lib": ("python3-html5lib",),
    "yaml": ("python3-yaml",),
}


@functools.cache
def read(path):
    """Returns the names of the modules that a module imports, and the words that are searched."""
    modules, words = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module)
            words |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= {node.value, node.value.rpartition("/")[2]}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words.add(node.func.attr)
    return modules, words | modules


def words_of(name, seen):
    """The words of a module of those folders and of the modules that it imports; none if there is no such module."""
    path = next((path for folder in FOLDERS if (path := folder / f"{name}.py").exists()), None)
    if name in seen or path is None:
        return set()
    seen.add(name)
    modules, words = read(path)
    return words.union(*(words_of(other, seen) for other in modules))


def packages(test):
    kind, _, name = test.partition(".")
    if kind == "rules":
        return {"redis-server"}
    if kind in ("integration", "sanitize"):
        return INTEGRATION
    if kind not in ("e2e", "faults"):
        return set()
    # e2e.package.long is in test_package.py, too.
    suite, _, form = name.partition(".")
    found = RUN.union(*(NEEDS.get(word, ()) for word in words_of(f"test_{suite}", set())))
    # The long form of a browser suite runs in the whole Chromium.
    return found | {"chromium"} if form and "chromium-headless-shell" in found else found


if __name__ == "__main__":
    if sys.argv[1:2] == ["--need"]:
        print(*(test for test in sys.argv[3:] if sys.argv[2] in packages(test)), sep=";", end="")
    else:
        print(*sorted(set().union(*map(packages, sys.argv[1:]))), sep="\n")
