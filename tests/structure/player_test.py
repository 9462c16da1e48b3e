"""The player's unit tests, which are written for node. The build has made what they look at."""

import subprocess
from pathlib import Path

PLAYER = Path(__file__).resolve().parents[2] / "nginx" / "player"


def test_the_players_own_tests_pass():
    subprocess.run([PLAYER / "build"], check=True)
    done = subprocess.run(["node", "--test", *sorted(PLAYER.glob("test/*.test.js"))], cwd=PLAYER, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0 and "# fail 0" in done.stdout, done.stdout + done.stderr
