"""The documents: their links lead somewhere, the paths that they name exist, the first one stays short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = re.compile(r"(^|/)(build[^/]*|node_modules|\.[^/]+)/")
DOCUMENTS = sorted(path for depth in ("", "*/", "*/*/") for path in ROOT.glob(f"{depth}*.md")
                   if not SKIPPED.search(str(path.relative_to(ROOT))))
FOLDERS = ("worker", "nginx", "systemd", "tests", "bench", "scripts")
# Examples, and what a run makes.
PLACEHOLDER = re.compile(r"NAME|STORE|KIND|ROLE|…|<|\*")


def without_code(text):
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def anchors(path):
    """As the usual viewers make them of headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", without_code(path.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_that_is_named_exists(path):
    words = re.findall(r"`([^`\s]+)`", without_code(path.read_text(encoding="utf-8")))
    named = [word for word in words if word.split("/")[0] in FOLDERS and "/" in word and not PLACEHOLDER.search(word)]
    assert [word for word in named if not (ROOT / word).exists()] == []


def rows_of_additions():
    """The rows of the tables in "How to add" of worker/README.md that have files: [(row, files, names)]. A file without
    a folder is in that of the file before it. A name is a function, constant or test."""
    text = (ROOT / "worker/README.md").read_text(encoding="utf-8")
    rows = []
    for row in re.findall(r"(?m)^\|.*\|$", text[text.index("## How to add\n"):]):
        files, names = [], []
        for word in re.findall(r"`([^`\s]+)`", row):
            if word.startswith(tuple(f"{folder}/" for folder in FOLDERS)) or word == "CMakeLists.txt":
                files.append(word)
            elif re.search(r"^[\w.-]+\.(?:cpp|h|py|js|conf|md)$", word) and files:
                files.append(f"{files[-1].rpartition('/')[0]}/{word}")
            elif re.fullmatch(r"(?:\w+(?:\.|::))*[A-Za-z]\w{3,}(?:\(\))?", word) and not PLACEHOLDER.search(word):
                names.append(re.split(r"\.|::", word.removesuffix("()"))[-1])
        if files:
            rows.append((row, files, names))
    return rows


def test_the_tables_of_additions_name_existing_files_and_what_they_contain():
    rows = rows_of_additions()
    assert len(rows) > 70 and sum(len(names) for _, _, names in rows) > 40
    wrong = []
    for row, files, names in rows:
        paths = [ROOT / file for file in files if not PLACEHOLDER.search(file)]
        wrong += [(row, str(path.relative_to(ROOT))) for path in paths if not path.exists()]
        text = "".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
        wrong += [(row, name) for name in names if text and not re.search(rf"\b{name}\b", text)]
    assert wrong == []


def test_the_first_page_stays_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_manual_explains_every_event_of_the_audit_trail():
    header = (ROOT / "worker/oauth/audit_event.h").read_text(encoding="utf-8")
    table = header[header.index("kAuditEvents{{"):header.index("// The name of an event.")]
    events = [what for what, kind in re.findall(r'\{"([\w.]+)", "(\w+)"\}', table)]
    assert len(events) == int(re.search(r"AuditEventKind, (\d+)>", header).group(1)) > 20
    manual = (ROOT / "systemd/README.md").read_text(encoding="utf-8")
    section = manual[manual.index("### The audit trail"):manual.index("With `--json`, each event")]
    explained = [name for row in re.findall(r"(?m)^\| (`.*?) \|", section) for name in re.findall(r"`([\w.]+)`", row)]
    assert sorted(explained) == sorted(events)


def test_the_manual_explains_every_event_of_the_log():
    logged = set()
    for path in (ROOT / "worker").rglob("*.cpp"):
        for call in re.findall(r"log::(?:info|warn|error)\(([^{;]*)", path.read_text(encoding="utf-8")):
            logged |= set(re.findall(r'"([a-z]+\.[a-z_-]+)"', call))
    assert len(logged) > 25
    manual = (ROOT / "systemd/README.md").read_text(encoding="utf-8")
    section = manual[manual.index("## Log\n"):manual.index("## Alerts")]
    assert [name for name in sorted(logged) if f"`{name}`" not in section] == []


def test_the_manual_explains_every_key_of_the_status():
    source = (ROOT / "worker/pool/metrics/report.cpp").read_text(encoding="utf-8")
    writes = r'(?:write_(?:integer|optional)\(\w+,|(?:raw|string|integer|decimal|null)\()\s*"(\w+)"'
    keys = set(re.findall(writes, source.split("std::string to_openmetrics")[0]))
    rows = re.findall(r'"(\w+)", "svc_\w+"', (ROOT / "worker/pool/metrics/counters.h").read_text(encoding="utf-8"))
    assert len(rows) > 5
    keys |= set(rows)
    assert len(keys) > 50
    manual = (ROOT / "systemd/README.md").read_text(encoding="utf-8")
    section = manual[manual.index("## Status\n"):manual.index("## Log\n")]
    assert [key for key in sorted(keys) if f"`{key}`" not in section] == []


def test_there_is_something_to_check():
    names = {str(path.relative_to(ROOT)) for path in DOCUMENTS}
    assert names >= {"README.md", "worker/README.md", "tests/README.md", "tests/contract/oauth.md", "bench/README.md"}


def test_operations_U37_every_kind_of_record_has_a_row_with_its_bound():
    """A kind without a row may fill the store unnoticed."""
    kinds = re.findall(r"(?m)^//   (\w+(?::\w+)?)", (ROOT / "worker/redis/keys.h").read_text(encoding="utf-8"))
    text = (ROOT / "systemd/README.md").read_text(encoding="utf-8")
    table = text[text.index("### What clients can store\n"):].split("\n## ")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"(?m)^\|.*\|$", table)[2:]]
    assert all(len(row) == 5 and all(row) for row in rows), rows
    named = [kind for row in rows for kind in re.findall(r"`(\w+(?::\w+)?)", row[0])]
    assert sorted(named) == sorted(kinds)
