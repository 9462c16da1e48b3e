"""svcctl top in terminals of several sizes: its screen for three pools, its keys, and that it restores the terminal.
Rule operations-P9."""

import contextlib
import os
import re
import signal
import threading

import pytest

from oembed_asking import VIDEO_QUERY
from processes import children_of, wait_until
from stack import ended, program
from tmux_session import TmuxSession

ROLES = ("embed", "grant", "web")
POOL_LINE = r"(?m)^{name} +{pid} +\d+ (s|min) "


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    """With three pools."""
    module_stack.import_catalog()
    module_stack.pools = {role: module_stack.start_pool(role, roles=role, workers=2) for role in ROLES}
    return module_stack


class Traffic(contextlib.AbstractContextManager):
    """Requests to all pools, as long as it lasts."""

    def __init__(self, stack):
        self.stack, self.stop = stack, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        embed, grant, web = (self.stack.pools[role] for role in ROLES)
        while not self.stop.wait(0.02):
            for _ in range(4):
                assert embed.request("/oembed", VIDEO_QUERY).status == 200
            assert embed.request("/oembed", VIDEO_QUERY.replace("l4unchf1lm", "qu3u3d0001")).status == 501
            assert embed.request("/embed/medias/l4unchf1lm.m3u8").status == 200
            assert grant.request("/oauth/token", method="POST").status == 400
            assert web.request("/login").status == 200

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


@contextlib.contextmanager
def top_at(stack, columns, rows, *words, interval="0.2"):
    with TmuxSession([program("svcctl"), "--config", stack.config, "top", "--interval", interval, *words],
                     columns, rows) as session:
        session.wait_for(r"(?m)^q quit")
        yield session
        # A terminal that closes sends SIGCONT, too, which can make the leak check at the end wait for ever.
        session.press("q")
        assert session.ended() == 0


def endpoints_of(screen):
    """The names in the table, as they are on the screen."""
    begin = next(i for i, line in enumerate(screen) if line.startswith("ENDPOINT"))
    rows = (line.split() for line in screen[begin + 1:-1])
    return [words[0] for words in rows if words]


def title_of(screen):
    return screen[0]


def total_of(pool, screen):
    (line,) = [line for line in screen if line.startswith(pool + " ")]
    return int(line.split()[-1])


def is_sorted(values):
    return values == sorted(values, reverse=True)


# --- The screen ----------------------------------------------------------------------------------


@pytest.mark.parametrize("columns, rows", [(80, 24), (200, 60)])
def test_operations_P9_top_shows_every_pool_and_its_endpoints(stack, columns, rows):
    with Traffic(stack), top_at(stack, columns, rows) as session:
        screen = session.wait_for(r"(?s)/oembed .*/login ")
        assert len(screen) == rows and all(len(line) <= columns for line in screen)
        assert re.match(r"svcctl top: the last \d+ s; endpoints 1-\d+ of \d+ by requests/s$", title_of(screen))
        for role, pool in stack.pools.items():
            assert re.search(POOL_LINE.format(name=role, pid=pool.pid), "\n".join(screen)), screen
        assert screen[-1].startswith("q quit")
        # 501 is not among the errors.
        session.wait_for(r"(?m)^/oembed +embed +\d+\.\d +(\d+ +)?0 +[1-9]\d* +0 .*<=")
        session.wait_for(r"(?m)^/oauth/token +grant +\d+\.\d ")
        header = next(line for line in screen if line.startswith("ENDPOINT"))
        assert header.split()[:2] == ["ENDPOINT", "POOL"]
        for wide in ("4XX", "MEAN MS", "TOTAL"):
            assert (wide in header) == (columns == 200), header


def test_operations_P9_top_shows_the_last_minute_not_the_lifetime(stack):
    """Requests before the start of top are only in TOTAL."""
    embed = stack.pools["embed"]
    for _ in range(20):
        assert embed.request("/medias/l4unchf1lm").status == 200
    with top_at(stack, 200, 60) as session:
        (line,) = [line for line in session.wait_for(r"(?m)^/medias/ +embed +0\.0 ") if line.startswith("/medias/ ")]
        words = line.split()
        assert words[2:6] == ["0.0", "0", "0", "0"] and words[7:11] == ["-"] * 4 and int(words[-1]) >= 20, line
        for _ in range(5):
            assert embed.request("/medias/l4unchf1lm").status == 200
        session.wait_for(r"(?m)^/medias/ +embed +(?!0\.0)\d+\.\d +0 +0 .*<=")


def test_operations_P9_top_shows_workers(stack):
    with Traffic(stack), top_at(stack, 80, 24) as session:
        session.press("w")
        screen = session.wait_for(r"(?m)^ +PID POOL")
        assert re.search(r"; workers 1-6 of 6 by requests/s$", title_of(screen))
        begin = next(i for i, line in enumerate(screen) if re.match(" +PID POOL", line))
        shown = {int(line.split()[0]) for line in screen[begin + 1:begin + 7]}
        assert shown == set().union(*(pool.workers() for pool in stack.pools.values()))
        session.press("w")
        session.wait_for(r"(?m)^ENDPOINT")


def test_operations_P9_top_continues_while_a_pool_is_silent_or_restarts(stack):
    silent = stack.pool("silent", roles="web", workers=1, deaths_expected=True)
    silent.start().wait_ready()
    embed = stack.pools["embed"]
    words = [word for pool in (embed, silent) for word in ("--socket", str(pool.socket))]
    with Traffic(stack), top_at(stack, 200, 24, *words) as session:
        session.wait_for(POOL_LINE.format(name="web", pid=silent.pid))
        (worker,) = children_of(silent.pid)
        os.kill(worker, signal.SIGSTOP)
        screen = session.wait_for(rf"(?m)^web: {re.escape(str(silent.socket))}: no answer in time")
        assert re.search(POOL_LINE.format(name="embed", pid=embed.pid), "\n".join(screen))
        # The numbers of the other pool are new ones, not those from before.
        total = total_of("embed", screen)
        wait_until(lambda: total_of("embed", session.screen()) > total, "new numbers")
        os.kill(worker, signal.SIGCONT)
        session.wait_for(POOL_LINE.format(name="web", pid=silent.pid))
        silent.stop()
        session.wait_for(r"(?m)^web: .*(Connection refused|No such file)")
        silent.start().wait_for("pool.ready", 2)
        session.wait_for(POOL_LINE.format(name="web", pid=silent.pid) + r".* \d s")
    silent.stop()


# --- Keys ----------------------------------------------------------------------------------------


def test_operations_P9_top_sorts_by_keys(stack):
    with Traffic(stack), top_at(stack, 80, 24) as session:
        for role in ROLES:  # numbers of all pools, after two looks
            session.wait_for(rf"(?m)^/status +{role} +\d+\.\d ")
        session.wait_for(r"(?m)^/oembed +embed +\d+\.\d ")
        session.press("n")
        names = endpoints_of(session.wait_for(r"(?m)by name$"))
        assert names == sorted(names) and len(set(names)) >= 4
        session.press("n")
        names = endpoints_of(session.wait_for(r"(?m)by name, reversed$"))
        assert is_sorted(names)
        session.press("r")
        screen = session.wait_for(r"(?m)by requests/s$")
        begin = next(i for i, line in enumerate(screen) if line.startswith("ENDPOINT"))
        assert is_sorted([float(line.split()[2]) for line in screen[begin + 1:-1] if line])
        session.press("e")
        session.wait_for(r"(?m)by errors$")
        assert endpoints_of(session.wait_for(r"(?m)^ENDPOINT.*\n/oembed "))[0] == "/oembed"
        session.press("p")
        session.wait_for(r"(?m)by p99$")


def test_operations_P9_top_scrolls_and_follows_the_size_of_the_terminal(stack):
    with Traffic(stack), top_at(stack, 80, 24) as session:
        session.press("n")
        names = endpoints_of(session.wait_for(r"(?s)by name\n.*/oembed .*\n/status +web"))
        count = len(names)
        assert count >= 7
        session.resize(80, 11)  # three rows of the table
        screen = session.wait_for(rf"endpoints 1-3 of {count} ")
        assert len(screen) == 11 and endpoints_of(screen) == names[:3]
        for role, pool in stack.pools.items():
            assert re.search(POOL_LINE.format(name=role, pid=pool.pid), "\n".join(screen)), screen
        for key, first in (("Down", 1), ("j", 2), ("Up", 1), ("k", 0), ("NPage", 2), ("PPage", 0), ("End", count - 3),
                           ("Home", 0), ("Space", 2)):
            session.press(key)
            screen = session.wait_for(rf"endpoints {first + 1}-{first + 3} of {count} ")
            assert endpoints_of(screen) == names[first:first + 3], key
        # So low that the pools have to scroll, too.
        session.resize(60, 6)
        screen = session.wait_for(r"lines \d+-\d+ of \d+ ")
        session.press("Home")
        assert session.wait_for(r"lines 1-4 of ")[2].startswith("embed ")
        session.resize(200, 60)
        screen = session.wait_for(rf"endpoints 1-{count} of {count} ")
        assert len(screen) == 60 and endpoints_of(screen) == names


def test_operations_P9_top_redraws_immediately_after_a_key_or_resize(stack):
    """A key or a new size does not wait for the next reading of the pools."""
    with top_at(stack, 80, 24, interval="3600") as session:
        session.wait_for(r"(?m)^web +\d+ ")
        session.press("n")
        session.wait_for(r"(?m)by name$")
        session.resize(100, 30)
        wait_until(lambda: session.screen()[-1].startswith("q quit") and len(session.screen()) == 30, "the new size")


# --- The end -------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["q", "C-c", "TERM"])
def test_operations_P9_top_restores_the_terminal(stack, end):
    command = f"trap : INT; stty -a > before; echo above; {program('svcctl')} --config {stack.config} top; " \
              "echo status $?; stty -a > after; cmp before after && echo same"
    with TmuxSession(["sh", "-c", f"cd {stack.directory} && {command}"]) as session:
        session.wait_for(r"(?m)^q quit")
        assert session.value("alternate_on") == "1" and session.value("cursor_flag") == "0"
        if end == "TERM":
            os.kill(top_below(int(session.value("pane_pid"))), signal.SIGTERM)
        else:
            session.press(end)
        assert session.ended() == 0
        assert session.screen()[:3] == ["above", "status 0", "same"]
        assert session.value("alternate_on") == "0" and session.value("cursor_flag") == "1"


def top_below(pid):
    """Returns the process id of the `svcctl top` that descends from `pid`, or None."""
    for child in children_of(pid):
        with open(f"/proc/{child}/comm", encoding="utf-8") as file:
            if file.read() == "svcctl\n":
                return child
        if found := top_below(child):
            return found
    return None


def test_operations_P9_top_restores_the_terminal_while_suspended(stack):
    with TmuxSession(["bash", "--norc", "-i"], env={"PS1": "$ "}) as session:
        session.wait_for(r"^\$")
        session.type(f"{program('svcctl')} --config {stack.config} top")
        session.press("Enter")
        session.wait_for(r"(?m)^q quit")
        session.press("C-z")
        assert session.wait_for(r"Stopped")[0].startswith("$ ")
        assert session.value("alternate_on") == "0"
        session.type("echo typed && fg")
        session.press("Enter")
        session.wait_for(r"(?m)^q quit")
        session.press("q")
        assert "typed" in session.wait_for(r"(?m)^typed$")


def test_operations_P9_top_needs_a_terminal(stack):
    done = ended("svcctl", "top", "--socket", stack.pools["embed"].socket)
    assert done.returncode == 2 and "terminal" in done.stderr


def test_operations_P9_top_escapes_control_characters_of_paths(stack):
    embed = stack.pools["embed"]
    with top_at(stack, 200, 24, "--socket", str(embed.socket)) as session:
        session.press("w")
        session.wait_for(r"(?m)^ +PID POOL")

        def shown():
            for _ in range(8):
                with contextlib.suppress(AssertionError):
                    embed.request("/evil\x1b]0;owned\x07\x1b[2J\u009b2J\u202e")
            return any("/evil" in line for line in session.screen())

        wait_until(shown, "the path on the screen")
        assert session.value("pane_title") != "owned"
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", "".join(session.screen()))
