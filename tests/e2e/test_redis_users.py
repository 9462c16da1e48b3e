"""The permissions of the shipped users in the two Redis (oauth-K7, oauth-K8, operations-D4): every command of Redis, on
a key of every kind, by every user. Everything outside the table is refused."""

import re
import socket

import pytest
from redis.exceptions import NoPermissionError, ResponseError

import facts
from processes import PATIENCE
from stack import PASSWORDS, REPOSITORY, SHIPPED_ACL

CONNECTION = "ping select client|setname role cluster|slots asking"

# By Redis and user: commands without a key, then kinds of keys and the commands for them. For EVAL, the kinds of keys
# that a script may receive. A name with a final slash means all kinds that begin with it.
TABLE = {
    "redis-state": {
        "embed": (f"{CONNECTION} client|id client|tracking subscribe", {
            "catalog:media catalog:playlist catalog:account": "get mget exists",
            "catalog:captions": "hget",
            "usage:manifest": "hincrby hset hget expire",
            "stats:pieces": "hset",
            "stats:visitors": "pfadd expire",
            "stats:open": "zadd",
            "stats:openings": "hincrby expire",
            "stats:plays": "zincrby"}),
        "grant": (f"{CONNECTION} wait", {
            "oauth:grant oauth:code oauth:access oauth:refresh oauth:guess "
            "catalog:index catalog:directory catalog:block catalog:changed catalog:media catalog:project catalog:uses "
            "oauth:repetition oauth:repetitions oauth:repetition_bytes catalog:account": "eval evalsha",
            "oauth:repetition": "get set",
            "oauth:repetitions": "zadd zrem zcard zscore zrangebyscore expire",
            "oauth:repetition_bytes": "hget hset hdel expire",
            "web:replacement_failure": "del",
            "catalog:index": "hmget hincrby",
            "catalog:directory catalog:changed": "zadd zrange zrem zscore",
            "catalog:block": "get getrange set",
            "oauth:grant": "hget hgetall hmget hset hdel hincrby expire unlink",
            "oauth:code": "hget hmget hset hdel expire",
            "oauth:access": "xrange xadd xdel expire unlink",
            "oauth:refresh": "get set unlink",
            "oauth:grant_used": "get set",
            "oauth:account_token": "hmget",
            "oauth:account_token_used": "get set",
            "oauth:contact_grants oauth:client_grants oauth:account_grants": "zadd zremrangebyscore expire",
            "oauth:ending_clients": "zrange",
            "oauth:public_clients": "exists zrange",
            "oauth:resources": "zrange",
            "catalog:contact ingest:progress": "get",
            "catalog:account": "get set",
            "ingest:deletions": "eval evalsha xadd",
            "ingest:guards ingest:guards_again": "zadd",
            "ingest:incoming": "rpush",
            "ingest:uploads": "zadd zrem zcard zrange",
            "ingest:large ingest:bytes": "zadd zrem zrange",
            "ingest:failed": "zrem zrange",
            "oauth:guess": "get incr expire",
            "oauth:client": "get exists mget",
            "catalog:media catalog:project": "get exists mget set del",
            "catalog:uses": "zadd zrem zrange zscore zremrangebyscore expire",
            "catalog:captions": "hget hset hdel hkeys del",
            "catalog:captioned": "zadd zrange zrem",
            "catalog:files": "set",
            "stats:rows stats:pieces": "hget hgetall hmget hkeys unlink",
            "stats:visitors": "pfcount unlink",
            "stats:openings": "hgetall hkeys hdel unlink",
            "stats:plays": "zrange zrem",
            "stats:kept": "zrem",
            "audit:removal/": "eval evalsha",
            "audit:grant audit:token audit:upload/ audit:removal/ audit:access/ audit:edit/": "xadd"}),
        "web": (f"{CONNECTION} wait client|id client|tracking subscribe", {
            "stats:rows stats:pieces": "eval evalsha hget hgetall hmget hkeys hset hdel unlink",
            "stats:visitors": "eval evalsha pfcount del unlink",
            "stats:openings": "hgetall hkeys hdel unlink",
            "stats:open stats:kept stats:plays": "zadd zrange zrem",
            "courier:queue": "eval evalsha lpush rpush ltrim",
            "courier:asked": "eval evalsha exists set",
            "courier:contact courier:host courier:address courier:again": "eval evalsha get incr expire ttl",
            "courier:known": "eval evalsha zscore",
            "courier:document": "get",
            "catalog:contact catalog:password catalog:account web:/ oauth:client oauth:grant oauth:code oauth:codes oauth:access "
            "oauth:grant_used oauth:contact_grants oauth:client_grants oauth:account_grants "
            "oauth:account_token oauth:account_token_used oauth:account_tokens "
            "catalog:index catalog:directory catalog:block catalog:changed catalog:media catalog:project catalog:uses":
                "eval evalsha",
            "web:session web:login_pair web:login_email web:login_known web:login_address web:login_network "
            "web:login_factor web:login_codes web:login_required web:login_challenge":
                "get exists del expire ttl incr incrby hmget hgetall hset hdel hincrby",
            "web:settings_forms": "incr expire ttl",
            "web:replacements": "hset hgetall hdel",
            "web:replacement_failure": "get set del",
            "web:contact_sessions web:login_known":
                "zadd zrem zrange zscore zremrangebyscore zremrangebyrank expire",
            "catalog:contact catalog:password catalog:account": "get set",
            "catalog:contact_email": "get",
            "catalog:media catalog:project": "get exists mget set del",
            "ingest:progress": "get",
            "catalog:uses": "zadd zrem zrange zscore zremrangebyscore expire",
            "catalog:captions": "hget hset hdel hkeys del",
            "catalog:captioned": "zadd zrange zrem",
            "catalog:files": "set",
            "catalog:index": "hmget hincrby",
            "catalog:directory catalog:changed": "zadd zrange zrem zscore",
            "catalog:block": "get getrange set",
            "ingest:incoming": "rpush",
            "ingest:uploads": "zadd zrem zcard zrange",
            "ingest:large ingest:bytes": "zadd zrem zrange",
            "ingest:failed": "zrem zrange",
            "ingest:deletions audit:removal/": "eval evalsha xadd",
            "ingest:guards ingest:guards_again": "zadd",
            "oauth:client": "get set del",
            "oauth:deleted_client": "get set",
            "oauth:account_clients": "sadd srem smembers",
            "oauth:grant": "hget hkeys hmget hset expire unlink",
            "oauth:code": "hget hmget hset expire unlink",
            "oauth:codes": "zadd zrem zrange zcard expire",
            "oauth:grant_used": "get unlink",
            "oauth:account_token": "hget hmget hset expire unlink",
            "oauth:account_token_used": "get unlink",
            "oauth:account_tokens oauth:contact_account_tokens": "zadd zrem zrange zcard zremrangebyscore expire",
            "oauth:access oauth:refresh": "unlink",
            "oauth:once": "set",
            "oauth:contact_grants oauth:client_grants oauth:account_grants":
                "zadd zrem zrange zcard zscore zremrangebyscore expire",
            "oauth:ending_clients": "zadd zrem zrange zscore",
            "oauth:public_clients oauth:resources": "zadd zrem zrange",
            "audit:login audit:failure audit:session audit:grant audit:denial audit:application audit:change "
            "audit:shown audit:secret audit:upload/ audit:access/ audit:edit/": "xadd"}),
        "ingest": (f"{CONNECTION} wait", {
            "catalog:media": "get set exists del",
            "catalog:account catalog:block": "get",
            "catalog:directory": "zrange",
            "catalog:captions": "del",
            "catalog:captioned": "zrem",
            "catalog:changed": "zadd zrange",
            "catalog:files": "get set del",
            "ingest:progress": "set del",
            "ingest:uploads": "zrem",
            "ingest:failed ingest:large ingest:bytes": "zadd zrem",
            "stats:pieces": "hkeys unlink",
            "stats:rows stats:visitors stats:openings": "unlink",
            "stats:plays stats:kept": "zrem",
            "ingest:deletions": "xrange xdel",
            "ingest:guards ingest:guards_again": "zadd zrange zrem zremrangebyscore",
            "ingest:incoming": "lrange lrem",
            "ingest:jobs ingest:dead": "xack xdel xclaim xpending xgroup|create xadd xrange"}),
        "courier": (CONNECTION, {
            "courier:queue": "blpop",
            "courier:document": "set del",
            "courier:asked": "del",
            "courier:documents": "zadd zcard zpopmin",
            "courier:known": "zadd zremrangebyrank",
            "audit:metadata": "xadd"}),
        "svcctl": (f"{CONNECTION} scan wait", {
            "catalog:/ oauth:/ web:/":
                "eval evalsha get mget exists set mset del unlink expire hget hmget hset hdel sadd srem smembers zadd "
                "zrem zrange zcard zscore xrange",
            "catalog:index": "hincrby",
            "catalog:block": "getrange",
            "catalog:uses oauth:account_tokens oauth:contact_account_tokens": "zremrangebyscore",
            "catalog:captions": "hkeys",
            "oauth:grant": "hgetall hkeys",
            "oauth:access": "xdel",
            "usage:manifest": "hget",
            "stats:/": "hget hgetall hmget hkeys hdel pfcount unlink zrange zrem",
            "ingest:/": "get xadd xdel xrange",
            "ingest:incoming": "rpush lrange",
            "ingest:deletions audit:media": "eval evalsha",
            "ingest:guards": "zadd zrange",
            "ingest:guards_again": "zadd",
            "ingest:uploads ingest:failed ingest:large": "zadd zrem",
            "ingest:bytes": "zadd zrem zrange",
            "audit audit:/": "xadd xrange xrevrange xread"}),
        "backup": ("ping sync psync replconf", {}),
        "monitoring": ("ping client|setname select info latency|latest latency|histogram", {
            "ingest:jobs ingest:incoming": "type xlen llen"}),
    },
    "redis-cache": {
        "embed": (CONNECTION, {
            "embed:rendering embed:salt": "eval evalsha hget hset hlen hexists pexpire unlink",
            "embed:salt": "set"}),
        "svcctl": (CONNECTION, {"embed:rendering embed:salt": "unlink"}),
        "monitoring": ("ping client|setname info latency|latest latency|histogram", {}),
    },
}
# Redis never checks the user's permissions for these.
OPEN_TO_ALL = {"auth", "hello", "quit", "reset"}
# For DEBUG and MODULE, Redis checks a switch of its own before the user's permissions.
REFUSED = re.compile(r".*NOPERM|(DEBUG|MODULE) command not allowed")

FACTS = facts.printed()
WHOLE = ("audit", "oauth:ending_clients", "oauth:public_clients", "oauth:resources", "ingest:incoming", "ingest:jobs",
         "ingest:deletions", "ingest:guards", "ingest:guards_again", "ingest:dead", "courier:documents", "stats:open", "stats:kept", "web:replacements", "elsewhere")  # keys themselves, not kinds of keys
# An account has one stream of several, whose number follows. Front machines of earlier versions still write that without one.
STREAM_OF = {kind: f"audit:{kind}" + ("/" if streams == "by account" else "") for kind, streams in FACTS["audit kinds"]}
STREAMS = [f"audit:{kind}" for kind in STREAM_OF] + [stream[:-1] + ":0" for stream in STREAM_OF.values() if stream.endswith("/")]
KEYS = {kind: f"{kind}:test" for kind in facts.key_kinds()} | {key: key for key in (*WHOLE, *STREAMS)}
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
    keyless, by_kind = TABLE[store][user]
    found = {(name, None) for name in keyless.split()}
    for kinds, names in by_kind.items():
        for kind in kinds.split():
            matching = {k for k in KEYS if k == kind or (kind.endswith("/") and k.startswith(kind[:-1]))}
            assert matching, kind
            found |= {(name, one) for name in names.split() for one in matching}
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
        if path.suffix not in (".cpp", ".h") or name.startswith("ctl") or name == "oauth/audit_event.h":
            continue
        text = path.read_text()
        if "audit" not in text.lower():  # a word of it may be the name of an event
            continue
        roles = [role for role, places in RECORDS.items() if name.startswith(places)]
        for role in roles:
            recorded[role] |= {STREAM_OF[kind] for what, kind in FACTS["audit events"] if f'"{what}"' in text}
        if not roles and name != "stores/audit.cpp":
            assert not any(word in text for word in ("EventName", "audit.record(", "audit_.record(", "audit().record(")), name
    for role, streams in recorded.items():
        _, by_kind = TABLE["redis-state"][role]
        assert streams == {kind for kinds in by_kind for kind in kinds.split() if kind.startswith("audit")}, role


@pytest.mark.parametrize("store", TABLE)
def test_operations_D4_operations_U36_there_are_no_other_users(store):
    """The upload pool, which parses what strangers sent, is none."""
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
