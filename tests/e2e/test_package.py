"""The package's life on a clean Debian 12 that has booted: built, looked at by lintian, installed as
README.md says, upgraded while everybody is served, removed, purged. The tests are its stages, in
this order.

The letters and numbers in the names are the rules of operations (Y3, Y4, P7). With SVC_LONG set, as in
`ctest -C long -R e2e.package.long`, the load is what the service has to bear: 100 000 requests.
"""

import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from clean_root import clean_root
from machine import Machine
from stack import BUILD, CATALOG, PATIENCE, REPOSITORY, children_of, wait_until

LONG = bool(os.environ.get("SVC_LONG"))
REQUESTS, RELOADS, RESTARTS = (100_000, 20, 5) if LONG else (5_000, 3, 1)
# Of each of two pools, and the seconds between two: a hundred in a minute.
KILLS, PAUSE = (100, 0.5) if LONG else (15, 0.2)

ROLES = ("embed", "grant", "web")
POOLS = "svc-worker@*.service"
UNITS = (*(f"svc-{name}" for role in ROLES for name in (
    f"worker@{role}.socket", f"queue@{role}.socket", f"worker@{role}.service")),
         "svc-redis-state.service", "svc-redis-cache.service", "svc.target")
DOMAIN = "clips.example"
HOST = f"app.{DOMAIN}"
SETTINGS = {"app-url": f"https://{HOST}", "base-url": f"https://api.{DOMAIN}", "oembed-url": f"https://oembed.{DOMAIN}",
            "embed-host": f"https://embed.{DOMAIN}", "service-domain": DOMAIN}
MEDIA = "https://acme.clips.example/medias/l4unchf1lm"
SLOW = 600  # seconds; guards against a hang in what takes longer than others

# What a person does in the editor that README.md opens.
EDITOR = rf"""#!/bin/sh
set -e
case $1 in
  */svc.conf) sed -i {' '.join(f"-e 's|^{key} = .*|{key} = {value}|'" for key, value in SETTINGS.items())} "$1" ;;
  */svc-site.conf) sed -i -e '/server_name/s/svc\.example/{DOMAIN}/' "$1" ;;
  *) exit 1 ;;
esac
"""


def readme_commands():
    """The first block of README.md's section, a command a line."""
    section = (REPOSITORY / "README.md").read_text().split("\n## Deploy with systemd\n")[1]
    block = re.search(r"```sh\n(.*?)```", section, re.S).group(1)
    return [line.split("  #")[0].strip() for line in block.splitlines()]


@pytest.fixture(scope="module")
def folder():
    path = Path(tempfile.mkdtemp(prefix="svc-package-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


def build(folder):
    done = subprocess.run([REPOSITORY / "scripts/package", "--programs", BUILD, "--out", folder / "0"],
                          capture_output=True, text=True, timeout=SLOW)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name.split("_")[0]: path for path in (folder / "0").glob("*.deb")}


@pytest.fixture(scope="module")
def made(folder):
    """The packages by name, and the root of a clean Debian, made side by side."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        packages = pool.submit(build, folder)
        root = pool.submit(clean_root, REPOSITORY / "systemd/debian/control")
        return packages.result(), root.result()


@pytest.fixture(scope="module")
def machine(made):
    one = Machine(made[1])
    try:
        one.boot()
        yield one
    finally:
        one.end()


def names_of_ours(machine):
    """Every file that has our name and belongs to no package."""
    found = machine.run("find", "/", "-xdev", "(", "-path", "/proc", "-o", "-path", "/sys", "-o", "-path",
                        "/machine", "-o", "-path", "/srv", "-o", "-path", "/var/lib/dpkg", ")", "-prune",
                        "-o", "-name", "*svc*", "-print").stdout.splitlines()
    found += machine.run("find", "/run", "-name", "*svc*").stdout.splitlines()
    # A folder that systemd or /usr merged is known by its other name.
    known = {line.split(": ")[1] for path in found for line in machine.run(
        "dpkg", "-S", path, path.removeprefix("/usr"), check=False).stdout.splitlines()}
    return {path for path in found if not {path, path.removeprefix("/usr")} & known}


def repacked(folder, package, version):
    """The same package as a later version."""
    tree = folder / version
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True, timeout=PATIENCE)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    made = folder / f"svc-worker_{version}_amd64.deb"
    subprocess.run(["dpkg-deb", "-Zxz", "-z1", "--root-owner-group", "-b", tree, made], check=True,
                   capture_output=True, timeout=PATIENCE)
    return made


def put(machine, file):
    shutil.copy(file, machine.path("/srv"))
    return f"/srv/{file.name}"


def apt(machine, *words):
    """Apt without questions, as a person with answers."""
    done = machine.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q", *words, patience=SLOW)
    return done.stdout + done.stderr


def oembed(machine):
    """Status and body, through nginx."""
    body, _, status = machine.run(
        "curl", "-sS", "-w", "\n%{http_code}", "-H", f"Host: oembed.{DOMAIN}", "--get", "--data-urlencode", f"url={MEDIA}",
        "http://127.0.0.1/oembed").stdout.rpartition("\n")
    return int(status), body


# --- what is in it -------------------------------------------------------------------------------


def test_Y4_lintian_has_nothing_to_say(made):
    packages = made[0]
    done = subprocess.run(["lintian", "--allow-root", "--pedantic", "--fail-on", "error,warning,pedantic",
                           *packages.values()], capture_output=True, text=True, timeout=SLOW)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_Y4_programs_symbols_pages_and_settings(made, folder):
    packages = made[0]
    assert set(packages) == {"svc-worker", "svc-worker-dbgsym"}
    listed = subprocess.run(["dpkg-deb", "-c", packages["svc-worker"]], capture_output=True, text=True,
                            check=True).stdout
    for path in ("/usr/bin/svc-worker", "/usr/bin/svcctl", "/usr/share/man/man8/svc-worker.8.gz",
                 "/usr/share/man/man8/svcctl.8.gz", "/usr/share/doc/svc-worker/copyright",
                 "/usr/share/doc/svc-worker/changelog.gz", "/usr/share/doc/svc-worker/README.systemd.md",
                 "/usr/share/doc/svc-worker/examples/catalog.jsonl",
                 "/usr/share/bash-completion/completions/svcctl"):
        assert f" .{path}\n" in listed, path
    tree = folder / "tree"
    subprocess.run(["dpkg-deb", "-R", packages["svc-worker"], tree], check=True)
    # A setting that is edited must survive an upgrade: each is a conffile.
    settings = {f"/{path.relative_to(tree)}" for path in (tree / "etc").rglob("*") if path.is_file()}
    assert {"/etc/svc/svc.conf", "/etc/nginx/svc/svc-site.conf"} <= settings
    assert settings == set((tree / "DEBIAN/conffiles").read_text().split())
    # The symbols are those of these programs.
    subprocess.run(["dpkg-deb", "-x", packages["svc-worker-dbgsym"], folder / "symbols"], check=True)
    for name in ("svc-worker", "svcctl"):
        said = subprocess.run(["readelf", "-n", tree / "usr/bin" / name], capture_output=True, text=True,
                              check=True).stdout
        number = re.search(r"Build ID: (\w+)", said).group(1)
        assert (folder / f"symbols/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug").exists()


@pytest.mark.parametrize("name, words", [
    ("svc-worker", ("SIGHUP", "EXIT STATUS", "FILES", "/etc/svc/svc.conf")),
    ("svcctl", ("svcctl import", "svcctl keys rotate", "EXIT STATUS", "FILES", "svcctl top", "CATALOG")),
])
def test_Y4_a_page_says_everything_that_the_program_does(made, folder, name, words):
    packages = made[0]
    page = folder / f"{name}.8.gz"
    with open(page, "wb") as out:
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", packages["svc-worker"]], capture_output=True,
                                  check=True).stdout
        out.write(subprocess.run(["tar", "-xO", f"./usr/share/man/man8/{name}.8.gz"], input=unpacked,
                                 capture_output=True, check=True).stdout)
    shown = subprocess.run(["man", "--warnings", "-E", "ascii", "-l", page], capture_output=True, text=True,
                           check=True, env={**os.environ, "MANWIDTH": "1000", "MAN_KEEP_FORMATTING": "",
                                            "LC_ALL": "C.UTF-8"})
    assert shown.stderr == ""
    text = " ".join(shown.stdout.split())
    asks = "--help-settings" if name == "svcctl" else "--help"
    said = subprocess.run([BUILD / name, asks], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"(?m)^  (?:-\w \[ )?(--[a-z-]+)", said))
    if name == "svcctl":  # its settings are explained in the other page
        options &= {"--config", "--help", "--help-settings", "--version", "--check-config", "--print-config"}
    assert len(options) >= 5
    assert [option for option in sorted(options) if option not in text] == []
    assert [word for word in words if word not in text] == []


# --- installed -----------------------------------------------------------------------------------


def test_Y4_README_followed_to_the_letter_ends_with_a_served_request(machine, made):
    machine.path("/usr/local/bin/editor").write_text(EDITOR)
    machine.path("/usr/local/bin/editor").chmod(0o755)
    machine.path("/srv/catalog.jsonl").write_bytes(CATALOG.read_bytes())
    put(machine, made[0]["svc-worker"])
    commands = readme_commands()
    assert commands[0].startswith("apt install ./svc-worker_") and "curl" in commands[-1], commands
    assert len([line for line in commands if line.startswith("editor ")]) == 2
    for command in commands:
        # Its answers to apt's question and the host are the person's own.
        command = command.replace("apt install", "apt install -y").replace("app.svc.example", HOST)
        done = machine.run("sh", "-ec", f"cd /srv; {command}", patience=SLOW,
                           env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if command.startswith("apt "):
            # Nothing of ours runs before it was configured, and nothing was asked of root but that.
            for unit in UNITS:
                assert machine.show(unit)["ActiveState"] == "inactive", unit
    assert done.stdout == '{"status":"ok"}'
    status, body = oembed(machine)
    assert status == 200, body
    assert '"title":"Launch film"' in body and "https://embed.clips.example/" in body
    assert f'"provider_url":"https://{HOST}"' in body
    for unit in UNITS:
        assert machine.show(unit)["ActiveState"] == "active", unit
    assert machine.systemctl("is-system-running").stdout.strip() == "running"


def test_Y4_the_secrets_are_this_machine_s_own_and_root_s(machine):
    for name in ("keys", "redis-embed.password", "redis-svcctl.password", "redis-state.acl"):
        status = machine.path(f"/etc/svc/{name}").stat()
        assert (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (0o600, 0, 0), name
    assert machine.run("dpkg", "-S", "/etc/svc/keys", check=False).returncode != 0


def test_N7_the_logs_of_nginx_are_rotated_with_its_own_and_nothing_is_lost(machine):
    access = machine.path("/var/log/nginx/svc-access.log")
    machine.wait_for("nginx.service", "has written", lambda _: access.stat().st_size > 0)
    before = access.stat().st_ino
    machine.run("logrotate", "--force", "/etc/logrotate.d/nginx")
    old = machine.path("/var/log/nginx/svc-access.log.1")
    assert old.stat().st_ino == before
    assert oembed(machine)[0] == 200
    machine.wait_for("nginx.service", "writes to the new one", lambda _: access.stat().st_size > 0)
    # As the whole of a nightly run, in which no file may belong to two.
    assert machine.run("logrotate", "--debug", "/etc/logrotate.conf").stderr.count("error:") == 0


# --- upgraded ------------------------------------------------------------------------------------


class Load:
    """Clients that go on until they are told to end."""

    def __init__(self, machine):
        self.process = subprocess.Popen(
            machine.on_its_network(sys.executable, Path(__file__).parent / "load.py", DOMAIN, MEDIA),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.guard = threading.Timer(SLOW, self.process.kill)
        self.guard.start()
        line = self.process.stdout.readline()
        assert line == "ready\n", line + self.process.stderr.read()
        self.answered, self.result = 0, None
        # A thread, so that what is known is what is now.
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.result = json.loads(line)
            else:
                self.answered = int(line)

    def wait_for(self, more):
        """Until that many more were answered than now."""
        wanted = self.answered + more
        wait_until(lambda: self.answered >= wanted or not self.reader.is_alive(), "answers", SLOW)
        assert self.reader.is_alive(), self.process.stderr.read()

    def stop(self):
        """What it came to."""
        self.process.stdin.close()
        self.reader.join()
        assert self.process.wait() == 0 and self.result, self.process.stderr.read()
        return self.result

    def end(self):
        self.guard.cancel()
        self.process.kill()
        self.process.wait()
        self.reader.join()


def programs(machine):
    """The program files that pools' parents run, by role."""
    return {role: os.stat(f"/proc/{machine.main_pid(f'svc-worker@{role}.service')}/exe").st_ino for role in ROLES}


def test_P7_Y4_reloads_restarts_and_an_upgrade_at_full_load_lose_no_request(machine, made, folder):
    # One client asks faster here than a person may, and every GET has to reach a pool.
    machine.run("sed", "-i", "-e", "/svc-limits-rates/d", "-e", "/svc-micro-cache/d", "/etc/nginx/svc/svc-site.conf")
    machine.run("sh", "-ec", "nginx -t && systemctl reload nginx")
    new = put(machine, repacked(folder, made[0]["svc-worker"], "0.1.1"))
    settings = machine.path("/etc/svc/svc.conf").read_bytes()
    secrets = machine.path("/etc/svc/keys").read_bytes()
    redis = machine.main_pid("svc-redis-state.service")
    before = programs(machine)

    def reload():
        machine.systemctl("reload", POOLS)

    def restart():
        machine.systemctl("restart", POOLS, patience=SLOW)

    def upgrade():
        apt(machine, "install", new)

    # The upgrade in the middle, restarts spread evenly among the reloads.
    events = [reload] * RELOADS
    for number in range(RESTARTS):
        events.insert((number + 1) * len(events) // (RESTARTS + 1), restart)
    events.insert(len(events) // 2, upgrade)
    load = Load(machine)
    try:
        # Between two of them and around all of them an equal share; during them the load goes on.
        share = REQUESTS // (len(events) + 1) + 1
        for event in events:
            load.wait_for(share)
            event()
        load.wait_for(share)
        result = load.stop()
    finally:
        load.end()
    print(json.dumps({**result, "failed": len(result["failed"])}))
    assert result["failed"] == [], result["failed"][:20]
    assert result["get"] + result["post"] >= REQUESTS and min(result["get"], result["post"]) >= REQUESTS // 10
    # All of it happened, and the new program runs.
    assert "0.1.1" in machine.run("dpkg-query", "-W", "svc-worker").stdout
    program = machine.path("/usr/bin/svc-worker").stat().st_ino
    assert set(programs(machine).values()) == {program} and program not in before.values()
    for role in ROLES:
        assert len(machine.events(f"svc-worker@{role}.service", "reload.done")) == RELOADS
        assert len(machine.events(f"svc-worker@{role}.service", "pool.ready")) == RESTARTS + 2
        assert machine.events(f"svc-worker@{role}.service", "worker.died") == []
    # What was edited and what was made is as it was, and the store was left alone.
    assert machine.path("/etc/svc/svc.conf").read_bytes() == settings
    assert machine.path("/etc/svc/keys").read_bytes() == secrets
    assert machine.main_pid("svc-redis-state.service") == redis


def test_P8_N2_killed_workers_are_seen_by_no_client_and_leave_full_pools(machine):
    """GET and POST, at full load."""
    pools = [f"svc-worker@{role}.service" for role in ("embed", "grant")]
    parents = [machine.main_pid(unit) for unit in pools]
    chance = random.Random(8)
    load = Load(machine)
    try:
        load.wait_for(100)
        for _ in range(KILLS):
            for parent in parents:
                os.kill(chance.choice(sorted(wait_until(lambda: children_of(parent), "a worker"))),  # pylint: disable=W0640
                        signal.SIGKILL)
            time.sleep(PAUSE)
        result = load.stop()
    finally:
        load.end()
    print(json.dumps({**result, "failed": len(result["failed"]), "killed": 2 * KILLS}))
    assert result["failed"] == [], result["failed"][:20]
    assert min(result["get"], result["post"]) >= 100
    for unit, parent in zip(pools, parents):
        assert len(machine.events(unit, "worker.died")) == KILLS
        machine.wait_for(unit, "is full", lambda shown: shown["StatusText"].startswith("4 of 4 workers up"))
        assert machine.main_pid(unit) == parent


def test_Y4_an_upgrade_with_a_wrong_configuration_leaves_the_pools_alone_and_says_so(machine, made, folder):
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    before = programs(machine)
    config.write_text(right + "no-such-key = 1\n")
    try:
        said = apt(machine, "install", put(machine, repacked(folder, made[0]["svc-worker"], "0.1.2")))
    finally:
        config.write_text(right)
    assert "no-such-key" in said and "systemctl restart 'svc-worker@*.service'" in said, said
    assert programs(machine) == before
    assert oembed(machine)[0] == 200
    machine.systemctl("restart", POOLS)
    assert set(programs(machine).values()).isdisjoint(before.values())
    assert oembed(machine)[0] == 200


def test_Y4_an_upgrade_that_changes_a_redis_user_has_redis_know(machine, made, folder):
    new = repacked(folder, made[0]["svc-worker"], "0.1.3")
    acl = folder / "0.1.3/usr/share/svc/redis-cache.acl.in"
    acl.write_text(acl.read_text().replace("+hlen", "+hlen +hstrlen"))
    subprocess.run(["dpkg-deb", "-Zxz", "-z1", "--root-owner-group", "-b", folder / "0.1.3", new], check=True,
                   capture_output=True, timeout=PATIENCE)
    # Of a version in which all pools were one user.
    single = machine.path("/etc/svc/redis-service.password")
    single.write_text("x\n")
    before = {name: machine.main_pid(f"svc-redis-{name}.service") for name in ("state", "cache")}
    apt(machine, "install", put(machine, new))
    assert not single.exists()
    after = {name: machine.main_pid(f"svc-redis-{name}.service") for name in ("state", "cache")}
    assert after["state"] == before["state"] and after["cache"] != before["cache"]
    assert oembed(machine)[0] == 200


# --- gone ----------------------------------------------------------------------------------------


def test_Y4_removed_it_stops_and_leaves_what_was_set(machine):
    kept = ("/etc/svc/svc.conf", "/etc/svc/keys", "/etc/nginx/svc/svc-site.conf", "/var/lib/svc/redis-state")
    apt(machine, "remove", "svc-worker")
    for unit in UNITS:
        shown = machine.show(unit)
        assert (shown["ActiveState"], shown["LoadState"]) == ("inactive", "not-found"), unit
    assert not machine.path("/usr/bin/svc-worker").exists()
    assert not any(machine.path(f"/run/svc/{role}.sock").exists() for role in ROLES)
    for path in kept:
        assert machine.path(path).exists(), path
    # nginx's files are still there, and answer for it.
    machine.run("nginx", "-t")
    status, body = oembed(machine)
    assert status in (502, 503) and "error" in json.loads(body)


def test_Y4_installed_again_it_has_its_catalog_still(machine, made):
    apt(machine, "install", put(machine, made[0]["svc-worker"]))
    machine.systemctl("enable", "--now", "svc.target")
    assert oembed(machine)[0] == 200


def test_Y4_purged_it_leaves_nothing_but_its_users(machine):
    apt(machine, "purge", "svc-worker")
    assert names_of_ours(machine) == set()
    for unit in UNITS:
        assert machine.show(unit)["LoadState"] == "not-found"
    assert machine.systemctl("list-units", "--failed", "--plain", "--no-legend").stdout == ""
    # They can neither log in nor own anything.
    for name in ("svc", "svc-redis-state", "svc-redis-cache"):
        account = machine.run("getent", "passwd", name).stdout.strip().split(":")
        assert account[5:] == ["/", "/usr/sbin/nologin"]
        assert machine.run("getent", "shadow", name).stdout.split(":")[1].startswith("!")
        owned = machine.run("find", "/", "-xdev", "-path", "/proc", "-prune", "-o", "-user", name, "-print").stdout
        assert owned == ""
    # nginx, which was told nothing, still has a configuration that is right.
    machine.run("nginx", "-t")
