"""share_groups: another account's requests while one account requests as much as its limits permit."""

import json
import signal
import statistics
import time

from .list_groups import PAGE
from .loads import Load
from .results import at_most

FLOOD, OTHER = 40_001, 40_002
CLIENTS = 32  # connections of the flood, which never pause after a refusal
# Clients of another account, and their pause in ms: they leave the pool free most of the time.
OTHERS, PAUSE = 8, 20
LEAD = 0.5  # s that the others run before the flood


def _catalog(bench):
    """A page of large records, and an account with a few small ones."""
    file = bench.directory / "shares.jsonl"
    film = {"kind": "media", "type": "Video", "name": "A film", "status": "ready", "created": "2026-01-01T00:00:00Z",
            "updated": "2026-01-01T00:00:00Z", "assets": [{"type": "mp4", "url": "/files/a.mp4", "bandwidth": 1}]}
    lines = []
    for account in (FLOOD, OTHER):
        lines.append({"kind": "account", "id": account, "name": "Shares", "host": f"shares{account}.svc.localhost",
                      "url": f"https://shares{account}.svc.localhost", "oauth_enabled": True})
        lines += [{**film, "id": f"s{account}{number:04}", "account_id": account,
                   "description": "d" * (9000 if account == FLOOD else 100)} for number in range(PAGE)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def _beside(others, flood, seconds):
    """The figures of the others, which begin LEAD seconds before the flood."""
    first, second = others.start(), None
    try:
        time.sleep(LEAD)
        second = flood.start()
        time.sleep(seconds)
        first.send_signal(signal.SIGINT)
        return others.finish(first)
    finally:
        if second:
            second.send_signal(signal.SIGINT)
            flood.finish(second)
        first.kill()


def shares(bench):
    """The latency of another account's requests, with and without a flood of the first."""
    front, settings = bench.service, bench.settings
    front.svcctl("import", _catalog(bench))
    paths = {account: f"access_token={bench.granted.token_of(account)}" for account in (FLOOD, OTHER)}
    page = bench.requests.file("shares-page", [f"/v1/medias?per_page={PAGE}&{paths[FLOOD]}"])
    small = bench.requests.file("shares-small", [f"/v1/{name}?{paths[OTHER]}" for name in ("account", "medias/s400020001", "projects")])
    flood = Load("the flood", front.url, page, connections=CLIENTS, refusals="any")
    others = Load("others", front.url, small, connections=OTHERS, pause=PAUSE)
    alone, beside = [], []
    for turn in range(settings.rounds):
        bench.progress.say(f"shares: round {turn + 1} of {settings.rounds}")
        alone.append(others.measure(settings.seconds))
        beside.append(_beside(others, flood, settings.seconds))
    bench.results.figures("shares", alone=alone, beside=beside)
    for part, need in (("p50", None), ("p99", at_most(2))):
        bench.results.row("shares", f"{part} of others beside an account whose {CLIENTS} clients ask for large pages, against without",
                          statistics.median(each[part] for each in beside) / statistics.median(each[part] for each in alone), need, " ×")
