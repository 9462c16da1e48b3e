"""The arrows of the house: what a folder of worker/ includes, and what its CMake library links.

Includes point down BLOCKS, never up, and folders in one block do not know each other. A folder
includes only what its link line in CMakeLists.txt says it uses, and the headers of other people's
libraries stop where STOPS says. The checks are functions over text, so that the second half of
this file can show each of them an arrow that it has to refuse.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# From top to bottom. "" is what lies in worker/ itself: the programs, which name every part.
BLOCKS = [
    {""},
    {"app", "ctl", "repair"},
    {"pool"},
    {"fastcgi", "redis", "endpoints", "pages"},
    {"cache", "login"},
    {"http"},
    {"oauth", "embed", "hls"},
    {"media"},
    {"text", "loop"},
    {"base"},
]
LEVEL = {folder: level for level, block in enumerate(BLOCKS) for folder in block}

# Whose headers may be included where: a beginning of the header's name → beginnings of our paths.
STOPS = {
    "fcgi": ["fastcgi/"],
    "fastcgi.h": ["fastcgi/"],
    "hiredis": ["redis/"],
    "rapidjson/": ["text/json.h", "text/json.cpp"],
    "boost/": ["app/options.h", "app/options.cpp"],
    "openssl/": ["base/"],
    "ctemplate/": ["pages/"],
}
# The same on the link lines: a word of the library's name → folders.
LINKS = {
    "fcgi": ["fastcgi"],
    "hiredis": ["redis"],
    "boost": ["app"],
    "openssl": ["base"],
    "ctemplate": ["pages"],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def folder_of(path):
    """`redis/keys.h` → `redis`, `main.cpp` → ``."""
    return path.rpartition("/")[0]


def why_not(user, used):
    """What is wrong with an arrow from one folder to another; nothing when it points down."""
    for folder in (user, used):
        if folder not in LEVEL:
            return f"{folder}/ is in no block of the house"
    if user == used or LEVEL[user] < LEVEL[used]:
        return None
    if LEVEL[user] == LEVEL[used]:
        return f"{user}/ and {used}/ are in one block and do not know each other"
    return f"{user}/ lies below {used}/, includes never point up"


def includes_of(text):
    """The included names, ours and other people's: [(name, line number)]."""
    return [(m.group(2), m.group(1), text.count("\n", 0, m.start()) + 1) for m in INCLUDE.finditer(text)]


def wrong_includes(path, text, uses=None):
    """Problems of one source file. `path` is relative to worker/; `uses` is its folder's link line."""
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
                problems.append(f"{where}: {used}/ is not on the link line of {user}/")
            continue
        for start, places in STOPS.items():
            if name.startswith(start) and not path.startswith(tuple(places)):
                problems.append(f"{where}: stops in {', '.join(places)}")
    return problems


def calls(cmake, function):
    """The arguments of every call of a CMake function, comments left out."""
    text = re.sub(r"#[^\n]*", "", cmake)
    return [m.group(1).split() for m in re.finditer(rf"\b{function}\(([^()]*)\)", text)]


def link_lines(cmake):
    """`svc_folder(text USES svc_base PRIVATE X)` → {"text": ["svc_base", "X"]}, all calls."""
    lines = {}
    for name, *words in calls(cmake, "svc_folder"):
        lines.setdefault(name, []).extend(words)
    for target, *words in calls(cmake, "target_link_libraries"):
        if target.startswith("svc_") and "$" not in target:
            lines.setdefault(target.removeprefix("svc_"), []).extend(words)
    keywords = {"USES", "PUBLIC", "PRIVATE", "INTERFACE"}
    return {name: [word for word in words if word not in keywords] for name, words in lines.items()}


def used_folders(words):
    return [word.removeprefix("svc_") for word in words if word.startswith("svc_")]


def wrong_links(cmake):
    problems = []
    for user, words in link_lines(cmake).items():
        for used in used_folders(words):
            reason = why_not(user, used) if used != user else f"{user}/ links itself"
            if reason:
                problems.append(f"CMakeLists.txt: svc_{user} uses svc_{used}: {reason}")
        for word in words:
            for library, places in LINKS.items():
                if not word.startswith("svc_") and library in word.lower() and user not in places:
                    problems.append(f"CMakeLists.txt: svc_{user} links {word}: stops in {', '.join(places)}")
    return problems


def sources():
    worker = ROOT / "worker"
    return [(str(path.relative_to(worker)), path.read_text(encoding="utf-8"))
            for path in sorted(worker.rglob("*")) if path.suffix in {".h", ".cpp"}]


class TheHouse(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")

    def test_there_is_something_to_check(self):
        self.assertGreater(len(sources()), 50)
        self.assertGreater(sum(len(includes_of(text)) for _, text in sources()), 200)
        self.assertGreater(len(link_lines(self.cmake)), 8)

    def test_every_folder_has_a_block_and_a_link_line(self):
        folders = {folder_of(path) for path, _ in sources()} - {""}
        self.assertEqual(folders - set(LEVEL), set())
        self.assertEqual(folders - set(link_lines(self.cmake)), set())

    def test_includes_point_down(self):
        lines = link_lines(self.cmake)
        problems = []
        for path, text in sources():
            uses = used_folders(lines.get(folder_of(path), [])) if folder_of(path) else None
            problems += wrong_includes(path, text, uses)
        self.assertEqual(problems, [])

    def test_link_lines_point_down(self):
        self.assertEqual(wrong_links(self.cmake), [])


class TheChecker(unittest.TestCase):
    """Bad examples that it has to flag, good ones that it has to let through."""

    def test_flags_arrows_that_point_up_or_sideways(self):
        for name, path, text, said in [
            ("up by one block", "base/log.cpp", '#include "text/json.h"', "never point up"),
            ("up by many blocks", "media/media.h", '#include "redis/keys.h"', "never point up"),
            ("up to the router", "embed/rendering.cpp", '#include "http/response.h"', "never point up"),
            ("from the pool to the top", "pool/pool.h", '#include "app/options.h"', "never point up"),
            ("stores and sockets", "redis/catalog.cpp", '#include "fastcgi/gate.h"', "do not know each other"),
            ("stores and endpoints", "endpoints/oembed.cpp", '#include "redis/catalog.h"', "do not know each other"),
            ("OAuth and embedding", "oauth/client.cpp", '#include "embed/site.h"', "do not know each other"),
            ("the two programs' parts", "ctl/import.cpp", '#include "app/options.h"', "do not know each other"),
            ("the same the other way", "app/service.cpp", '#include "ctl/import.h"', "do not know each other"),
            ("in angle brackets", "text/uri.h", "#include <http/request.h>", "never point up"),
            ("with spaces", "text/uri.h", '  #  include  "http/request.h"', "never point up"),
            ("behind other lines", "text/uri.h", '#pragma once\n\n#include "http/request.h"', "uri.h:3"),
            ("without a folder", "text/uri.cpp", '#include "uri.h"', "without its folder"),
            ("of a folder nobody knows", "text/uri.cpp", '#include "util/misc.h"', "in no block"),
            ("from a folder nobody knows", "util/misc.cpp", '#include "base/log.h"', "in no block"),
            ("fcgiapp.h outside of fastcgi/", "pool/worker.cpp", "#include <fcgiapp.h>", "stops in fastcgi/"),
            ("fcgi_stdio.h in main", "main.cpp", "#include <fcgi_stdio.h>", "stops in fastcgi/"),
            ("hiredis outside of redis/", "ctl/import.cpp", "#include <hiredis/hiredis.h>", "stops in redis/"),
            ("RapidJSON beside json", "text/json_record.cpp", "#include <rapidjson/document.h>", "stops in text/json"),
            ("RapidJSON in a record", "media/media.cpp", "#include <rapidjson/writer.h>", "stops in text/json"),
            ("Boost beside options", "app/service.cpp", "#include <boost/asio.hpp>", "stops in app/options"),
            ("OpenSSL outside of base/", "oauth/client.cpp", "#include <openssl/evp.h>", "stops in base/"),
            ("ctemplate outside of pages/", "endpoints/oembed.cpp", "#include <ctemplate/template.h>", "stops in pages/"),
        ]:
            with self.subTest(name):
                problems = wrong_includes(path, text)
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(said, problems[0])

    def test_lets_arrows_through_that_point_down(self):
        for name, path, text in [
            ("down by one block", "text/json.cpp", '#include "base/result.h"'),
            ("down by many blocks", "endpoints/oembed.h", '#include "media/catalog.h"'),
            ("within a folder", "redis/catalog.h", '#include "redis/connection.h"'),
            ("a store that implements an interface", "redis/keys.h", '#include "oauth/client.h"'),
            ("the program", "main.cpp", '#include "app/options.h"\n#include "pool/pool.h"\n#include "base/log.h"'),
            ("a standard header", "text/uri.cpp", "#include <charconv>\n#include <sys/stat.h>"),
            ("a library where it belongs", "redis/connection.cpp", "#include <hiredis/hiredis.h>"),
            ("an include that is a comment", "base/log.h", '// #include "text/json.h"'),
        ]:
            with self.subTest(name):
                self.assertEqual(wrong_includes(path, text), [])

    def test_flags_an_include_that_the_link_line_does_not_have(self):
        text = '#include "media/media.h"'
        self.assertEqual(wrong_includes("redis/catalog.cpp", text, ["media"]), [])
        problems = wrong_includes("redis/catalog.cpp", text, ["text", "base"])
        self.assertEqual(problems, ["redis/catalog.cpp:1: media/media.h: media/ is not on the link line of redis/"])

    def test_flags_link_lines(self):
        for name, cmake, said in [
            ("that point up", "svc_folder(base USES svc_text)", "never point up"),
            ("over several lines", "svc_folder(media\n  USES svc_text\n       svc_redis)", "never point up"),
            ("that point sideways", "svc_folder(redis USES svc_fastcgi svc_base)", "do not know each other"),
            ("of app and ctl", "svc_folder(ctl USES svc_app)", "do not know each other"),
            ("that point to themselves", "svc_folder(text USES svc_text)", "links itself"),
            ("of an unknown folder", "svc_folder(text USES svc_util)", "in no block"),
            ("written by hand", "target_link_libraries(svc_text PUBLIC svc_http)", "never point up"),
            ("that hand a library on", "svc_folder(oauth USES svc_base PRIVATE OpenSSL::Crypto)", "stops in base"),
            ("with libfcgi elsewhere", "svc_folder(pool PRIVATE ${FCGI_LIBRARY})", "stops in fastcgi"),
            ("with hiredis elsewhere", "svc_folder(ctl PRIVATE PkgConfig::HIREDIS)", "stops in redis"),
        ]:
            with self.subTest(name):
                problems = wrong_links(cmake)
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(said, problems[0])

    def test_lets_link_lines_through(self):
        self.assertEqual(wrong_links("""
            function(svc_folder name)
              target_link_libraries(svc_${name} PUBLIC ${ARG_USES})
            endfunction()
            svc_folder(base PRIVATE OpenSSL::Crypto)  # svc_folder(base USES svc_app)
            svc_folder(redis USES svc_oauth svc_media svc_text svc_base PRIVATE PkgConfig::HIREDIS)
            target_link_libraries(svc-worker PRIVATE svc_app)"""), [])


if __name__ == "__main__":
    unittest.main()
