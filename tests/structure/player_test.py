"""The player's unit tests, which are written for node and check the built files, and its table of options."""

import json
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))

import documents  # noqa: E402  # its folder is not installed
import facts  # noqa: E402

PLAYER, BROWSER = TOP / "nginx" / "player", TOP / "tests" / "browser"


def test_the_players_own_tests_pass():
    subprocess.run([PLAYER / "build"], check=True)
    done = subprocess.run(["node", "--test", *sorted(PLAYER.glob("test/*.test.js"))], cwd=PLAYER, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0 and "# fail 0" in done.stdout, done.stdout + done.stderr


def test_each_option_is_in_the_players_table_and_names_a_browser_test():
    rows = documents.rows(documents.tokens("nginx/player/README.md", "Options"))
    options = documents.codes(*(row[0] for row in rows))
    assert sorted(option for option in options if "[" not in option) == sorted(facts.printed()["player options"])
    # Each word that the API allows is in the row of its option.
    for name, choices in facts.printed()["choices of player options"]:
        row = next(row for row in rows if name in documents.codes(row[0]))
        assert set(choices.split()) <= set(documents.codes(row[1])), name
    shown = subprocess.run(["node", "names.js", "player.test.js", "embed-codes.test.js", "frames/private.test.js"], cwd=BROWSER, capture_output=True,
                           text=True, check=True)
    # media_0_j[…] has one test for all videos.
    stems = {option.partition("[")[0].removesuffix("_0_j") for option in options}
    assert [stem for stem in stems if not any(stem in name for name in json.loads(shown.stdout))] == []
