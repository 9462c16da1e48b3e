"""How the programs were compiled, read from the programs: rule operations-P45."""

import platform
import re
import subprocess

import pytest

from processes import PATIENCE
from stack import program

PROGRAMS = ("svc-worker", "svcctl", "svc-ingest", "svc-courier", "svc-keeper", "svc-repair-state")
BRANCHES = {"x86_64": ("-fcf-protection", "endbr64"), "aarch64": ("-mbranch-protection=standard", "bti")}
FLAGS = {"-fstack-protector-strong", "-fstack-clash-protection", "-ftrivial-auto-var-init=zero"}


def read(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_operations_P45_every_unit_is_compiled_with_protection(name):
    """The compiler notes its options with each unit. Those of libraries that are linked statically are theirs."""
    units = re.findall(r"DW_AT_producer *: (.*)", read("readelf", "--debug-dump=info", "--dwarf-depth=1", program(name)))
    ours = [unit for unit in units if "C++20" in unit or "C++2a" in unit]
    assert ours
    branches, _ = BRANCHES[platform.machine()]
    for unit in ours:
        options = unit.split()
        assert FLAGS <= {*options} and any(option.startswith(branches) for option in options), unit


@pytest.mark.parametrize("name", PROGRAMS)
def test_operations_P45_the_protection_is_in_the_program(name):
    file = program(name)
    symbols = read("nm", "-D", file)
    # The check of an index, of a canary, and of a buffer's size, of which svc-repair-state has none.
    sizes = ("_chk@GLIBC",) * (name != "svc-repair-state")
    for symbol in ("__glibcxx_assert_fail", "__stack_chk_fail", *sizes):
        assert symbol in symbols, symbol
    begin = re.search(r"<main>:\n.*?\t.*?\t(\S+)", read("objdump", "-d", "--disassemble=main", file))
    assert begin[1] == BRANCHES[platform.machine()][1]
    headers = read("readelf", "-W", "-l", "-d", file)
    assert "GNU_RELRO" in headers and "BIND_NOW" in headers and re.search(r"GNU_STACK .* RW ", headers)
    assert "DYN (" in read("readelf", "-h", file), "loaded at a random address"
