"""service: the whole service as scripts/serve starts it, and further embed pools with other options, each with
the shipped nginx configuration, all on the same two Redis."""

import contextlib
import functools
import re
import subprocess
import urllib.request
from pathlib import Path

import processes

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
DEMO = TOP / "scripts" / "demo" / "catalog.jsonl"
HOT_MEDIA = "l4unchf1lm"

# What turns a worker's own memory off, so that every request asks Redis for its rendering.
MEMORY_OFF = {"memory-cache-size": "0", "memory-cache-refusals": "0", "rendering-cache": "off"}

# What turns nginx's on.
MICRO_CACHE = re.compile(r"(?m)^\s*include svc/svc-micro-cache\.conf;$")


@functools.cache
def worker_options():
    out = processes.run([BUILD / "svc-worker", "--help"]).stdout
    return set(re.findall(r"--([a-z]+(?:-[a-z]+)*)", out))


def can_turn_memory_off():
    return set(MEMORY_OFF) <= worker_options()


class Front:
    """An nginx of the service, at `url`, and the processes that work for it."""

    def __init__(self, port):
        self.port, self.url, self.parts = port, f"http://127.0.0.1:{port}", {}

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return answer.read()


class Service(Front):
    """`top` is the served checkout: this checkout, or another to compare with."""

    def __init__(self, started, directory, workers, catalog=None, top=TOP):
        super().__init__(processes.free_port())
        catalog = catalog or top / DEMO.relative_to(TOP)  # another checkout may not know each key of our catalog
        self.started, self.directory, self.workers, self.build = started, Path(directory), workers, top / "build"
        self.redis_state = self.directory / "redis-state.sock"
        serve = started.start([top / "scripts" / "serve", "--port", self.port, "--workers", workers, "--dir", directory,
                               "--catalog", catalog], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        for line in serve.stdout:
            said.append(line)
            if line.startswith("ready "):
                self.parts = {"nginx": self.pids("nginx"), "workers": self.pids("embed"),
                              "Redis": self.pids("redis-state", "redis-cache")}
                return
        raise processes.Failed("scripts/serve did not become ready:\n" + "".join(said))

    def socket(self, pool):
        return self.directory / f"{pool}.sock"

    def pids(self, *names):
        return [int((self.directory / f"{name}.pid").read_text()) for name in names]

    def has_micro_cache(self):
        # A checkout from before svcctl printed the site has svc-site.conf and others.
        return any(MICRO_CACHE.search(site.read_text()) for site in (self.directory / "svc").glob("*site*.conf"))

    def svcctl(self, *words):
        return processes.run([self.build / "svcctl", "--config", self.directory / "svc.conf", *words])

    def pool(self, name, workers=None, options=(), role="embed"):
        """The name of a further pool, which is that of its socket."""
        command = [self.build / "svc-worker", "--config", self.directory / "svc.conf", "--roles", role,
                   "--listen", self.socket(name),
                   "--pid-file", self.directory / f"{name}.pid", "--workers", workers or self.workers]
        # A checkout from before each role had a Redis user of its own has no such file.
        password = self.directory / f"redis-{role}.password"
        if password.exists():
            command += ["--redis-user", role, "--redis-password-file", password]
        for option, value in dict(options).items():
            command += [f"--{option}", value]
        with open(self.directory / "log" / f"{name}.log", "wb") as log:
            self.started.start(command, stdout=log, stderr=log)
        # It writes its pid file once it listens.
        processes.wait_until((self.directory / f"{name}.pid").exists, f"the pool {name} listens")
        return name

    @contextlib.contextmanager
    def started_by(self, started):
        """Processes that the service starts in this time end with `started`."""
        before, self.started = self.started, started
        try:
            yield
        finally:
            self.started = before

    def front(self, name, pool="embed", role="embed"):
        """A further nginx in front of that pool of that role, with the shipped configuration but for the
        micro-cache."""
        front, home, old = Front(processes.free_port()), self.directory / f"front-{name}", self.directory
        (home / "svc").mkdir(parents=True)
        (home / "log").mkdir()
        (home / "tmp").mkdir()

        def edited(text):
            text = text.replace(f"unix:{old}/{role}.sock", f"unix:{old}/{pool}.sock")
            text = MICRO_CACHE.sub("", text)
            for place in ("log/", "tmp/", "nginx.pid"):
                text = text.replace(f"{old}/{place}", f"{home}/{place}")
            return text.replace(f"listen 127.0.0.1:{self.port}", f"listen 127.0.0.1:{front.port}")

        for file in (old / "svc").glob("*.conf"):
            (home / "svc" / file.name).write_text(edited(file.read_text()))
        (home / "nginx.conf").write_text(edited((old / "nginx.conf").read_text()))
        with open(home / "log" / "nginx.log", "wb") as log:
            nginx = self.started.start(["nginx", "-p", home, "-c", home / "nginx.conf", "-e",
                                        home / "log" / "error.log"],
                                       stdout=log, stderr=log)
        front.parts = {**self.parts, "nginx": [nginx.pid], "workers": self.pids(pool)}
        answers(front, "/healthz")
        return front


def answers(front, path):
    def there():
        try:
            return front.get(path) is not None
        except OSError:
            return False
    processes.wait_until(there, f"{front.url}{path} answers")


def build(targets, top=TOP, folder=BUILD):
    processes.run(["cmake", "-S", top, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSVC_BENCH=ON"])
    processes.run(["cmake", "--build", folder, "--target", *targets])


def private_mib(pid):
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(kib) for kib in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M)) / 1024
