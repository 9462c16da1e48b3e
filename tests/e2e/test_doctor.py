"""`svcctl doctor` on a deployed machine: it names faults as the service meets them, not as root does."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from deployed import MEDIA, ROLES, ask, booted, pool, redis
from processes import PATIENCE, children_of, wait_until
from stack import program

# Each fault: its group, the commands that cause it and that repair it, and parts of a line that names it. Faults of one
# group exist at the same time.
BROKEN = {
    "setting": (1, "echo 'no-such-key = 1' >>/etc/svc/svc.conf", "sed -i '$d' /etc/svc/svc.conf",
                ("svc-worker@embed.service", "configuration", "no-such-key")),
    "rights": (2, "install -m 600 /dev/null /etc/svc/secret && echo 'sentinel-password-file = /etc/svc/secret' "
               ">>/etc/svc/svc.conf", "rm /etc/svc/secret; sed -i '$d' /etc/svc/svc.conf",
               ("svc-ingest.service", "as user svc-ingest", "/etc/svc/secret", "Permission denied")),
    "folder": (3, "chmod 700 /etc/svc", "chmod 755 /etc/svc", ("svc-worker@web.service", "/etc/svc/svc.conf")),
    "secret": (4, "mv /etc/svc/keys /etc/svc/gone", "mv /etc/svc/gone /etc/svc/keys",
               ("svc-worker@grant.service", "secrets", "/etc/svc/keys", "newest backup")),
    "password": (4, "cp -p /etc/svc/redis-ingest.password /srv/ && echo x >/etc/svc/redis-ingest.password",
                 "cp -p /srv/redis-ingest.password /etc/svc/", ("svc-ingest.service", "stores", "WRONGPASS")),
    "state": (5, "systemctl stop svc-redis-state", "systemctl start svc-redis-state",
              ("svc-redis-state.service", "runs", "systemctl status")),
    "state of the pools": (5, "true", "true",
                           ("svc-worker@web.service", "stores", "/run/svc/redis-state/redis.sock")),
    "socket": (1, "mv /run/svc/web.sock /run/svc/gone", "mv /run/svc/gone /run/svc/web.sock",
               ("svc-worker@web.socket", "/run/svc/web.sock", "systemctl restart")),
    "nginx": (2, "echo 'no_such 1;' >/etc/nginx/conf.d/wrong.conf", "rm /etc/nginx/conf.d/wrong.conf",
              ("nginx", "nginx -t", "no_such")),
    "site": (3, "mv /etc/nginx/sites-enabled/svc /srv/", "mv /srv/svc /etc/nginx/sites-enabled/svc",
             ("nginx", "site is enabled", "ln -s")),
    "certificate": (1, "openssl req -x509 -newkey ed25519 -nodes -days 3 -subj /CN=x -keyout /dev/null "
                    "-out /etc/svc/redis-tls.pem", "rm /etc/svc/redis-tls.pem",
                    ("/etc/svc/redis-tls.pem", "expires in", "renew")),
    "disk": (1, "mount -t tmpfs -o size=1m tmpfs /var/lib/svc/media && head -c 1000000 /dev/zero "
             ">/var/lib/svc/media/full", "umount /var/lib/svc/media", ("/var/lib/svc/media", "tenth is free")),
}


def doctor(machine):
    """Returns the exit status, the checks that succeed, and the others."""
    done = machine.run("svcctl", "doctor", check=False)
    lines = done.stdout.splitlines()
    assert done.stderr == "" and {line.split()[0] for line in lines} <= {"ok", "WRONG"}, done
    return done.returncode, *([line for line in lines if line.startswith(word)] for word in ("ok", "WRONG"))


def test_operations_Y24_a_machine_that_works_has_nothing_wrong(booted):
    status, right, wrong = doctor(booted)
    assert (status, wrong) == (0, []), wrong
    for role in ROLES:
        assert len([line for line in right if pool(role) in line]) == 4, right
    assert booted.run("sh", "-c", "ls -d /run/svc-doctor*", check=False).stdout == ""


def test_operations_Y24_without_systemd_its_message_names_the_cause(tmp_path):
    systemctl = tmp_path / "systemctl"
    systemctl.write_text("#!/bin/sh\necho 'System has not been booted with systemd as init system' >&2\nexit 1\n")
    systemctl.chmod(0o755)
    done = subprocess.run([program("svcctl"), "doctor"], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("systemctl cannot tell the state of units here: System has not been booted with systemd "
                                "as init system\n")


@pytest.mark.parametrize("group", sorted({group for group, *_ in BROKEN.values()}))
def test_operations_Y24_each_fault_is_named_with_its_remedy(booted, group):
    rows = {name: row for name, (its, *row) in BROKEN.items() if its == group}
    for begin, _, _ in rows.values():
        booted.run("sh", "-ec", begin)
    try:
        status, _, wrong = doctor(booted)
    finally:
        for _, end, _ in rows.values():
            booted.run("sh", "-ec", end)
    missed = [name for name, (*_, words) in rows.items() if not any(all(word in line for word in words) for line in wrong)]
    assert (status, missed) == (1, []), wrong
    wait_until(lambda: doctor(booted)[0] == 0, "nothing is wrong any more")


def test_operations_Y24_a_record_that_a_service_could_not_read_is_named_until_it_is_deleted(booted):
    key = "catalog:media:damaged0001"
    redis(booted, "svcctl", "SET", key, "garbage")
    try:
        assert ask(booted, "embed", "/oembed", MEDIA.replace("l4unchf1lm", "damaged0001")).status == 503
        named = wait_until(lambda: [line for line in doctor(booted)[2] if key in line], "it is named")
        assert [line for line in named if "cannot be read" in line and "newest backup" in line] == named
    finally:
        redis(booted, "svcctl", "DEL", key)
    assert doctor(booted)[::2] == (0, []), "it is only looked for in the journal"


def test_operations_Y93_an_interrupted_doctor_leaves_no_secret(booted):
    """While a Redis does not answer, doctor has copies of the secrets of a service."""
    store = booted.main_pid("svc-redis-state.service")
    asking = booted.start("svcctl", "doctor")
    try:
        os.kill(store, signal.SIGSTOP)

        def copies():
            for pid in children_of(asking.pid):
                for copy in Path(f"/proc/{pid}/root/run").glob("svc-doctor.*/*"):
                    return pid, copy.read_bytes()
            return None
        pid, secret = wait_until(copies, "it has copies of secrets")
        assert secret
        os.kill(pid, signal.SIGKILL)
        asking.wait()
    finally:
        os.kill(store, signal.SIGCONT)
    assert booted.run("sh", "-c", "find /run/svc-doctor* -type f", check=False).stdout == ""
    wait_until(lambda: doctor(booted)[0] == 0, "nothing is wrong")
