"""From one machine to three, by the commands of systemd/README.md: booted machines with systemd on one network."""

import contextlib
import os
import select
import shutil
import socket
from collections import namedtuple

import pytest

import uploads
from deployed import MEDIA, ROLES, ask, deployed, follow, is_running, pool
from fronts import FRONTS, NETWORK_SETTINGS, STORE
from machine import Machine
from network import Namespace, Network
from oauth_store import exchange, lives, refresh, tokens_of
from processes import PATIENCE, wait_until
from stack import Nginx
from test_machines import AUTHORIZE, OLIVIA, code_of, consent_page, has_session
from user_agent import Browser

STEPS = "From one machine to three"
TLS = "TLS between the machines"
CLIENTS = "TLS to the store"
OK = '{"status":"ok"}'

# The operator's changes. The addresses of the test are those of the shipped files.
EDITOR = rf"""#!/bin/sh
set -e
test -f "$1"
case $1 in
  */store.conf) grep -q '^IPAddressAllow={STORE}$' "$1" ;;
  */network.conf) grep -q '^IPAddressAllow={' '.join(FRONTS)}$' "$1" ;;
  */redis-state-network.conf) grep -q '^bind {STORE}$' "$1" ;;
  *) exit 1 ;;
esac
"""

ADDRESSES = [STORE.rpartition(".")[0] + f".{number}" for number in range(10, 17)]
Member = namedtuple("Member", "machine namespace nginx")


class Place(Nginx):
    """The nginx of a member, which systemd started."""

    def __init__(self, machine, namespace):
        super().__init__(machine.directory, None)
        self.namespace, self.port = namespace, 80

    def send(self, raw, method="GET"):
        with self.namespace.entered():
            return super().send(raw, method)


@contextlib.contextmanager
def joined(machines):
    """These machines, on one network."""
    network = Network(delay=0.001)
    try:
        found = []
        for machine, address in zip(machines, ADDRESSES):
            namespace = Namespace(machine.leader)
            network.join(namespace, address)
            machine.path("/usr/local/bin/editor").write_text(EDITOR)
            machine.path("/usr/local/bin/editor").chmod(0o755)
            found.append(Member(machine, namespace, Place(machine, namespace)))
        yield found
    finally:
        network.end()


@contextlib.contextmanager
def bare(count):
    """Booted machines that run nothing yet."""
    with contextlib.ExitStack() as ends:
        machines = [Machine() for _ in range(count)]
        for one in machines:
            ends.callback(one.end)
            one.boot()
        yield machines


@contextlib.contextmanager
def three():
    """A machine that runs everything, and two that run nothing yet."""
    with deployed() as first, bare(len(FRONTS)) as others, joined([first, *others]) as found:
        yield found


@pytest.fixture(scope="module")
def members():
    with three() as found:
        yield found


def answers(member):
    """The status of an oEmbed request through the member's nginx."""
    return member.nginx.request(f"/oembed?{MEDIA}").status


def copy(source, target):
    shutil.copy2(source, target)
    assert os.stat(target).st_mode & 0o077 == 0 or target.suffix == ".pem"


def check(fronts):
    """Every service of each front machine reaches the state."""
    first, *others = fronts
    for front in fronts:
        wait_until(lambda front=front: answers(front) == 200, "the pools answer")
        for role in ROLES:
            wait_until(lambda front=front, role=role: ask(front.machine, role, "/readyz").status == 200, f"{role} is ready")
        for unit in ("svc-ingest.service", "svc-keeper.service"):
            front.machine.wait_for(unit, "is up", is_running)
    # The folders are not shared: another machine would take the job.
    for front in others:
        front.machine.systemctl("stop", "svc-ingest")
    uploads.film(first.machine.path("/srv/film.mp4"), seconds=1)
    first.machine.run("svcctl", "media", "add", "/srv/film.mp4", "--account", "1001", "--name", "Through the state")
    for front in fronts:
        assert "Through the state" in front.machine.run("svcctl", "media", "list", "--account", "1001").stdout
        front.machine.systemctl("start", "svc-ingest")


def add_fronts(store, fronts):
    follow(store.machine, STEPS, 0)
    wait_until(lambda: answers(store) == 200, "the existing machine continues")
    archive = store.machine.path("/root/front.tar.gz")
    for front in fronts:
        copy(archive, front.machine.path("/srv/front.tar.gz"))
        out = follow(front.machine, STEPS, 1)
        assert out.endswith(OK) and "NOAUTH" in out, out


def test_operations_Y5_the_steps_of_the_README_lead_to_three_machines(members):
    store, *fronts = members
    assert answers(store) == 200
    browser = Browser(store.nginx)
    assert browser.log_in(browser.page(AUTHORIZE), OLIVIA).status == 200
    code = code_of(browser.answer(consent_page(browser), "allow"))
    tokens = tokens_of(exchange(store.nginx, code))

    add_fronts(store, fronts)
    for front in fronts:
        assert not front.machine.path("/srv/front.tar.gz").exists()
        assert front.machine.systemctl("is-system-running").stdout == "running\n"

    # What began on the existing machine continues on the new ones.
    for front in fronts:
        assert answers(front) == 200
        browser.nginx = front.nginx
        assert has_session(browser)
        assert lives(front.nginx, tokens["access_token"])
    fresh = tokens_of(refresh(fronts[1].nginx, tokens["refresh_token"]))
    assert lives(fronts[0].nginx, fresh["access_token"])

    assert "1001" in follow(store.machine, STEPS, 2)
    for role in ROLES:
        assert store.machine.show(pool(role))["ActiveState"] == "inactive"
    with pytest.raises(ConnectionRefusedError):
        answers(store)
    for front in fronts:
        assert answers(front) == 200
        browser.nginx = front.nginx
        assert has_session(browser)
    store.machine.run("svcctl", "user", "revoke", OLIVIA, "--yes")
    for front in fronts:
        assert not lives(front.nginx, fresh["access_token"])
        browser.nginx = front.nginx
        assert not has_session(browser)


def test_operations_Y5_only_the_listed_addresses_reach_the_state(members):
    store, front, _ = members
    for role in ROLES:
        shown = front.machine.show(pool(role))
        assert shown["IPAddressAllow"] == f"{STORE}/32"
        assert set(shown["IPAddressDeny"].split()) == {"::/0", "0.0.0.0/0"}
        assert set(shown["RestrictAddressFamilies"].split()) == {"AF_INET", "AF_INET6", "AF_UNIX"}
    other = STORE.rpartition(".")[0] + ".99"
    front.machine.run("ip", "addr", "add", f"{other}/24", "dev", "svc0")
    with front.namespace.entered(), contextlib.closing(socket.socket()) as stranger:
        stranger.setblocking(False)
        stranger.bind((other, 0))
        stranger.connect_ex((STORE, 6379))
        # During that attempt, 50 connections from the first front machine's own address get replies.
        for _ in range(50):
            with socket.create_connection((STORE, 6379), PATIENCE, (FRONTS[0], 0)) as own:
                own.sendall(b"PING\r\n")
                assert own.recv(100).startswith(b"-NOAUTH")
        assert select.select([], [stranger], [], 0)[1] == []
    listening = store.machine.run("ss", "-Hltn", "sport = :6379").stdout.split()
    assert f"{STORE}:6379" in listening and not any(word.startswith(("0.0.0.0:6379", "*:6379")) for word in listening)


def test_operations_Y5_the_state_takes_part_in_TLS_and_the_plain_port_stays(members):
    store, *fronts = members
    follow(store.machine, TLS, 0)
    assert "port 6379" in NETWORK_SETTINGS
    for front in fronts:
        copy(store.machine.path("/etc/svc/redis-ca.pem"), front.machine.path("/etc/svc/redis-ca.pem"))
        assert follow(front.machine, TLS, 1) == f"PONG\n{OK}"
        assert answers(front) == 200
    # The certificate is for this address, and the key is readable by this Redis only.
    said = fronts[0].machine.run("openssl", "s_client", "-connect", f"{STORE}:6380", "-CAfile", "/etc/svc/redis-ca.pem",
                                 "-verify_return_error", "-verify_ip", STORE).stdout
    assert "Verify return code: 0 (ok)" in said
    for name in ("redis-tls.key", "redis-ca.key"):
        assert os.stat(store.machine.path(f"/etc/svc/{name}")).st_mode & 0o7777 == 0o600


def test_operations_Y23_a_store_that_requires_certificates_is_reached_by_every_service(members):
    store, *fronts = members
    follow(store.machine, CLIENTS, 0)
    for front in fronts:
        for name in ("svc-client.pem", "svc-client.key"):
            copy(store.machine.path(f"/etc/svc/{name}"), front.machine.path(f"/etc/svc/{name}"))
        assert follow(front.machine, CLIENTS, 1) == OK
    follow(store.machine, CLIENTS, 2)
    check(fronts)
    asked = fronts[0].machine.run("openssl", "s_client", "-connect", f"{STORE}:6380", "-CAfile",
                                  "/etc/svc/redis-ca.pem", "-quiet", "-verify_quiet", check=False)
    assert "certificate required" in asked.stderr, asked
    assert store.machine.run("ss", "-Hltn", "sport = :6379").stdout == ""


def test_operations_Y81_renewed_certificates_are_used(members):
    store, *fronts = members
    before = store.machine.path("/etc/svc/redis-tls.pem").read_text()
    follow(store.machine, "Renew the certificates")
    for front in fronts:
        for name in ("svc-client.pem", "svc-client.key"):
            copy(store.machine.path(f"/etc/svc/{name}"), front.machine.path(f"/etc/svc/{name}"))
        assert follow(front.machine, "Renew the certificates", 1) == OK
    shown = fronts[0].machine.run("openssl", "s_client", "-connect", f"{STORE}:6380", "-CAfile", "/etc/svc/redis-ca.pem",
                                  "-cert", "/etc/svc/svc-client.pem", "-key", "/etc/svc/svc-client.key").stdout
    pem = store.machine.path("/etc/svc/redis-tls.pem").read_text()
    assert pem != before and pem.split("\n")[1] in shown
