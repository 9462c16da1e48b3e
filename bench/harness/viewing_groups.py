"""viewing_groups: what players tell of page views."""

import json

from .loads import Load, OpenLoad, interleave, medians, ratio
from .results import at_least, at_most

MEDIAS = 100
SESSIONS = 900  # one address may begin 1 000 in ten minutes
EVENTS = 50
BESIDE = 2000  # beacons per second during the load of oEmbed
CLIENTS = 64


def _dropped(front):
    """The beacons that were not counted, by reason."""
    lines = front.get("/metrics/embed").decode().splitlines()
    return {line.partition("{")[2].partition("}")[0]: int(float(line.rpartition(" ")[2])) for line in lines
            if line.startswith("svc_viewing_dropped_total") and not line.endswith(" 0")}


class _Beside:
    """An open loop of oEmbed, during a load of beacons that is not measured."""

    def __init__(self, name, load, beacons):
        self.name, self.load, self.beacons = name, load, beacons

    def measure(self, seconds):
        wrk = self.beacons.start()
        try:
            return self.load.measure(seconds)
        finally:
            wrk.kill()
            wrk.wait()


def viewing(bench):
    front, rows = bench.service, bench.results.row
    medias = bench.hot_ids[:MEDIAS]
    tickets = {media: json.loads(front.get(f"/embed/medias/{media}.json"))["viewing"] for media in medias}
    file = bench.requests.beacons(tickets, SESSIONS, EVENTS)
    ready = bench.requests.file("readyz", ["/readyz"])
    health = bench.requests.file("healthz", ["/healthz"])
    figures = bench.rounds("viewing", [
        Load("beacons", front.url, file, parts=front.parts), Load("/readyz", front.url, ready, parts=front.parts),
        Load("/healthz", front.url, health, parts=front.parts)])
    dropped = _dropped(front)
    assert not dropped, dropped
    rows("viewing", "beacons a second", medians(figures)["beacons"], at_least(20_000))
    rows("viewing", "beacons against /readyz", ratio(figures, "beacons", "/readyz"), at_least(0.9), " ×")
    rows("viewing", "beacons against /healthz, which does nothing", ratio(figures, "beacons", "/healthz"), unit=" ×")

    hot = bench.requests.hot(bench.hot_ids)
    most = medians(interleave("viewing: the most oEmbed", [Load("hot", front.url, hot)], 1, bench.settings.seconds,
                              bench.progress))["hot"]
    alone = OpenLoad("alone", front.url, hot, most / 4, bench.directory)
    few = Load("beacons", front.url, file, connections=CLIENTS, pause=round(1000 * CLIENTS / BESIDE))
    beside = _Beside("beside", OpenLoad("beside", front.url, hot, most / 4, bench.directory), few)
    found = bench.rounds("viewing: oEmbed beside beacons", [alone, beside], max(1, bench.settings.short), warm_up=False)
    bench.results.figures("viewing", rounds=figures, beside=found)
    rows("viewing", f"p99 of cached oEmbed beside {BESIDE} beacons a second, against none",
         ratio(found, "beside", "alone", "p99"), at_most(1.1), " ×")
