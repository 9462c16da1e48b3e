"""The names that Python files of tests/ and bench/ import from each other exist."""

import ast
import functools
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("tests", "bench") for path in (REPOSITORY / folder).rglob("*.py")
               if not {"node_modules", "build"} & set(path.parts))
MODULES = {path.stem: path for path in FILES}


@functools.cache
def names(path):
    """Returns all names that a module defines, including those within conditions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
    return found


def missing(path):
    """Returns the imported names that their modules do not define, as module.name."""
    return [f"{node.module}.{alias.name}" for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module in MODULES
            for alias in node.names if alias.name not in names(MODULES[node.module])]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_imported_name_exists(path):
    assert missing(path) == []


def test_a_missing_name_is_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from processes import PATIENCE, never_there\n")
    assert missing(wrong) == ["processes.never_there"]
