"""processes: starts the processes of the tests and the benchmark, ends each by its process id, and waits with a
timeout."""

import contextlib
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

# s; guards against hangs, and does not influence measurements
PATIENCE = 300.0
SUITE_PATIENCE = 2100.0  # for a whole run of another program's tests; against hangs only, below the limit of ctest


class Failed(AssertionError):
    """A message for the user of a test or of the benchmark."""


def wait_until(condition, what, patience=PATIENCE, pause=0.005):
    """Waits until the condition returns a true value, and returns it. Throws Failed after `patience` seconds."""
    give_up = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > give_up:
            raise Failed(f"waited {patience:g} s without success: {what}")
        time.sleep(pause)
    return value


def make_directory(prefix):
    """Returns a new directory below TMPDIR, or below /tmp if that is deep: a unix socket's path has 107 bytes at most."""
    parent = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix=prefix, dir=parent if len(parent) <= len("/dev/shm") else "/tmp"))


def free_port():
    """Returns a free TCP port that no outgoing connection takes: below those that the kernel picks for them. Another test
    may pick it before this one listens, once in thousands."""
    lowest, _ = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(10_000, int(lowest))))
            return probe.getsockname()[1]


def accepts(path):
    """Tells if a server listens on that unix socket. Its file exists a moment before."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.connect(str(path))
        return True
    return False


def parent_of(pid):
    """Returns the parent's process id, or None if the process has ended, even if it was not waited for yet."""
    with contextlib.suppress(OSError):
        # The process name in parentheses may contain any character, so parse the text after the last parenthesis.
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        if state not in "ZX":
            return int(parent)
    return None


def has_ended(pid):
    """Returns true if all threads of the process have ended, and so its descriptors are closed. A thread of the lowest
    priority may outlive the main thread."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            if (task / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                return False
    return True


def children_of(parent):
    """Returns the process ids of the children that are alive."""
    numbers = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return {number for number in numbers if parent_of(number) == parent}


def wait_for_wakeups(pid, count):
    """Waits until the process has woken up `count` times, so that its periodic work has been done."""
    def switches():
        status = Path(f"/proc/{pid}/status").read_text()
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)$", status, re.M)[1])

    enough = switches() + count
    wait_until(lambda: switches() >= enough, f"process {pid} wakes up {count} times")


def user_directive():
    """Returns nginx's user directive. Below a private directory its workers must run as the user who started it, and
    only root can choose the user."""
    return "user root;" if os.geteuid() == 0 else ""


def end_with_parent():
    """For preexec_fn: sends SIGTERM when the parent dies (PR_SET_PDEATHSIG), so that a killed run leaves no
    processes."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def start(command, **how):
    """Starts a process without input that ends with the present one. The command may contain paths and numbers."""
    return subprocess.Popen([str(word) for word in command],  # pylint: disable=consider-using-with
                            **{"stdin": subprocess.DEVNULL, "preexec_fn": end_with_parent, **how})


def wait(process, patience=PATIENCE):
    """Returns the exit status, or the negative number of the signal that ended it. Throws Failed if it must be
    killed."""
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise Failed(f"{process.args[0]} did not end in {patience:.0f} s") from None


def stop(process, number=signal.SIGTERM, patience=PATIENCE):
    """Ends the process, and returns what wait() does."""
    if process.poll() is None:
        process.send_signal(number)
    return wait(process, patience)


def run(command, **how):
    """Runs a command until it ends. Throws Failed with its output unless it exits with 0."""
    done = subprocess.run([str(word) for word in command], **{"capture_output": True, "text": True, **how}, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(str(word) for word in command[:3])} … failed:\n{(done.stderr or done.stdout)[-2000:]}")
    return done


class Processes:
    """A context manager that ends all its processes in reverse order."""

    def __init__(self):
        self.processes = []

    def start(self, command, **how):
        self.processes.append(start(command, **how))
        return self.processes[-1]

    def stop(self, process):
        self.processes.remove(process)
        with contextlib.suppress(Failed):  # stop() has killed it
            stop(process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(list(self.processes)):
            self.stop(process)


class Program:
    """A process whose output goes to a file."""

    def __init__(self, name, log):
        self.name = name
        self.log = Path(log)
        self.process = None

    def launch(self, command, **how):
        with open(self.log, "ab") as out:
            self.process = start(command, **{"stdout": out, "stderr": out, **how})

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def send_signal(self, number):
        os.kill(self.pid, number)

    def stop(self, number=signal.SIGTERM):
        """Returns the exit status, or the negative number of the signal that ended it."""
        if self.alive():
            self.send_signal(number)
        return self.wait()

    def wait(self, patience=PATIENCE):
        """Returns the same for a process that ends without a signal from here."""
        if self.process is None:
            return 0
        try:
            return wait(self.process, patience)
        except Failed as failed:
            raise Failed(f"{self.name}: {failed}: {self.tail()}") from None

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def tail(self, lines=40):
        return "\n".join(self.log_text().splitlines()[-lines:])
