"""The permissions of the shipped users in the two Redis (oauth-K7, oauth-K8, operations-D4): every command of Redis, on
a key of every kind, by every user. Everything outside the table is refused."""

import os
import re
import socket
import subprocess

import pytest
from redis.exceptions import NoPermissionError, ResponseError

import facts
from processes import PATIENCE
from stack import BUILD, PASSWORDS, REPOSITORY, SHIPPED_ACL

CONNECTION = "ping select client|setname role cluster|slots asking"
# By Redis and user: commands without a key.
KEYLESS = {
    "redis-state": {
        "embed": f"{CONNECTION} client|id client|tracking subscribe",
        "grant": f"{CONNECTION} wait",
        "web": f"{CONNECTION} wait client|id client|tracking subscribe",
        "ingest": f"{CONNECTION} wait",
        "courier": CONNECTION,
        "keeper": f"{CONNECTION} wait",
        "svcctl": f"{CONNECTION} scan wait",
        "loader": "ping select client|setname role cluster|slots function|load",
        "backup": "ping sync psync replconf",
        "monitoring": "ping client|setname select info latency|latest latency|histogram"},
    "redis-cache": {
        "embed": CONNECTION,
        "svcctl": CONNECTION,
        "loader": "ping select client|setname role cluster|slots function|load",
        "monitoring": "ping client|setname info latency|latest latency|histogram"},
}
FACTS = facts.printed()
KINDS = {facts.kind_of(key): key for key, *_ in FACTS["kinds"]}


def rights(store, user):
    """The kinds of keys of a user with their commands, by the table of the code (worker/stores/kinds.h). A name with a final
    slash means all kinds that begin with it."""
    found = {}
    rows = [(facts.kind_of(key), text) for key, _, _, text in FACTS["kinds"]]
    rows += [(keys.replace("*", "/"), text) for keys, text in FACTS["shared rights"]]
    for _, users, keys in FACTS["functions"]:
        rows += [(kind + ("/" if kind.startswith("audit:") else ""), "; ".join(f"{user} {commands}" for user in users.split()))
                 for kind, _, commands in (part.partition(" ") for part in keys.split("; "))]
    for kind, text in rows:
        for part in text.split("; "):
            name, _, commands = part.partition(" ")
            if name == user and kind.startswith("embed:") == (store == "redis-cache"):
                found.setdefault(kind, []).extend(commands.split())
    return found


def functions(store, user):
    """{function: keys, one of each kind, with which the user may call it}."""
    return {name: [key for part in keys.split("; ") for key in KEYS.values() if is_of(key, part.partition(" ")[0])]
            for name, users, keys in FACTS["functions"]
            if user in users.split() and keys.startswith("embed:") == (store == "redis-cache")}


def is_of(key, kind):
    return key == kind or key.startswith(kind if kind.startswith("audit:") else f"{kind}:")


TABLE = {store: {user: rights(store, user) for user in users} for store, users in KEYLESS.items()}


def test_the_files_follow_from_the_table_of_kinds():
    done = subprocess.run([REPOSITORY / "scripts/derive-rights", "--check"], capture_output=True, text=True, check=False,
                          env={**os.environ, "SVC_BUILD_DIR": str(BUILD)})
    assert done.returncode == 0, done.stdout + done.stderr


# Redis never checks the user's permissions for these.
OPEN_TO_ALL = {"auth", "hello", "quit", "reset"}
# For DEBUG and MODULE, Redis checks a switch of its own before the user's permissions.
REFUSED = re.compile(r".*NOPERM|(DEBUG|MODULE) command not allowed")

WHOLE = [key for kind, key in KINDS.items() if kind == key] + ["elsewhere"]  # keys themselves, not kinds of keys
# An account has one stream of several, whose number follows. Front machines of earlier versions still write that without one.
STREAM_OF = {kind: f"audit:{kind}" + ("/" if streams == "by account" else "") for kind, streams in FACTS["audit kinds"]}
STREAMS = [f"audit:{kind}" for kind in STREAM_OF] + [stream[:-1] + ":0" for stream in STREAM_OF.values() if stream.endswith("/")]
KEYS = {kind: f"{kind}:test" for kind in KINDS if "<" not in kind} | {key: key for key in (*WHOLE, *STREAMS)}
# The code that records events, by the pool that runs it; worker/ctl belongs to svcctl.
RECORDS = {"grant": ("endpoints/", "library/", "oauth/grant_handler."), "web": ("pages/", "library/", "login/", "oauth/application_service.", "oauth/account_token_service."),
           "courier": ("courier/",)}

# The arguments of commands whose key is not at a fixed position.
KEY_AT = {
    "eval": "x 1 KEY", "evalsha": "x 1 KEY", "eval_ro": "x 1 KEY", "evalsha_ro": "x 1 KEY", "fcall": "x 1 KEY",
    "fcall_ro": "x 1 KEY", "xread": "streams KEY 0", "xreadgroup": "group g c streams KEY 0", "sort": "KEY",
    "sintercard": "1 KEY", "zunion": "1 KEY", "zinter": "1 KEY", "zdiff": "1 KEY", "zintercard": "1 KEY",
    "lmpop": "1 KEY left", "zmpop": "1 KEY min", "blmpop": "0 1 KEY left", "bzmpop": "0 1 KEY min",
    "migrate": "host 1 KEY 0 1", "subscribe": "__redis__:invalidate"}


def is_refused(reply):
    """Returns true if a permission is missing, also within a script, or if Redis' switch forbids DEBUG or MODULE."""
    return isinstance(reply, NoPermissionError) or isinstance(reply, ResponseError) and REFUSED.match(str(reply))


def commands_of(infos):
    """Yields name, arity and position of the first key (0: no fixed position) of each command that can be sent."""
    for name, arity, _, first, *_, subcommands in infos:
        if subcommands:
            yield from commands_of(subcommands)
        else:
            yield name, int(arity), int(first)


def example_call(name, arity, first, key):
    """Returns a call of the command on that key, or without a key."""
    words = name.split("|")
    if name in KEY_AT:
        return words + KEY_AT[name].replace("KEY", key).split()
    filler = key if first else "1"
    return words + [filler] * (max(abs(arity), first + 1 if first else 0) - len(words))


def allowed(store, user):
    """Returns (command, kind of key or None) for all that the table allows the user."""
    found = {(name, None) for name in KEYLESS[store][user].split()}
    for kind, names in TABLE[store][user].items():
        matching = {k for k in KEYS if k == kind or (kind.endswith("/") and k.startswith(kind[:-1]))}
        assert matching, kind
        found |= {(name.partition("/")[0], one) for name in names for one in matching}
    return found


@pytest.fixture(scope="module")
def redis(module_stack):
    module_stack.start_redis()
    return {"redis-state": module_stack.redis_state, "redis-cache": module_stack.redis_cache}


@pytest.mark.parametrize("store, user", [(store, user) for store, users in TABLE.items() for user in users])
def test_oauth_K8_operations_D4_operations_U36_a_user_may_run_exactly_the_commands_of_its_role(redis, store, user):
    tests, client = redis[store].client(), redis[store].client(user)
    try:
        infos = tests.command("COMMAND")
        calls = {}
        for name, arity, first in commands_of(infos):
            if name.split("|")[0] in OPEN_TO_ALL:
                continue
            if first or "KEY" in KEY_AT.get(name, ""):
                calls |= {(name, kind): example_call(name, arity, first, key) for kind, key in KEYS.items()}
            else:
                calls[name, None] = example_call(name, arity, first, "")
        assert len({name for name, _ in calls}) > 280, "most of what Redis 7.0 has"
        table = allowed(store, user)
        may = {call for call in calls if call in table}
        assert {name for name, _ in table} == {name for name, _ in may}, "the table names an unknown command"
        # Refused calls are sent for real; allowed calls are checked with ACL DRYRUN.
        refused = sorted(calls.keys() - may, key=str)
        said = client.commands((calls[call] for call in refused), raise_on_error=False)
        open_to_it = {call: answer for call, answer in zip(refused, said) if not is_refused(answer)}
        assert open_to_it == {}
        may = sorted(may, key=str)
        said = tests.commands(["ACL", "DRYRUN", user, *calls[call]] for call in may)
        closed_to_it = {call: answer for call, answer in zip(may, said) if answer != "OK"}
        assert closed_to_it == {}
        # None of the calls changed or blocked anything.
        assert tests.command("DBSIZE") == 0
    finally:
        client.close()
        tests.close()


@pytest.mark.parametrize("store, user", [(store, user) for store, users in TABLE.items() for user in users])
def test_operations_D51_a_user_may_call_the_functions_of_its_role_with_their_keys(redis, store, user):
    """And no other function, nor one of them with another key, nor a script."""
    tests = redis[store].client()
    try:
        mine = functions(store, user)
        named = {name for name, *_ in FACTS["functions"]}
        said = {(name, key): tests.command("ACL", "DRYRUN", user, "FCALL", name, "1", key, "1") == "OK"
                for name in named for key in KEYS.values()}
        assert {call for call, may in said.items() if may} == {(name, key) for name, keys in mine.items() for key in keys}
        for name, keys in mine.items():
            assert tests.command("ACL", "DRYRUN", user, "FCALL", name, len(keys), *keys, "1") == "OK", name
        calls_any = any(user in users.split() for _, users, _ in FACTS["functions"])
        assert (tests.command("ACL", "DRYRUN", user, "FCALL", "protocol", "0", "1") == "OK") == calls_any
    finally:
        tests.close()


def test_oauth_K8_set_returns_a_value_only_to_those_that_may_read_it(redis):
    for store, users in TABLE.items():
        tests = redis[store].client()
        try:
            for user, by_kind in users.items():
                for kind, names in by_kind.items():
                    if {*names} & {"set", "set/get"} and kind in KEYS:
                        said = tests.commands([["ACL", "DRYRUN", user, "SET", KEYS[kind], "x", "GET"]], raise_on_error=False)
                        assert said != ["OK"] or {("get", kind), ("set", kind)} <= allowed(store, user) or "set/get" in names, (user, kind)
                        assert said == ["OK"] or "set/get" not in names, (user, kind, said)
        finally:
            tests.close()


@pytest.mark.parametrize("user", TABLE["redis-state"])
def test_oauth_K8_only_the_embed_and_web_pools_may_subscribe_to_invalidations(redis, user):
    client = redis["redis-state"].client(user)
    try:
        said = client.commands([["SUBSCRIBE", "other"], ["PSUBSCRIBE", "*"], ["PUBLISH", "__redis__:invalidate", "x"]],
                               raise_on_error=False)
        assert all(map(is_refused, said)), said
        (heard,) = client.commands([["SUBSCRIBE", "__redis__:invalidate"]], raise_on_error=False)
        assert isinstance(heard, list) == (user in ("embed", "web")), heard
    finally:
        client.close()


def test_oauth_K8_a_pool_may_append_only_to_the_streams_of_its_own_events():
    """The streams in the table are exactly those of the events that the pool's code records."""
    recorded = {role: set() for role in RECORDS}
    for path in (REPOSITORY / "worker").rglob("*.*"):
        name = str(path.relative_to(REPOSITORY / "worker"))
        if path.suffix not in (".cpp", ".h") or name.startswith("ctl") or name.startswith("oauth/audit_event."):
            continue
        text = path.read_text()
        if "audit" not in text.lower():  # a word of it may be the name of an event
            continue
        roles = [role for role, places in RECORDS.items() if name.startswith(places)]
        for role in roles:
            recorded[role] |= {STREAM_OF[kind] for what, kind in FACTS["audit events"] if f'"{what}"' in text}
        if not roles and name != "stores/audit.cpp":
            assert not any(word in text for word in ("EventName", "event_named", "audit.record(", "audit_.record(", "audit().record(")), name
    for role, streams in recorded.items():
        assert streams == {kind for kind in TABLE["redis-state"][role] if kind.startswith("audit")}, role


@pytest.mark.parametrize("store", TABLE)
def test_operations_D4_operations_U36_these_are_all_users(store):
    """The upload pool, which parses untrusted input, lacks a user."""
    users = re.findall(r"(?m)^user (\S+)", SHIPPED_ACL[store])
    assert sorted(users) == sorted(["default", *TABLE[store]])
    assert {*PASSWORDS} == {*TABLE["redis-state"], "roles", "tests"}


@pytest.mark.parametrize("store", TABLE)
def test_operations_D4_operations_D6_the_default_user_cannot_log_in(redis, store):
    """It has all permissions, but it is off and its password is removed."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(str(redis[store].socket))
        for command in ("PING", "GET catalog:media:test", "FLUSHALL", "CONFIG GET *", "CLIENT ID", "EVAL x 0"):
            connection.sendall(command.encode() + b"\r\n")
            assert connection.recv(1000).startswith(b"-NOAUTH"), command
        for command in ("AUTH x", "AUTH default x", "AUTH default ", "HELLO 2 AUTH default x"):
            connection.sendall(command.encode() + b"\r\n")
            assert not connection.recv(1000).startswith((b"+", b"*")), command
    (default,) = [line for line in (REPOSITORY / "systemd" / f"{store}.acl.in").read_text().splitlines()
                  if line.startswith("user default ")]
    assert default == "user default off resetpass ~* &* +@all"


def test_svcctl_prints_the_table():
    said = subprocess.run([BUILD / "svcctl", "catalog", "kinds", "oauth:codes"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("oauth:codes:{<grant>}\n  zset: mac of a code") and "\n  lives    code-lifetime\n" in said
    refused = subprocess.run([BUILD / "svcctl", "catalog", "kinds", "elsewhere"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "no kind of record begins with elsewhere" in refused.stderr
