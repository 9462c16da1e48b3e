"""Output of svcctl and svc-worker contains nothing that a terminal executes: not from names, request paths, files or
arguments; to a terminal, through a pipe, and as JSON."""

import json
import os
import re
import signal
import subprocess

import pytest

import ctl_calls
import stack as stacks

# Characters that terminals execute: an escape sequence, a C1 control, directions, separators.
OBEYED = "\x1b]0;owned\x07\u009b2J\u202eevil\u2066\u200f\u061c\u2028\U000e0041"
# The same without C0 controls, which many places refuse; and a byte that a terminal without UTF-8 obeys.
WRITTEN = "x\u009b2J\u202eevil\u2066\u200f\u061c\u2028y"
RAW = b"\x9b31m"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
# Our own: the progress bar, and the screen of `top`.
OURS = re.compile(rb"\r?\x1b\[(K|J|H|\?1049[hl]|\?25[hl])")


@pytest.fixture(name="stack", scope="module")
def _stack(module_stack):
    module_stack.start_redis()
    catalog = module_stack.directory / "catalog.jsonl"
    catalog.write_text("".join(json.dumps(line) + "\n" for line in [
        {"kind": "account", "id": 41, "name": "PLAIN", "host": "with.svc.localhost",
         "url": "https://with.svc.localhost", "oauth_enabled": True},
        {"kind": "user", "id": 410, "name": "PLAIN", "email": "x@example.com",
         "memberships": [{"account_id": 41, "role": "owner"}]}]))
    module_stack.import_catalog(catalog)
    module_stack.store_email(410, "x@example.com", f"{WRITTEN}@example.com")
    module_stack.store_application("hostile", OBEYED, OBEYED, account_id=41, redirect_uri="https://client.example/cb",
                                   scopes=["media:read"])
    # The audit trail records the user of the command.
    made = run(module_stack, "app", "create", "--account", "41", "--name", "PLAIN", "--redirect-uri",
               "https://client.example/cb", "--scopes", "media:read", "--client-id", "raw",
               env={**os.environ, "SUDO_USER": OBEYED})
    assert made.returncode == 0, made
    # As only something else than this version could have written them.
    for key, name in (("catalog:account:41", WRITTEN), ("catalog:contact:410", WRITTEN), ("oauth:client:raw", b"x\x9b31m")):
        module_stack.redis_state.command("EVAL", "local record = redis.call('GET', KEYS[1]) "
                                         "redis.call('SET', KEYS[1], (record:gsub('PLAIN', ARGV[1])))", 1, key, name)
    module_stack.embed = module_stack.start_pool("embed", workers=6)
    return module_stack


def status_with_a_path(stack, *words):
    """Output of `status` while the last request of a worker had that path. `status` itself is a request too."""
    def shown():
        for _ in range(12):
            stack.embed.request("/" + WRITTEN)
        said = run(stack, *words)
        return said if b"evil" in said.stdout else None
    return stacks.wait_until(shown, "the path in the status")


def command_line(stack, *words):
    return [word if isinstance(word, bytes) else str(word).encode() for word in (
        stacks.program("svcctl"), "--config", stack.config, *words)]


def run(stack, *words, **how):
    return subprocess.run(command_line(stack, *words), capture_output=True, timeout=stacks.PATIENCE,
                          stdin=subprocess.DEVNULL, **how)


def at_a_terminal(command, until=b""):
    """Returns all bytes that the command sends to a terminal. A command that continues is interrupted once it has shown
    `until`."""
    waits = bool(until)

    def interrupt(pid, shown):
        nonlocal waits
        if waits and re.search(until, shown):
            waits = False
            os.kill(pid, signal.SIGINT)
    _, shown = ctl_calls.at_a_terminal(command, interrupt, raw=True, env={**os.environ, "TERM": "xterm"})
    return OURS.sub(b"", shown)


def no_control_in(output):
    text = output.decode()  # UTF-8, or this fails
    assert not FORBIDDEN.search(text), text
    return text


def hostile_calls(directory):
    """Returns every command with a hostile argument. The last argument of each is a bytes object if it is not UTF-8."""
    lines = directory / os.fsdecode(b"f\xc2\x9b2J" + RAW)
    lines.write_bytes(b'{"kind":"' + RAW + b'"}\n{"kind":"account","' + OBEYED.encode() + b'":1}\n{"kind":"project",'
                      b'"id":"' + WRITTEN.encode() + b'","account_id":7,"name":"","created":"","updated":""}\n\x1b[2J\n'
                      + json.dumps({"kind": "account", WRITTEN: 1}).encode() + b"\n")
    words = (OBEYED.replace("\n", ""), RAW)
    for word in words:
        yield ("import", word)
        yield ("import", b"--" + (word if isinstance(word, bytes) else word.encode()))
        yield ("usage", word)
        yield ("usage", "1", "--days", word)
        yield (word,)
        yield ("status", "--socket", word)
        yield ("status", "--socket", word, "--json")
        yield ("status", "--watch", word)
        yield ("reload", "--socket", word)
        yield ("reload", "--pid-file", word)
        yield ("reload", "--timeout", word)
        yield ("audit", "--since", word)
        yield ("audit", word)
        yield ("app", word)
        yield ("app", "show", word)
        yield ("app", "show", word, "--json")
        yield ("app", "delete", word, "--yes")
        yield ("app", "rotate-secret", word)
        yield ("app", "list", "--account", word)
        yield ("app", "create", "--account", "41", "--name", word, "--redirect-uri", word, "--scopes", word)
        yield ("app", "create", "--account", "41", "--name", "x", "--redirect-uri", word, "--scopes", "media:read")
        yield ("app", "create", "--account", "41", "--name", "x", "--redirect-uri", "https://x.example/", "--scopes",
               word)
        yield ("user", "create", "--name", word, "--email", word, "--account", word, "--password-stdin")
        yield ("user", "create", "--name", "x", "--email", word, "--account", "41:owner", "--password-stdin")
        yield ("user", "passwd", word, "--password-stdin")
        yield ("token", word)
        yield ("token", "inspect", word)
        yield ("keys", word)
        yield ("keys", "rotate", word)
        yield ("help", word)
        yield ("help", "app", word)
        yield ("completion", word)
    yield ("import", os.fsencode(lines))
    yield ("import", os.fsencode(lines), "--keep-going")


def test_arguments_and_file_names_print_no_control_characters(stack, tmp_path):
    for words in hostile_calls(tmp_path):
        done = run(stack, *words)
        assert done.returncode != 0 and done.stderr, done
        no_control_in(done.stdout + done.stderr)
        if words[0] not in ("user",):  # what asks at a terminal waits there
            assert no_control_in(at_a_terminal(command_line(stack, *words))), words


@pytest.mark.parametrize("words", [("app", "list"), ("app", "show", "hostile"), ("app", "show", "raw"),
                                   ("app", "show", "hostile", "--secret"), ("audit",), ("usage", "41"), ("status",),
                                   ("keys", "rotate", "--dry-run"), ("user", "list"), ("user", "show", "410"),
                                   ("account", "list"), ("account", "show", "41")], ids=" ".join)
def test_stored_values_print_no_control_characters(stack, words):
    more = ("--socket", stack.embed.socket) if words[0] == "status" else ()
    for json_too in ((), ("--json",)):
        call = status_with_a_path if words[0] == "status" else run
        done = call(stack, *words, *more, *json_too)
        assert done.returncode == 0 and done.stdout, done
        no_control_in(done.stdout + done.stderr)
        assert no_control_in(at_a_terminal(command_line(stack, *words, *more, *json_too)))


def test_json_output_keeps_control_characters_as_escapes(stack):
    show = lambda *words: json.loads(no_control_in(run(stack, *words, "--json").stdout))
    assert show("app", "show", "hostile")["name"] == OBEYED
    assert show("app", "show", "raw")["name"] == "x\ufffd31m"
    listed = [json.loads(line) for line in run(stack, "app", "list", "--json").stdout.splitlines()]
    assert {app["name"] for app in listed} == {OBEYED, "x\ufffd31m"}
    events = [json.loads(line) for line in run(stack, "audit", "--json").stdout.splitlines()]
    assert any(OBEYED in event.get("detail", "") for event in events)
    (status,) = json.loads(no_control_in(
        status_with_a_path(stack, "status", "--socket", stack.embed.socket, "--json").stdout))
    assert "/" + WRITTEN in [process["path"] for process in status["processes"]]


def test_status_watch_prints_no_control_characters_of_paths(stack):
    status_with_a_path(stack, "status", "--socket", stack.embed.socket)
    shown = no_control_in(at_a_terminal(command_line(stack, "status", "--watch", "--socket", stack.embed.socket),
                                         until=rb"(?s)of embed.* PATH.*/"))
    assert re.search(r"(?m)^last 0 s of embed: process [0-9]", shown), shown
    # The message about a missing pool has its escaped name.
    answer = stack.directory / os.fsdecode(b"gone\xc2\x9b\xe2\x80\xae.sock")
    shown = no_control_in(at_a_terminal(command_line(stack, "status", "--watch", "--socket", answer), until=rb"gone"))
    assert re.search(r"gone\?+\.sock: No such file", shown), shown


def test_an_import_shows_its_progress_and_stops_at_ctrl_c(stack, tmp_path):
    lines = tmp_path / "large.jsonl"
    lines.write_text("".join(json.dumps({"kind": "project", "id": f"p{n}", "account_id": 41, "name": "Project",
                                         "created": "2026-01-05T09:00:00Z", "updated": "2026-01-05T09:00:00Z"}) + "\n"
                             for n in range(60_000)))
    shown = no_control_in(at_a_terminal(command_line(stack, "import", lines), until=rb"writing .*%"))
    assert shown.endswith("interrupted; all written records are complete. Run the import again for the rest\n")
    shown = no_control_in(at_a_terminal(command_line(stack, "import", lines)))
    assert re.search(r"project: \d+ added, 0 changed, [1-9]\d* unchanged\n$", shown), shown


def test_errors_of_a_configuration_contain_no_control_characters(stack, tmp_path):
    for number, line in enumerate([f"{OBEYED} = 1", f"workers = {OBEYED}", f"listen = {WRITTEN}", OBEYED,
                                   f"key-file = /{WRITTEN}", f"app-url = {OBEYED}", f"redis-state = {WRITTEN}"]):
        config = tmp_path / os.fsdecode(f"{number}".encode() + b"\xe2\x80\xae\x9b.conf")
        for content in (line.encode(), line.encode().replace(b"\x1b", RAW)):
            config.write_bytes(content + b"\n")
            for command in (["svcctl", "app", "list"], ["svc-worker", "--print-config"]):
                words = [stacks.program(command[0]), "--config", config, *command[1:]]
                done = subprocess.run(words, capture_output=True, timeout=stacks.PATIENCE, stdin=subprocess.DEVNULL)
                assert done.stdout or done.stderr, words
                no_control_in(done.stdout + done.stderr)


def test_operations_P7_the_reason_of_a_refused_reload_contains_no_control_characters(stack):
    config = stack.directory / "reload.conf"
    config.write_text(stack.config.read_text())
    pool = stack.pool("embed-reload", workers=1)
    pool.config = config
    pool.start().wait_ready()
    config.write_text(f"{stack.config.read_text()}\n{WRITTEN} = 1\n")
    for how in (run(stack, "reload", "--socket", pool.socket),
                run(stack, "status", "--socket", pool.socket)):
        said = no_control_in(how.stdout + how.stderr)
        assert "evil" in said, how
    assert "evil" in no_control_in(at_a_terminal(command_line(stack, "reload", "--socket", pool.socket)))
    assert "evil" in json.loads(no_control_in(run(stack, "status", "--socket", pool.socket, "--json").stdout))[0][
        "reload"]["text"]
