"""processes: what the benchmark starts. Each is ended by its own id, the last first, however the run ends."""

import ctypes
import os
import signal
import socket
import subprocess
import time

PATIENCE = 60


class Failed(Exception):
    """A sentence for whoever started the benchmark."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what, pause=0.02):
    give_up = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > give_up:
            raise Failed(f"waited {PATIENCE} s in vain: {what}")
        time.sleep(pause)
    return value


def end_with_parent():
    """For preexec_fn: nothing outlives a benchmark that is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Processes:
    """A with statement ends them all."""

    def __init__(self):
        self.processes = []

    def start(self, command, **how):
        how = {"stdin": subprocess.DEVNULL, "preexec_fn": end_with_parent, **how}
        process = subprocess.Popen([str(word) for word in command], **how)
        self.processes.append(process)
        return process

    def stop(self, process):
        self.processes.remove(process)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(list(self.processes)):
            self.stop(process)


def cpu_seconds(roots):
    """Of processor time that these processes and their children have used, ended children included."""
    times, parents = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        # Its own time; and of a root that of children that are gone.
        times[int(name)] = sum(map(int, fields[11:15 if int(name) in roots else 13]))
    return sum(time for pid, time in times.items() if pid in roots or parents[pid] in roots) / os.sysconf("SC_CLK_TCK")


def run(command, **how):
    """A command to its end; what it said when it failed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **how)
    if done.returncode != 0:
        raise Failed(f"{' '.join(str(word) for word in command[:3])} … failed:\n{(done.stderr or done.stdout)[-2000:]}")
    return done


def user_directive():
    """nginx: below a private directory its workers must be who we are; only root can choose."""
    return "user root;" if os.geteuid() == 0 else ""
