"""The commands of svcctl for applications, users, tokens, keys and the audit trail."""

import json
import select
import signal
import stat
import subprocess

import pytest

import stack as stacks
from ctl_calls import audited, ctl, said, terminal
from processes import start

OWNER = "ctl-owner@example.com"
CREATE = ("app", "create", "--account", "41", "--name", "Reports", "--redirect-uri",
          "https://client.example/cb?x=1", "--scopes", "media:read,stats:read")

CATALOG = [
    {"kind": "account", "id": 41, "name": "With", "host": "with.svc.localhost",
     "url": "https://with.svc.localhost", "oauth_enabled": True},
    {"kind": "account", "id": 42, "name": "Without", "host": "without.svc.localhost",
     "url": "https://without.svc.localhost"},
    {"kind": "user", "id": 410, "name": "Owner", "email": OWNER, "password": "the first password",
     "memberships": [{"account_id": 41, "role": "owner"}]},
]


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.start_redis()
    catalog = module_stack.directory / "ctl.jsonl"
    catalog.write_text("".join(json.dumps(line) + "\n" for line in CATALOG))
    module_stack.import_catalog(catalog)
    return module_stack


def everything(stack):
    """Returns every key and value in Redis as text."""
    words = []
    for key in stack.redis_state.cli("--scan").split():
        kind = stack.redis_state.command("TYPE", key)
        command = {"string": ["GET", key], "hash": ["HGETALL", key], "stream": ["XRANGE", key, "-", "+"],
                   "zset": ["ZRANGE", key, "0", "-1"], "set": ["SMEMBERS", key]}[kind]
        words.append(key + stack.redis_state.cli(*command))
    return "\n".join(words)


# --- applications ---

def test_app_create_refuses_a_client_id_that_exists(stack):
    assert said(stack, *CREATE, "--client-id", "chosen.id")["client_id"] == "chosen.id"
    secret = said(stack, "app", "show", "chosen.id", "--secret")["client_secrets"]
    again = ctl(stack, *CREATE, "--client-id", "chosen.id")
    assert again.returncode == 1 and "already" in again.stderr
    assert said(stack, "app", "show", "chosen.id", "--secret")["client_secrets"] == secret


def test_app_create_refuses_an_account_without_oauth(stack):
    done = ctl(stack, *["42" if word == "41" else word for word in CREATE])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("svcctl app create: OAuth is not enabled for account 42")


def test_oauth_K2_app_rotate_secret_allows_two_live_secrets(stack):
    app = said(stack, *CREATE)
    show = ("app", "show", app["client_id"], "--secret")
    rotate = ("app", "rotate-secret", app["client_id"])
    alone = ctl(stack, *rotate, "--retire-old")
    assert alone.returncode == 1 and "only one secret is valid" in alone.stderr
    newer = said(stack, *rotate)["client_secret"]
    assert said(stack, *show)["client_secrets"] == [newer, app["client_secret"]]
    third = ctl(stack, *rotate)
    assert third.returncode == 1 and "--retire-old" in third.stderr
    assert said(stack, *rotate, "--retire-old")["live_secrets"] == 1
    assert said(stack, *show)["client_secrets"] == [newer]
    assert [len(audited(stack, what, client=app["client_id"]))
            for what in ("secret.rotated", "secret.retired")] == [1, 1]


def test_app_delete_asks_for_the_client_id_at_a_terminal(stack):
    app = said(stack, *CREATE)["client_id"]
    prompt = f"Type {app} to delete it: "
    status, shown = terminal(stack, "app", "delete", app, answers=[(prompt, b"yes\n")])
    assert status == 1 and "nothing was deleted" in shown
    status, shown = terminal(stack, "app", "delete", app, answers=[(prompt, app.encode() + b"\n")])
    assert status == 0 and shown.endswith("deleted\r\n")
    assert ctl(stack, "app", "show", app).returncode == 1


# --- users ---

def new_user(stack, email, *more, given="a good password\n"):
    return ctl(stack, "user", "create", "--name", "Somebody", "--email", email, "--account",
               "41:manager", "--password-stdin", *more, given=given)


def test_user_passwd_reads_a_pipe_only_with_password_stdin(stack):
    done = ctl(stack, "user", "passwd", OWNER, given="x\n")
    assert done.returncode == 2 and "--password-stdin" in done.stderr


def test_user_passwd_asks_twice_at_a_terminal_without_echo(stack):
    assert new_user(stack, "typed@example.com").returncode == 0
    hash_of = lambda: json.loads(stack.redis_state.command("GET", "catalog:contact:" + stack.redis_state.command(
        "GET", "catalog:contact_email:typed@example.com")))["password_hash"]
    before = hash_of()
    status, shown = terminal(stack, "user", "passwd", "typed@example.com", answers=[
        ("Password: ", b"a secret word\n"), ("Repeat the password: ", b"another word\n")])
    assert status == 1 and "differ" in shown and "word\r" not in shown.replace("passwd", "")
    assert hash_of() == before
    status, shown = terminal(stack, "user", "passwd", "typed@example.com", answers=[
        ("Password: ", b"a secret word\n"), ("Repeat the password: ", b"a secret word\n")])
    assert status == 0 and "secret" not in shown
    assert hash_of() != before


def test_ctrl_c_at_the_password_prompt_changes_nothing(stack):
    before = everything(stack)
    status, _ = terminal(stack, "user", "passwd", OWNER, answers=[("Password: ", b"\x03")])
    assert status == -2, "as any program that Ctrl-C ends"
    assert everything(stack) == before


# --- keys ---

def test_oauth_K2_keys_rotate_adds_a_key_and_activate_uses_it(stack):
    app = said(stack, *CREATE)
    old_mode = stat.S_IMODE(stack.key_file.stat().st_mode)
    first = stack.key_file.read_text().strip()
    planned = said(stack, "keys", "rotate", "--dry-run")
    assert planned["step"] == "would be added" and stack.key_file.read_text().strip() == first
    added = said(stack, "keys", "rotate")["key"]
    lines = stack.key_file.read_text().splitlines()
    assert lines[0] == first and lines[1].startswith(added + ":"), "all can read with it, nobody writes"
    assert len(lines[1].split(":")[1]) == 64
    again = ctl(stack, "keys", "rotate")
    assert again.returncode == 1 and "--activate" in again.stderr
    assert len(stack.key_file.read_text().splitlines()) == 2
    sealed = lambda: json.loads(stack.redis_state.command("GET", f"oauth:client:{app['client_id']}"))["secrets"][0]
    before = sealed()
    would = said(stack, "keys", "rotate", "--activate", "--dry-run")
    assert would["secrets_to_seal"] > 0 and sealed() == before
    done = said(stack, "keys", "rotate", "--activate")
    assert added in done["required"] and "every grant and web pool" in done["required"]
    assert done["secrets_sealed"] == would["secrets_to_seal"] and done["unreadable_secrets_of"] == []
    assert done["former_keys"] == [first.split(":")[0]]
    assert stack.key_file.read_text().splitlines() == [lines[1], first]
    assert sealed()["sealed"].startswith(added + ":") and sealed()["mac"] != before["mac"]
    assert said(stack, "app", "show", app["client_id"], "--secret")["client_secrets"] == [app["client_secret"]]
    nothing = ctl(stack, "keys", "rotate", "--activate")
    assert nothing.returncode == 1 and "no key waits" in nothing.stderr
    assert stat.S_IMODE(stack.key_file.stat().st_mode) == old_mode
    assert [path.name for path in stack.directory.glob("keys*")] == ["keys"]
    assert audited(stack, "keys.added") and audited(stack, "keys.activated")
    assert lines[1].split(":")[1] not in everything(stack) + json.dumps(done)


# --- the audit trail ---

def test_oauth_K7_audit_selects_events_by_count_and_time(stack):
    for _ in range(3):
        said(stack, *CREATE)
    newest = [json.loads(line) for line in ctl(stack, "audit", "--count", "2", "--json").stdout.splitlines()]
    assert [event["what"] for event in newest] == ["client.created"] * 2
    assert newest[0]["id"] < newest[1]["id"]
    assert ctl(stack, "audit", "--since", "2999-01-01T00:00:00Z").stdout == ""
    assert len(ctl(stack, "audit", "--since", "1d").stdout.splitlines()) >= 3
    for wrong in (("--since", "yesterday"), ("--count", "-1"), ("--count", "many")):
        done = ctl(stack, "audit", *wrong)
        assert done.returncode == 2 and done.stdout == "" and wrong[0] in done.stderr


def test_oauth_K7_audit_adds_the_names_of_existing_records(stack):
    app = said(stack, *CREATE)["client_id"]
    assert said(stack, "app", "delete", app, "--yes")["deleted"] is True
    kept = said(stack, *CREATE)["client_id"]
    assert ctl(stack, "user", "passwd", OWNER, "--password-stdin", given="another password\n").returncode == 0
    gone, = audited(stack, "client.created", client=app)
    assert "client_name" not in gone and gone["account_name"] == "With"
    there, = audited(stack, "client.created", client=kept)
    assert there["client_name"] == "Reports"
    assert audited(stack, "password.changed", contact=410)[-1]["contact_email"] == OWNER
    shown = ctl(stack, "audit", "--count", "100000").stdout
    assert f'client.created  client {kept} "Reports"  account 41 "With"  (by ' in shown
    assert f'client.created  client {app}  account 41 "With"  (by ' in shown
    assert f'password.changed  contact 410 "{OWNER}"  (by ' in shown


def test_oauth_K7_audit_follow_prints_new_events(stack):
    with start([stacks.program("svcctl"), "--config", str(stack.config), "audit",
                "--follow", "--count", "0", "--json"], stdout=subprocess.PIPE,
               text=True) as following:
        try:
            # It may not listen yet: repeat the event until the command prints one.
            def seen():
                said(stack, *CREATE)
                ready = select.select([following.stdout], [], [], 1)[0]
                return json.loads(following.stdout.readline()) if ready else None
            assert stacks.wait_until(seen, "an event")["what"] == "client.created"
        finally:
            following.terminate()


# --- every command ---

def test_an_unavailable_store_without_a_configuration_file_is_explained(stack):
    words = ("app", "list")
    nobody = f"unix://{stack.directory}/nobody.sock"
    done = subprocess.run([stacks.program("svcctl"), "--redis-state", nobody, *words], capture_output=True, text=True,
                          timeout=stacks.PATIENCE)
    assert done.returncode == 3 and "the store is unavailable" in done.stderr
    assert done.stderr.endswith(f"svcctl: no configuration file was read, so redis-state is {nobody}; "
                                "name a file by --config FILE before the command, or by SVC_CONFIG\n")
    file = stack.directory / "elsewhere.conf"
    file.write_text(f"redis-state = {nobody}\n")
    named = subprocess.run([stacks.program("svcctl"), "--config", str(file), *words], capture_output=True, text=True,
                           timeout=stacks.PATIENCE)
    assert named.returncode == 3 and "no configuration file" not in named.stderr


def test_operations_P9_status_and_reload_find_pools_next_to_the_configuration(stack):
    folder = stack.directory / "pools"
    folder.mkdir()
    config = folder / "svc.conf"
    config.write_text(stack.config.read_text())
    here = lambda *words: subprocess.run([stacks.program("svcctl"), "--config", str(config), *words],
                                         capture_output=True, text=True, timeout=stacks.PATIENCE)
    pool = stack.start_pool("beside", roles="embed", workers=1)
    (folder / "embed.sock").symlink_to(pool.socket)
    done = here("status", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [status["pid"] for status in json.loads(done.stdout)] == [pool.pid]
    again = here("reload")
    assert (again.returncode, again.stderr) == (0, ""), again
    pool.stop()


def test_operations_P9_status_watch_prints_the_last_minute_every_second(stack):
    """Into a pipe: totals would show the requests from before."""
    pool = stack.start_pool("watched", roles="embed", workers=1)
    for _ in range(20):
        pool.request("/robots.txt")
    row = lambda: next(line for line in watch.stdout if line.startswith("  /robots.txt ")).split()[1]
    with subprocess.Popen([stacks.program("svcctl"), "--config", stack.config, "status", "--watch", "--socket",
                           pool.socket], stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout.readline().startswith("last 0 s of embed: process ") and row() == "0"
        for _ in range(3):
            pool.request("/robots.txt")
        while (requests := row()) == "0":
            pass
        assert int(requests) in (1, 2, 3)
        while row() != "3":
            pass
        watch.send_signal(signal.SIGINT)
        assert watch.wait(stacks.PATIENCE) in (-signal.SIGINT, 130)
    with subprocess.Popen([stacks.program("svcctl"), "--config", stack.config, "status", "--watch", "--json", "--socket",
                           pool.socket], stdout=subprocess.PIPE, text=True) as watch:
        first, second = (json.loads(watch.stdout.readline()) for _ in range(2))
        assert first[0]["pid"] == second[0]["pid"] == pool.pid
        watch.stdout.close()
        assert watch.wait(stacks.PATIENCE) == 1, "it ends with its reader, as every command does"
    pool.stop()
