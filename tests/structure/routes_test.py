"""The path and the hosts of an endpoint are written once, in the headers of worker/base/paths.h, from which the table of routes has them.
Links are made from the constants; e2e/test_nginx_config.py compares nginx's files, which scripts/derive-routes makes."""

import itertools
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import documents  # noqa: E402  # its folder is not installed
import facts  # noqa: E402

FACTS = facts.printed()
HOSTS = {name.removeprefix("paths of "): paths for name, paths in FACTS.items() if name.startswith("paths of ")}


def before(pattern):
    """The part of a path before its first placeholder."""
    return pattern.partition("{")[0].partition("*")[0]


def test_no_other_source_begins_a_text_with_a_path():
    texts = sorted({f'"{before(pattern)}' for pattern in FACTS["routes"]} - {'"/'})
    options = [word for text in texts for word in ("-e", text)]
    found = subprocess.run(["git", "grep", "-lF", *options, "--", "worker/*.cpp", "worker/*.h", "worker/*.tpl"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    assert len(texts) > 30 and found == [f"worker/base/{name}_paths.h" for name in ("api", "public", "settings")], "take the path from its constant"


def test_a_path_for_programs_is_in_the_contract():
    """A path without a rule would lack a test, too. Paths of pages are in their rules by name."""
    of_pages = {*HOSTS["app-url"], *HOSTS["embed-host"]}
    found = [path for setting in ("base-url", "oembed-url") for path in HOSTS[setting] if path not in of_pages]
    contract = "".join(path.read_text() for path in (ROOT / "tests/contract").glob("*.md"))
    assert len(found) > 8 and [path for path in found if before(path) not in contract] == []


def matches(pattern, path):
    """As worker/http/path_pattern.h has it, segment by segment."""
    if pattern.endswith("/**"):
        return path.startswith(pattern.removesuffix("/**"))
    parts, own = path.split("/"), pattern.split("/")
    return len(parts) == len(own) and all(
        part.startswith(before(each)) and (before(each) != each or part == each) for part, each in zip(parts, own))


def test_documents_name_the_host_that_has_the_path():
    """A sentence may name a path with its host: {base_url}/oauth/token. The table has that host."""
    checked, wrong = 0, []
    for document in documents.paths():
        for setting, patterns in HOSTS.items():
            for rest in (ROOT / document).read_text(encoding="utf-8").split(f"{{{setting.replace('-', '_')}}}/")[1:]:
                path = "/" + "".join(itertools.takewhile(lambda c: c.isalnum() or c in "/-_.<>", rest))
                checked += 1
                if not any(matches(pattern, path) for pattern in patterns):
                    wrong.append((str(document), setting, path))
    assert checked > 20 and wrong == []
