"""machine: a description of the machine, to read the figures later."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path

from .service import TOP


def _first(command, pattern):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, done.stdout + done.stderr)
    return found.group(1) if found else None


def busy(seconds=0.5):
    """The share of all cores' time that something ran in: what else this machine does, before we begin."""
    def times():
        numbers = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        return sum(numbers[:8]), numbers[3] + numbers[4]
    before = times()
    time.sleep(seconds)
    after = times()
    total = after[0] - before[0]
    return 1 - (after[1] - before[1]) / total if total else 0.0


def describe():
    cpu = re.search(r"(?m)^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text()).group(1))
    system = re.search(r'(?m)^PRETTY_NAME="(.*)"$', Path("/etc/os-release").read_text())
    versions = {
        "svc": _first(["git", "-C", TOP, "rev-parse", "--short=12", "HEAD"], r"([0-9a-f]{12})"),
        "nginx": _first(["nginx", "-v"], r"nginx/([\d.]+)"),
        "redis": _first(["redis-server", "--version"], r"v=([\d.]+)"),
        "php": _first(["php-fpm8.2", "-v"], r"PHP ([\d.]+)"),
        "node": _first(["node", "--version"], r"v([\d.]+)"),
        "wrk": _first(["wrk", "--version"], r"wrk (?:debian/)?([\d.]+)"),
        "h2load": _first(["h2load", "--version"], r"nghttp2/([\d.]+)"),
    }
    return {"processor": cpu.group(1) if cpu else platform.machine(), "cores": os.cpu_count(),
            "memory_gib": round(memory / 2**20, 1), "system": system.group(1) if system else platform.system(),
            "kernel": platform.release(), "busy_before": round(busy(), 3), "versions": versions}
