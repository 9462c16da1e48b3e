"""instructions: the instructions per request, of this checkout and of another, counted by callgrind.

Wall time and processor time depend on what else the machine does; the number of instructions hardly does. A pool with
one worker and an nginx without a master run under callgrind, and get the same requests, one after the other, on one
connection. Each kind of request runs twice from the start, with N and with 2 N requests: the difference is what N
requests cost, without the start, the first requests and the end. The other pools, and Redis, run as usual."""

import contextlib
import dataclasses
import http.client
import itertools
import os
import re
import shutil
import socket
import tempfile
import urllib.parse
from pathlib import Path

import processes
import shipped_nginx

from . import grants, service
from .requests import oembed
from .results import at_least

REQUESTS = 200  # N
CHEAP = 5  # factor for requests that cost a worker little, so that its work between them hardly counts
WARM = 40  # nginx caches a response at its twentieth request
NEED = at_least(0.98)  # instructions of the other checkout, per instruction of this checkout
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# Under callgrind everything takes some fifty times as long.
PATIENT = {"request-timeout": 60_000, "redis-timeout": 20_000}


@dataclasses.dataclass(frozen=True)
class Side:
    """A checkout, and the folder with its programs."""
    name: str
    top: Path
    build: Path


def _lasting(text):
    """nginx's micro-cache, whose responses last: whether a request comes within their second depends on the machine."""
    text = re.sub(r"(?m)^(fastcgi_cache_valid .*) 1s;$", r"\1 1h;", text)
    return text.replace("inactive=1s", "inactive=1h")


def _without_micro_cache(text):
    return service.MICRO_CACHE.sub("", text)


class Installation:
    """Two Redis, the pools of which requests are not counted, the catalog and applications of a checkout."""

    def __init__(self, started, directory, side, people):
        self.started, self.directory, self.side, self.port = started, directory, side, processes.free_port()
        for folder in ("svc", "uploads", "media", "log"):
            (directory / folder).mkdir()
        for store in ("redis-state", "redis-cache"):
            self._redis(store)
        processes.run([side.top / "systemd" / "make-secrets", directory],
                      env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SVCCTL": str(side.build / "svcctl")})
        url = f"http://127.0.0.1:{self.port}"
        settings = {"app-url": url, "base-url": url, "oembed-url": url, "embed-host": url, "provider-url": url,
                    "provider-name": "svc", "service-domain": "svc.localhost", "short-domain": "svc.test",
                    "redis-state": f"unix://{directory}/redis-state.sock",
                    "redis-cache": f"unix://{directory}/redis-cache.sock", "key-file": directory / "keys",
                    "watch-key-file": directory / "watch-keys", "upload-dir": directory / "uploads",
                    "media-dir": directory / "media", "workers": 1, **PATIENT}
        (directory / "svc.conf").write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
        if "load-functions" in self._svcctl("help").stdout:  # versions before had scripts
            self._svcctl("catalog", "load-functions")
        for catalog in (side.top / service.DEMO.relative_to(service.TOP), grants.catalog(directory, people)):
            self._svcctl("import", catalog)
        self.site = self._svcctl("nginx").stdout

    def _redis(self, store):
        self.started.start(["redis-server", "--port", "0", "--unixsocket", self.directory / f"{store}.sock", "--save", "",
                            "--dir", self.directory, "--logfile", self.directory / "log" / f"{store}.log"])
        processes.wait_until(lambda: processes.accepts(self.directory / f"{store}.sock"), f"{store} answers")

    def _svcctl(self, *words):
        return processes.run([self.side.build / "svcctl", "--config", self.directory / "svc.conf", *words])

    def start(self, started, name, command, before=()):
        with open(self.directory / "log" / f"{name}.log", "ab") as log:
            return started.start([*before, *command], stdout=log, stderr=log)

    def pool(self, started, role, before=()):
        listen = self.directory / f"{role}.sock"
        listen.unlink(missing_ok=True)
        return self.start(started, role, [self.side.build / "svc-worker", "--config", self.directory / "svc.conf",
                                          "--roles", role, "--listen", listen], before)

    def nginx(self, started, change, before=()):
        include = shipped_nginx.put(self.directory, self.port, text=self.site, top=self.side.top,
                                    change=lambda text: change(shipped_nginx.without_rates(text)))
        temporary = "".join(f"{name}_temp_path {self.directory}/tmp-{name}; "
                            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = self.directory / "nginx.conf"
        config.write_text(f"{processes.user_directive()}\ndaemon off; master_process off; pcre_jit on;\n"
                          f"pid {self.directory}/nginx.pid; error_log stderr error;\n"
                          f"events {{ worker_connections 512; }}\nhttp {{ access_log off; {temporary}\n{include}\n}}\n")
        shutil.rmtree(self.directory / "micro-cache", ignore_errors=True)  # responses that an earlier nginx cached
        return self.start(started, "nginx", ["nginx", "-p", self.directory, "-c", config, "-e", "stderr"], before)

    def wait(self, **started):
        """Waits until the pools and nginx, by name, accept connections."""
        for name, process in started.items():
            def there(name=name, process=process):
                if process.poll() is not None:
                    raise processes.Failed(f"{name} ended:\n{(self.directory / 'log' / f'{name}.log').read_text()[-2000:]}")
                return self._listens() if name == "nginx" else processes.accepts(self.directory / f"{name}.sock")
            processes.wait_until(there, f"{name} listens")

    def _listens(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False


def send(connection, words):
    """Sends method, path, and perhaps body and headers, and returns the body of the response, which must be a 200."""
    connection.request(*words)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise processes.Failed(f"{words[0]} {words[1]} was answered {answer.status}: {body[:300]!r}")
    return body


class Kinds:
    """The kinds of requests: for each the pool that answers, an edit of nginx's files, the requests, and the factor of their
    number. Tokens and codes
    come from a login, for which an nginx runs as usual."""

    def __init__(self, installation):
        self.installation = installation
        self.door = grants.OfTheFrontDoor(installation)
        self.widths = itertools.count(200)
        self.all = {"hot oEmbed, from nginx's cache": ("embed", _lasting, self._hot, 1),
                    "hot oEmbed, from the worker's memory": ("embed", _without_micro_cache, self._hot, CHEAP),
                    "cold oEmbed": ("embed", _without_micro_cache, self._cold, 1),
                    "refresh": ("grant", _without_micro_cache, self._refreshes, 1),
                    "exchange": ("grant", _without_micro_cache, self._exchanges, 1),
                    "bearer": ("grant", _without_micro_cache, self._bearers, 1)}

    @contextlib.contextmanager
    def _opened(self):
        """Until its end, pools and an nginx run that issue codes and tokens."""
        with processes.Processes() as started:
            pools = {role: self.installation.pool(started, role) for role in ("grant", "web")}
            self.installation.wait(**pools, nginx=self.installation.nginx(started, _without_micro_cache))
            yield

    def _hot(self, count):
        return [("GET", oembed(service.HOT_MEDIA))] * count

    def _cold(self, count):
        """Each of a size that no other request had: neither a worker nor the cache store has the response."""
        return [("GET", oembed(service.HOT_MEDIA, f"maxwidth={next(self.widths)}&")) for _ in range(count)]

    def _bodies(self, bodies):
        return [("POST", "/oauth/token", urllib.parse.urlencode(body), FORM) for body in bodies]

    def _tokens(self):
        with self._opened():
            return self.door.tokens([0])

    def _refreshes(self, count):
        _, (body,) = self._tokens()
        return self._bodies([body]) * count

    def _exchanges(self, count):
        with self._opened():
            return self._bodies([self.door.code_body(number % grants.APPLICATIONS) for number in range(count)])

    def _bearers(self, count):
        (token,), _ = self._tokens()
        return [("GET", f"/v1/medias/{service.HOT_MEDIA}", None, {"Authorization": f"Bearer {token}"})] * count


def _total(file):
    """The instructions of a process, which it wrote to that file at its end."""
    return int(re.search(r"(?m)^totals: (\d+)", file.read_text(errors="replace"))[1])


def _counted(installation, kind, count, number):
    """Returns the instructions of the worker and of nginx for that number of requests, from start to end."""
    role, change, make, _ = kind
    requests = make(count)
    out = installation.directory / f"counted-{number}"
    out.mkdir()

    def callgrind(name):
        return ["valgrind", "--tool=callgrind", "--vgdb=no", f"--callgrind-out-file={out}/{name}.%p"]

    with processes.Processes() as started:
        pool = installation.pool(started, role, callgrind("pool"))
        nginx = installation.nginx(started, change, callgrind("nginx"))
        installation.wait(**{role: pool, "nginx": nginx})
        (worker,) = processes.wait_until(lambda: processes.children_of(pool.pid), "the pool has a worker")
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", installation.port, timeout=120)) as connection:
            for words in requests:
                send(connection, words)
        for process in (nginx, pool):
            processes.stop(process)
    return {"worker": _total(out / f"pool.{worker}"), "nginx": _total(out / f"nginx.{nginx.pid}")}


@contextlib.contextmanager
def _preferred():
    """Until its end, this process and its children run before all others, if permitted: the shorter the requests take, the
    less a worker's periodic work counts."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def measure(sides, say, count=REQUESTS):
    """Returns instructions per request: kind → part → a figure per side. The sides take turns."""
    with _preferred():
        return _measure(sides, say, count)


def _measure(sides, say, count):
    directory = Path(tempfile.mkdtemp(prefix="svc-bench-", dir="/tmp"))
    numbers, found = itertools.count(), {}
    try:
        with processes.Processes() as started:
            kinds = []
            people = grants.OfTheFrontDoor.people_for(2 * WARM + 3 * count + 8)
            for side in sides:
                say(f"{side.name}: the service starts")
                place = directory / str(len(kinds))
                place.mkdir()
                kinds.append(Kinds(Installation(started, place, side, people)))
            for name in kinds[0].all:
                for side, of in zip(sides, kinds):
                    totals, each = [], count * of.all[name][-1]
                    for times in (1, 2):
                        say(f"{side.name}: {name}, {WARM + times * each} requests")
                        totals.append(_counted(of.installation, of.all[name], WARM + times * each, next(numbers)))
                    for part in totals[0]:
                        figure = (totals[1][part] - totals[0][part]) / each
                        found.setdefault(name, {}).setdefault(part, []).append(figure)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return found


def table(found, sides):
    """The figures as text: a line per kind and part. With two sides, the second is the one before; above 1, this checkout
    takes fewer instructions. nginx answers from its cache without the worker: the worker's line then lacks a ratio."""
    lines = [f"{'instructions per request':<38}{'':>8}" + "".join(f"{side.name:>12}" for side in sides) +
             ("     ratio" if len(sides) == 2 else "")]
    for name, parts in found.items():
        for part, figures in parts.items():
            line = f"{name:<38}{part:>8}" + "".join(f"{figure:>12,.0f}" for figure in figures)
            if len(sides) == 2:
                now, before = figures
                if min(figures) >= 1000:
                    line += f"{before / now:>10.4f}  {'met' if NEED.met(before / now) else 'MISSED'}"
            lines.append(line)
    return "\n".join(lines) + "\n"
