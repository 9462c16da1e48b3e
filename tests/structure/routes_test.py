"""operations-N69: the path, the host and the pool of an endpoint are written once: path and hosts in worker/base/paths.h,
the pool in the table of routes. nginx's files and the documents are derived, links are made from the constants."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATHS, TABLE = "worker/base/paths.h", "worker/app/routes.h"
# Why a file has paths of its own.
EXCEPTIONS = {
    "nginx/svc-micro-cache.conf": "one regular expression for path and query: which parameters may be cached",
    "systemd/monitoring/prometheus.yml": "an example that operators copy: Prometheus has no include",
}
ROWS = dict(re.findall(r'(?s)Path (k\w+)\{\s*"([^"]+)",', (ROOT / PATHS).read_text()))
PAIRS = re.findall(r"\{RouteId::(\w+), paths::k(\w+), Role::\w+,", (ROOT / TABLE).read_text())
# The part of each path before its first placeholder. Locations of files are written by hand.
TYPED = "|".join(map(re.escape, sorted({re.split(r"[{*]", ROWS[f"k{name}"])[0] for _, name in PAIRS} - {"/"}, key=len, reverse=True)))
# A URL that is put together, and a request that a pool gets. Which host and which pool have a path, only the table says.
BY_HOST = r"\b(?:app_url|base_url|oembed_url|embed_host)\b\)?\s*\+"
BY_POOL = r"\bsvc_(?:embed|grant|web|upload);"


def without_comments(file):
    """Returns the text without comments and without what scripts/derive-routes makes."""
    text = file.read_text(encoding="utf-8")
    if "Made from the table of routes" in text[:400]:
        return ""
    if file.suffix in (".cpp", ".h"):
        return re.sub(r"(?m)//.*$", "", text)
    return re.sub(r"(?m)^\s*#.*$", "", re.sub(r"(?ms)^ *# routes: .*?# end of routes$", "", text))


def files():
    found = [*(ROOT / "nginx").glob("*.conf"), *(ROOT / "systemd").rglob("*"),
             *(path for ending in ("cpp", "h", "tpl") for path in (ROOT / "worker").rglob(f"*.{ending}"))]
    return {str(path.relative_to(ROOT)): path for path in sorted(found) if path.is_file() and path.suffix not in (".md", ".json")}


def typed_paths(file):
    text = without_comments(file)
    if file.suffix in (".cpp", ".h"):
        text = "\n".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text))
    return sorted(set(re.findall(rf"(?<![\w./$<-])(?:{TYPED})(?![\w-])", text)))


def test_operations_N69_a_path_is_typed_nowhere_else():
    found = {name: paths for name, path in files().items() if name not in (PATHS, *EXCEPTIONS) if (paths := typed_paths(path))}
    assert len(ROWS) > 40 and found == {}, f"take it from {PATHS}, or run scripts/derive-routes"


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_each_exception_is_needed(name):
    assert typed_paths(ROOT / name)


def test_operations_N69_each_row_is_that_of_its_constant():
    files_of_nginx = re.findall(r"(?m)^    \{paths::(k\w+), \"", (ROOT / TABLE).read_text())
    assert [(one, other) for one, other in PAIRS if one != other] == []
    assert sorted([f"k{name}" for name, _ in PAIRS] + files_of_nginx) == sorted(ROWS)


def test_a_path_for_programs_is_in_the_contract():
    """Without a rule it would have no test either. Paths of pages are in their rules by name."""
    text = (ROOT / PATHS).read_text()
    hosts = dict(re.findall(r"(?s)Path (k\w+)\{\s*\"[^\"]+\",\s*hosts::(\w+)\}", text))
    contract = "".join(path.read_text() for path in (ROOT / "tests/contract").glob("*.md"))
    found = [path for name, path in ROWS.items() if hosts.get(name) in ("kApi", "kOembed")]
    assert len(found) > 8 and [path for path in found if re.split(r"[{*]", path)[0] not in contract] == []


def test_operations_N69_a_link_does_not_choose_the_host_of_its_path():
    found = {name: links for name, path in files().items() if path.suffix in (".cpp", ".h")
             if (links := re.findall(BY_HOST, without_comments(path)))}
    assert found == {}, "use Site::url() of the path's constant"


def test_operations_N69_documents_name_the_host_that_has_the_path():
    """A sentence may name a path with its host: {base_url}/oauth/token. The table has that host."""
    text = (ROOT / PATHS).read_text()
    hosts = {name: re.findall(r"hosts::k(\w+)", of) for name, of in re.findall(r"(?s)Path (k\w+)\{\s*\"[^\"]+\",([^}]*)\}", text)}
    named = {setting.replace("-", "_"): host for host, setting in re.findall(r'\{hosts::k(\w+), "\w+", "([\w-]+)"', (ROOT / TABLE).read_text())}
    assert sorted(named) == ["app_url", "base_url", "embed_host", "oembed_url"] and len(hosts) == len(ROWS)
    patterns = {name: re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)).replace(r"/\*\*", "(/.*)?").replace(r"\*", ".*"))
                for name, path in ROWS.items()}
    checked, wrong = 0, []
    for file in (*ROOT.glob("*.md"), *(each for folder in ("worker", "nginx", "systemd", "tests/contract") for ending in ("md", "h", "in")
                                       for each in (ROOT / folder).rglob(f"*.{ending}") if "node_modules" not in each.parts)):
        for setting, path in re.findall(rf"\{{({'|'.join(named)})\}}(/[^\s`\"?\[|,)]*)", file.read_text(encoding="utf-8")):
            having = {host for name, pattern in patterns.items() if pattern.fullmatch(path) for host in hosts[name]}
            checked += 1
            if not having & {named[setting], "Every"}:
                wrong.append((str(file.relative_to(ROOT)), setting, path))
    assert checked > 20 and wrong == []


def test_operations_N69_a_path_is_handed_to_its_pool_by_derived_lines_only():
    """A file by hand may say how a pool is asked, without a location; or be a location of nginx's own."""
    found = {}
    for name, path in files().items():
        if path.suffix != ".conf" or not name.startswith("nginx/"):
            continue
        for where, what in re.findall(r"\blocation ([^{]+)\{([^{}]*)", without_comments(path)):
            if re.search(rf"fastcgi_pass {BY_POOL}|include svc/svc-fastcgi-", what) and not re.match(r"(?:= |\^~ )?(?:@svc_|/svc-)", where):
                found.setdefault(name, []).append(where.strip())
    assert found == {}, "scripts/derive-routes writes the location"
