"""A rule for coroutines (worker/loop/task.h) that neither the compiler nor clang-tidy knows."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINDING = re.compile(r"auto\s*&{0,2}\s*\[[^]]*\]\s*=\s*co_await")


def test_no_structured_binding_takes_the_result_of_co_await():
    assert BINDING.search("const auto [a,\n b] = co_await both;")
    files = [path for folder in ("worker", "tests", "bench") for path in (ROOT / folder).rglob("*")
             if path.suffix in {".h", ".cpp"}]
    assert len(files) > 500
    found = [str(path.relative_to(ROOT)) for path in files
             if BINDING.search(re.sub(r"//.*", "", path.read_text(errors="replace")))]
    assert found == [], "name the result on a line of its own"
