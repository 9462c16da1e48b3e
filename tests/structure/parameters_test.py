"""The parameters of /oembed: the contract and nginx's micro-cache name all that the code reads."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def parameters():
    reads = re.findall(r'given\.\w+\(([^)]*)', read("worker/embed/embed_request.cpp"))
    names = {name for arguments in reads for name in re.findall(r'"(\w+)"', arguments)}
    assert len(names) > 8
    return names | {"format"}


def test_the_contract_lists_every_parameter():
    section = read("tests/contract/oembed.md").split("\n## Parameters\n")[1].split("\n## ")[0]
    listed = {name for cell in re.findall(r"(?m)^\|(.*?)\|", section) for name in re.findall(r"`(\w+)`", cell)}
    assert listed == parameters() | {"url", "callback"}


def test_operations_N6_the_micro_cache_knows_every_parameter():
    """Otherwise each request with it goes to a worker."""
    names = re.search(r"\( (format \|[^)]*)\)", read("nginx/svc-micro-cache.conf")).group(1)
    kept = set(names.replace("|", " ").split())
    assert kept >= parameters()
    options = set(re.findall(r'"(\w+)"', read("worker/embed/player_options.cpp").split("static_assert")[0]))
    assert kept - parameters() <= options
