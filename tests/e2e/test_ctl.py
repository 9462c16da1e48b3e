"""The commands of svcctl for applications, users, tokens, keys and the audit trail."""

import json
import os
import re
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

def test_oauth_K2_app_create_prints_the_secret_once_and_stores_it_encrypted(stack):
    app = said(stack, *CREATE)
    assert re.fullmatch(r"[0-9a-f]{64}", app["client_secret"]), "256 bits that no decoding changes"
    assert app["authorization_link"] == (
        f"https://app.svc.example/oauth/authorize?client_id={app['client_id']}&response_type=code"
        "&redirect_uri=https%3A%2F%2Fclient.example%2Fcb%3Fx%3D1&scope=media%3Aread%20stats%3Aread")
    shown = said(stack, "app", "show", app["client_id"])
    assert app["client_secret"] not in json.dumps(shown) and shown["name"] == "Reports"
    assert app["client_secret"] not in everything(stack), "neither in clear nor in the audit trail"
    assert audited(stack, "client.created", client=app["client_id"], account=41)


def test_oauth_K7_app_show_secret_is_audited(stack):
    app = said(stack, *CREATE)
    assert not audited(stack, "secret.shown", client=app["client_id"])
    shown = said(stack, "app", "show", app["client_id"], "--secret")
    assert shown["client_secrets"] == [app["client_secret"]]
    event, = audited(stack, "secret.shown", client=app["client_id"])
    assert event["account"] == 41 and "with svcctl" in event["detail"]


@pytest.mark.parametrize("change, status, words", [
    ({"--account": "43"}, 1, "there is no account 43"),
    ({"--account": "42"}, 1, "OAuth is not enabled for account 42"),
    ({"--account": "x"}, 2, "--account must be an integer from 1 to"),
    ({"--redirect-uri": "http://client.example/cb"}, 1, "redirect_uri"),
    ({"--redirect-uri": "https://client.example/cb#x"}, 1, "fragment"),
    ({"--scopes": "media:read,everything"}, 1, "all:all, all:read, media:read"),
    ({"--scopes": ","}, 1, "scopes"),
    ({"--name": ""}, 1, "name"),
    ({"--name": None}, 2, "--name is missing"),
    ({"--scope-format": "list"}, 2, "array, string"),
    ({"--client-id": "a b"}, 1, "letters, digits"),
    ({"--nonsense": "x"}, 2, "--redirect-uri"),
])
def test_app_create_refuses_invalid_values_and_names_the_allowed_ones(stack, change, status, words):
    before = said_keys(stack)
    flags = dict(zip(CREATE[2::2], CREATE[3::2])) | change
    call = [word for flag, value in flags.items() if value is not None for word in (flag, value)]
    done = ctl(stack, "app", "create", *call)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert words in done.stderr and done.stderr.startswith("svcctl app create: ")
    assert said_keys(stack) == before


def said_keys(stack):
    return stack.redis_state.command("DBSIZE")


def test_app_create_refuses_a_client_id_that_exists(stack):
    assert said(stack, *CREATE, "--client-id", "chosen.id")["client_id"] == "chosen.id"
    secret = said(stack, "app", "show", "chosen.id", "--secret")["client_secrets"]
    again = ctl(stack, *CREATE, "--client-id", "chosen.id")
    assert again.returncode == 1 and "already" in again.stderr
    assert said(stack, "app", "show", "chosen.id", "--secret")["client_secrets"] == secret


def test_app_list_filters_by_account(stack):
    app = said(stack, *CREATE)
    ids = [json.loads(line)["client_id"]
           for line in ctl(stack, "app", "list", "--account", "41", "--json").stdout.splitlines()]
    assert app["client_id"] in ids
    assert ctl(stack, "app", "list", "--account", "42", "--json").stdout == ""
    shown = ctl(stack, "app", "list").stdout
    assert re.match(r"CLIENT ID +ACCOUNT +NAME +REDIRECT URI\n", shown)
    assert re.search(rf"(?m)^{app['client_id']} +41 +Reports +https://client.example/cb\?x=1$", shown)


def test_app_commands_escape_hostile_names(stack):
    name = "\x1b]0;owned\x07\u202eevil\x9b2J"
    stack.store_application("hostile", name, account_id=41, redirect_uri="https://client.example/cb",
                            scopes=["media:read"])
    assert said(stack, "app", "show", "hostile")["name"] == name, "programs get it as it is"
    for words in (("app", "list"), ("app", "show", "hostile"), ("audit",)):
        done = ctl(stack, *words)
        assert done.returncode == 0
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", done.stdout), words


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


def test_app_delete_needs_yes_without_a_terminal(stack):
    app = said(stack, *CREATE)["client_id"]
    kept = ctl(stack, "app", "delete", app)
    assert kept.returncode == 1 and "--yes" in kept.stderr
    assert re.search(r"^grants +0$", kept.stdout, re.M)
    assert said(stack, "app", "show", app)
    assert said(stack, "app", "delete", app, "--yes")["deleted"] is True
    assert "there is no application" in ctl(stack, "app", "show", app).stderr
    assert audited(stack, "client.deleted", client=app)


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


def test_user_create_stores_the_user_and_an_index_of_the_email(stack):
    done = new_user(stack, "New@example.com", "--account", "42:user", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    user = json.loads(done.stdout)
    record = json.loads(stack.redis_state.command("GET", f"catalog:contact:{user['contact_id']}"))
    assert record["memberships"] == [{"account_id": 41, "role": "manager"}, {"account_id": 42, "role": "user"}]
    assert record["password_hash"].startswith("scrypt$")
    assert stack.redis_state.command("GET", "catalog:contact_email:new@example.com") == str(user["contact_id"])
    assert audited(stack, "contact.created", contact=user["contact_id"])
    assert "a good password" not in everything(stack)
    again = new_user(stack, "NEW@example.com")
    assert again.returncode == 1 and "another user already has the email address" in again.stderr


@pytest.mark.parametrize("flags, given, status, words", [
    (["--email", "a@b.example", "--account", "41:boss"], "x\n", 1, "owner, manager, user"),
    (["--email", "a@b.example", "--account", "41"], "x\n", 2, "owner, manager, user"),
    (["--email", "a@b.example", "--account", "43:user"], "x\n", 1, "no account 43"),
    (["--email", "a@b.example", "--account", "41:user", "--account", "41:owner"], "x\n", 1, "twice"),
    (["--email", "nobody", "--account", "41:user"], "x\n", 1, "email"),
    (["--email", "a@b.example", "--account", "41:user"], "\n", 1, "must not be empty"),
    (["--email", "a@b.example", "--account", "41:user"], "", 1, "standard input is empty"),
    (["--email", "a@b.example", "--account", "41:user"], "x" * 1025 + "\n", 1, "1,024 bytes"),
    (["--email", "a@b.example", "--account", "41:user"], "x" * 11 + "\n", 1, "at least 12 characters"),
    (["--email", "a@b.example.com", "--account", "41:user"], "A@b.Example.com\n", 1, "the email address"),
    (["--email", "a@b.example"], "x\n", 2, "--account is missing"),
    (["--email", "a@b.example", "--account", "41:user", "--password", "x"], "x\n", 2,
     "unknown option: --password; did you mean --password-stdin?"),
])
def test_user_create_refuses_invalid_values(stack, flags, given, status, words):
    before = said_keys(stack)
    done = ctl(stack, "user", "create", "--name", "N", *flags, "--password-stdin", given=given)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert words in done.stderr
    assert said_keys(stack) == before


def test_user_passwd_has_the_password_rules_of_the_settings(stack):
    done = ctl(stack, "user", "passwd", OWNER, "--password-stdin", given="too short\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the password must have at least 12 characters" in done.stderr


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


def test_oauth_K2_running_workers_authenticate_clients_during_a_key_rotation(stack):
    app = said(stack, *CREATE)

    def authenticates(pool):
        # The token endpoint also reads its query. It rejects an invalid code only after it has
        # authenticated the client.
        answer = pool.request("/oauth/token", f"grant_type=authorization_code&code=x&redirect_uri=https://c.example/"
                              f"&client_id={app['client_id']}&client_secret={app['client_secret']}",
                              method="POST")
        assert json.loads(answer.body)["error"] in ("invalid_grant", "invalid_client"), answer
        return json.loads(answer.body)["error"] == "invalid_grant"

    def grant_pool(name):
        return stack.start_pool(name, roles="grant", workers=1)

    with_old = grant_pool("before")
    said(stack, "keys", "rotate")
    with_both = grant_pool("between")
    assert authenticates(with_old) and authenticates(with_both)
    with_old.stop()
    said(stack, "keys", "rotate", "--activate")
    with_new = grant_pool("after")
    assert authenticates(with_both) and authenticates(with_new)
    wrong = {**app, "client_secret": "0" * 64}
    app = wrong
    assert not authenticates(with_new), "a secret that is none"


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

@pytest.mark.parametrize("words", [("app",), ("user",), ("token",), ("keys",), ("app", "make"),
                                   ("app", "show"), ("app", "show", "a", "b"), ("audit", "all"),
                                   ("token", "inspect", "svca_1"), ("nonsense",)])
def test_invalid_calls_print_the_usage(stack, words):
    done = ctl(stack, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert "svcctl " in done.stderr.splitlines()[-1] or len(done.stderr.splitlines()) > 2


@pytest.mark.parametrize("words, said", [
    ((), "svcctl: a command is missing\nusage: svcctl "),
    (("no\x1bsense",), "svcctl: unknown command: no?sense\nsvcctl help lists the commands\n")])
def test_a_missing_or_unknown_command_prints_how_to_list_the_commands(words, said):
    done = subprocess.run([stacks.program("svcctl"), *words], capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)


@pytest.mark.parametrize("words", [("import", "f"), ("usage", "1"), ("app", "list"), ("audit",), ("status",),
                                   ("reload",)])
def test_a_setting_after_the_command_is_refused(stack, words):
    done = subprocess.run([stacks.program("svcctl"), *words, "--config", str(stack.config)], capture_output=True,
                          text=True, timeout=stacks.PATIENCE)
    assert done.returncode == 2 and done.stdout == ""
    assert "settings, --config among them, come before the command" in done.stderr


@pytest.mark.parametrize("words", [("import", "FILE"), ("usage", "41"), ("app", "list")])
def test_an_unavailable_store_without_a_configuration_file_is_explained(stack, words):
    words = [str(stack.directory / "ctl.jsonl") if word == "FILE" else word for word in words]
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
    if not any(os.path.exists(f"/run/svc/{role}.sock") for role in ("embed", "grant", "web", "upload")):
        none = here("status")
        assert none.returncode == 2 and str(folder) + "/{embed,grant,web,upload}.sock" in none.stderr
        assert "/run/svc/{embed,grant,web,upload}.sock" in none.stderr
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


@pytest.mark.parametrize("command", ["app", "user", "token", "keys", "audit", "import", "usage"])
def test_help_of_a_command_needs_no_store(stack, command):
    done = subprocess.run([stacks.program("svcctl"), "--redis-state", "unix:///nowhere", command, "--help"],
                          capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith(f"svcctl {command} ")


@pytest.mark.parametrize("words", [("app", "list"), ("audit",), ("app", "show", "x"), ("app", "delete", "x", "--yes")])
def test_an_unavailable_store_is_reported_with_status_3(stack, words):
    done = subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), "--redis-state",
                           f"unix://{stack.directory}/nobody.sock", *words], capture_output=True,
                          text=True, timeout=stacks.PATIENCE, stdin=subprocess.DEVNULL)
    assert done.returncode == 3 and "the store is unavailable" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("words", [
    ("import", "/nowhere/\x1b[2J.jsonl"), ("usage", "\x1b]x"), ("status", "--socket", "/nowhere/\x1b[2J"),
    ("app", "show", "\x1b[2J"), ("import", "--\x1b[2J", "x"), ("token", "\x1b[2J")])
def test_arguments_are_escaped_in_messages(stack, words):
    done = ctl(stack, *words)
    assert done.returncode != 0 and done.stderr
    assert "\x1b" not in done.stderr + done.stdout


def test_the_name_of_the_configuration_file_is_escaped_in_messages():
    done = subprocess.run([stacks.program("svcctl"), "--config", "/nowhere/\x1b[31mx", "status"], capture_output=True,
                          text=True, timeout=stacks.PATIENCE, check=False)
    assert done.returncode == 2 and "/nowhere/?[31mx" in done.stderr, done.stderr
