"""machine: a machine with a booted systemd of its own, for tests of our units.

It runs systemd-nspawn on an overlay: over this machine's own files, with our programs installed as an operator would,
or over a clean Debian. Writes go to a tmpfs, the network is a private loopback, and both disappear at the end. Needs
root. Several machines do not interfere.
"""

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from processes import PATIENCE, Program, children_of, make_directory, start, wait_until
from stack import BUILD

# In a mount namespace of its own, so that nothing is visible outside. Execs systemd-nspawn at the end.
BOOT = r"""
set -eu
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs "$work"
mkdir "$work"/upper "$work"/work "$work"/root
root=$work/root
mount -t overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/work" machine "$root"
: >"$root/etc/machine-id"
if [ "$lower" = / ]; then
  rm -f "$root"/etc/nginx/sites-enabled/*
  # Nothing of an earlier installation on this machine is part of the test.
  rm -rf "$root"/etc/svc "$root"/etc/nginx/svc "$root"/var/lib/svc "$root"/usr/share/svc
  DESTDIR=$root cmake --install "$build" --prefix /usr >/dev/null
fi
mkdir "$root/machine"
# Resource limits only hold where the control groups can be written.
cat >"$root/machine/init" <<'END'
#!/bin/sh
for controller in memory pids cpu cpuacct devices; do
  [ ! -d /sys/fs/cgroup/$controller ] || mount -o remount,bind,rw /sys/fs/cgroup/$controller
done
exec /lib/systemd/systemd "$@"
END
chmod +x "$root/machine/init"
exec systemd-nspawn -q -D "$root" --machine="$name" --private-network --register=no --keep-unit \
  --console=pipe --capability=CAP_BPF \
  --system-call-filter="bpf landlock_create_ruleset landlock_add_rule landlock_restrict_self" /machine/init \
  systemd.unit=basic.target </dev/null
"""

CONTROLLERS = ("memory", "pids", "cpu", "cpuacct", "devices")


def _own_groups(name):
    """Creates control groups of our own, one per hierarchy, below our present ones. Returns their folders."""
    folders = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            unified = Path("/sys/fs/cgroup/unified")
            top = unified if unified.is_dir() else Path("/sys/fs/cgroup")
        elif controllers == "name=systemd":
            top = Path("/sys/fs/cgroup/systemd")
        elif controllers in CONTROLLERS:
            top = Path("/sys/fs/cgroup") / controllers
        else:
            continue
        folder = top / path.lstrip("/") / name
        with contextlib.suppress(OSError):
            folder.mkdir()
            folders.append(folder)
    return folders


class Machine(Program):
    def __init__(self, lower=Path("/")):
        """`lower` is the initial root; our programs are installed only on top of this machine's own."""
        assert os.geteuid() == 0, "only root can boot a machine"
        self.directory = make_directory("svc-machine-")
        super().__init__("the machine", self.directory / "console")
        self.lower = lower
        self.work = self.directory / "work"
        self.work.mkdir()
        self.groups = []
        self.leader = None

    def boot(self):
        name = f"svc-machine-{secrets.token_hex(4)}"
        self.groups = _own_groups(name)
        enter = "".join(f"echo $$ >{folder}/cgroup.procs\n" for folder in self.groups)
        self.launch(["bash", "-c", f"{enter}exec unshare -m --propagation private bash -c \"$1\"",
                     "boot", BOOT],
                    env={**os.environ, "work": str(self.work), "build": str(BUILD), "lower": str(self.lower),
                         "name": name})
        wait_until(self._is_up, "the machine boots")
        return self

    def _is_up(self):
        assert self.alive(), f"the machine did not boot: {self.tail()}"
        for pid in children_of(self.pid):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/comm").read_text().strip() == "systemd":
                    self.leader = pid
                    return self.run("systemctl", "is-system-running",
                                    check=False).stdout.strip() == "running"
        return False

    def path(self, inside):
        """Returns the outer path of a file of the machine."""
        return Path(f"/proc/{self.leader}/root{inside}")

    def command(self, *words):
        return ["nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", "-C", "--",
                *map(str, words)]

    def run(self, *words, check=True, patience=PATIENCE, **how):
        """Runs a command inside until it ends."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True,
                              timeout=patience, stdin=how.pop("stdin", subprocess.DEVNULL), **how)
        assert not check or done.returncode == 0, (
            f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}{self.journal()}")
        return done

    def on_its_network(self, *words):
        """Returns a command that runs outside, but finds the machine at 127.0.0.1."""
        return ["nsenter", "-t", str(self.leader), "-n", "--", *map(str, words)]

    def start(self, *words):
        """Starts a command inside, and does not wait for it."""
        return start(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def systemctl(self, *words, **how):
        return self.run("systemctl", *words, **how)

    def show(self, unit):
        """Returns the unit's properties."""
        return dict(line.split("=", 1) for line in
                    self.systemctl("show", unit).stdout.splitlines() if "=" in line)

    def wait_for(self, unit, what, condition, patience=PATIENCE):
        """Waits until the unit's properties meet the condition, and returns them."""
        def there():
            shown = self.show(unit)
            return shown if condition(shown) else None
        try:
            return wait_until(there, f"{unit}: {what}", patience)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.systemctl('status', unit, check=False).stdout}"
                                 f"{self.journal()}")

    def journal(self, *words):
        done = subprocess.run(self.command("journalctl", "--no-pager", "-o", "short-monotonic",
                                           *(words or ("-n", "60"))),
                              capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout

    def events(self, unit, event):
        """Returns a pool's log entries for that event."""
        found = []
        lines = self.run("journalctl", "--no-pager", "-o", "cat", "-u", unit).stdout.splitlines()
        for line in lines:
            with contextlib.suppress(json.JSONDecodeError):
                entry = json.loads(line)
                if isinstance(entry, dict) and entry.get("event") == event:
                    found.append(entry)
        return found

    def outer_pid(self, inside):
        """Returns the outer id of the process that has this id inside."""
        for number in (name for name in os.listdir("/proc") if name.isdigit()):
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{number}/status").read_text()
                ids = re.search(r"^NSpid:\s*(.*)$", status, re.M).group(1).split()
                if ids[1:2] == [str(inside)] and self._is_ours(int(number)):
                    return int(number)
        raise AssertionError(f"no process {inside} in the machine")

    def _is_ours(self, number):
        return os.readlink(f"/proc/{number}/ns/pid") == os.readlink(f"/proc/{self.leader}/ns/pid")

    def main_pid(self, unit):
        """Returns the outer id of the unit's main process."""
        return self.outer_pid(self.show(unit)["MainPID"])

    def reload_nginx(self):
        """Reloads nginx, and waits until no worker with the old configuration accepts connections: `systemctl reload`
        returns before."""
        main = self.main_pid("nginx.service")
        old = children_of(main)
        self.run("sh", "-ec", "nginx -t && systemctl reload nginx")

        def accepting():
            for pid in old & children_of(main):
                with contextlib.suppress(OSError):
                    if "shutting down" not in Path(f"/proc/{pid}/cmdline").read_text():
                        return True
            return False
        wait_until(lambda: not accepting(), "nginx has loaded its new configuration")

    def end(self):
        """Ends the machine without a shutdown."""
        # If its first process dies, the kernel ends all others; systemd-nspawn alone would leave them running.
        for pid in children_of(self.pid) if self.alive() else ():
            os.kill(pid, signal.SIGKILL)
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
            self.process.kill()
            self.process.wait()
        for folder in self.groups:
            self._remove(folder)
        shutil.rmtree(self.directory, ignore_errors=True)

    @staticmethod
    def _remove(folder):
        """Removes a control group and those below it, after their last process has ended."""
        def is_gone():
            for below, _, _ in os.walk(folder, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(below)
            return not folder.exists()
        wait_until(is_gone, f"{folder} is removed")
