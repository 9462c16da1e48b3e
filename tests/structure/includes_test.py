"""The dependencies of the folders of worker/: their includes, and the link lines of their CMake libraries.

Includes point down BLOCKS, never up, and folders in one block do not include each other. A folder's
includes and its link line in CMakeLists.txt name the same folders. Headers of third-party libraries are
included only in the paths of STOPS. The checks are functions over text, so that the second half of this
file can test each of them with a dependency that it must refuse.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# From top to bottom. "" is worker/ itself: the programs, which use every part.
BLOCKS = [
    {""},
    {"app", "ctl/commands", "ctl/import", "ctl/pools", "repair"},
    {"ctl", "pool/parent", "ingest/jobs"},
    {"pool/worker", "pages/public", "pages/authorize", "pages/settings"},
    {"pool/metrics", "pool", "fastcgi", "redis", "endpoints", "pages"},
    {"cache", "login"},
    {"http"},
    {"oauth", "embed", "hls", "ingest"},
    {"media"},
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
    "ctemplate/": ["pages/template.cpp"],
    "idn2.h": ["text/unicode.cpp"],
    "uninorm.h": ["text/unicode.cpp"],
}
# The same for link lines: a part of the library's name → folders.
LINKS = {
    "fcgi": ["fastcgi"],
    "hiredis": ["redis"],
    "boost": ["app"],
    "openssl": ["base"],
    "ctemplate": ["pages"],
    "idn2": ["text"],
    "unistring": ["text"],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def folder_of(path):
    """`redis/keys.h` → `redis`, `ctl/import/check.h` → `ctl/import`, `main.cpp` → ``."""
    return path.rpartition("/")[0]


def line_of(path):
    """The link line of a file is that of its folder; a program has its own: `main.cpp`."""
    return folder_of(path) or path


def why_not(user, used):
    """Returns why a folder may not depend on another; None if the dependency points down."""
    for folder in (user, used):
        if folder not in LEVEL:
            return f"{folder}/ is in no block of the house"
    if user == used or LEVEL[user] < LEVEL[used]:
        return None
    if LEVEL[user] == LEVEL[used]:
        return f"{user}/ and {used}/ are in one block and do not know each other"
    return f"{user}/ lies below {used}/, includes never point up"


def includes_of(text):
    """The included names, ours and third-party: [(name, quote, line number)]."""
    return [(m.group(2), m.group(1), text.count("\n", 0, m.start()) + 1) for m in INCLUDE.finditer(text)]


def wrong_includes(path, text, uses=None):
    """Problems of one source file. `path` is relative to worker/; `uses` is its link line."""
    problems = []
    user = folder_of(path)
    for name, quote, line in includes_of(text):
        where = f"{path}:{line}: {name}"
        if quote == '"' or name.partition("/")[0] in LEVEL:
            used = folder_of(name)
            if used == "":
                problems.append(f"{where}: is written without its folder")
                continue
            reason = why_not(user, used)
            if reason:
                problems.append(f"{where}: {reason}")
            elif uses is not None and used != user and used not in uses:
                problems.append(f"{where}: {used}/ is not on the link line of {line_of(path)}")
            continue
        for start, places in STOPS.items():
            if name.startswith(start) and not path.startswith(tuple(places)):
                problems.append(f"{where}: stops in {', '.join(places)}")
    return problems


def link_lines(cmake):
    """`svc_folder(text USES base PRIVATE X)` → {"text": (["base"], ["X"])},
    `svc_program(svc-worker main.cpp USES app)` → {"main.cpp": (["app"], [])}."""
    text = re.sub(r"#[^\n]*", "", cmake)
    lines = {}
    for call in re.finditer(r"(?<!function\()\bsvc_(folder|program|module)\(([^()]*)\)", text):
        user, *words = call.group(2).split()[call.group(1) != "folder":]  # without the program's name
        used, _, libraries = " ".join(words).removeprefix("USES").partition("PRIVATE")
        lines[user] = (used.split(), libraries.split())
    return lines


def wrong_links(lines):
    problems = []
    for user, (folders, libraries) in lines.items():
        for used in folders:
            reason = why_not("" if user.endswith(".cpp") else user, used) if used != user else f"{user}/ links itself"
            if reason:
                problems.append(f"CMakeLists.txt: {user} uses {used}: {reason}")
        for word in libraries:
            for library, places in LINKS.items():
                if library in word.lower() and user not in places:
                    problems.append(f"CMakeLists.txt: {user} links {word}: stops in {', '.join(places)}")
    return problems


def idle_links(lines, files):
    """The folders on link lines that no file of the linking folder or program includes. `files`: [(path, text)]."""
    used = {user: set() for user in lines}
    for path, text in files:
        used.setdefault(line_of(path), set()).update(folder_of(name) for name, _, _ in includes_of(text))
    return [f"CMakeLists.txt: {user} uses {name}, which none of its files includes"
            for user, (names, _) in lines.items() for name in names if name not in used[user]]


# ---- the sources -------------------------------------------------------------------------------------

WORKER = ROOT / "worker"
FILES = [(str(path.relative_to(WORKER)), path.read_text(encoding="utf-8"))
         for path in sorted(WORKER.rglob("*")) if path.suffix in {".h", ".cpp"}]
LINES = link_lines((ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))


def test_finds_sources_includes_and_link_lines():
    assert len(FILES) > 50
    assert sum(len(includes_of(text)) for _, text in FILES) > 200
    assert len(LINES) > 8


def test_every_folder_has_a_block_and_every_folder_and_program_a_link_line():
    assert {folder_of(path) for path, _ in FILES} == set(LEVEL)
    assert {line_of(path) for path, _ in FILES} == set(LINES)


def test_includes_point_down():
    problems = []
    for path, text in FILES:
        problems += wrong_includes(path, text, LINES[line_of(path)][0])
    assert not problems


def test_link_lines_point_down():
    assert not wrong_links(LINES)


def test_link_lines_name_only_included_folders():
    assert not idle_links(LINES, FILES)


# ---- the checks: examples that they refuse and that they allow -----------------------------------------


@pytest.mark.parametrize("name, path, text, said", [
    ("up by one block", "base/log.cpp", '#include "text/json.h"', "never point up"),
    ("up by many blocks", "media/media.h", '#include "redis/keys.h"', "never point up"),
    ("up to the router", "embed/rendering.cpp", '#include "http/response.h"', "never point up"),
    ("from the pool to the top", "pool/parent/pool.h", '#include "app/options.h"', "never point up"),
    ("stores and sockets", "redis/catalog.cpp", '#include "fastcgi/request_inspection.h"', "do not know each other"),
    ("stores and endpoints", "endpoints/oembed.cpp", '#include "redis/catalog.h"', "do not know each other"),
    ("OAuth and embedding", "oauth/client.cpp", '#include "embed/site.h"', "do not know each other"),
    ("the two programs' parts", "ctl/import/import.cpp", '#include "app/options.h"', "do not know each other"),
    ("the same the other way", "app/service.cpp", '#include "ctl/import/import.h"', "do not know each other"),
    ("in angle brackets", "text/uri.h", "#include <http/request.h>", "never point up"),
    ("with spaces", "text/uri.h", '  #  include  "http/request.h"', "never point up"),
    ("behind other lines", "text/uri.h", '#pragma once\n\n#include "http/request.h"', "uri.h:3"),
    ("without a folder", "text/uri.cpp", '#include "uri.h"', "without its folder"),
    ("of a folder nobody knows", "text/uri.cpp", '#include "util/misc.h"', "in no block"),
    ("from a folder nobody knows", "util/misc.cpp", '#include "base/log.h"', "in no block"),
    ("fcgiapp.h outside of fastcgi/", "pool/worker/worker.cpp", "#include <fcgiapp.h>", "stops in fastcgi/"),
    ("fcgi_stdio.h in main", "main.cpp", "#include <fcgi_stdio.h>", "stops in fastcgi/"),
    ("hiredis outside of redis/", "ctl/import/import.cpp", "#include <hiredis/hiredis.h>", "stops in redis/"),
    ("RapidJSON beside json", "text/json_record.cpp", "#include <rapidjson/document.h>", "stops in text/json"),
    ("RapidJSON in a record", "media/media.cpp", "#include <rapidjson/writer.h>", "stops in text/json"),
    ("Boost beside options", "app/service.cpp", "#include <boost/asio.hpp>", "stops in app/options"),
    ("OpenSSL outside of base/", "oauth/client.cpp", "#include <openssl/evp.h>", "stops in base/"),
    ("ctemplate outside of pages/", "endpoints/oembed.cpp", "#include <ctemplate/template.h>", "stops in pages/"),
    ("ctemplate in a page", "pages/public/watch_page.cpp", "#include <ctemplate/template.h>",
     "stops in pages/template"),
])
def test_refuses_includes_that_point_up_or_sideways(name, path, text, said):
    problems = wrong_includes(path, text)
    assert len(problems) == 1, name
    assert said in problems[0]


@pytest.mark.parametrize("name, path, text", [
    ("down by one block", "text/json.cpp", '#include "base/result.h"'),
    ("down by many blocks", "endpoints/oembed.h", '#include "media/catalog.h"'),
    ("within a folder", "redis/catalog.h", '#include "redis/channel.h"'),
    ("a store that implements an interface", "redis/keys.h", '#include "oauth/client.h"'),
    ("the program", "main.cpp", '#include "app/options.h"\n#include "pool/parent/pool.h"\n#include "base/log.h"'),
    ("a standard header", "text/uri.cpp", "#include <charconv>\n#include <sys/stat.h>"),
    ("a library where it belongs", "redis/channel.cpp", "#include <hiredis/hiredis.h>"),
    ("an include that is a comment", "base/log.h", '// #include "text/json.h"'),
])
def test_allows_includes_that_point_down(name, path, text):
    assert not wrong_includes(path, text), name


def test_refuses_an_include_that_is_not_on_the_link_line():
    text = '#include "media/media.h"'
    assert not wrong_includes("redis/catalog.cpp", text, ["media"])
    problems = wrong_includes("redis/catalog.cpp", text, ["text", "base"])
    assert problems == ["redis/catalog.cpp:1: media/media.h: media/ is not on the link line of redis"]
    problems = wrong_includes("main.cpp", text, ["app"])
    assert problems == ["main.cpp:1: media/media.h: media/ is not on the link line of main.cpp"]


def test_refuses_a_link_line_with_a_folder_that_is_not_included():
    lines = link_lines("svc_folder(redis USES media text PRIVATE PkgConfig::HIREDIS)")
    assert idle_links(lines, [("redis/catalog.cpp", '#include "media/media.h"')]) == [
        "CMakeLists.txt: redis uses text, which none of its files includes"]
    assert idle_links(link_lines("svc_program(svcctl ctl_main.cpp USES app ctl)"),
                      [("ctl_main.cpp", '#include "app/options.h"')]) == [
        "CMakeLists.txt: ctl_main.cpp uses ctl, which none of its files includes"]
    assert not idle_links(lines, [("redis/a.cpp", '#include "media/media.h"'), ("redis/b.h", '#include "text/uri.h"')])


@pytest.mark.parametrize("name, cmake, said", [
    ("that point up", "svc_folder(base USES text)", "never point up"),
    ("over several lines", "svc_folder(media\n  USES text\n       redis)", "never point up"),
    ("that point sideways", "svc_folder(redis USES fastcgi base)", "do not know each other"),
    ("of rooms in one block", "svc_folder(pages/settings USES pages/public)", "do not know each other"),
    ("of app and import", "svc_folder(ctl/import USES app)", "do not know each other"),
    ("that point to themselves", "svc_folder(text USES text)", "links itself"),
    ("of an unknown folder", "svc_folder(text USES util)", "in no block"),
    ("of a program", "svc_program(svcctl ctl_main.cpp USES util)", "in no block"),
    ("that hand a library on", "svc_folder(oauth USES base PRIVATE OpenSSL::Crypto)", "stops in base"),
    ("with libfcgi elsewhere", "svc_folder(pool PRIVATE ${FCGI_LIBRARY})", "stops in fastcgi"),
    ("with hiredis elsewhere", "svc_folder(ctl PRIVATE PkgConfig::HIREDIS)", "stops in redis"),
])
def test_refuses_wrong_link_lines(name, cmake, said):
    problems = wrong_links(link_lines(cmake))
    assert len(problems) == 1, name
    assert said in problems[0]


def test_allows_link_lines_that_point_down():
    assert not wrong_links(link_lines("""
        function(svc_folder folder)
        endfunction()
        svc_folder(base PRIVATE OpenSSL::Crypto)  # svc_folder(base USES app)
        svc_folder(redis USES oauth media text base PRIVATE PkgConfig::HIREDIS)
        svc_program(svc-worker main.cpp USES app base)"""))
