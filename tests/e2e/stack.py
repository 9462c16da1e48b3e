"""stack: the programs of an end-to-end test, each on private sockets below a temporary directory.

A Stack starts Redis, pools and nginx, and stops them by their process ids, so that concurrent runs do not interfere. At
its end it checks the pools' logs: a worker's death or a sanitizer's report fails the test, unless the test expects
deaths.

The programs under test are in SVC_BUILD_DIR; the default is `build` next to `tests`.
"""

import contextlib
import hashlib
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
from pathlib import Path

from redis import ConnectionError as NoConnection

import fastcgi_client
from fastcgi_client import Answer
from hosts import host_of
from processes import (PATIENCE, SUITE_PATIENCE, Program, children_of, free_port, make_directory, run, user_directive,
                       wait_until)
from redis_client import Client
from shipped_nginx import put, without_rates

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SVC_BUILD_DIR", REPOSITORY / "build"))
CATALOG = REPOSITORY / "scripts" / "demo" / "catalog.jsonl"

# The service's settings. The four hosts differ, so that a response that confuses them is detected. The names are those
# of systemd/svc.conf, the domains those of the demonstration catalog.
EMBED_HOST = "https://embed.svc.example:8443"
HOSTS = {
    "app-url": "https://app.svc.example",
    "base-url": "https://api.svc.example",
    "oembed-url": "https://oembed.svc.example",
    "embed-host": EMBED_HOST,
    "provider-url": "https://www.svc.example",
    "provider-name": "svc",
    "service-domain": "svc.localhost",
    "short-domain": "svc.test",
}

# Longer than shipped: on a busy machine a healthy store may reply late, a password hash takes long, and under the
# sanitizers captions take minutes, and an exiting worker looks for leaks. The limit of a request is only against hangs, and
# ends before the patience of a test and of nginx. A test of a timeout sets its own.
NGINX_PATIENCE = int(PATIENCE) - 5  # s
TIMEOUTS = {"redis-timeout": 4000, "request-timeout": (NGINX_PATIENCE - 5) * 1000}
SANITIZER_REPORTS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:")


def is_sanitized(name):
    """Whether that program of ours was built with the address sanitizer: it takes many times as long, and more memory."""
    return b"__asan_init" in Path(program(name)).read_bytes()


def catalog_lines():
    """The lines of the demonstration catalog."""
    return [json.loads(line) for line in CATALOG.read_text().split("\n") if line]


def with_own_files(media, name=None):
    """Returns the line of a media of the catalog with its files in the folder that svc-ingest would make, under another id if
    there is a name: only such a media can be private or for some sites (oembed-W13)."""
    name = name or media["id"]
    return json.loads(json.dumps(media | {"id": name}).replace("/deliveries/", f"/files/{name}/"))


def served_catalog(directory):
    """Writes the demonstration catalog as scripts/serve imports it, with films in folders of svc-ingest. Returns its path."""
    path = directory / "catalog.jsonl"
    path.write_text("".join(json.dumps(with_own_files(line) if line["kind"] == "media" else line) + "\n"
                            for line in catalog_lines()))
    return path


def program(name):
    path = BUILD / name
    assert path.exists(), f"{path} is not built; SVC_BUILD_DIR says where to look"
    return str(path)


def ended(name, *arguments, patience=PATIENCE):
    """Runs one of our programs until it ends. Returns its status and output."""
    done = subprocess.run([program(name), *map(str, arguments)], capture_output=True, text=True, timeout=patience)
    assert not any(mark in done.stderr for mark in SANITIZER_REPORTS), done.stderr
    return done


# The Redis users: the shipped ones, created by the shipped program, and two of the tests. `roles` is for a pool of
# several roles and has the permissions of all role users; `tests` may do anything. The upload pool uses no Redis.
ROLES = ("embed", "grant", "web", "upload")
USERS = ROLES[:-1]


def _shipped_users():
    """Returns the passwords by user, and the text of each ACL file by store."""
    with tempfile.TemporaryDirectory(prefix="svc-e2e-") as made:
        run([REPOSITORY / "systemd" / "make-secrets", made], timeout=PATIENCE)
        files = Path(made).glob("redis-*.password")
        passwords = {file.stem.removeprefix("redis-"): file.read_text().strip() for file in files}
        return passwords, {store: (Path(made) / f"{store}.acl").read_text() for store in ("redis-state", "redis-cache")}


PASSWORDS, SHIPPED_ACL = _shipped_users()
PASSWORDS |= {user: secrets.token_hex(32) for user in ("roles", "tests")}


def rules_of(user, store):
    """Returns the user's shipped rules: the first rules, then each selector. Returns [] if the store has no such
    user."""
    if found := re.search(rf"^user {user} on #\w+ resetkeys resetchannels (.*)$", SHIPPED_ACL[store], re.M):
        first, *more = found[1].split(" (")
        return [first, *(rules.rstrip(")") for rules in more)]
    return []


def acl_of(store):
    """Returns the ACL file: the shipped users, including the default user, and those of the tests."""
    union = " ".join(f"({rules})" for role in USERS for rules in rules_of(role, store))
    digest = {user: hashlib.sha256(PASSWORDS[user].encode()).hexdigest() for user in ("roles", "tests")}
    return (f"{SHIPPED_ACL[store]}user roles on #{digest['roles']} resetkeys resetchannels -@all {union}\n"
            f"user tests on #{digest['tests']} ~* &* +@all\n")


class Redis(Program):
    """A redis-server with the shipped settings, except for the paths, and the shipped users."""

    def __init__(self, directory, name):
        super().__init__(name, directory / f"{name}.log")
        self.users = directory / f"{name}.acl"
        self.users.write_text(acl_of(name))
        self.directory = directory / name
        self.directory.mkdir()
        self.socket = directory / f"{name}.sock"
        self.config = directory / f"{name}.conf"
        text = (REPOSITORY / "systemd" / f"{name}.conf").read_text()
        text = text.replace(f"/run/svc/{name}/redis.sock", str(self.socket))
        self.config.write_text(re.sub(rf"(?m)^dir /(run|var/lib)/svc/{name}$", f"dir {self.directory}", text))
        self.url = f"unix://{self.socket}"
        # Before the command of redis-server; further flags; its environment, if not ours.
        self.wrapper, self.flags, self.environment = [], [], None
        self._client = self.client()

    def repair(self):
        """Runs svc-repair-state, as the unit does before it starts the state Redis. Returns its status and output."""
        done = subprocess.run([program("svc-repair-state"), str(self.directory)], capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def start(self):
        if self.name == "redis-state":
            assert self.repair() == (0, "")
        self.launch()
        wait_until(self.answers, f"{self.name} answers")
        self.load_functions()
        return self

    def load_functions(self):
        """As the unit does after each start."""
        with tempfile.NamedTemporaryFile("w") as password:
            password.write(PASSWORDS["loader"])
            password.flush()
            run([program("svcctl"), "--config", "/dev/null", f"--{self.name}", self.url, "--redis-user", "loader",
                 "--redis-password-file", password.name, "catalog", "load-functions", self.name.removeprefix("redis-")], timeout=PATIENCE)

    def launch(self):  # pylint: disable=arguments-differ
        """Starts redis-server without a repair, and does not wait for it."""
        super().launch([*self.wrapper, "redis-server", str(self.config), "--aclfile", str(self.users), *self.flags],
                       env=self.environment)

    def problems(self):
        """Returns the log lines about a part of the append-only file that Redis dropped."""
        return [f"{self.name}: {line}" for line in self.log_text().splitlines() if "== CRITICAL ==" in line]

    def answers(self):
        assert self.alive(), f"{self.name} ended: {self.tail()}"
        with contextlib.suppress(NoConnection):  # not listening yet, or loading
            return self.command("PING") == "PONG"
        return False

    def cli(self, *words):
        """Returns what redis-cli prints for a command."""
        return run(["redis-cli", "--user", "tests", "-s", self.socket, *words],
                   env={**os.environ, "REDISCLI_AUTH": PASSWORDS["tests"]}, timeout=PATIENCE).stdout

    def monitor(self):
        """Starts a redis-cli that logs every command that Redis receives."""
        one = Program("MONITOR", self.log.with_suffix(".monitor"))
        one.launch(["redis-cli", "--user", "tests", "-s", self.socket, "MONITOR"],
                   env={**os.environ, "REDISCLI_AUTH": PASSWORDS["tests"]})
        wait_until(lambda: one.log_text().startswith("OK"), "MONITOR is attached")
        return one

    def client(self, user="tests"):
        return Client(self.socket, user, PASSWORDS[user])

    def command(self, *words):
        """Returns Redis' reply to a command of the user `tests`."""
        return self._client.command(*words)


class Pool(Program):
    """A pool of workers: its parent is the process, the workers are its children."""

    def __init__(self, stack, name, options, *, deaths_expected=False):
        super().__init__(f"pool {name}", stack.directory / f"{name}.log")
        self.socket = stack.directory / f"{name}.sock"
        self.pid_file = stack.directory / f"{name}.pid"
        self.options = {"listen": self.socket, "pid-file": self.pid_file, **options}
        self.config = stack.config
        self.deaths_expected = deaths_expected

    def command(self):
        command = [program("svc-worker"), "--config", str(self.config)]
        for name, value in self.options.items():
            if value is not None:
                command += [f"--{name}", str(value)]
        return command

    def start(self, *, wrapper=(), **how):
        self.launch([*wrapper, *self.command()], **how)
        return self

    def wait_ready(self):
        self.wait_for("pool.ready")
        return self

    # --- log ---

    def events(self, event=None, **fields):
        """Returns the log's events with that name and these fields. Without a name, returns events of any name."""
        found = []
        for line in self.log_text().splitlines():
            if not line.startswith("{"):
                continue
            with contextlib.suppress(json.JSONDecodeError):  # the last line may be half written
                entry = json.loads(line)
                if event in (None, entry.get("event")) and fields.items() <= entry.items():
                    found.append(entry)
        return found

    def wait_for(self, event, count=1, **fields):
        """Waits for the first `count` events with that name and these fields, and returns them."""
        def there():
            found = self.events(event, **fields)
            if len(found) < count:
                assert self.alive(), f"{self.name} ended: {self.tail()}"
            return found if len(found) >= count else None
        return wait_until(there, f"{event} {fields} in the log")[:count]

    def problems(self):
        """Returns the log entries that fail a test."""
        text = self.log_text()
        found = [mark for mark in SANITIZER_REPORTS if mark in text]
        if not self.deaths_expected:
            found += [json.dumps(entry) for event in ("worker.killed", "worker.died")
                      for entry in self.events(event)]
        # The pool does not wait for the replies to some commands, so that a missing permission shows only in the log.
        found += [json.dumps(entry) for event in ("store.lost", "store.refused") for entry in self.events(event)
                  if "NOPERM" in entry["reason"] or "user executing the script" in entry["reason"]]
        return [f"{self.name}: {problem}" for problem in found]

    # --- processes ---

    def workers(self):
        """The workers' process ids."""
        return children_of(self.pid)

    def wait_for_workers(self, count, without=()):
        """Waits until there are exactly `count` workers and none of them is in `without`. Returns their ids."""
        def there():
            workers = self.workers()
            return workers if len(workers) == count and not workers & set(without) else None
        return wait_until(there, f"{count} workers in place of {set(without)}")

    # --- requests ---

    def connect(self, **how):
        return fastcgi_client.Connection(self.socket, **how)

    def request(self, path, query="", **how):
        """Sends one request on a new connection, and returns the response."""
        with self.connect() as connection:
            answer = connection.request(path, query, **{"keep": False, **how})
            assert answer is not None, f"{path}: closed without an answer"
            return answer


class Ingest(Pool):
    """svc-ingest. As for a pool, a death or a sanitizer's report in its log fails the test."""

    def __init__(self, stack, name="ingest", *, deaths_expected=False):
        super().__init__(stack, name, {"listen": None, "pid-file": None, "redis-user": "ingest",
                                           "redis-password-file": stack.password_file("ingest")},
                         deaths_expected=deaths_expected)

    def command(self):
        return [program("svc-ingest"), *super().command()[1:]]


class Courier(Pool):
    """svc-courier. As for a pool, a sanitizer's report in its log fails the test."""

    def __init__(self, stack, name="courier"):
        super().__init__(stack, name, {"listen": None, "pid-file": None, "redis-user": "courier",
                                       "redis-password-file": stack.password_file("courier")})

    def command(self):
        return [program("svc-courier"), *super().command()[1:]]


class Keeper(Pool):
    """svc-keeper, in the same way."""

    def __init__(self, stack, name="keeper"):
        super().__init__(stack, name, {"listen": None, "pid-file": None, "redis-user": "keeper",
                                       "redis-password-file": stack.password_file("keeper")})

    def command(self):
        return [program("svc-keeper"), *super().command()[1:]]


class Nginx(Program):
    """An nginx of its own. `http_block` is a function of the port that returns the contents of the http block."""

    def __init__(self, directory, http_block):
        super().__init__("nginx", directory / "nginx-error.log")
        self.directory = directory
        self.http_block = http_block
        self.config = directory / "nginx.conf"
        self.port = None

    def start(self):
        for attempt in range(10):
            self.port = free_port()
            self.config.write_text(self._config())
            if self.start_again():
                return self
            assert "Address already in use" in self.log_text() and attempt < 9, self.tail()
            self.log.unlink()
        raise AssertionError("no port was free")

    def start_again(self):
        """Starts nginx with the same configuration. Returns whether it listens; otherwise it has exited."""
        self.launch(["nginx", "-p", str(self.directory), "-c", str(self.config), "-e", str(self.log)])
        wait_until(lambda: not self.alive() or self._listens(), "nginx listens")
        return self.alive()

    def _config(self):
        temporary = "\n".join(f"  {name}_temp_path {self.directory}/{name};" for name in
                              ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return (f"{user_directive()}\ndaemon off;\nworker_processes 1;\npid {self.directory}/nginx.pid;\n"
                f"error_log {self.log} info;\nevents {{ worker_connections 1024; }}\n"
                f"http {{\n  access_log off;\n{temporary}\n{self.http_block(self.port)}\n}}\n")

    def _listens(self):
        # The pid file is written after all ports are bound. Before that, another process could answer on the port.
        with contextlib.suppress(OSError, ValueError):
            if int((self.directory / "nginx.pid").read_text()) == self.pid:
                with socket.create_connection(("127.0.0.1", self.port), PATIENCE):
                    return True
        return False

    def reload(self):
        """Reloads the configuration. Returns once only new workers serve."""
        # nginx listens before its first worker exists. Without this wait that worker would be missed.
        before = wait_until(lambda: children_of(self.pid), "nginx has a worker")
        self.send_signal(signal.SIGHUP)
        wait_until(lambda: not before & children_of(self.pid), "nginx's old workers have exited")

    def send(self, raw, method="GET"):
        """Sends these bytes on a new connection, and reads one response."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(raw)
            answer = http.client.HTTPResponse(connection, method=method)
            answer.begin()
            headers = {}
            for name, value in answer.getheaders():
                name = name.lower()
                headers[name] = f"{headers[name]}, {value}" if name in headers else value
            return Answer(answer.status, headers, answer.read())

    def request(self, target, *, method="GET", host=None, headers=(), body=b""):
        """Sends one request; the target is sent unchanged, even if malformed. The default host depends on the path."""
        host = host_of(target) if host is None else host
        target = target if isinstance(target, bytes) else target.encode()
        head = [b"%s %s HTTP/1.1" % (method.encode(), target), b"Host: " + host.encode(),
                b"Connection: close"]
        head += [f"{name}: {value}".encode() for name, value in dict(headers).items()]
        if body or method in ("POST", "PUT", "PATCH"):
            head.append(b"Content-Length: %d" % len(body))
        return self.send(b"\r\n".join(head) + b"\r\n\r\n" + body, method)


class Thumbnails(Program):
    """The nginx that crops posters, with the shipped settings; only paths are replaced. The rates apply only with
    `limits`."""

    MODULE = Path("/usr/lib/nginx/modules/ngx_http_image_filter_module.so")

    def __init__(self, directory, *, limits=False):
        super().__init__("thumbnails", directory / "thumbnails.log")
        self.socket = directory / "thumbnails.sock"
        self.home = directory / "thumbnails"
        self.home.mkdir()
        self.config = directory / "thumbnails.conf"
        text = (REPOSITORY / "systemd" / "thumbnails.conf").read_text()
        for value, here in (("/run/svc-thumbnails/", f"{self.home}/"), ("/run/svc/", f"{directory}/"),
                            ("/var/lib/svc/", f"{directory}/"), ("/usr/share/svc/demo", f"{REPOSITORY}/scripts/demo"),
                            ("error_log stderr error;", "error_log stderr info;")):
            assert value in text, value
            text = text.replace(value, here)
        if not limits:
            text = re.sub(r"(?m)^\s*limit_(req|conn) .*$", "", text)
        self.config.write_text(f"{user_directive()}\n{text}")

    def start(self):
        self.launch(["nginx", "-p", str(self.home), "-c", str(self.config), "-e", "stderr"])
        wait_until(lambda: not self.alive() or is_socket(self.socket), "the socket of the thumbnails")
        assert self.alive(), self.tail()
        return self


class Stack:
    """The programs of one test, or of one module of tests."""

    living = []  # conftest.py prints the logs of these if a test fails

    def __init__(self):
        self.directory = make_directory("svc-e2e-")
        self.programs = []
        self.config = self.directory / "svc.conf"
        self.key_file = self.directory / "keys"
        self.key_file.write_text(f"k1:{secrets.token_hex(32)}\n")
        self.key_file.chmod(0o600)
        self.watch_key_file = self.directory / "watch-keys"
        self.watch_key_file.write_text(f"k1:{secrets.token_hex(32)}\n")
        self.watch_key_file.chmod(0o600)
        for folder in ("uploads", "media"):
            (self.directory / folder).mkdir()
        for user, password in PASSWORDS.items():
            self.password_file(user).write_text(f"{password}\n")
            self.password_file(user).chmod(0o600)
        self.redis_state = Redis(self.directory, "redis-state")
        self.own_catalog = None  # the Redis of redis-catalog, if it is another one
        self.redis_cache = Redis(self.directory, "redis-cache")
        self.write_config()
        Stack.living.append(self)

    @property
    def redis_catalog(self):
        return self.own_catalog or self.redis_state

    def password_file(self, user):
        return self.directory / f"redis-{user}.password"

    def write_config(self, **more):
        """Writes the configuration file; names have _ for -."""
        settings = {**HOSTS, "upload-dir": self.directory / "uploads", "media-dir": self.directory / "media",
                    "redis-state": self.redis_state.url,
                    "redis-cache": self.redis_cache.url, "key-file": self.key_file,
                    "watch-key-file": self.watch_key_file, "stats-bots-file": REPOSITORY / "systemd/bots.txt",
                    "redis-user": "svcctl", "redis-password-file": self.password_file("svcctl"),
                    **TIMEOUTS}
        settings.update({name.replace("_", "-"): value for name, value in more.items()})
        self.config.write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
        return self.config

    def add(self, running):
        """Registers a program that stop() ends."""
        self.programs.append(running)
        return running

    def start_redis(self):
        for server in (self.redis_state, self.redis_cache):
            if server not in self.programs:
                self.add(server).start()

    def import_catalog(self, catalog=CATALOG):
        """Imports a valid catalog."""
        self.start_redis()

        def imported():
            """Returns the finished import. With status 3 the store was unavailable, or had no processor time for 10 s; the
            import is to be run again."""
            done = subprocess.run([program("svcctl"), "--config", str(self.config), "import",
                                   str(catalog)], capture_output=True, text=True, timeout=PATIENCE)
            return done.returncode != 3 and done

        done = wait_until(imported, "the catalog is imported")
        assert done.returncode == 0, f"the import failed: {done.stdout}{done.stderr}"
        # An import that only claims success would show as 404 in a hundred tests.
        assert self.redis_catalog.command("DBSIZE") > 0, "the import left nothing in Redis"

    def store_email(self, contact, before, after):
        """Changes the email address of an imported user. An earlier version may have stored addresses that the import
        refuses today."""
        key, index = f"catalog:contact:{contact}", "catalog:contact_email:"
        record = self.redis_catalog.command("GET", key)
        assert before in record
        self.redis_catalog.command("SET", key, record.replace(before, after))
        self.redis_catalog.command("RENAME", index + before, index + after)

    def store_application(self, client_id, name, description="", **fields):
        """Imports an application, and sets the name and description of its record. An earlier version may have stored
        texts that the import refuses today: longer ones, control characters."""
        file = self.directory / "application.jsonl"
        file.write_text(json.dumps({"kind": "application", "client_id": client_id, "client_secret": "s" * 40,
                                    "name": "imported", "description": "", "created": "2026-04-01T10:00:00Z",
                                    **fields}) + "\n")
        self.import_catalog(file)
        file.unlink()
        key = f"oauth:client:{client_id}"
        record = json.loads(self.redis_catalog.command("GET", key)) | {"name": name, "description": description}
        self.redis_catalog.command("SET", key, json.dumps(record))

    def pool(self, name="embed", *, deaths_expected=False, **options):
        """Returns a pool that has not been started; options are flags, with _ for -."""
        flags = {option.replace("_", "-"): value for option, value in options.items()}
        # Under the address sanitizer every worker exceeds any limit.
        roles = flags.get("roles", "embed")
        user = roles if roles in USERS else "roles"
        store = {} if roles == "upload" else {"redis-user": user, "redis-password-file": self.password_file(user)}
        flags = {"roles": roles, "workers": 2, "memory-limit": 0, **store, **flags}
        return self.add(Pool(self, name, flags, deaths_expected=deaths_expected))

    def start_pool(self, name="embed", **options):
        return self.pool(name, **options).start().wait_ready()

    def start_ingest(self):
        """Starts svc-ingest, which converts uploads by ffmpeg."""
        return self.add(Ingest(self)).start()

    def start_keeper(self):
        """Starts svc-keeper, which marks the folders of films that are not open to all."""
        return self.add(Keeper(self)).start()

    def start_courier(self, **how):
        """Starts svc-courier, which fetches client ID metadata documents. Otherwise as Pool.start()."""
        return self.add(Courier(self)).start(**how)

    def start_thumbnails(self, *, limits=False):
        """Starts the nginx that crops posters."""
        return self.add(Thumbnails(self.directory, limits=limits)).start()

    def write_file_secrets(self):
        """Writes what nginx compares signed addresses of files with, as make-secrets does."""
        done = ended("svcctl", "--config", self.config, "keys", "nginx")
        assert done.returncode == 0, done.stderr
        file = self.directory / "nginx-file-secrets.conf"
        file.write_text(done.stdout)
        file.chmod(0o600)

    def start_nginx(self, http_block):
        return self.add(Nginx(self.directory, http_block)).start()

    def start_shipped_nginx(self, *, limits=False, micro_cache=True, shipped_timeouts=False):
        """Starts nginx with the shipped files; only addresses and paths are replaced.

        Rate limits, which most tests would exceed, apply only with `limits`. Without the micro-cache every request
        reaches a worker. The timeouts are longer than shipped without `shipped_timeouts`."""
        def change(text):
            if not micro_cache:
                text = text.replace("include svc/svc-micro-cache.conf;\n", "")
            # A busy machine takes longer, and tests measure the workers' own timeouts.
            if not shipped_timeouts:
                text = re.sub(r"(?m)^(fastcgi_(?:connect|send|read|next_upstream)_timeout) \d+s;$", rf"\1 {NGINX_PATIENCE}s;", text)
            return text if limits else without_rates(text)

        self.write_file_secrets()
        # The second server is for clients whose Host is the address that they connect to.
        return self.start_nginx(lambda port: put(self.directory, port, change=change) + (
            f"\n  server {{ listen 127.0.0.1:{port}; server_name 127.0.0.1 localhost; include svc/svc-server-all.conf; }}"))

    def logs(self):
        return [(running.name, running.tail(15)) for running in self.programs]

    def stop(self):
        """Stops all programs in reverse order. Fails if one ended wrongly or logged a problem."""
        problems = []
        for running in reversed(self.programs):
            try:
                if running.alive():
                    with contextlib.suppress(ProcessLookupError):
                        running.send_signal(signal.SIGCONT)
                running.stop()
            except AssertionError as error:
                problems.append(str(error))
            if isinstance(running, (Pool, Redis)):
                problems += running.problems()
        Stack.living.remove(self)
        shutil.rmtree(self.directory, ignore_errors=True)
        assert not problems, "\n".join(problems)


def is_socket(path):
    with contextlib.suppress(FileNotFoundError):
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    return False
