"""scripts/bench: a short run from end to end, and the report of every group. No test asserts a speed."""

import json
import os
import re
import subprocess

import html5lib
import pytest

import stack as stacks

FIGURES = stacks.REPOSITORY / "tests" / "data" / "bench" / "figures.json"
LOAD = {"rate", "requests", "seconds", "refused", "broken", "p50", "p90", "p99", "p999", "max", "cpu"}


def bench(*words, **environment):
    return subprocess.run([stacks.REPOSITORY / "scripts" / "bench", *map(str, words)], capture_output=True, text=True,
                          timeout=stacks.SUITE_PATIENCE, env={**os.environ, **environment})


def page(path):
    """Returns the report, which must be valid HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(path.read_text())


@pytest.fixture(scope="module")
def short_run(tmp_path_factory):
    """Pools with one worker and with four, and a media that changes."""
    out = tmp_path_factory.mktemp("bench")
    done = bench("--no-build", "--quick", "--only", "workers", "--only", "changes", "--rounds", 2, "--seconds", 0.3,
                 "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out, done


@pytest.fixture(scope="module")
def old_run(tmp_path_factory):
    """A new report of an earlier run's figures, with all groups, one of which did not finish."""
    out = tmp_path_factory.mktemp("report")
    done = bench("--report", FIGURES, "--out", out)
    assert done.returncode == 1 and "not finished: A pool at rest" in done.stdout, done.stdout + done.stderr
    return out, done


def test_figures_contain_every_round_and_their_origin(short_run):
    out, _ = short_run
    data = json.loads((out / "figures.json").read_text())
    assert data["failures"] == [] and data["settings"]["groups"] == ["workers", "changes"]
    assert {"processor", "cores", "memory_gib", "system", "kernel", "busy_before", "versions"} == set(data["machine"])
    rounds = data["groups"]["workers"]["rounds"]
    assert list(rounds) == ["1", "4"]
    for got in rounds.values():
        assert len(got) == 2 and all(set(each) == LOAD and each["requests"] > 0 for each in got)
        assert all(each["refused"] == each["broken"] == 0 for each in got)
    waits = data["groups"]["changes"]["workers_ms"]
    assert len(waits) == 10 * 4 and min(waits) >= 0
    for row in data["rows"]:
        assert {"group", "what", "measured", "unit", "note", "relation", "needed", "needed_text", "met"} == set(row)


def test_the_table_states_the_requirement_and_whether_it_is_met(short_run):
    out, done = short_run
    rows = json.loads((out / "figures.json").read_text())["rows"]
    (change,) = [row for row in rows if row["what"].startswith("a media changed")]
    assert (change["relation"], change["needed"]) == ("<=", 50) and change["met"] == (change["measured"] <= 50)
    (line,) = [line for line in done.stdout.splitlines() if "a media changed" in line]
    assert "at most 50 ms" in line and line.endswith("met" if change["met"] else "MISSED")
    assert str(out / "report.html") in done.stdout


def test_progress_is_printed_during_the_run(short_run):
    assert "workers: round 2 of 2, 4" in short_run[1].stderr


@pytest.mark.parametrize("run", ["short_run", "old_run"])
def test_the_report_loads_no_other_resource(run, request):
    out, _ = request.getfixturevalue(run)
    for element in page(out / "report.html").iter():
        tag = str(element.tag).rpartition("}")[2]
        assert tag not in ("script", "link", "img", "iframe", "object", "image", "use"), tag
        assert not {"src", "href", "srcset"} & set(element.attrib), element.attrib
    text = (out / "report.html").read_text()
    assert not re.search(r"https?:|url\(|@import|//[a-z]", text)


def test_the_report_has_a_section_and_plots_for_every_group(old_run):
    out, _ = old_run
    data, document = json.loads(FIGURES.read_text()), page(out / "report.html")
    sections = {section.attrib.get("id"): section for section in document.iter("section")}
    assert set(sections) == set(data["groups"]) - {"pool"} | {"machine"}
    for name in set(sections) - {"machine"}:
        plots = [plot for plot in sections[name].iter("{http://www.w3.org/2000/svg}svg")
                 if plot.attrib.get("role") == "img"]
        assert plots and all(plot.attrib["aria-label"] for plot in plots), name


def test_the_report_has_every_row_with_its_verdict(old_run):
    out, done = old_run
    data, document = json.loads(FIGURES.read_text()), page(out / "report.html")
    words = ["".join(cell.itertext()) for cell in document.iter("td")
             if cell.attrib.get("class", "").startswith("word")]
    expected = {True: "met", False: "missed", None: ""}
    assert words == ["not measured" if row["measured"] is None else expected[row["met"]] for row in data["rows"]]
    assert set(words) == {"met", "missed", "not measured", ""}, "the data has one of each"
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("met", "missed", "not measured"))
    assert counts in done.stdout


def test_text_from_the_figures_is_escaped(tmp_path):
    data = json.loads(FIGURES.read_text())
    data["machine"]["processor"] = "<script>alert(1)</script>"
    (tmp_path / "figures.json").write_text(json.dumps(data))
    bench("--report", tmp_path / "figures.json", "--out", tmp_path)
    assert not list(page(tmp_path / "report.html").iter("script"))


def test_instructions_of_a_checkout_against_itself_are_equal():
    done = bench("--no-build", "--instructions", "--requests", 20, "--build", stacks.BUILD,
                 "--against", stacks.REPOSITORY, "--against-build", stacks.BUILD)
    assert done.returncode == 0, done.stdout + done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["instructions", "per", "request", "now", "before", "ratio"]
    rows = {(found[1], found[2]): found for found in
            (re.fullmatch(r"(\S.*?) +(worker|nginx) +([\d,-]+) +([\d,-]+)(?: +([\d.]+)  (met|MISSED))?", line) for line in lines)}
    assert {kind for kind, _ in rows} == {"hot oEmbed, from nginx's cache", "hot oEmbed, from the worker's memory", "cold oEmbed",
                                          "refresh", "exchange", "bearer"}
    for (kind, part), found in rows.items():
        if (kind, part) == ("hot oEmbed, from nginx's cache", "worker"):
            assert found[5] is None, "the worker has nothing to do"
        else:
            # With only 20 requests, a worker's work between them counts for more than in a measurement.
            assert 0.9 < float(found[5]) < 1.1, found[0]


@pytest.mark.parametrize("words", [("--only", "nothing"), ("--rounds", "0"), ("--seconds", "0.01"), ("--what",), ("--requests", "1")])
def test_a_wrong_option_is_refused_with_the_usage(words):
    done = bench("--no-build", *words)
    assert done.returncode == 2 and "usage: scripts/bench" in done.stderr


def test_help_needs_no_build(tmp_path):
    done = bench("--help", SVC_BUILD_DIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "") and "usage: scripts/bench" in done.stdout
