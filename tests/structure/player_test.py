"""The player's unit tests, which are written for node and look at what the build made, and its table of options."""

import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PLAYER = TOP / "nginx" / "player"
FAMILIES = {"media_i_j[…]": "media_0_j[", "plugin[…][…]": "plugin[", "videoOptions[…]": "videoOptions["}


def test_the_players_own_tests_pass():
    subprocess.run([PLAYER / "build"], check=True)
    done = subprocess.run(["node", "--test", *sorted(PLAYER.glob("test/*.test.js"))], cwd=PLAYER, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0 and "# fail 0" in done.stdout, done.stdout + done.stderr


def table():
    """{option: the tests that its row names}, from the table of nginx/player/README.md."""
    text = (PLAYER / "README.md").read_text(encoding="utf-8").partition("## Options")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \| ([^|]*) \|$", text, re.MULTILINE)
    return {name: tests for names, _, tests in rows for name in re.findall(r"`([^`]+)`", names)}


def test_oembed_O1_each_option_is_in_the_players_table_and_in_the_contract():
    source = (TOP / "worker/embed/player_options.cpp").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', source.partition("kNames{")[2].partition("};")[0])
    assert len(names) > 30
    rows = table()
    plain = {name for name in rows if "[" not in name}
    assert plain == set(names)
    for family in FAMILIES.values():
        assert any(name.startswith(family) for name in rows), family
    contract = re.search(r"\| oembed-O1 \|.*? holds the list: (.*?\])\. ",
                         (TOP / "tests/contract/oembed.md").read_text(encoding="utf-8"))[1]
    assert set(contract.split(", ")) == {*names, *FAMILIES}


def test_oembed_O1_each_option_of_the_table_has_the_browser_test_that_the_table_names():
    player = (TOP / "tests/browser/player.test.js").read_text(encoding="utf-8")
    codes = (TOP / "tests/browser/embed-codes.test.js").read_text(encoding="utf-8")
    cases = player.partition("const kOptions = [")[2].partition("\n];")[0]
    bodies = {name: body for name, body in re.findall(r"^plays\('([^']+)'(.*?)^}\);", player, re.MULTILINE | re.DOTALL)}
    rows = table()
    assert rows
    for option, tests in rows.items():
        stem = re.escape(option.partition("[")[0].replace("media_0_j", "media_0_1"))
        for test in tests.split(", "):
            if test == "table":
                assert re.search(rf"^  \['{stem}[\['].*(?:,\n    .*)?\],$", cases, re.MULTILINE), option
            elif test == "codes":
                assert re.search(rf"\b{stem}: 'true'", codes), option
            else:
                found = [name + body for name, body in bodies.items() if name.startswith(test.strip('"'))]
                assert found and all(re.search(rf"\b{stem}\b", text) for text in found), (option, test)
