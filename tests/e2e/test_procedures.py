"""The procedures of systemd/README.md, by its commands, on a deployed machine: each reaches its purpose, and the whole
service runs afterwards."""

import os
import shutil

import pytest

import documents
from ctl_calls import at_a_terminal
from deployed import ROLES, ask, booted, follow, machine, pool, readme_commands, redis
from network import Namespace
from oauth_store import API, CLIENT, exchange, lives, tokens_of
from processes import wait_until
from test_machines import AUTHORIZE, OLIVIA, code_of, consent_page, has_session
from test_machines_deployed import Place
from test_systemd_redis import last_file
from user_agent import Browser

STATE = "svc-redis-state.service"
SITE = "/etc/nginx/sites-available/svc"
SETUP = next(command for command in readme_commands() if command.startswith("svcctl setup "))
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


def test_operations_Y81_a_state_that_does_not_start_keeps_the_records_before_the_damage(machine):
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


# --- cases in which svcctl backup, restore and setup once failed or lost something ---

BACKED_UP = {  # the machine's state, how it begins and ends, and a line of the list of the backup's files, or of its MANIFEST
    "no site": (f"mv {SITE} /srv/site", f"mv /srv/site {SITE}", "etc/svc/keys"),
    "a wrong line": ("echo 'no-such = 1' >/etc/svc/svc.conf.d/wrong.conf", "rm /etc/svc/svc.conf.d/wrong.conf",
                     "media-dir: /var/lib/svc/media, "),
    "certbot's files": ("mkdir -p /etc/letsencrypt/live/svc /etc/letsencrypt/renewal; cd /etc/letsencrypt; "
                        "touch live/svc/fullchain.pem renewal/svc.conf; "
                        f"echo 'ssl_certificate /etc/letsencrypt/live/svc/fullchain.pem;' >>{SITE}",
                        f"rm -r /etc/letsencrypt; sed -i '$d' {SITE}", "etc/letsencrypt/renewal/svc.conf"),
}


@pytest.mark.parametrize("case", BACKED_UP)
def test_operations_Y91_a_backup_is_made_also_with(machine, case):
    begin, end, line = BACKED_UP[case]
    machine.run("sh", "-ec", begin)
    try:
        machine.run("sh", "-ec", f"mkdir -p /var/backups/svc; rm -f {BACKUP}; svcctl backup {BACKUP}; "
                                 f"svcctl backup --verify {BACKUP}")
    finally:
        machine.run("sh", "-ec", end)
    files = machine.run("sh", "-ec", f"zstd -dc {BACKUP} | tar -ti; zstd -dc {BACKUP} | tar -xiO MANIFEST").stdout
    assert any(each.startswith(line) for each in files.splitlines()), files


@pytest.mark.parametrize("size, folder", [("40k", "/srv/small"), ("4k", "/srv/small"), ("40k", "/srv/small/none")])
def test_operations_Y97_a_failed_backup_prints_one_line_and_removes_its_file(machine, size, folder):
    machine.run("sh", "-ec", f"mkdir /srv/small; mount -t tmpfs -o size={size} tmpfs /srv/small")
    try:
        done = machine.run("svcctl", "backup", f"{folder}/today.tar.zst", check=False)
        assert not os.listdir(machine.path("/srv/small"))
    finally:
        machine.run("sh", "-ec", "umount /srv/small; rmdir /srv/small")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert done.stderr.startswith("svcctl backup: ") and folder in done.stderr, done


REPACK = f"""
zstd -dc {BACKUP} | tar -ti >/srv/names && mkdir /srv/newer && cd /srv/newer && zstd -dc {BACKUP} | tar -xi
printf REDIS9999 | dd of=state.rdb conv=notrunc status=none
sed -i "s/^.*  state.rdb$/$(sha256sum state.rdb)/" SHA256SUMS
tar -c --no-recursion -T /srv/names | zstd -q >/srv/newer.tar.zst && rm -r /srv/newer /srv/names
"""
SEAL = "/usr/lib/svc/svc-backup-archive seal /srv/newer.tar.zst /etc/svc/backup.key\n"
CRON = """
mkdir -p /srv/newer/etc/cron.d && echo x >/srv/newer/etc/cron.d/svc && cd /srv/newer
(cat {BACKUP}; tar -c etc/cron.d/svc | zstd -q) >/srv/newer.tar.zst && rm -r /srv/newer
""".replace("{BACKUP}", BACKUP)


@pytest.mark.parametrize("begin, file, end, words", [
    (REPACK + SEAL, "/srv/newer.tar.zst", "rm /srv/newer.tar.zst", ("cannot read the state", "RDB format version 9999")),
    (REPACK, "/srv/newer.tar.zst", "rm /srv/newer.tar.zst", ("has no seal",)),
    (CRON, "/srv/newer.tar.zst", "rm /srv/newer.tar.zst", ("has no seal",)),
    (CRON + SEAL, "/srv/newer.tar.zst", "rm /srv/newer.tar.zst", ("etc/cron.d/svc is no path of a backup",)),
    ("systemctl start redis-sentinel", BACKUP, "systemctl stop redis-sentinel",
     ("on every machine stop redis-sentinel", "on the others svc-redis-state")),
], ids=["the state of a newer Redis", "without a seal", "with a further file", "with a path that no backup has", "Sentinels"])
def test_operations_Y91_a_restore_is_refused_before_anything_changes(machine, backup, begin, file, end, words):
    units = (STATE, *map(pool, ROLES))
    before = [machine.show(unit)["MainPID"] for unit in units]
    machine.run("sh", "-ec", begin)
    try:
        done = machine.run("svcctl", "restore", file, "--yes", check=False)
    finally:
        machine.run("sh", "-ec", end)
    assert done.returncode == 1 and [word for word in words if word not in done.stderr] == [], done
    assert [machine.show(unit)["MainPID"] for unit in units] == before
    assert not [*machine.path("/var/lib/svc/redis-state").glob("before-restore.*")]


def test_operations_Y91_a_machine_of_the_store_alone_is_restored_and_loses_nothing(machine, backup):
    """Its state is a file system of its own, and settings and keys are later than the backup."""
    state = "/var/lib/svc/redis-state"
    later = {"/etc/svc/svc.conf.d/later.conf": "workers = 2\n", "/etc/svc/keys": f"{'7' * 64}\n",
             "/etc/systemd/system/svc-ingest.service.d/later.conf": "[Service]\nNice=7\n"}
    keys = machine.path("/etc/svc/keys").read_text()
    machine.run("sh", "-ec", f"systemctl stop svc.target 'svc-*'; cp -a {state} /srv/state; mount -t tmpfs tmpfs {state}; "
                             f"cp -a /srv/state/. {state}/; mkdir {state}/lost+found; systemctl mask --now nginx; "
                             "mkdir -p /etc/systemd/system/svc-ingest.service.d; systemctl start svc.target")
    try:
        for path, text in later.items():
            machine.path(path).write_text(text)
        said = machine.run("svcctl", "restore", BACKUP, "--yes").stdout
        (former,) = machine.path(state).glob("before-restore.*")
        assert f"{state}/{former.name}\n" in said and any(former.glob("appendonlydir/*.incr.aof"))
        assert {path: (former / path[1:]).read_text() for path in later} == later
        assert former.stat().st_mode & 0o7777 == 0o700 and (former / "etc/svc/keys").stat().st_uid == 0
        assert machine.path("/etc/svc/keys").read_text() == keys
        assert machine.show("svc-ingest.service")["Nice"] != "7"
        assert "workers = 2\n" not in machine.run("svcctl", "--print-config").stdout
        assert machine.run("findmnt", "-no", "FSTYPE", state).stdout == "tmpfs\n"
        assert "l4unchf1lm" in machine.run("svcctl", "media", "list", "--account", "1001").stdout
        assert machine.show("nginx.service")["ActiveState"] == "inactive"
    finally:
        machine.run("sh", "-c", f"systemctl stop svc.target 'svc-*'; umount {state}; systemctl unmask nginx; "
                                "systemctl start svc.target nginx; rm -r /srv/state")


@pytest.mark.parametrize("step", ["mkdir", "systemd-tmpfiles"])
def test_operations_Y95_an_interrupted_restore_prints_the_next_command(machine, nginx, backup, step):
    """The interrupt comes when it has run that program."""
    program = machine.path(f"/usr/local/bin/{step}")
    program.write_text(f'#!/bin/sh\n/usr/bin/{step} "$@"\nkill -INT $PPID\n')
    program.chmod(0o755)
    try:
        done = machine.run("svcctl", "restore", BACKUP, "--yes", check=False)
    finally:
        program.unlink()
    assert done.returncode == 130 and "the service is stopped" in done.stderr, done
    assert machine.show("svc.target")["ActiveState"] == "inactive"
    aside = [*machine.path("/var/lib/svc/redis-state").glob("before-restore.*")]
    assert len(aside) == (step != "mkdir") and all(map(os.listdir, aside))
    machine.run("sh", "-ec", f"{done.stderr.strip().rpartition(': ')[2]}; rm -rf /var/lib/svc/redis-state/before-restore.*")
    assert nginx.request("/readyz", host="app.svc.example").status == 200


def test_operations_Y99_a_killed_restore_starts_no_half_of_the_state(machine, nginx, backup):
    program = machine.path("/usr/local/bin/systemd-tmpfiles")
    program.write_text("#!/bin/sh\nkill -KILL $PPID\n")
    program.chmod(0o755)
    try:
        machine.run("svcctl", "restore", BACKUP, "--yes", check=False)
    finally:
        program.unlink()
    assert machine.systemctl("start", STATE, check=False).returncode != 0
    wait_until(lambda: "a restore of a backup did not end" in machine.journal("-u", STATE), "it says why")
    again = machine.path("/var/lib/svc/redis-state/restore.unfinished").read_text().strip()
    machine.run("sh", "-ec", f"systemctl reset-failed; {again}; rm -rf /var/lib/svc/redis-state/before-restore.*")
    assert nginx.request("/readyz", host="app.svc.example").status == 200
    assert not [*machine.path("/var/lib/svc").glob("tmp.*")], "what the killed one left"


def test_operations_Y95_a_restore_with_sentinels_ends_and_the_timer_is_as_it_was(machine):
    names = "/etc/svc/svc.conf.d/store.conf"
    machine.run("sh", "-ec", f"echo 'redis-state = sentinel://127.0.0.1/svc' >{names}; systemctl enable --now svc-backup.timer; "
                             f"mkdir -p /var/backups/svc; rm -f {BACKUP}; svcctl backup {BACKUP}; systemctl disable --now svc-backup.timer")
    try:
        said = machine.run("svcctl", "restore", BACKUP, "--yes").stdout
        assert "systemctl start svc-redis-state redis-sentinel" in said, said
        assert machine.show("svc-backup.timer")["ActiveState"] == "active"
        assert machine.systemctl("is-enabled", "svc-backup.timer").stdout == "enabled\n"
    finally:
        machine.run("sh", "-ec", f"rm -rf {names} /var/lib/svc/redis-state/before-restore.*; systemctl disable --now svc-backup.timer; "
                                 "systemctl restart 'svc-worker@*.service' svc-ingest")


@pytest.mark.parametrize("flags", ["--certificate /srv/cert.pem --key /srv/key.pem --media-domains", "--tls"])
def test_operations_Y92_a_repeated_setup_keeps_the_certificate_and_the_domains_of_media(machine, flags):
    plain = machine.path(SITE).read_text()
    machine.run("sh", "-ec", f"""
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -keyout /srv/key.pem -out /srv/cert.pem
        cp /srv/cert.pem /etc/ssl/certs/svc.pem && cp /srv/key.pem /etc/ssl/private/svc.key
        svcctl nginx {flags} >/srv/site && cp /srv/site {SITE} && echo '# edited' >>{SITE} && cd /srv && {SETUP}""")
    try:
        site = machine.path("/srv/site").read_text()
        assert machine.path(SITE).read_text() == site and machine.path(f"{SITE}.former").read_text() == f"{site}# edited\n"
    finally:
        machine.path(SITE).write_text(plain)
        machine.reload_nginx()


def files_of(machine):
    return machine.run("sh", "-c", "find /etc/svc /etc/nginx -type f -exec md5sum {} +; find /etc/nginx -type l").stdout


def test_operations_Y92_another_word_for_the_place_of_TLS_changes_nothing(machine):
    before = files_of(machine)
    answers = [(b"svc.example: ", b"svc.example\n"), (b"[proxy]: ", b"ngnix\n")]
    nsenter, *words = machine.command("svcctl", "setup")
    status, shown = at_a_terminal([shutil.which(nsenter), *words], lambda _, text: (
        answers.pop(0)[1] if answers and text.endswith(answers[0][0]) else b""))
    assert status == 1 and b"--tls ngnix: must be nginx, proxy or none" in shown, shown
    assert machine.run("sh", "-c", f"cd /srv; {SETUP.replace('--tls proxy', '--tls ngnix')}", check=False).returncode == 2
    assert files_of(machine) == before


@pytest.mark.parametrize("other, status, words", [
    (("--domain svc.example", "--domain a_b.example"), 2, "--domain a_b.example: "),
    (("--domain svc.example", "--domain https://svc.example"), 2, "--domain https://svc.example: "),
    (("--tls proxy", "--tls proxy --certificate /srv/password"), 2, "--tls nginx"),
    (("--account 'Acme Films'", ""), 2, "--account is missing"),
    (("<password", "<<<short"), 1, "at least 12 characters"),
    (("--domain svc.example", "--domain Svc.Example."), 0, ""),
], ids=["domain", "URL", "certificate", "nothing", "password", "spelling"])
def test_operations_Y96_setup_checks_all_flags_before_it_changes_anything(machine, other, status, words):
    machine.systemctl("stop", STATE)
    before = files_of(machine)
    if status == 0:
        machine.systemctl("start", STATE)
    done = machine.run("bash", "-c", f"cd /srv; {SETUP.replace(*other)}", check=False)
    assert done.returncode == status and words in done.stderr and "/tmp" not in done.stderr, done
    assert files_of(machine) == before and (machine.show(STATE)["ActiveState"] == "active") == (status == 0)


def test_operations_Y96_setup_with_a_corrected_domain_names_the_command_for_the_account(machine):
    machine.run("svcctl", "account", "set", "1", "--host", "sv.example", "--url", "https://sv.example")
    done = machine.run("sh", "-c", f"cd /srv; {SETUP}", check=False)
    assert done.returncode == 1 and "sv.example" in done.stderr, done
    machine.run("sh", "-ec", f"cd /srv; {done.stderr.strip().rpartition(': ')[2]}; {SETUP}")


@pytest.mark.parametrize("other", [("'Acme Films'", "Other"), ("--owner ", "--owner-name Other --owner ")],
                         ids=["account", "owner"])
def test_operations_Y92_a_refused_account_or_owner_leaves_no_site(machine, other):
    machine.run("sh", "-ec", f"mkdir /srv/former; rm /etc/nginx/sites-enabled/svc; mv {SITE} /etc/svc/svc.conf.d/names.conf /srv/former/")
    before = files_of(machine)
    try:
        done = machine.run("sh", "-c", f"cd /srv; {SETUP.replace(*other)}", check=False)
        assert done.returncode == 1 and "exists, but" in done.stderr, done
        assert files_of(machine) == before
    finally:
        machine.run("sh", "-ec", f"cd /srv/former; mv svc {SITE}; mv names.conf /etc/svc/svc.conf.d/; "
                                 "ln -sfn ../sites-available/svc /etc/nginx/sites-enabled/svc; rmdir /srv/former")


def test_operations_Y92_a_name_that_the_site_is_to_get_answers_challenges(machine, nginx):
    folder = machine.path("/var/lib/svc/acme/.well-known/acme-challenge")
    machine.run("mkdir", "-p", "/var/lib/svc/acme/.well-known/acme-challenge")
    (folder / "token").write_text("proof")
    assert nginx.request("/.well-known/acme-challenge/token", host="new.svc.example").body == b"proof"


# Those of other machines, or of packages that are here.
NOT_HERE = ("redis-cli -h ", "redis-cli --cluster ", "apt install ")
OPERATORS = ("systemctl", "journalctl", "nginx", "ss", "df", "sed", "svc-worker", "systemd-tmpfiles", "redis-cli", "apt", "svcctl",
             "REDISCLI_AUTH=$(cat")


def cell_commands(path):
    """The commands in tables of a document, each once. Those of svcctl with operands: test_readme.py."""
    found = [code for row in documents.rows(documents.tokens(path)) for cell in row for code in documents.codes(cell)]
    return [code for code in dict.fromkeys(found) if len(words := code.split()) > 1 and words[0] in OPERATORS
            and not code.startswith(NOT_HERE) and (words[0] != "svcctl" or code in ("svcctl status", "svcctl doctor"))]


def test_operations_Y94_every_command_in_a_table_of_the_manuals_works(machine):
    found = [*cell_commands("systemd/README.md"), *cell_commands("nginx/README.md")]
    assert len(found) > 30
    site, missed = machine.path(SITE).read_text(), []
    for command in found:
        command = command.replace("ROLE", "grant").replace("FILE", "/etc/svc/svc.conf")
        done = machine.run("sh", "-c", command, check=False)
        # 3: of a unit that does not run.
        if done.returncode not in ((0, 3) if " status" in command else (0,)):
            missed.append((command, done.stdout, done.stderr))
        if " mask " in command:
            machine.run("sh", "-ec", f"{command.replace(' mask --now ', ' unmask ')}; systemctl start svc.target")
        if command.startswith("sed "):
            machine.run("nginx", "-t")
            machine.path(SITE).write_text(site)
    assert missed == []
