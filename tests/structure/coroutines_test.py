"""Rules for coroutines (worker/loop/task.h) that neither the compiler nor clang-tidy knows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINDING = re.compile(r"auto\s*&{0,2}\s*\[[^]]*\]\s*=\s*co_await")
# `loop::Task<bool> name = call();` or `auto name = call();`, and the statement after it.
NAMED = re.compile(r"^( *)(?:const )?(?:auto|(?:loop::)?Task<[^;={}()\n]*>) (\w+) =\s+"
                   r"((?:[^;{}]|\{[^;{}]*\})*);(?=\s+([^;]*))", re.M)
AWAITED = re.compile(r"co_await ")
# Each of these tasks is one of several that run at the same time.
SEVERAL = re.compile(r"loop::all\(")
# An argument that makes an object: a braced list, a lambda, a text.
MADE = re.compile(r"\{|\[[&=\]]|\[\w+ = |\bstd::(?:string|vector|function)(?:<[^()]*>)?\(")


def sources(*folders):
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".h", ".cpp"}]
    assert len(files) > 300
    return [(str(path.relative_to(ROOT)), re.sub(r"//.*", "", path.read_text(errors="replace"))) for path in files]


def idle_names(text):
    """The names of tasks that only the next statement has: it could await the call itself."""
    found = []
    for indent, name, call, following in NAMED.findall(text):
        awaited = re.search(rf"^(?:[^(]*|if \([^()]*)\bco_await {name}\b", following)
        if awaited and "co_await" not in call and not SEVERAL.search(call) and not following.startswith("try"):
            found.append(name)
    return found


def awaited_calls(text):
    """The arguments of each call that is awaited where it is made."""
    for start in AWAITED.finditer(text):
        opening = re.match(r"[\w:.>*-]+(?:<[^;(){}]*>)?\(", text[start.end():])
        if not opening:
            continue
        depth, at = 1, start.end() + opening.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield text[start.end():at]


def test_no_structured_binding_takes_the_result_of_co_await():
    assert BINDING.search("const auto [a,\n b] = co_await both;")
    found = [path for path, text in sources("worker", "tests", "bench") if BINDING.search(text)]
    assert found == [], "name the result on a line of its own"


def test_a_task_is_awaited_where_it_is_made():
    found = [(path, name) for path, text in sources("worker") for name in idle_names(text)]
    assert found == [], "await the call; if an argument is a temporary, name that"


def test_what_is_awaited_makes_no_objects_among_its_arguments():
    found = [(path, call) for path, text in sources("worker") for call in awaited_calls(text) if MADE.search(call)]
    assert found == [], "name the argument on a line of its own"


@pytest.mark.parametrize("text, names", [
    ("  auto finding = find(id);\n  const auto media = co_await finding;\n", ["finding"]),
    ("  loop::Task<> adding =\n      add(id);\n  co_await adding;\n", ["adding"]),
    ("  Task<bool> taking = take(id);\n  if (!co_await taking) continue;\n", ["taking"]),
    ("  const auto reply = co_await call;\n  auto finding = find(id);\n  media = co_await finding;\n", ["finding"]),
    ("  auto finding = find(id);\n  const auto reply = co_await call;\n  const auto media = co_await finding;\n", []),
    ("  auto both = loop::all(find(id), find(other));\n  auto found = co_await both;\n", []),
    ("  auto adding = add(id);\n  try {\n    co_await adding;\n  }\n", []),
])
def test_a_name_that_says_nothing_is_found(text, names):
    assert idle_names(text) == names


@pytest.mark.parametrize("call, is_made", [
    ("find(id, std::move(other))", False),
    ("find({id})", True),
    ("edit(id, [&](Media& media) { return true; })", True),
    ("find(std::string(text))", True),
])
def test_an_argument_that_makes_an_object_is_found(call, is_made):
    (found,) = awaited_calls(f"co_await {call};")
    assert bool(MADE.search(found)) == is_made
