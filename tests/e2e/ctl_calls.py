"""ctl_calls: svcctl as operators call it, with the configuration of a stack."""

import json
import os
import pty
import select
import subprocess
import time

import stack as stacks
from processes import start


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


def lines(stack, *words):
    """The objects that it prints with --json, one per line."""
    return [json.loads(line) for line in done(stack, *words, "--json").splitlines()]


def audited(stack, what, **fields):
    """Events of that name with these fields, the oldest first."""
    return [event for event in lines(stack, "audit", "--count", "100000")
            if event["what"] == what and fields.items() <= event.items()]


def begin(stack, *words):
    """Starts svcctl without waiting for its end."""
    return start([stacks.program("svcctl"), "--config", stack.config, *words], stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE, text=True)


def terminal(stack, *words, answers=(), env=None):
    """Runs svcctl at a terminal. Returns its status and the terminal's output. Each answer is a prompt and the bytes
    typed at it, or a function that returns them."""
    pid, terminal_fd = pty.fork()
    if pid == 0:
        os.execve(stacks.program("svcctl"), ["svcctl", "--config", str(stack.config), *words], env or os.environ)
    shown, answers = "", list(answers)
    give_up = time.monotonic() + stacks.PATIENCE
    while time.monotonic() < give_up:
        if not select.select([terminal_fd], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal_fd, 4096)
        except OSError:  # it has ended
            break
        if not piece:
            break
        shown += piece.decode(errors="replace")
        if answers and shown.endswith(answers[0][0]):
            answer = answers.pop(0)[1]
            os.write(terminal_fd, answer() if callable(answer) else answer)
    os.close(terminal_fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown
