"""svcctl at a terminal, and while pools and stores run. integration/ctl has its commands."""

import json
import os
import select
import signal
import subprocess
import urllib.parse

import pytest

import stack as stacks
from ctl_calls import ctl, done, said, terminal
from processes import start, wait_until

OWNER = "ctl-owner@example.com"
CREATE = ("app", "create", "--account", "41", "--name", "Reports", "--redirect-uri",
          "https://client.example/cb?x=1", "--scopes", "media:read,stats:read")

CATALOG = [
    {"kind": "account", "id": 41, "name": "With", "host": "with.svc.localhost",
     "url": "https://with.svc.localhost", "oauth_enabled": True},
    {"kind": "user", "id": 410, "name": "Owner", "email": OWNER, "password": "the first password",
     "memberships": [{"account_id": 41, "role": "owner"}]},
]


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.start_redis()
    import_lines(module_stack, *CATALOG)
    return module_stack


def import_lines(stack, *records):
    file = stack.directory / "lines.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    stack.import_catalog(file)


# --- at a terminal ---

def test_app_delete_asks_for_the_client_id(stack):
    app = said(stack, *CREATE)["client_id"]
    prompt = f"Type {app} to delete it: "
    status, shown = terminal(stack, "app", "delete", app, answers=[(prompt, b"yes\n")])
    assert status == 1 and "nothing was deleted" in shown
    status, shown = terminal(stack, "app", "delete", app, answers=[(prompt, app.encode() + b"\n")])
    assert status == 0 and shown.endswith("deleted\r\n")
    assert ctl(stack, "app", "show", app).returncode == 1


def test_user_passwd_asks_twice_without_echo(stack):
    hash_of = lambda: stack.redis_state.command("GET", "catalog:password:410")
    before = hash_of()
    typed = lambda *answers: terminal(stack, "user", "passwd", OWNER, answers=answers)
    status, _ = typed(("Password: ", b"\x03"))
    assert status == -signal.SIGINT, "as any program that Ctrl-C ends"
    status, shown = typed(("Password: ", b"a secret word\n"), ("Repeat the password: ", b"another word\n"))
    assert status == 1 and "differ" in shown and "word\r" not in shown.replace("passwd", "")
    assert hash_of() == before
    status, shown = typed(("Password: ", b"a secret word\n"), ("Repeat the password: ", b"a secret word\n"))
    assert status == 0 and "secret" not in shown
    assert hash_of() != before


def test_user_disable_checks_the_user_again_after_the_prompt(stack):
    email = "waits@example.com"
    done(stack, "user", "create", "--name", "N", "--email", email, "--account", "41:user", "--password-stdin",
         given="a good password\n")

    def answer(*meanwhile):
        done(stack, *meanwhile)
        return f"{email}\n".encode()

    disable = lambda *meanwhile: terminal(stack, "user", "disable", email, answers=[
        (f"Type {email} to disable the user: ", lambda: answer(*meanwhile))])
    done(stack, "user", "disable", email, "--yes")
    status, shown = disable("user", "enable", email)
    assert status == 0 and shown.endswith("disabled\r\n")
    assert said(stack, "user", "show", email)["disabled"] is True
    status, shown = disable("user", "delete", email, "--yes")
    assert status == 1 and f"{email} was deleted in the meantime" in shown
    assert ctl(stack, "user", "show", email).returncode == 1


# --- readers of the output ---

@pytest.mark.parametrize("words", (
    ["help"], ["completion", "bash"], ["version"], ["account", "list"], ["account", "list", "--json"],
    ["audit"], ["audit", "--json"], ["audit", "--since", "1h", "--json"], ["app", "list"], ["app", "list", "--json"],
    ["user", "list", "--json"], ["catalog", "check"]), ids=" ".join)
def test_operations_Y98_a_reader_that_ends_causes_no_error_message(stack, words):
    said(stack, *CREATE)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        ended = subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), *words], stdout=gone,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=stacks.PATIENCE)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_operations_Y98_a_refusal_is_one_also_without_a_reader(stack):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        ended = subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), "app", "show", "no-such-app"],
                               stdout=gone, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               timeout=stacks.PATIENCE)
    assert ended.returncode == 1 and "no-such-app" in ended.stderr
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([stacks.program("svcctl"), "--config", str(stack.config), "account", "list"], stdout=full,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=stacks.PATIENCE)
    assert ended.returncode == 1 and "standard output cannot be written" in ended.stderr


# --- programs ---

LISTS = {"allowed_domains", "scopes", "redirect_uris", "accounts"}  # fields that have several values
MEDIA = {"kind": "media", "id": "ctllists41", "account_id": 41, "type": "Video", "name": "A film", "status": "ready", "duration": 2.0,
         "width": 640, "height": 360, "thumbnail": {"url": "/deliveries/ctllists41/poster.jpg", "width": 640, "height": 360},
         "created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z",
         "assets": [{"type": "hls", "width": 640, "height": 360, "bandwidth": 5000, "average_bandwidth": 4000, "codecs": "avc1.4d401f",
                     "frame_rate": 25.0, "url": "/embed/medias/ctllists41/360p/index.m3u8"}]}
NAMED = ("--account", "41", "--name", "Lists")
READS = [
    ("account", "create", "--name", "Lists", "--host", "lists.svc.localhost", "--id", "42", "--allowed-domains", "a.example, *.b.example"),
    ("account", "set", "42", "--allowed-domains", "a.example"), ("account", "show", "42"), ("account", "list"),
    ("app", "create", *NAMED, "--redirect-uri", "https://a.example/", "--redirect-uri", "https://b.example/", "--scopes",
     "media:read,stats:read"), ("app", "list"),
    ("media", "list"), ("media", "show", "ctllists41"), ("media", "edit", "ctllists41", "--allowed-domains", "a.example, b.example"),
    ("user", "list"), ("user", "show", OWNER),
    ("token", "create", *NAMED, "--user", OWNER, "--scopes", "media:read,stats:read", "--expires", "30"), ("token", "list"),
    ("project", "list", "41"), ("jobs", "list"), ("audit", "--since", "1h"), ("usage", "41"),
    ("stats", "account", "41"), ("stats", "media", "ctllists41"), ("catalog", "check"),
]


def fields(value):
    """Every field in a JSON value."""
    if isinstance(value, dict):
        yield from value.items()
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from fields(each)


def test_json_has_lists_as_lists(stack):
    import_lines(stack, MEDIA)
    seen = set()
    for words in READS:
        for line in done(stack, *words, "--json").splitlines():
            for name, value in fields(json.loads(line)):
                if name in LISTS and value is not None:
                    assert isinstance(value, list), (words, name, value)
                    seen.add(name)
    assert seen >= LISTS


# --- running processes ---

def test_audit_follow_prints_new_events(stack):
    with start([stacks.program("svcctl"), "--config", str(stack.config), "audit",
                "--follow", "--count", "0", "--json"], stdout=subprocess.PIPE,
               text=True) as following:
        try:
            # It may not listen yet: repeat the event until the command prints one.
            def seen():
                said(stack, *CREATE)
                ready = select.select([following.stdout], [], [], 1)[0]
                return json.loads(following.stdout.readline()) if ready else None
            assert wait_until(seen, "an event")["what"] == "client.created"
        finally:
            following.terminate()


def test_a_deleted_media_responds_with_404_on_every_worker(stack):
    """With the shipped Redis users: of the state and of the cache."""
    film = lambda one: {"kind": "media", "id": one, "account_id": 41, "type": "Video", "name": "Film", "status": "ready",
                        "duration": 5, "created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z",
                        "assets": [{"type": "mp4", "url": "/d/x.mp4", "bandwidth": 1, "codecs": "avc1"}]}
    lists = ({"kind": "playlist", "id": name, "account_id": 41, "name": "List", "media_ids": medias}
             for name, medias in (("w1thdeleted", ["d3leted", "st4ys"]), ("on1ydeleted", ["d3leted"])))
    import_lines(stack, film("d3leted"), film("st4ys"), *lists)
    pool = stack.start_pool("deletions", workers=4, memory_cache_unheard=3600)
    connections = [pool.connect() for _ in range(12)]

    def statuses(path):
        query = urllib.parse.urlencode({"url": f"http://svc.localhost/{path}"})
        return {connection.request("/oembed", query).status for connection in connections}

    for path in ("medias/d3leted", "embed/playlists/w1thdeleted", "embed/playlists/on1ydeleted"):
        assert statuses(path) == {200}
    deleted = said(stack, "media", "delete", "d3leted", "--yes")
    assert (deleted["playlists"], deleted["playlists_emptied"], deleted["deleted"]) == (2, 1, True)
    # The workers receive the invalidation while svcctl ends.
    wait_until(lambda: statuses("medias/d3leted") == {404}, "404 from every worker")
    wait_until(lambda: 200 not in statuses("embed/playlists/on1ydeleted"), "an empty playlist is not embedded")
    assert statuses("embed/playlists/w1thdeleted") == {200}, "without it"
    assert stack.redis_cache.command("EXISTS", "embed:rendering:d3leted") == 0
    import_lines(stack, film("d3leted"))
    wait_until(lambda: statuses("medias/d3leted") == {200}, "an import restores it")
    for connection in connections:
        connection.close()
    pool.stop()


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
        assert watch.wait(stacks.PATIENCE) == 141, "it ends with its reader, as every command does"
    pool.stop()


# --- create, if absent ---

CREATIONS = {
    "account": (("account", "create", "--id", "77", "--name", "Seven", "--host", "seven.example"), "--name", "Eight"),
    "user": (("user", "create", "--name", "Una", "--email", "una@seven.example", "--account", "41:user",
              "--password-stdin"), "--name", "Ulf"),
    "app": ((*CREATE, "--client-id", "absent-1"), "--name", "Other"),
}


@pytest.mark.parametrize("words, flag, other", CREATIONS.values(), ids=CREATIONS)
def test_operations_Y41_a_creation_is_repeated_without_a_change_and_refused_if_it_differs(stack, words, flag, other):
    typed = {"given": "a good password\n"} if "--password-stdin" in words else {}
    first = said(stack, *words, "--if-absent", **typed)
    before = stack.redis_state.command("DBSIZE"), first.pop("client_secret", None)
    again = said(stack, *words, "--if-absent", **typed)
    assert first.pop("created") is True and again.pop("created") is False and first == again
    assert ctl(stack, *words, **typed).returncode == 1
    changed = [other if before == flag else word for before, word in zip(("", *words), words)]
    refused = ctl(stack, *changed, "--if-absent", **typed)
    assert refused.returncode == 1 and "exists, but" in refused.stderr
    assert stack.redis_state.command("DBSIZE") == before[0]


def test_operations_Y41_an_account_without_an_id_gets_the_next_one(stack):
    made = [said(stack, "account", "create", "--name", "N", "--host", "n.example")["account_id"] for _ in range(2)]
    assert made[1] == made[0] + 1
    assert said(stack, "account", "show", str(made[1]))["url"] == "https://n.example"


def test_operations_Y43_the_export_of_a_user_has_all_stored_data_of_the_user_and_no_secret(stack):
    said(stack, "user", "create", "--name", "Xenia", "--email", "xenia@acme.example", "--account", "41:manager",
         "--password-stdin", given="a good password\n")
    said(stack, "user", "disable", "xenia@acme.example", "--yes")
    out = done(stack, "user", "export", "xenia@acme.example")
    export = json.loads(out)
    assert export["user"]["name"] == "Xenia" and export["user"]["accounts"] == ["41:manager"]
    assert [event["what"] for event in export["audit"]] == ["contact.created", "contact.disabled"]
    assert export["sessions"] == export["grants"] == []
    assert "argon2" not in out and "a good password" not in out


def test_operations_P65_a_recount_during_deletions_counts_no_deleted_file(stack):
    """All files are measured before the first count is written. Then those of the second media are deleted."""
    film = lambda one: {"kind": "media", "id": one, "account_id": 41, "type": "Video", "name": "Film", "status": "ready",
                        "duration": 5, "created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z",
                        "assets": [{"type": "mp4", "url": "/d/x.mp4", "bandwidth": 1, "codecs": "avc1"}]}
    import_lines(stack, film("c0unted1"), film("c0unted2"))
    for folder in ("uploads", "media/c0unted1", "media/c0unted2"):
        (stack.directory / folder).mkdir(parents=True, exist_ok=True)
    files = [stack.directory / "media" / name / "film.mp4" for name in ("c0unted1", "c0unted2")]
    for file in files:
        file.write_bytes(b"a film")
    redis = stack.redis_state
    redis.command("CLIENT", "PAUSE", int(1000 * stacks.PATIENCE), "WRITE")
    try:
        recount = start([stacks.program("svcctl"), "--config", stack.config, "media", "recount"], stdout=subprocess.DEVNULL)
        wait_until(lambda: "cmd=fcall" in str(redis.command("CLIENT", "LIST")), "it writes the first count")
        files[1].unlink()
    finally:
        redis.command("CLIENT", "UNPAUSE")
    assert recount.wait(stacks.PATIENCE) == 0
    assert redis.command("ZRANGE", "ingest:bytes:41", 0, -1, "WITHSCORES") == ["c0unted1", "6"]
