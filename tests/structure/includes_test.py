"""The dependencies of the folders of worker/: their includes, as the compiler finds them, and worker/folders.cmake, as CMake
reads it.

Includes point down BLOCKS, never up, and folders in one block do not include each other. A folder's includes and its
line in folders.cmake name the same folders. Headers of third-party libraries are included only in the paths of STOPS.
"""

import json
import subprocess
from pathlib import Path

import pytest

WORKER = Path(__file__).resolve().parents[2] / "worker"

# From top to bottom. "" is worker/ itself: the programs, which use every part.
BLOCKS = [
    {""},
    {"app", "ctl/commands", "ctl/import", "ctl/pools", "repair"},
    {"ctl", "pool/parent", "ingest/jobs", "courier/jobs"},
    {"keeper"},
    {"pool/worker", "pages/public", "pages/authorize", "pages/settings", "stores/catalog", "stores/access", "endpoints/api"},
    {"pool/metrics", "pool", "fastcgi", "stores", "endpoints/uploads", "endpoints/oauth", "endpoints/public", "pages"},
    {"redis", "endpoints"},
    {"cache", "login"},
    {"http", "library"},
    {"oauth", "embed", "hls", "ingest", "courier", "viewing"},
    {"media", "captions"},
    {"text", "loop"},
    {"base"},
]
LEVEL = {folder: level for level, block in enumerate(BLOCKS) for folder in block}

# Where third-party headers may be included: a prefix of the header's name → prefixes of our paths.
STOPS = {
    "fcgi": ["fastcgi/"],
    "fastcgi.h": ["fastcgi/"],
    "hiredis": ["redis/"],
    "rapidjson/": ["text/json.h", "text/json.cpp"],
    "boost/": ["app/options.h", "app/options.cpp"],
    "openssl/": ["base/"],
    "argon2.h": ["base/password_hash.cpp"],
    "qrencode.h": ["base/qr_code.cpp"],
    "idn2.h": ["text/unicode.cpp"],
    "uninorm.h": ["text/unicode.cpp"],
    "unicode/": ["captions/language.cpp"],
}


def folder_of(path):
    """`stores/keys.h` → `stores`, `ctl/import/check.h` → `ctl/import`, `main.cpp` → ``."""
    return path.rpartition("/")[0]


def line_of(path):
    """The line of a file is that of its folder; a program has its own: `main.cpp`."""
    return folder_of(path) or path


def included(folder):
    """Returns {file: the names that it includes}. The compiler runs in that folder, which lacks headers, so it enters none."""
    paths = [str(path.relative_to(WORKER)) for path in sorted(WORKER.rglob("*")) if path.suffix in {".h", ".cpp"}]
    files = {path.replace("/", "@"): path for path in paths}
    for file, path in files.items():
        (folder / file).symlink_to(WORKER / path)
    # For each file, one rule of a Makefile: `text.o: FILE NAME…`.
    done = subprocess.run(["c++", "-M", "-MG", "-nostdinc", "-nostdinc++", "-I.", "-x", "c++", *files], cwd=folder,
                          capture_output=True, text=True, check=True)
    rules = [line.split()[1:] for line in done.stdout.replace("\\\n", " ").splitlines()]
    return {files[file]: names for file, *names in rules}


def link_lines():
    done = subprocess.run(["cmake", "-P", Path(__file__).with_name("links.cmake")], capture_output=True, text=True, check=True)
    return {user: used.split() for user, used in map(json.loads, done.stderr.splitlines())}


def why_not(user, used):
    """Returns why a folder may not depend on another; None if the dependency points down."""
    if user == used or LEVEL[user] < LEVEL[used]:
        return None
    return "is in the same block" if LEVEL[user] == LEVEL[used] else "is above it"


def wrong_includes(path, names, uses):
    """Problems of one source file. `path` is relative to worker/; `uses` is its line in folders.cmake."""
    problems = []
    user = folder_of(path)
    for name in names:
        used = folder_of(name)
        if used and used in LEVEL:
            if reason := why_not(user, used):
                problems.append(f"{path} includes {name}, which {reason}")
            elif used not in (user, *uses):
                problems.append(f"{path} includes {name}, which is not in the line of {line_of(path)}")
        elif (WORKER / user / name).exists():
            problems.append(f"{path} includes {name} without its folder")
        problems += [f"{path} includes {name}, which stops in {places}" for start, places in STOPS.items()
                     if name.startswith(start) and not path.startswith(tuple(places))]
    return problems


def idle_links(lines, includes):
    """The folders in lines that no file of the folder or program includes."""
    used = {(line_of(path), folder_of(name)) for path, names in includes.items() for name in names}
    return [(user, name) for user, names in lines.items() for name in names if (user, name) not in used]


def test_includes_point_down_and_are_the_lines_of_folders_cmake(tmp_path):
    includes, lines = included(tmp_path), link_lines()
    assert len(includes) > 50 and sum(map(len, includes.values())) > 200
    assert {folder_of(path) for path in includes} == set(LEVEL) and {line_of(path) for path in includes} == set(lines)
    assert [problem for path, names in includes.items() for problem in wrong_includes(path, names, lines[line_of(path)])] == []
    assert idle_links(lines, includes) == []


@pytest.mark.parametrize("path, name, said", [
    ("text/json.cpp", "base/result.h", None),
    ("redis/slot.h", "redis/channel.h", None),
    ("text/uri.cpp", "sys/stat.h", None),
    ("redis/channel.cpp", "hiredis/hiredis.h", None),
    ("base/log.cpp", "text/json.h", "above"),
    ("media/media.h", "stores/keys.h", "above"),
    ("pool/parent/pool.h", "app/options.h", "above"),
    ("stores/catalog/catalog.cpp", "stores/access/grants.h", "same block"),
    ("app/service.cpp", "ctl/import/import.h", "same block"),
    ("text/uri.cpp", "uri.h", "without its folder"),
    ("media/media.h", "loop/task.h", "not in the line"),
    ("pool/worker/worker.cpp", "fcgiapp.h", "stops in"),
    ("text/json_record.cpp", "rapidjson/document.h", "stops in"),
])
def test_a_wrong_include_is_found(path, name, said):
    problems = wrong_includes(path, [name], ["base"])
    assert len(problems) == bool(said) and (not said or said in problems[0])


def test_an_idle_line_is_found():
    includes = {"redis/a.cpp": ["media/media.h"], "redis/b.h": ["text/uri.h"], "ctl_main.cpp": ["app/options.h"]}
    lines = {"redis": ["media", "text", "base"], "ctl_main.cpp": ["app", "ctl"]}
    assert idle_links(lines, includes) == [("redis", "base"), ("ctl_main.cpp", "ctl")]
