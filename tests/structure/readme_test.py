"""The documents: their links and the paths that they name exist, README.md stays short, and their lists agree with the
code."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import documents  # noqa: E402  # its folder is not installed
import facts  # noqa: E402

FOLDERS = ("worker", "nginx", "systemd", "tests", "bench", "scripts")
# Examples, and files that a run creates.
PLACEHOLDERS = ("NAME", "STORE", "KIND", "ROLE", "…", "<", "*")
each_document = pytest.mark.parametrize("path", documents.paths(), ids=str)


def is_example(word):
    return any(placeholder in word for placeholder in PLACEHOLDERS)


@each_document
def test_every_link_leads_somewhere(path):
    assert documents.dead_links(path) == []


def is_built(word):
    """Whether a build makes it, so that a fresh clone lacks it."""
    return subprocess.run(["git", "check-ignore", "-q", f"{word}/"], cwd=ROOT, check=False).returncode == 0


@each_document
def test_every_path_that_is_named_exists(path):
    words = [word for word in documents.codes(*documents.tokens(path)) if word.split("/")[0] in FOLDERS and "/" in word]
    assert [word for word in words
            if not (" " in word or is_example(word) or (ROOT / word).exists() or is_built(word))] == []


def rows_of_additions():
    """The rows of the tables in "How to add" of worker/README.md that have files: [(words, files, names)]. A file without
    a folder is in that of the file before it. A name is a function, constant or test."""
    rows = []
    for row in documents.rows(documents.tokens("worker/README.md", "How to add")):
        files, names = [], []
        words = documents.codes(*row)
        for word in words:
            *_, last = word.removesuffix("()").replace("::", ".").split(".")
            if word.startswith(tuple(f"{folder}/" for folder in FOLDERS)) or word == "CMakeLists.txt":
                files.append(word)
            elif files and "/" not in word and Path(word).suffix in (".cpp", ".h", ".py", ".js", ".conf", ".md"):
                files.append(f"{files[-1].rpartition('/')[0]}/{word}")
            elif last.isidentifier() and len(last) > 3 and not is_example(word):
                names.append(last)
        if files:
            rows.append((words, files, names))
    return rows


def test_the_tables_of_additions_name_existing_files_and_their_names():
    rows = rows_of_additions()
    assert len(rows) > 45 and sum(len(names) for _, _, names in rows) > 40
    wrong = []
    for row, files, names in rows:
        paths = [ROOT / file for file in files if not is_example(file)]
        wrong += [(row, str(path.relative_to(ROOT))) for path in paths if not path.exists()]
        text = "".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
        wrong += [(row, name) for name in names if text and name not in text]
    assert wrong == []


def test_the_first_page_stays_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_all_documents_stay_short():
    """Apart from the pages for developers, which the service shows. If there are more words, say what another document says
    only once: a link costs less."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    words = {name: len((ROOT / name).read_text(encoding="utf-8").split()) for name in listed.split("\0")
             if name and not name.startswith("worker/pages/developers/")}
    assert len(words) > 10 and sum(words.values()) <= 45_000, sorted(words.items(), key=lambda each: -each[1])


def first_cells(table):
    return documents.codes(*(row[0] for row in table))


def test_the_contract_lists_every_parameter():
    listed = first_cells(documents.rows(documents.tokens("tests/contract/oembed.md", "Parameters")))
    words = {word for word in listed if word.isidentifier()}
    assert words == {*facts.printed()["parameters"], "url", "format", "callback"}


def explained(page, section):
    return [name for names, _ in documents.manual(page, section) for name in names]


def test_the_manual_explains_every_event_of_the_audit_trail():
    events = {event for event, _ in facts.printed()["audit events"]}
    found = explained("svcctl", "AUDIT TRAIL")
    assert sorted(name for name in found if name in events) == sorted(events)
    assert {*found} - events == {"id", "time", "what", "contact", "account", "client", "contact_email", "account_name",
                                 "client_name", "address", "detail"}, "keys of --json"


def test_the_manual_explains_every_event_of_the_log():
    section = documents.manual("svc-worker", "LOG EVENTS")
    assert {*facts.printed()["log events"]} <= {name for names, words in section for name in (*names, *words)}
