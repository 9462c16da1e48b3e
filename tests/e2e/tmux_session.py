"""TmuxSession: a program in a real terminal emulator of a given size: what is on its screen, and what is typed."""

import contextlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

from stack import PATIENCE, wait_until

CONFIGURATION = """\
set -g status off
set -g history-limit 10000
set -g default-terminal screen-256color
"""
# The screen stays when the command has ended, and its status is in a variable of tmux: tmux gets that after all output.
# An exit status above 128 is a signal, as shells have it.
RUN = """trap : INT QUIT
"$@"
printf '\\033]7;ended-%d\\007' "$?"
while :; do sleep 60; done"""


class TmuxSession(contextlib.AbstractContextManager):
    """One window that runs `command`, a list of words."""

    def __init__(self, command, columns=80, rows=24):
        self.directory = tempfile.TemporaryDirectory(prefix="svc-tmux-", dir="/tmp")
        folder = Path(self.directory.name)
        self.socket = folder / "socket"
        (folder / "conf").write_text(CONFIGURATION)
        self.env = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.env.pop("TMUX", None)
        self.tmux("-f", folder / "conf", "new-session", "-d", "-x", columns, "-y", rows, "--",
                  "sh", "-c", RUN, "sh", *map(os.fspath, command))

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.tmux("kill-server")
        self.directory.cleanup()

    def tmux(self, *words):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *map(str, words)], env=self.env, text=True, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE).stdout

    def press(self, *keys):
        """Keys by tmux's names: Enter, C-c, Up, NPage."""
        self.tmux("send-keys", "--", *keys)

    def screen(self):
        """The lines that are on the screen, without spaces at their ends."""
        return self.tmux("capture-pane", "-p").split("\n")[:-1]

    def history(self):
        """All lines, also those that scrolled away; a line that was wrapped is one line."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-").split("\n")[:-1]

    def value(self, name):
        """A variable of tmux, such as pane_path."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").rstrip("\n")

    def wait_for(self, pattern):
        """Waits until the screen has a match of that regular expression; returns the lines of the screen."""
        return wait_until(lambda: (lines := self.screen()) and re.search(pattern, "\n".join(lines)) and lines,
                          f"{pattern!r} on the screen")

    def ended(self):
        """Waits for the end of the command; returns its exit status, 128 + n for signal n."""
        path = lambda: re.fullmatch(r"ended-(\d+)", self.value("pane_path"))
        return int(wait_until(path, "the end of the command")[1])
