"""deployed: a booted machine on which the service is installed with the commands of systemd/README.md."""

import contextlib
import re

import pytest

import fastcgi_client as fcgi
import readme
from machine import Machine
from processes import children_of
from stack import CATALOG, REPOSITORY, TIMEOUTS

ROLES = ("embed", "grant", "web", "upload")
WORKERS = 4
SYSTEMD = REPOSITORY / "systemd"
UNITS = sorted(path.name for path in SYSTEMD.iterdir()
               if path.suffix in (".service", ".socket", ".target"))
MEDIA = "url=http%3A%2F%2Facme.svc.example%2Fmedias%2Fl4unchf1lm"


def pool(role):
    return f"svc-worker@{role}.service"


def readme_commands():
    """The commands that deploy from the sources, one per line, without those that build."""
    lines = readme.commands("systemd/README.md", "Deploy", 1)
    packaged = readme.commands("systemd/README.md", "Deploy")
    lines += packaged[1:]
    return [line for line in lines if not line.startswith("cmake ")]


def follow(machine, section, number=0, **changed):
    """Runs a block of systemd/README.md on the machine, in the folder of the package, with other values of these
    variables. Returns its output."""
    # No package here: the programs are installed already.
    text = re.sub(r"(?m)^apt install (.*)$", lambda found: "\n".join(
        readme_commands()[:3] if "svc-worker" in found[1] else ()),
                  readme.script("systemd/README.md", section, number, **changed))
    return machine.run("sh", "-euc", f"cd /srv\n{text}").stdout


@contextlib.contextmanager
def deployed():
    """Boots a machine and runs the deployment commands of systemd/README.md on it."""
    one = Machine()
    try:
        one.boot()
        one.path("/srv/catalog.jsonl").write_bytes(CATALOG.read_bytes())
        one.path("/srv/password").write_text("a good long password\n")
        commands = [*readme_commands(), "svcctl import catalog.jsonl"]
        assert len(commands) >= 6, commands
        for command in commands:
            one.run("sh", "-ec", f"cd /srv; {command}")
        # As in stack.TIMEOUTS.
        with open(one.path("/etc/svc/svc.conf"), "a", encoding="utf-8") as config:
            config.writelines(f"{name} = {number}\n" for name, number in TIMEOUTS.items())
        one.systemctl("restart", *map(pool, ROLES))
        yield one
    finally:
        one.end()


def make_whole(machine):
    """Starts the whole service again, and checks that no unit has failed."""
    machine.run("systemctl", "start", "svc.target")
    for unit in (*map(pool, ROLES), "svc-ingest.service", "svc-courier.service", "svc-keeper.service"):
        machine.wait_for(unit, "is up again", is_running)
    failed = machine.systemctl("list-units", "--failed", "--plain", "--no-legend").stdout
    assert failed == "", failed


def is_running(shown):
    return shown["ActiveState"] == "active" and shown["SubState"] == "running"


def connect(machine, role):
    return fcgi.Connection(machine.path(f"/run/svc/{role}.sock"))


def ask(machine, role, path, query="", **how):
    with connect(machine, role) as connection:
        answer = connection.request(path, query, keep=False, **how)
        assert answer is not None, f"{path}: closed without an answer"
        return answer


def workers(machine, role):
    return children_of(machine.main_pid(pool(role)))


def redis(machine, user, *words, store="state"):
    """Returns what redis-cli prints for that user."""
    password = machine.path(f"/etc/svc/redis-{user}.password").read_text().strip()
    return machine.run("env", f"REDISCLI_AUTH={password}", "redis-cli", "--user", user, "-s",
                       f"/run/svc/redis-{store}/redis.sock", *words, check=False).stdout.strip()


# --- fixtures: a module of tests imports those that it uses ---


@pytest.fixture(scope="module")
def booted():
    with deployed() as one:
        yield one


@pytest.fixture
def machine(booted):
    """Every test starts with the whole service running, and leaves it so."""
    yield booted
    make_whole(booted)
