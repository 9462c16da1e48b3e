"""report: the measurements as one HTML file that loads nothing: tables, plots, the machine, and how to read it."""

import re
import statistics
from pathlib import Path

from . import peers, plots, results
from .plots import escape
from .results import number

STYLE = Path(__file__).with_name("report.css")
LIMITS = {peers.RETURN, peers.FASTCGI_CACHE, peers.CONSTANT, peers.ONE_GET}
KEY = (("ours", "the service"), ("limit", "a limit: answers without work"), ("other", "what people would use instead"))
PARTS = (("nginx", "nginx"), ("workers", "workers"), ("Redis", "redis"))
SERIES = ("ours", "second", "third")


def _kind(name):
    return "ours" if name.startswith("svc") else "limit" if name in LIMITS else "other"


def _items(rounds, field="rate", order=True):
    found = [(name, _kind(name), [each[field] for each in got]) for name, got in rounds.items()]
    return sorted(found, key=lambda item: -statistics.median(item[2])) if order else found


def _percentile_items(rounds):
    found = [(name, _kind(name), {key: statistics.median(each[key] for each in got) for key, _ in plots.PERCENTILES})
             for name, got in rounds.items()]
    return sorted(found, key=lambda item: item[2]["p99"])


def _cpu_items(rounds):
    found = [(name, _kind(name), {part: statistics.median(each["cpu"].get(part, 0) for each in got)
                                  for part, _ in PARTS})
             for name, got in rounds.items()]
    return sorted(found, key=lambda item: sum(item[2].values()))


def _processor_time(items):
    return plots.figure("Processor time a request",
                        "Microseconds that nginx, the workers and Redis ran for one request of that load, medians of "
                        "the rounds. A busy machine changes these less than it changes throughput.",
                        plots.stacks(items, PARTS, "µs"), [(style, part) for part, style in PARTS])


def _numbers(rounds):
    """Every round, folded away."""
    fields = ("rate", "p50", "p90", "p99", "p999", "max")
    body = "".join(
        f"<tr><td>{escape(name)}</td><td class=number>{index + 1}</td>"
        + "".join(f"<td class=number>{escape(number(each[field]))}</td>" for field in fields) + "</tr>"
        for name, got in rounds.items() for index, each in enumerate(got))
    heads = "".join(f"<th class=number>{head}</th>" for head in (
        "Round", "a second", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "most ms"))
    return ("<details><summary>Every round</summary><div class=scroll><table><thead><tr><th>Load</th>"
            f"{heads}</tr></thead><tbody>{body}</tbody></table></div></details>")


# ---- one function a group: its plots ------------------------------------------------------------------


def _hot(data, settings):
    what = (f"Requests a second, {data['connections']} connections, a thousand media by a Zipf law, {data['bytes']} "
            f"bytes an answer, {settings['rounds']} rounds of {number(settings['seconds'])} s in turn. The bar is the "
            "median, each dot a round.")
    return (plots.figure("Throughput of the hot set", what, plots.bars(_items(data["rounds"]), "requests a second"),
                         KEY)
            + _processor_time(_cpu_items(data["rounds"]))
            + plots.figure("Latency at full load",
                           "In that same closed loop, where everybody waits for everybody: from the median (the large "
                           "dot) by p90 and p99 (the ring) to p99.9, medians of the rounds, in ms. The scale is in "
                           "powers of ten.", plots.percentiles(_percentile_items(data["rounds"])), KEY)
            + _numbers(data["rounds"]))


def _latency(data, _):
    out = ""
    for share, rounds in data["rounds"].items():
        rate = data["most"] * float(share)
        out += plots.figure(
            f"Latency at {float(share):.0%} of the most that the service answers",
            f"An open loop of {number(rate)} requests a second, whether answers are late or not: from the median (the "
            "large dot) by p90 and p99 (the ring) to p99.9, medians of the rounds, in ms.",
            plots.percentiles(_percentile_items(rounds)), KEY) + _numbers(rounds)
    return out


def _catalog(data, settings):
    series = [(mode, SERIES[index], [[each["rate"] for each in data["rounds"][f"{mode}: {size}"]]
                                     for size in data["sizes"]])
              for index, mode in enumerate(data["modes"])]
    labels = [f"{size:,}".replace(",", "\u202f") + " media" for size in data["sizes"]]
    what = ("Requests a second, each for a media that is drawn evenly from so many of one catalog. Vertical lines go "
            "from the slowest round to the fastest. The import of the whole took "
            f"{number(data['sizes'][-1] / data['import_rate'])} s.")
    return (plots.figure("Cost against catalog size", what, plots.lines(series, labels, "requests a second"),
                         [(kind, name) for name, kind, _ in series])
            + _processor_time([(name + " media", kind, values) for name, kind, values in _cpu_items(data["rounds"])])
            + _numbers(data["rounds"]))


def _workers(data, _):
    points = [[each["rate"] for each in data["rounds"][str(count)]] for count in data["counts"]]
    labels = [f"{count} worker" + ("s" if count > 1 else "") for count in data["counts"]]
    what = ("Requests a second of pools with so many workers, the micro-cache off. nginx, Redis and the load run on "
            "the same cores, so the line flattens where those are spent.")
    return (plots.figure("Cost against workers", what,
                         plots.lines([("svc", "ours", points)], labels, "requests a second"))
            + _numbers(data["rounds"]))


def _scenarios(data, _):
    what = ("Requests a second of the service as shipped. The mix of a day is 70 % hot, 10 % any media, 8 % mixed, 6 % "
            "manifests, 3 % unknown ids, 2 % bearer checks, 1 % refresh grants.")
    rounds = {f"svc: {name}": got for name, got in data["rounds"].items()}
    items = [(name[5:], kind, values) for name, kind, values in _items(rounds)]
    times = [(name, "", values) for name, _, values in _cpu_items(data["rounds"])]
    return (plots.figure("Other scenarios", what, plots.bars(items, "requests a second", plain=True))
            + _processor_time(times)
            + _numbers(data["rounds"]))


def _storm(data, _):
    what = (f"Requests a second for the hot set, alone and while an open loop asks for {data['storm_rate']} random ids "
            "a second.")
    return (plots.figure("Random ids beside the hot set", what,
                         plots.bars(_items(data["rounds"], order=False), "requests a second", plain=True))
            + _numbers(data["rounds"]))


def _changes(data, _):
    out = plots.strip("each worker, asked directly", "ours", data["workers_ms"], 50, "ms")
    if data["micro_cache_ms"]:
        out += plots.strip("through nginx as shipped", "ours", data["micro_cache_ms"], 2000, "ms")
    return plots.figure("A media changes",
                        "From the moment that Redis has the changed media until the old answer is gone: one dot a "
                        "worker and change. The dashed line is what must not be passed.", out)


def _oauth(data, _):
    texts = (("refresh", "Refresh grants",
              "One access token each, no rotation; Redis syncs every write; 32 connections; the peers run two "
              "processes each."),
             ("exchange", "Code exchanges", "Each code once, for an access and a refresh token."),
             ("bearer", "Bearer checks",
              "An API request with an access token; the service also answers with the media."))
    return "".join(
        plots.figure(title, "Requests a second. " + what, plots.bars(_items(data[key]), "requests a second"),
                     (KEY[0], KEY[2]))
        + _numbers(data[key]) for key, title, what in texts)


def _logins(data, _):
    beside = {f"svc, {name}": got for name, got in data["beside"].items()}
    return plots.figure(
        "Refresh grants beside logins",
        f"Two connections that refresh tokens, while {number(data['logins'])} people a second log in, each for a "
        "password hash; in ms.", plots.percentiles(_percentile_items(beside))) + _numbers(data["beside"])


def _against(data, settings):
    what = (f"Requests a second of this checkout and of the other, {settings['rounds']} rounds in turn. The bar is the "
            "median, each dot a round.")
    return "".join(
        plots.figure(f"This and the other: {name}", what, plots.bars(
            [(side, "ours" if side == "this" else "", [each["rate"] for each in rounds[side]])
             for side in ("this", "other")],
            "requests a second")) + _numbers({f"{side}: {name}": rounds[side] for side in rounds})
        for name, rounds in data["rounds"].items())


def _functions(data, _):
    items = [(_spelled(name), "ours", [value]) for name, value in sorted(data["ns"].items(), key=lambda pair: -pair[1])]
    return plots.figure("What single functions cost",
                        "Nanoseconds of processor time a call, medians of five runs, by Google Benchmark.",
                        plots.bars(items, "ns", plain=True))


def _spelled(name):
    """BM_RendersJson/OpenGraphTags: renders JSON, open graph tags."""
    first, _, rest = name.removeprefix("BM_").partition("/")

    def words(text):
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text.replace("_", " ")).lower()
        return re.sub(r"\b(json|jsonp|xml|url|hmac|html|hls|ascii)\b", lambda word: word.group(0).upper(), text)
    text = words(first)
    return text[:1].upper() + text[1:] + (f": {words(rest)}" if rest else "")


PLOTS = {"hot": _hot, "latency": _latency, "catalog": _catalog, "workers": _workers, "scenarios": _scenarios,
         "storm": _storm,
         "changes": _changes, "oauth": _oauth, "logins": _logins, "against": _against, "functions": _functions}


# ---- the page -----------------------------------------------------------------------------------------


def _table(rows, titles):
    out, last = "", None
    for row in rows:
        if row["group"] != last:
            last = row["group"]
            out += f'<tr class="group"><th colspan="5">{escape(titles.get(last, last))}</th></tr>'
        word = results.verdict(row)
        kind = {"met": "met", "MISSED": "missed", results.MISSING: "absent"}.get(word, "")
        measured = "" if row["measured"] is None else number(row["measured"]) + row["unit"]
        gauge = plots.bullet(row["measured"], row["needed"], row["relation"]) if row["met"] is not None else ""
        note = f'<span class="note">{escape(row["note"])}</span>' if row["note"] else ""
        out += (f'<tr><td class="what">{escape(row["what"])}{note}</td><td class="number">{escape(measured)}</td>'
                f'<td class="needed">{escape(row["needed_text"])}</td><td class="gauge">{gauge}</td>'
                f'<td class="word {kind}">{escape(word.lower())}</td></tr>\n')
    return ('<table class="needs"><thead><tr><th>What</th><th class="number">Measured</th><th>Needed</th>'
            f'<th></th><th>Result</th></tr></thead><tbody>{out}</tbody></table>')


def _machine(data):
    on, settings = data["machine"], data["settings"]
    facts = [("Processor", f"{on['processor']}, {on['cores']} cores"), ("Memory", f"{on['memory_gib']} GiB"),
             ("System", f"{on['system']}, kernel {on['kernel']}"),
             ("Versions", ", ".join(f"{name} {version}" for name, version in on["versions"].items() if version)),
             ("Load", f"{settings['workers']} workers and as many processes of each oEmbed peer, two of each grant "
                      "peer; nginx with a worker a core; load generator, Redis and everything else on the same cores"),
             ("Rounds", f"{settings['rounds']} of {number(settings['seconds'])} s, all loads of a group in turn"),
             ("Busy before", f"{on['busy_before']:.0%} of the cores, by something else"),
             ("Took", f"{int(data['took_seconds']) // 60} min {int(data['took_seconds']) % 60} s")]
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts) + "</dl>"


def _warnings(data):
    found = []
    if data["machine"]["busy_before"] > 0.1:
        found.append(f"Something else used {data['machine']['busy_before']:.0%} of the cores when this began, so "
                     "figures are lower than they would be, and vary more.")
    if data["settings"]["quick"]:
        found.append("A quick run: short rounds, fewer peers, a small catalog. Good for a look, not for a verdict.")
    found += [f"{failure['group']} did not finish: {failure['problem'].splitlines()[0]}"
              for failure in data["failures"]]
    return "".join(f'<p class="warning">{escape(text)}</p>' for text in found)


def html(data, titles):
    shown = results.Results()
    shown.rows = data["rows"]
    met, missed, absent = shown.counts()
    when = data["began"].replace("T", " ").replace("+00:00", " UTC")
    sections = "".join(
        f'<section id="{name}"><h2>{escape(titles[name])}</h2>{PLOTS[name](figures, data["settings"])}</section>\n'
        for name in titles if name in PLOTS and (figures := data["groups"].get(name)))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc bench, {escape(when)}</title>
<style>
{STYLE.read_text()}</style>
</head>
<body>
<main>
<h1>The service, beside what people would pick instead</h1>
<p class="lead">Measured {escape(when)} on {escape(data['machine']['processor'])} with {data['machine']['cores']} cores,
everything on this one machine. Ratios are medians of the rounds' own ratios; figures of another machine or another day
do not compare.</p>
<ul class="tiles">
<li><b class="word met">{met}</b> met</li>
<li><b class="word missed">{missed}</b> missed</li>
<li><b class="word absent">{absent}</b> not measured</li>
</ul>
{_warnings(data)}
<h2>What was needed</h2>
<p class="quiet">The mark is what is needed: a bar that reaches it is met, and the further beyond, the better.</p>
{_table(data["rows"], titles)}
{sections}
<section id="machine"><h2>Machine and method</h2>
{_machine(data)}
</section>
</main>
</body>
</html>
"""
