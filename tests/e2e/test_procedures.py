"""The procedures of systemd/README.md, by its commands, on a deployed machine: afterwards what they are for is so, and the
whole service runs."""

import pytest

from deployed import ROLES, ask, booted, follow, machine, pool, redis
from network import Namespace
from oauth_store import API, CLIENT, exchange, lives, tokens_of
from processes import wait_until
from test_machines import AUTHORIZE, OLIVIA, code_of, consent_page, has_session
from test_machines_deployed import Place
from test_systemd_redis import last_file
from user_agent import Browser

STATE = "svc-redis-state.service"
BACKUP = "/var/backups/svc/today.tar.zst"
PASSWORD = "a good long password"


def log_in(nginx, password=None):
    """A browser with a session, and a code of the user's consent."""
    browser = Browser(nginx)
    answer = browser.log_in(browser.page(AUTHORIZE), OLIVIA, password)
    # A consent is remembered.
    return browser, code_of(answer if answer.status == 303 else browser.answer(consent_page(browser), "allow"))


@pytest.fixture
def nginx(machine):
    return Place(machine, Namespace(machine.leader))


@pytest.fixture
def backup(machine):
    machine.run("sh", "-ec", f"mkdir -p /var/backups/svc; rm -f {BACKUP}; svcctl backup {BACKUP}")


def is_ready(machine):
    for role in ROLES:
        wait_until(lambda role=role: ask(machine, role, "/readyz").status == 200, f"{role} is ready")


def secret_of(machine):
    return machine.run("svcctl", "app", "show", CLIENT, "--secret", "--json").stdout


def test_operations_Y81_a_leaked_key_opens_nothing_any_more(machine, nginx):
    browser, code = log_in(nginx)
    token = tokens_of(exchange(nginx, code))["access_token"]
    assert lives(nginx, token) and has_session(browser)
    keys, secret = machine.path("/etc/svc/keys").read_text(), secret_of(machine)
    follow(machine, "The key has leaked")
    assert not lives(nginx, token) and not has_session(browser)
    after = machine.path("/etc/svc/keys").read_text()
    assert after.count("\n") == 1 and after not in keys and secret_of(machine) == secret
    assert lives(nginx, tokens_of(exchange(nginx, log_in(nginx)[1]))["access_token"])


@pytest.mark.parametrize("cause", ["a leak", "another password"])
def test_operations_Y81_every_service_has_a_new_password_of_redis(machine, cause):
    names = sorted(path.name for path in machine.path("/etc/svc").glob("redis-*.password"))
    if cause != "a leak":
        machine.path("/etc/svc/redis-grant.password").write_text("another\n")
        machine.systemctl("restart", "svc-worker@grant.service")
        assert ask(machine, "grant", "/readyz").status == 503
    before = {name: machine.path(f"/etc/svc/{name}").read_text() for name in names}
    follow(machine, "New passwords of Redis")
    assert all(machine.path(f"/etc/svc/{name}").read_text() != before[name] for name in names)
    is_ready(machine)
    machine.run("svcctl", "account", "list")


def test_operations_Y81_a_user_gets_the_account_back(machine, nginx):
    browser, code = log_in(nginx)
    token = tokens_of(exchange(nginx, code))["access_token"]
    # At a terminal, svcctl asks for the password.
    machine.path("/usr/local/bin/svcctl").write_text(
        f"#!/bin/sh\ncase $* in *passwd*) echo '{PASSWORD}' | /usr/bin/svcctl \"$@\" --password-stdin ;; "
        "*) exec /usr/bin/svcctl \"$@\" ;; esac\n")
    machine.path("/usr/local/bin/svcctl").chmod(0o755)
    try:
        said = follow(machine, "An account of a user is taken over", user=OLIVIA)
    finally:
        machine.path("/usr/local/bin/svcctl").unlink()
    assert "contact.disabled" in said
    assert not lives(nginx, token) and not has_session(browser)
    assert lives(nginx, tokens_of(exchange(nginx, log_in(nginx, PASSWORD)[1]))["access_token"])
    machine.run("svcctl", "import", "/srv/catalog.jsonl", "--reset-credentials")


def test_operations_Y81_a_leaked_client_secret_is_replaced(machine, nginx):
    new = next(line.split()[-1] for line in follow(machine, "A client secret has leaked").splitlines()
               if line.startswith("client_secret"))
    assert exchange(nginx, log_in(nginx)[1]).status == 401
    assert lives(nginx, tokens_of(exchange(nginx, log_in(nginx)[1], client_secret=new))["access_token"])
    machine.run("svcctl", "import", "/srv/catalog.jsonl", "--reset-credentials")


def damage(machine):
    """Makes a part of the append-only file unreadable that others follow, so that the state does not start."""
    machine.systemctl("stop", STATE)
    file = last_file(machine)
    late = b"*3\r\n$3\r\nSET\r\n$19\r\noauth:refresh:later\r\n$4\r\nlate\r\n"
    file.write_bytes(file.read_bytes() + b"*x\r\n" + late)
    machine.systemctl("start", STATE, check=False)
    wait_until(lambda: "corrupt at byte" in machine.journal("-u", STATE), "it does not start")


def test_operations_Y81_a_state_that_does_not_start_is_restored_from_the_backup(machine, backup):
    damage(machine)
    follow(machine, "The state does not start")
    is_ready(machine)
    assert "l4unchf1lm" in machine.run("svcctl", "media", "list", "--account", "1001").stdout
    (former,) = machine.path("/var/lib/svc/redis-state").glob("before-restore.*")
    assert any(former.glob("appendonlydir/*.incr.aof"))
    machine.run("rm", "-r", f"/var/lib/svc/redis-state/{former.name}")


def test_operations_Y81_a_state_that_does_not_start_keeps_what_was_before_the_damage(machine):
    assert redis(machine, "grant", "SET", "oauth:refresh:test", "acknowledged") == "OK"
    damage(machine)
    follow(machine, "The state does not start", 1)
    is_ready(machine)
    assert redis(machine, "grant", "GET", "oauth:refresh:test") == "acknowledged"
    assert redis(machine, "grant", "UNLINK", "oauth:refresh:test", "oauth:refresh:later") == "1"
    machine.run("rm", "-r", "/var/lib/svc/redis-state.damaged")


def test_operations_Y81_a_missing_key_is_taken_from_the_backup(machine, nginx, backup):
    token = tokens_of(exchange(nginx, log_in(nginx)[1]))["access_token"]
    machine.path("/etc/svc/keys").unlink()
    assert machine.systemctl("restart", "svc-worker@grant.service", check=False).returncode != 0
    follow(machine, "A secret is missing")
    is_ready(machine)
    assert machine.path("/etc/svc/keys").stat().st_mode & 0o7777 == 0o600 and lives(nginx, token)


def test_operations_Y81_a_full_disk_gets_room(machine):
    package = machine.path("/var/cache/apt/archives/old_1_all.deb")
    package.parent.mkdir(parents=True, exist_ok=True)
    package.write_bytes(b"x" * 1000)
    machine.systemctl("stop", "svc-ingest")
    assert "Mounted on" in follow(machine, "A disk is full")
    assert not package.exists() and machine.show("svc-ingest.service")["ActiveState"] == "active"


def test_operations_Y81_uploads_are_refused_and_accepted_again(machine, nginx):
    def status():
        return nginx.request("/v1/medias", method="POST", host=API, body=b"x").status
    assert status() == 401
    follow(machine, "Disable uploads")
    wait_until(lambda: status() == 404, "nginx has its new configuration")
    assert machine.show("svc-worker@upload.service")["ActiveState"] == "inactive"
    follow(machine, "Disable uploads", 1)
    wait_until(lambda: status() == 401, "nginx has its new configuration")
    assert "return 404" not in machine.path("/etc/nginx/svc/svc-upload-body.conf").read_text()


def test_operations_Y81_more_workers_start_with_their_memory(machine):
    config = machine.path("/etc/svc/svc.conf").read_text()
    said = follow(machine, "Sizing", workers=6)
    try:
        assert said.count("workers   6:") == len(ROLES), said
        for role in ROLES:
            assert machine.show(pool(role))["MemoryMax"] == str(6 * 256 << 20)
        is_ready(machine)
    finally:
        machine.path("/etc/svc/svc.conf").write_text(config)
        machine.run("sh", "-ec", "rm -r /etc/systemd/system/svc-worker@.service.d; systemctl daemon-reload; "
                                 "systemctl restart 'svc-worker@*.service'")


def test_operations_Y81_the_state_gets_more_memory(machine):
    follow(machine, "Sizing", 1, gigabytes=2)
    is_ready(machine)
    assert "maxmemory:2147483648" in redis(machine, "monitoring", "INFO", "memory")
    assert machine.show(STATE)["MemoryMax"] == str(6 << 30)
    assert machine.path("/etc/sysctl.d/60-svc.conf").exists()


@pytest.mark.parametrize("folder", ["media", "uploads"])
def test_operations_Y81_files_move_to_another_disk(machine, nginx, folder):
    """The disk is a file, which mount(8) makes a loop device of."""
    path = machine.path(f"/var/lib/svc/{folder}")
    mine = path / "abc123" if folder == "media" else path
    mine.mkdir(exist_ok=True)
    (mine / "poster.jpg").write_text("a poster")
    before = path.stat().st_mode, path.stat().st_uid, path.stat().st_gid
    machine.run("sh", "-ec", f"truncate -s 64M /srv/{folder}.img; mkfs.ext4 -q /srv/{folder}.img; "
                             "[ -e /dev/loop-control ] || mknod /dev/loop-control c 10 237; "
                             "for n in $(seq 0 15); do [ -e /dev/loop$n ] || mknod /dev/loop$n b 7 $n; done")
    try:
        follow(machine, "Move the files to another disk", disk=f"/srv/{folder}.img", folder=f"/var/lib/svc/{folder}")
        assert machine.run("findmnt", "-no", "FSTYPE", f"/var/lib/svc/{folder}").stdout.strip() == "ext4"
        path = machine.path(f"/var/lib/svc/{folder}")
        assert (path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) == before
        below = machine.run("sh", "-ec", f"mount --bind /var/lib/svc /mnt/svc; ls -A /mnt/svc/{folder}; umount /mnt/svc")
        assert below.stdout == ""
        is_ready(machine)
        if folder == "media":
            assert nginx.request("/files/abc123/poster.jpg", host="embed.svc.example").body == b"a poster"
        else:
            machine.run("sh", "-ec", "touch /var/lib/svc/uploads/incoming/a && mv /var/lib/svc/uploads/incoming/a /var/lib/svc/uploads/a")
    finally:
        machine.run("sh", "-c", f"systemctl stop svc.target nginx; umount /var/lib/svc/{folder}; sed -i '/svc/d' /etc/fstab; "
                                "systemctl daemon-reload; systemd-tmpfiles --create svc.conf; systemctl start svc.target nginx")


def test_operations_Y81_files_of_media_return_from_their_copy(machine, nginx):
    files = ("media/abc456/poster.jpg", "uploads/0123456789abcdef")

    def owners():
        return [(path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in (
            machine.path(f"/var/lib/svc/{name}") for name in ("media", "uploads", "uploads/incoming", *files))]
    machine.run("sh", "-ec", "mkdir -p /srv/there && cd /var/lib/svc && install -d -o svc-ingest -g svc-ingest media/abc456 && "
                             "for file in " + " ".join(files) + "; do echo a poster >$file; done; "
                             f"chown svc-ingest: {files[0]}; chown www-data:svc-ingest {files[1]}")
    before = owners()
    follow(machine, "Copy the files of media", there="/srv/there")
    # Another machine, where the users have other ids.
    machine.run("sh", "-ec", "chown -R 12345:12345 /srv/there; rm -r /var/lib/svc/media/abc456 /var/lib/svc/uploads/0*")
    follow(machine, "Copy the files of media", 1, there="/srv/there")
    assert owners() == before
    assert nginx.request("/files/abc456/poster.jpg", host="embed.svc.example").body == b"a poster\n"
    machine.run("sh", "-ec", "rm -r /srv/there /var/lib/svc/media/abc456 /var/lib/svc/uploads/0*")
