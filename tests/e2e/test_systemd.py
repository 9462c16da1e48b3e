"""The service under systemd: on a booted machine, deployed with the commands of systemd/README.md."""

import contextlib
import ipaddress
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import facts
import fastcgi_client as fcgi
from deployed import (MEDIA, ROLES, SYSTEMD, UNITS, WORKERS, ask, booted, connect, deployed,
                      is_running, machine, pool, redis, workers)
from processes import PATIENCE, children_of, wait_for_wakeups, wait_until


# The drop-ins for several machines, which the package does not install as units.
MACHINES = sorted(str(path.relative_to(SYSTEMD)) for path in (SYSTEMD / "machines").glob("*.d/*.conf"))


def directives(path):
    """The names of a unit's directives, without its drop-ins."""
    return re.findall(r"^([A-Z]\w+)=", path.read_text(), re.M)


# --- the files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.endswith(".service")])
def test_operations_Y2_exposure_level_is_at_most_0_4(unit):
    # Only root can read the keys. The documents that the courier fetches are anywhere on the internet.
    threshold = {"svc-backup.service": 9, "svc-courier.service": 11}.get(unit, 4)
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", f"--threshold={threshold}",
                           "--no-pager", f"./{unit}"], cwd=SYSTEMD, capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level" in done.stdout


@pytest.mark.parametrize("unit, level", [("svc-worker@embed.service", "1.0"), ("svc-worker@grant.service", "1.0"),
                                         ("svc-worker@web.service", "1.1"), ("svc-worker@upload.service", "1.0"),
                                         ("svc-ingest.service", "1.1"), ("svc-keeper.service", "1.0"), ("svc-redis-state.service", "1.0")])
def test_operations_Y2_exposure_level_with_the_drop_ins_for_several_machines_is_at_most_1_1(unit, level, tmp_path):
    for folder in (SYSTEMD, SYSTEMD / "machines"):
        for path in (*folder.glob("svc-*.service"), *folder.glob("svc-*.service.d/*.conf")):
            copy = tmp_path / path.relative_to(folder)
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(path, copy)
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=11", "--no-pager",
                           f"./{unit}"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    # Not the level of the unit alone, which is 0.5 at most.
    assert re.search(r"Overall exposure level for .*: ([\d.]+)", done.stdout)[1] == level
    assert f"{level} of 10" in (SYSTEMD / "UNITS.md").read_text()


def test_operations_Y2_the_drop_ins_for_several_machines_allow_addresses_one_by_one():
    for file in MACHINES:
        text = (SYSTEMD / file).read_text()
        # Added to `IPAddressDeny=any` of the unit, which stays.
        assert "IPAddressDeny" not in text, file
        for addresses in re.findall(r"^IPAddressAllow=(.*)$", text, re.M):
            assert [ipaddress.ip_address(one).is_private for one in addresses.split()], file


@pytest.mark.parametrize("unit", UNITS + MACHINES)
def test_operations_Y1_a_comment_explains_every_directive(unit):
    """The comment is in that unit, in the pools' drop-in with that name, or in the unit of the pools."""
    base = "svc-worker@.socket" if unit.endswith(".socket") else "svc-worker@.service"
    files = {SYSTEMD / unit, SYSTEMD / base, SYSTEMD / "svc-worker@.service", SYSTEMD / "svc-ingest.service",
             SYSTEMD / "machines/svc-worker@.service.d" / (SYSTEMD / unit).name}
    comments = "".join(line for file in files if file.exists() for line in file.read_text().splitlines() if line.startswith("#"))
    assert directives(SYSTEMD / unit)
    obvious = {"Description", "Documentation"}
    assert [name for name in directives(SYSTEMD / unit) if f"{name}=" not in comments and name not in obvious] == []


def test_operations_Y3_limits_are_set_for_every_pool():
    names = directives(SYSTEMD / "svc-worker@.service")
    for name in ("WatchdogSec", "MemoryHigh", "MemoryMax", "TasksMax", "TimeoutStopSec"):
        assert name in names


def test_operations_D4_redis_users_have_the_prefix_of_every_key_and_no_other():
    written = {kind.split(":")[0] for kind, *_ in facts.stored_keys()}
    assert written >= {"catalog", "oauth", "usage", "web", "embed"}
    for store, prefixes in {"state": written - {"embed"}, "cache": {"embed"}}.items():
        acl = (SYSTEMD / f"redis-{store}.acl.in").read_text()
        assert set(re.findall(r"[~](\w+):", acl)) == prefixes, store


# --- deployed ------------------------------------------------------------------------------------


def test_operations_Y2_systemd_analyze_verify_reports_no_problem(machine):
    units = [unit for unit in UNITS if "@" not in unit]
    units += [f"svc-{name}" for role in ROLES for name in (
        f"worker@{role}.socket", f"queue@{role}.socket", f"worker@{role}.service")]
    done = machine.run("systemd-analyze", "--recursive-errors=yes", "--man=no", "verify", *units,
                       check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_operations_Y1_all_units_are_running_and_enabled(machine):
    for unit in (*map(pool, ROLES), "svc-ingest.service", "svc-courier.service", "svc-keeper.service", "svc-redis-state.service",
                 "svc-redis-cache.service"):
        shown = machine.show(unit)
        assert is_running(shown), shown["SubState"]
        assert shown["Type"] == "notify"
        assert shown["NRestarts"] == "0"
        assert shown["Result"] == "success"
    assert machine.show("svc.target")["ActiveState"] == "active"
    assert machine.systemctl("is-enabled", "svc.target").stdout.strip() == "enabled"


def test_operations_Y1_svcctl_finds_the_configuration_without_an_option(machine):
    assert machine.run("svcctl", "account", "list").stdout.startswith("ID ")
    assert machine.run("svcctl", "--print-config").stdout == machine.run(
        "svcctl", "--config", "/etc/svc/svc.conf", "--print-config").stdout
    # Only root may read the secrets that it names.
    refused = machine.run("setpriv", "--reuid", "nobody", "--clear-groups", "svcctl", "account", "list", check=False)
    assert refused.returncode == 2, refused
    assert ("redis-svcctl.password: Permission denied\n"
            "run svcctl as a user who may read it, such as root: sudo svcctl") in refused.stdout + refused.stderr
    for words in (("help",), ("status",), ("version",)):
        machine.run("setpriv", "--reuid", "nobody", "--clear-groups", "svcctl", *words, check=words != ("status",))


def test_a_masked_pool_stops_and_starts_again_when_unmasked(machine):
    units = ("svc-worker@web.socket", "svc-worker@web.service")
    machine.run("systemctl", "mask", "--now", *units)
    assert [machine.show(unit)["ActiveState"] for unit in units] == ["inactive", "inactive"]
    machine.run("systemctl", "unmask", *units)
    machine.run("systemctl", "start", "svc.target")
    assert [machine.show(unit)["ActiveState"] for unit in units] == ["active", "active"]


def test_operations_P2_each_pool_has_the_socket_of_its_role(machine):
    for role in ROLES:
        shown = machine.show(f"svc-worker@{role}.socket")
        assert (shown["ActiveState"], shown["SubState"]) == ("active", "running")
        assert shown["FileDescriptorName"] == role
        status = os.stat(machine.path(f"/run/svc/{role}.sock"))
        group = machine.run("getent", "group", "www-data").stdout.split(":")[2]
        assert (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (0o660, 0, int(group))
        assert ask(machine, role, "/healthz").status == 200
    # Each socket leads to its own pool: only the embed pool serves oEmbed.
    assert ask(machine, "embed", "/oembed", MEDIA).status == 200
    assert ask(machine, "grant", "/oembed", MEDIA).status == 404


def test_operations_P2_only_the_group_of_nginx_may_connect(machine):
    connect_to = ("import socket,sys; "
                  "socket.socket(socket.AF_UNIX).connect('/run/svc/' + sys.argv[1])")

    def may(user, path):
        done = machine.run("runuser", "-u", user, "--", "/usr/bin/python3", "-c", connect_to, path,
                           check=False)
        assert done.returncode == 0 or "PermissionError" in done.stderr, done.stderr
        return done.returncode == 0

    assert may("www-data", "embed.sock")
    assert not may("nobody", "embed.sock")
    assert not may("svc-redis-cache", "embed.sock")
    assert may("svc-redis-state", "redis-state/redis.sock")
    assert not may("www-data", "redis-state/redis.sock")
    assert not may("svc-redis-cache", "redis-state/redis.sock")


def test_operations_Y1_only_pools_that_encrypt_have_the_keys_of_secrets(machine):
    for role, names in (("embed", ["redis-password", "watch-keys"]), ("grant", ["keys", "redis-password", "watch-keys"]),
                        ("web", ["keys", "redis-password", "watch-keys"]), ("upload", [])):
        credentials = machine.path(f"/run/credentials/{pool(role)}")
        assert (sorted(os.listdir(credentials)) if credentials.exists() else []) == names
        environment = machine.path(f"/proc/{machine.show(pool(role))['MainPID']}/environ").read_bytes()
        assert (b"\0SVC_KEYS=--key-file " in b"\0" + environment) == ("keys" in names)
    secrets = [path for path in machine.path("/etc/svc").iterdir()
               if path.suffix not in (".conf", ".d", ".txt") or path.name == "nginx-file-secrets.conf"]
    assert len(secrets) == 16
    for path in secrets:
        status = path.stat()
        assert (status.st_mode & 0o7777, status.st_uid) == (0o600, 0), path.name


def test_operations_Y1_nginx_the_upload_pool_and_svc_ingest_have_the_folders_that_they_need(machine):
    for path, mode, user, group in (("/var/lib/svc/uploads", 0o2770, "www-data", "svc-ingest"),
                                    ("/var/lib/svc/uploads/incoming", 0o700, "www-data", "www-data"),
                                    ("/var/lib/svc/media", 0o775, "svc-ingest", "svc-ingest")):
        status = os.stat(machine.path(path))
        assert (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (
            mode, int(machine.run("id", "-u", user).stdout), int(machine.run("id", "-g", group).stdout)), path
    # Files that a power loss left: all their times are older than a day.
    old, new = (machine.path(f"/var/lib/svc/uploads/incoming/{name}") for name in ("0000000001", "0000000002"))
    for path in (old, new):
        path.write_bytes(b"a")
    machine.run("systemd-tmpfiles", "--clean", "svc.conf")
    assert old.exists(), "it is new"
    for path in (old, new):
        path.unlink()
    shown = machine.show("svc-ingest.service")
    assert (shown["KillMode"], shown["OOMPolicy"]) == ("mixed", "continue")


def test_svc_ingest_runs_its_other_process_under_the_shipped_unit(machine):
    ingest = machine.main_pid("svc-ingest.service")
    other, = wait_until(lambda: children_of(ingest), "the other process runs")
    # The environment that the program got, so the unit's filters let it start.
    wait_until(lambda: b"SVC_INGEST_LANE=" in Path(f"/proc/{other}/environ").read_bytes(), "it is svc-ingest")
    wait_until(lambda: list(machine.path("/var/lib/svc/media").glob(".ingest-*.short.lock")), "it has its lock")


def titles(pids):
    """Returns what ps shows of these processes: name and command line."""
    return {(Path(f"/proc/{pid}/comm").read_text().strip(),
             Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").decode()) for pid in pids}


def test_operations_P62_a_title_names_the_pool_and_what_its_process_does(machine):
    for role in ROLES:
        assert titles([machine.main_pid(pool(role))]) == {(f"svc-pool-{role}", f"svc-worker: pool {role}")}
        assert titles(workers(machine, role)) == {(f"svc-{role}", f"svc-worker: worker of {role}")}
        # The signal goes to a pool only, which svcctl knows by its title.
        assert "workers serve" in machine.run("svcctl", "reload", "--socket", f"/run/svc/{role}.sock").stdout
    ingest = machine.main_pid("svc-ingest.service")
    assert titles([ingest]) == {("svc-ingest", "svc-ingest: all uploads")}
    wait_until(lambda: titles(children_of(ingest)) == {("svc-short-lane", "svc-ingest: short uploads")}, "the other process has its title")
    assert titles([machine.main_pid("svc-keeper.service")]) == {("svc-keeper", "svc-keeper: closed films")}


def test_operations_U44_svc_keeper_is_apart_and_small(machine):
    shown = machine.show("svc-keeper.service")
    assert (shown["User"], shown["PrivateNetwork"], shown["RestrictAddressFamilies"]) == ("svc-keeper", "yes", "AF_UNIX")
    assert shown["CPUWeight"] == machine.show(pool("embed"))["CPUWeight"]
    keeper = machine.main_pid("svc-keeper.service")
    loaded = {Path(line.split()[-1]).name for line in Path(f"/proc/{keeper}/maps").read_text().splitlines() if ".so" in line}
    assert loaded and not [name for name in loaded if re.match(r"lib(av|sw|fcgi|icu)", name)], loaded
    machine.systemctl("restart", "svc-keeper.service")
    # It has looked for work, and found none.
    wait_until(lambda: redis(machine, "svcctl", "EXISTS", "ingest:guarding") == "1", "it runs")
    assert int(machine.show("svc-keeper.service")["MemoryCurrent"]) <= 6 << 20
    machine.run("svcctl", "account", "create", "--name", "Closed", "--host", "closed.svc.localhost", "--id", "4242")
    machine.run("svcctl", "account", "set", "4242", "--allowed-domains", "site.example")
    marker = machine.path("/var/lib/svc/media/.accounts/4242/.guarded")
    wait_until(marker.exists, "it has marked a folder below that of svc-ingest")
    assert marker.stat().st_uid == int(machine.run("id", "-u", "svc-keeper").stdout)
    folder = marker.parent.stat()
    assert (folder.st_mode & 0o777, folder.st_gid) == (0o775, int(machine.run("id", "-g", "svc-ingest").stdout))


def test_conversions_get_idle_time_of_all_processors_but_one(machine):
    shown = machine.show("svc-ingest.service")
    assert shown["CPUWeight"] == "idle"
    allowed = os.sched_getaffinity(machine.main_pid("svc-ingest.service"))
    assert len(allowed) == max(1, len(os.sched_getaffinity(0)) - 1)


@pytest.mark.parametrize("role, name", [("embed", "svc"), ("upload", "www-data")])
def test_operations_P1_a_worker_runs_unprivileged_in_its_sandbox(machine, role, name):
    """Inspects a worker's sandbox from outside."""
    user = int(machine.run("id", "-u", name).stdout)
    for worker in workers(machine, role):
        status = open(f"/proc/{worker}/status").read()
        assert re.search(r"^Uid:\s+(\d+)\t(\d+)\t(\d+)\t(\d+)$", status, re.M).groups() == (
            (str(user),) * 4)
        assert re.search(r"^CapBnd:\s+0+$", status, re.M)
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.M)
        assert re.search(r"^Seccomp:\s+2$", status, re.M)
        # Its only interface is its own loopback, which is down.
        lines = open(f"/proc/{worker}/net/dev").read().splitlines()[2:]
        assert [line.split(":")[0].strip() for line in lines] == ["lo"]
        assert os.readlink(f"/proc/{worker}/ns/net") != os.readlink(f"/proc/{machine.leader}/ns/net")
        # The file system is read-only, as the worker sees it.
        with pytest.raises(OSError, match="Read-only file system"):
            open(f"/proc/{worker}/root/etc/svc/new", "wb")


# --- notifications to systemd ---------------------------------------------------------------------


def test_operations_P10_the_status_text_reports_workers_and_request_rate(machine):
    for role in ROLES:
        machine.wait_for(pool(role), "all workers are up", lambda shown: re.fullmatch(
            rf"{WORKERS} of {WORKERS} workers up, \d busy; \d+\.\d requests/s", shown["StatusText"]))
    for _ in range(20):
        ask(machine, "embed", "/healthz")
    machine.wait_for(pool("embed"), "a rate", lambda shown: not shown["StatusText"].endswith(
        " 0.0 requests/s"))


def test_operations_P10_operations_Y3_the_watchdog_restarts_a_parent_that_hangs(machine):
    drop_in = machine.path(f"/run/systemd/system/{pool('web')}.d")
    drop_in.mkdir(parents=True)
    (drop_in / "watchdog.conf").write_text("[Service]\nWatchdogSec=5s\n")
    try:
        machine.systemctl("daemon-reload")
        machine.systemctl("restart", pool("web"))
        # A healthy parent notifies the watchdog repeatedly.
        first = int(machine.show(pool("web"))["WatchdogTimestampMonotonic"])
        fed = machine.wait_for(pool("web"), "the watchdog is fed", lambda shown: int(
            shown["WatchdogTimestampMonotonic"]) > first)
        assert fed["NRestarts"] == "0"
        parent = machine.main_pid(pool("web"))
        os.kill(parent, signal.SIGSTOP)
        shown = machine.wait_for(pool("web"), "is restarted", lambda shown: (
            shown["NRestarts"] == "1" and is_running(shown)))
        wait_until(lambda: "Watchdog timeout" in machine.journal("-u", pool("web")), "the journal names the reason")
        assert machine.outer_pid(shown["MainPID"]) != parent
        assert ask(machine, "web", "/healthz").status == 200
    finally:
        (drop_in / "watchdog.conf").unlink()
        drop_in.rmdir()
        machine.systemctl("daemon-reload")
        machine.systemctl("restart", pool("web"))


# --- deaths --------------------------------------------------------------------------------------


def test_operations_Y3_systemd_restarts_a_pool_after_any_exit_and_without_limit(machine):
    for role in ROLES:
        shown = machine.show(pool(role))
        # Neither an OOM kill of one worker nor many starts end the unit.
        assert (shown["OOMPolicy"], shown["Restart"]) == ("continue", "always")
        assert shown["StartLimitIntervalUSec"] == "0"
        assert machine.show(f"svc-worker@{role}.socket")["TriggerLimitIntervalUSec"] == "0"


def test_operations_Y1_a_client_that_connects_while_a_pool_is_down_waits_for_its_restart(machine):
    parent = machine.main_pid(pool("grant"))
    before = int(machine.show(pool("grant"))["NRestarts"])
    os.kill(parent, signal.SIGKILL)
    wait_until(lambda: not children_of(parent), "all workers have exited")
    assert ask(machine, "grant", "/healthz").status == 200
    shown = machine.wait_for(pool("grant"), "is up again", is_running)
    assert int(shown["NRestarts"]) == before + 1


def test_operations_Y3_a_wrong_configuration_restarts_at_a_limited_rate_and_keeps_the_socket_open(machine):
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    before = int(machine.show(pool("embed"))["NRestarts"])
    config.write_text(right + "no-such-key = 1\n")
    try:
        began = time.monotonic()
        machine.systemctl("restart", pool("embed"), check=False)
        with connect(machine, "embed") as waiting:
            waiting.send(fcgi.request("/oembed", MEDIA))
            # By default the socket would fail after 20 starts, and the pool after five. RestartSec= limits the rate.
            machine.wait_for(pool("embed"), "tries again",
                             lambda shown: int(shown["NRestarts"]) >= before + 3)
            assert machine.show("svc-worker@embed.socket")["ActiveState"] == "active"
            assert time.monotonic() - began >= 3, "three more tries, a second before each"
            config.write_text(right)
            assert waiting.read_answer().status == 200
    finally:
        config.write_text(right)


def entries(machine, *words):
    """Returns the journal's entries of this boot."""
    lines = machine.run("journalctl", "--no-pager", "-b", "-o", "json", *words).stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_operations_P60_the_journal_has_severity_event_pool_and_unit_of_each_line(machine):
    machine.systemctl("restart", *map(pool, ROLES))
    ready = entries(machine, "SVC_EVENT=pool.ready")
    found = {(each["SVC_POOL"], each["_SYSTEMD_UNIT"], each["PRIORITY"], each["SYSLOG_IDENTIFIER"]) for each in ready}
    assert found == {(role, pool(role), "6", "svc-worker") for role in ROLES}
    assert all(json.loads(each["MESSAGE"])["event"] == "pool.ready" for each in ready)
    victim = min(workers(machine, "embed"))
    os.kill(victim, signal.SIGKILL)
    failures = ("-p", "err", "-u", pool("embed"))
    wait_until(lambda: [each for each in entries(machine, *failures) if each.get("SVC_EVENT") == "worker.died"],
               "a death is an error")
    assert {json.loads(each["MESSAGE"])["level"] for each in entries(machine, *failures) if "SVC_EVENT" in each} == {
        "error"}
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    config.write_text(right + "no-such-key = 1\n")
    try:
        machine.systemctl("restart", pool("embed"), check=False)
        number = len(right.splitlines()) + 1
        # A sentence, without the mark of its severity.
        wait_until(lambda: [each for each in entries(machine, *failures) if each["MESSAGE"].startswith(
            f"svc-worker: /etc/svc/svc.conf:{number}: unknown key no-such-key")], "why it does not start is an error")
    finally:
        config.write_text(right)


@pytest.mark.parametrize("line, works", [
    ("workerz = 3", True), ("workers = many", True), ("this is no setting", True),
    ("redis-stat = unix:///run/svc/redis-state/redis.sock", False)])
def test_operations_P61_what_only_reads_works_in_spite_of_a_wrong_line_and_names_it(machine, line, works):
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    config.write_text(f"{right}{line}\n")
    place = f"/etc/svc/svc.conf:{len(right.splitlines()) + 1}: "
    try:
        for words in (("audit",), ("account", "list"), ("jobs", "list"), ("status",)):
            done = machine.run("svcctl", *words, check=False)
            as_usual = works or words == ("status",)
            assert done.returncode == (0 if as_usual else 2) and place in done.stderr, (words, done)
            assert done.stderr.startswith("svcctl: warning: ") == as_usual, (words, done)
            assert bool(done.stdout) == (as_usual and words != ("jobs", "list")), (words, done)
        for words in (("account", "set", "1001", "--name", "Other"), ("token", "revoke"), ("nginx",), ("--check-config",)):
            done = machine.run("svcctl", *words, check=False)
            assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(f"svcctl: {place}"), (words, done)
        assert ("did you mean" in done.stderr) == ("worke" in line and "many" not in line or not works), done.stderr
    finally:
        config.write_text(right)


def test_operations_P7_systemctl_reload_waits_until_the_new_configuration_serves(machine):
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    before, old = machine.show(pool("embed")), workers(machine, "embed")
    config.write_text(right + f"oembed-max-age = 77\nworkers = {WORKERS + 1}\n")
    try:
        with connect(machine, "embed") as kept:
            assert kept.request("/oembed", MEDIA).status == 200
            machine.systemctl("reload", pool("embed"))
            assert "max-age=77" in ask(machine, "embed", "/oembed", MEDIA).header("cache-control")
            assert kept.request("/oembed", MEDIA).status == 200
        wait_until(lambda: len(workers(machine, "embed") - old) == WORKERS + 1
                   and not workers(machine, "embed") & old, "the new workers alone")
        after = machine.show(pool("embed"))
        assert is_running(after) and after["MainPID"] == before["MainPID"]
    finally:
        config.write_text(right)
        machine.systemctl("reload", pool("embed"))


def test_operations_P7_systemctl_reload_fails_with_a_wrong_configuration_and_changes_nothing(machine):
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    before, old = machine.show(pool("embed")), workers(machine, "embed")
    config.write_text(right + "no-such-key = 1\n")
    try:
        assert machine.systemctl("reload", pool("embed"), check=False).returncode != 0
        wait_until(lambda: "no-such-key" in machine.journal("-u", pool("embed")), "the journal names the line")
    finally:
        config.write_text(right)
    after = machine.show(pool("embed"))
    assert is_running(after) and after["MainPID"] == before["MainPID"]
    assert workers(machine, "embed") == old
    assert ask(machine, "embed", "/oembed", MEDIA).status == 200


def test_operations_Y20_restarts_in_quick_succession_leave_every_socket_open(machine):
    for _ in range(8):
        machine.systemctl("restart", "svc.target")
    for role in ROLES:
        assert ask(machine, role, "/healthz").status == 200
    assert machine.systemctl("list-units", "--failed", "--plain", "--no-legend").stdout == ""
    sockets = machine.systemctl("list-units", "--plain", "--no-legend", "svc-*.socket").stdout.splitlines()
    assert len(sockets) == 2 * len(ROLES) + 1 and all(" active " in line for line in sockets), sockets


def test_operations_P63_nginx_s_logs_are_not_for_every_user(machine):
    # nginx buffers log lines for a second.
    wait_until(lambda: machine.path("/var/log/nginx/svc-access.log").stat().st_size > 0, "it has lines")
    for name in ("access", "error"):
        said = machine.run("stat", "-c", "%a %U %G", f"/var/log/nginx/svc-{name}.log").stdout
        assert said == "640 www-data adm\n", name


def test_operations_Y1_the_target_stops_and_starts_all_units(machine):
    machine.systemctl("stop", "svc.target")
    for unit in (*map(pool, ROLES), "svc-ingest.service", "svc-courier.service", "svc-keeper.service", "svc-redis-state.service",
                 "svc-redis-cache.service", *(f"svc-worker@{role}.socket" for role in ROLES)):
        shown = machine.wait_for(unit, "stops",
                                 lambda shown: shown["ActiveState"] == "inactive")
        assert shown["Result"] == "success"
    assert os.listdir(machine.path("/run/svc")) == []
    machine.systemctl("start", "svc.target")
    assert ask(machine, "embed", "/oembed", MEDIA).status == 200


# --- starts that fail, and the messages that an operator sees ----------------------------------------


def said(machine, unit, since, words):
    """Returns the output of `systemctl status` and the unit's journal since then, once that journal contains all words.

    systemd may not attribute messages of a process that has already exited. A unit that is restarted repeats them."""
    journal = ""

    def says_all():
        nonlocal journal
        journal = machine.run("journalctl", "--no-pager", "-o", "cat", "-u", unit, "--since", since).stdout
        return all(word in journal for word in words)

    try:
        wait_until(says_all, f"the journal of {unit} contains {words}")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{journal}") from error
    return machine.systemctl("status", unit, check=False).stdout, journal


def tries_again(machine, unit):
    """Waits until systemd is about to start the unit again, which it does every second."""
    wait_until(lambda: "Active: activating" in machine.systemctl("status", unit, check=False).stdout,
               f"systemd restarts {unit}")


def clock(machine):
    return machine.run("date", "+%F %T.%N").stdout.strip()


@pytest.mark.parametrize("content, complaint", [
    (b"k1:0123\n", "must have exactly 64 hex digits"),
    (None, "Failed to set up credentials"),  # systemd reports one of two causes for it
], ids=["wrong", "missing"])
def test_operations_Y3_a_bad_key_file_is_named_and_other_pools_stay_up(machine, content, complaint):
    keys = machine.path("/etc/svc/keys")
    right, before = keys.read_bytes(), machine.show(pool("embed"))["MainPID"]
    since = clock(machine)
    keys.unlink()
    if content is not None:
        keys.write_bytes(content)
        keys.chmod(0o600)
    try:
        assert machine.systemctl("restart", pool("grant"), check=False).returncode != 0
        _, journal = said(machine, pool("grant"), since, [complaint])
        tries_again(machine, pool("grant"))
        if content is not None:
            assert "line 1" in journal
            assert "/run/credentials/svc-worker@grant.service/keys" in journal
            # --check-config reports the same about the file itself, before any restart.
            done = machine.run("svc-worker", "--config", "/etc/svc/svc.conf", "--check-config", check=False)
            assert done.returncode == 2 and "/etc/svc/keys" in done.stderr and complaint in done.stderr
            assert right.decode().strip().split(":")[1] not in journal
        # A pool that needs no keys stays up.
        assert machine.show(pool("embed"))["MainPID"] == before
        assert ask(machine, "embed", "/oembed", MEDIA).status == 200
    finally:
        keys.write_bytes(right)
        keys.chmod(0o600)
    # Once the file is corrected, the pool recovers.
    machine.wait_for(pool("grant"), "recovers", is_running)


def test_operations_Y3_pools_start_without_their_store_and_log_it_as_unavailable(machine):
    """As after a boot during which Redis did not start."""
    state = "svc-redis-state.service"
    config = machine.path("/etc/svc/redis-state.conf")
    right = config.read_text()
    config.write_text(right + "no-such-directive 1\n")
    machine.systemctl("stop", "svc.target", *map(pool, ROLES), state)
    since = clock(machine)
    try:
        machine.systemctl("start", "svc.target", check=False)
        for role in ROLES:
            machine.wait_for(pool(role), "starts all the same", is_running)
        answer = ask(machine, "embed", "/oembed", MEDIA)
        assert answer.status == 503 and int(answer.header("retry-after")) > 0
        assert ask(machine, "embed", "/healthz").status == 200
        assert ask(machine, "embed", "/readyz").status == 503
        said(machine, pool("embed"), since, ["store.lost", "/run/svc/redis-state/redis.sock"])
        assert "away" in machine.run("svcctl", "status", check=False).stdout
        said(machine, state, since, ["no-such-directive"])
        tries_again(machine, state)
    finally:
        config.write_text(right)
    machine.wait_for(state, "recovers", is_running)
    # Each worker reconnects with its next request.
    wait_until(lambda: ask(machine, "embed", "/oembed", MEDIA).status == 200
               and machine.events(pool("embed"), "store.back"), "the store is found")


def test_operations_Y3_only_the_worker_that_exceeds_the_memory_limit_is_killed(machine):
    """The kernel kills the largest process of the pool; on cgroup v1 systemd is not notified."""
    config = machine.path("/etc/svc/svc.conf")
    right = config.read_text()
    drop_in = machine.path(f"/run/systemd/system/{pool('grant')}.d")
    drop_in.mkdir(parents=True)
    (drop_in / "memory.conf").write_text("[Service]\nMemoryHigh=infinity\nMemoryMax=48M\n")
    config.write_text(right + "max-body = 16777216\nread-timeout = 600000\n")
    try:
        machine.systemctl("daemon-reload")
        machine.systemctl("restart", pool("grant"))
        before = machine.show(pool("grant"))
        since = clock(machine)
        with contextlib.ExitStack() as held:
            # Incomplete bodies, so that the workers keep them in memory.
            body = b"b" * (16 << 20)
            for _ in range(4 * WORKERS):
                connection = held.enter_context(connect(machine, "grant"))
                with contextlib.suppress(OSError):  # the kernel may have killed its worker
                    connection.send(fcgi.request("/oauth/token", method="POST", body=body)[:-100])
                if machine.events(pool("grant"), "worker.died"):
                    break
            said(machine, pool("grant"), since, ['"worker.died"'])
        after = machine.wait_for(pool("grant"), "is full again", lambda shown: shown["StatusText"].startswith(
            f"{WORKERS} of {WORKERS} workers up"))
        # Only that worker was replaced.
        assert is_running(after) and after["Result"] == "success"
        assert (after["MainPID"], after["NRestarts"]) == (before["MainPID"], before["NRestarts"])
        died = machine.events(pool("grant"), "worker.died")
        assert died[-1]["signal"] == signal.SIGKILL and died[-1]["delay_ms"] == 0
        assert ask(machine, "grant", "/healthz").status == 200
    finally:
        config.write_text(right)
        (drop_in / "memory.conf").unlink()
        drop_in.rmdir()
        machine.systemctl("daemon-reload")
        machine.systemctl("restart", pool("grant"))


# --- operations-P9 ---------------------------------------------------------------------------------


def test_operations_P9_the_status_reports_the_listen_queue_although_the_sandbox_forbids_netlink(machine):
    """The parent reads the queue through a socket that systemd created outside the sandbox."""
    assert machine.show("svc-queue@embed.socket")["ActiveState"] == "active"
    stopped = workers(machine, "embed")
    with contextlib.ExitStack() as waiting:
        for worker in stopped:
            os.kill(worker, signal.SIGSTOP)
        try:
            for _ in range(5):
                waiting.enter_context(connect(machine, "embed"))
            # The parent looks every 100 ms, while no worker can respond.
            wait_for_wakeups(machine.main_pid(pool("embed")), 5)
        finally:
            for worker in stopped:
                os.kill(worker, signal.SIGCONT)
        status = json.loads(ask(machine, "embed", "/status").body)
    assert status["max_listen_queue"] >= 5 and status["listen_queue_len"] == 4096, status
    # Only the parent has that socket.
    for worker in workers(machine, "embed"):
        held = [os.readlink(f"/proc/{worker}/fd/{number}") for number in os.listdir(f"/proc/{worker}/fd")]
        netlink = {line.split()[9] for line in open(f"/proc/{machine.leader}/net/netlink").read().splitlines()[1:]}
        assert not any(f"socket:[{inode}]" in held for inode in netlink)
