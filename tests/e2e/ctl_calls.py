"""ctl_calls: svcctl as operators call it, with the configuration of a stack."""

import contextlib
import json
import os
import pty
import select
import subprocess
import time
import tty

import stack as stacks


def ctl(stack, *words, given=None):
    """Runs svcctl; `given` is its standard input."""
    return subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), *words],
                          input=given, capture_output=True, text=True, timeout=stacks.PATIENCE,
                          **({} if given is not None else {"stdin": subprocess.DEVNULL}))


def done(stack, *words, given=None):
    """Runs svcctl, which must succeed without a word on standard error. Returns its standard output."""
    ended = ctl(stack, *words, given=given)
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    return ended.stdout


def said(stack, *words, given=None):
    """The object that it prints with --json."""
    return json.loads(done(stack, *words, "--json", given=given))


def at_a_terminal(command, react, *, raw=False, env=None):
    """Runs a command at a terminal. Returns its status, and all bytes that the terminal got. After each piece, `react` is
    called with its process id and these bytes, and its result is typed."""
    pid, terminal_fd = pty.fork()
    if pid == 0:
        if raw:
            tty.setraw(1)
        os.execve(command[0], command, env or os.environ)
    shown, give_up = b"", time.monotonic() + stacks.PATIENCE
    with contextlib.suppress(OSError):  # it has ended
        while time.monotonic() < give_up:
            if not select.select([terminal_fd], [], [], 0.1)[0]:
                continue
            piece = os.read(terminal_fd, 65536)
            if not piece:
                break
            shown += piece
            if typed := react(pid, shown):
                os.write(terminal_fd, typed)
    os.close(terminal_fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown


def terminal(stack, *words, answers=()):
    """Runs svcctl at a terminal. Returns its status and the terminal's output. Each answer is a prompt and the bytes
    typed at it, or a function that returns them."""
    answers = list(answers)

    def react(_, shown):
        if not answers or not shown.endswith(answers[0][0].encode()):
            return b""
        answer = answers.pop(0)[1]
        return answer() if callable(answer) else answer

    status, shown = at_a_terminal([stacks.program("svcctl"), "--config", str(stack.config), *words], react)
    return status, shown.decode(errors="replace")
