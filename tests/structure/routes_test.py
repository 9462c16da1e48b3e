"""operations-N69: a path of the table of routes is typed in no other file of nginx, systemd and the programs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = "worker/app/routes.h"
# Why a file or a folder has paths of its own.
EXCEPTIONS = {
    "nginx/svc-micro-cache.conf": "one regular expression for path and query: which parameters may be cached",
    "worker/embed/": "addresses inside of embed codes and responses",
    "worker/endpoints/": "the beginning of a path, before its id",
    "worker/oauth/authorization_link.cpp": "a link of svcctl",
    "worker/pages/": "links and forms of pages",
    "worker/app/options.cpp": "the help of a setting",
}
# The part of each public path before its first placeholder.
PATHS = sorted({re.split(r"[{*]", pattern)[0] for pattern in re.findall(
    r'\{RouteId::\w+,\s+"([^"]+)", k(?!Internal)', (ROOT / TABLE).read_text())} - {"/"}, key=len, reverse=True)
TYPED = re.compile(rf"(?<![\w./$-])(?:{'|'.join(map(re.escape, PATHS))})(?![\w-])")


def hand_written(file):
    """Returns the text without comments and without what scripts/derive-routes makes."""
    text = file.read_text(encoding="utf-8")
    if "Made from the table of routes" in text[:400]:
        return ""
    if file.suffix in (".cpp", ".h"):
        return "\n".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r"(?m)//.*$", "", text)))
    return re.sub(r"(?m)^\s*#.*$", "", re.sub(r"(?ms)^ *# routes: .*?# end of routes$", "", text))


def files():
    found = [*(ROOT / "nginx").glob("*.conf"), *(ROOT / "systemd").rglob("*"),
             *(path for ending in ("cpp", "h", "tpl") for path in (ROOT / "worker").rglob(f"*.{ending}"))]
    return {str(path.relative_to(ROOT)): path for path in sorted(found) if path.is_file() and path.suffix not in (".md", ".json")}


def typed(name, path):
    return sorted(set(TYPED.findall(hand_written(path)))) if name != TABLE else []


def test_operations_N69_a_path_of_the_table_is_typed_nowhere_else():
    found = {name: paths for name, path in files().items() if not name.startswith(tuple(EXCEPTIONS))
             if (paths := typed(name, path))}
    assert found == {}, f"take it from {TABLE}, or run scripts/derive-routes"


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_each_exception_is_needed(name):
    assert any(typed(file, path) for file, path in files().items() if file.startswith(name))
