"""The pool's configuration: rule operations-P10."""

import re
import subprocess

import pytest

from processes import PATIENCE
from stack import ended, program


def run(*arguments):
    """Runs svc-worker until it ends."""
    return ended("svc-worker", *arguments)


def test_operations_P10_check_config_accepts_a_correct_file(stack):
    done = run("--config", stack.config, "--check-config")
    assert done.returncode == 0
    assert done.stdout.strip()


def test_operations_P10_check_config_creates_no_socket(stack):
    path = stack.directory / "unused.sock"
    done = run("--config", stack.config, "--listen", path, "--check-config")
    assert done.returncode == 0
    assert not path.exists()


# Line of the file, and words of the error in addition to the file's name and the line's number.
MISTAKES = [
    ("an unknown key", "wrokers = 4", ["wrokers", "workers"]),
    ("an unknown key with a dot", "pool.workers = 4", ["pool.workers"]),
    ("no number", "workers = four", ["workers", "1", "512"]),
    ("nothing", "workers =", ["workers"]),
    ("an unknown role", "roles = embed,admin", ["roles", "embed", "grant", "web"]),
    ("no role", "roles =", ["roles", "embed", "grant", "web"]),
    ("a mode for everybody", "listen-mode = 0666", ["listen-mode", "0660"]),
    ("a mode that is none", "listen-mode = rw", ["listen-mode", "0660"]),
    ("a TCP address", "listen = 127.0.0.1:9000", ["listen", "unix socket"]),
    ("a log level", "log-level = loud", ["log-level", "debug", "info", "warn", "error"]),
    ("a switch", "log-requests = maybe", ["log-requests", "on", "off"]),
    ("no equals sign", "workers 4", ["key = value"]),
    ("a section", "[pool]", ["key = value"]),
]
URL_MISTAKES = [
    ("a URL with a slash", "app-url", "https://app.example/"),
    ("a URL without a scheme", "app-url", "app.example"),
    ("a URL of another scheme", "embed-host", "ftp://embed.example"),
    ("a URL with a query", "oembed-url", "https://o.example?x=1"),
    ("a URL with a quote", "embed-host", 'https://e.example/"x'),
    ("a host that no policy can name", "embed-host", "https://embed_films.example"),
    ("an address that no policy can name", "asset-base", "http://[::1]:8080"),
    ("a domain with a scheme", "service-domain", "https://svc.example"),
    ("a domain with a dot", "short-domain", ".svc.example"),
    ("a store of another kind", "redis-state", "mysql://localhost"),
    ("a store with a password", "redis-state", "redis://:swordfish@localhost"),
]
TOGETHER = [
    ("a store's timeout beyond a request's", ["request-timeout = 1000", "redis-timeout = 1000"],
     ["redis-timeout", "request-timeout"]),
    ("a refusal kept longer than an answer",
     ["oembed-max-age = 5", "oembed-negative-max-age = 10"],
     ["oembed-negative-max-age", "oembed-max-age"]),
]


def refused(stack, lines, *arguments):
    """Appends these lines to a correct file, and runs svc-worker. Returns the error and the lines' places in the
    file."""
    text = stack.config.read_text()
    keys = {line.split("=")[0].strip() for line in lines}
    right = [line for line in text.splitlines() if line.split("=")[0].strip() not in keys]
    stack.config.write_text("\n".join(["# A comment.", "", *right, *lines]) + "\n")
    done = run("--config", stack.config, *arguments)
    assert done.returncode == 2, done.stderr
    first = len(right) + 3
    return done.stderr, [f"{stack.config}:{first + i}" for i in range(len(lines))]


@pytest.mark.parametrize("line, named", [pytest.param(*row[1:], id=row[0]) for row in MISTAKES])
@pytest.mark.parametrize("how", ["--check-config", "--print-config", None])
def test_operations_P10_refuses_a_mistake_with_its_line_and_the_allowed_values(stack, line, named, how):
    said, (place,) = refused(stack, [line], *[how] if how else [])
    assert place in said
    for word in named:
        assert word in said
    assert not stack.directory.joinpath("embed.sock").exists()


@pytest.mark.parametrize("key, value", [pytest.param(*row[1:], id=row[0]) for row in URL_MISTAKES])
def test_operations_P10_refuses_an_invalid_address(stack, key, value):
    said, (place,) = refused(stack, [f"{key} = {value}"], "--check-config")
    assert place in said and key in said
    assert "swordfish" not in said


@pytest.mark.parametrize("key", ["app-url", "base-url", "oembed-url", "embed-host", "issuer"])
def test_operations_P46_every_program_refuses_a_path_where_nginx_has_none(stack, key):
    right = stack.config.read_text()
    lines = [line for line in right.splitlines() if not line.startswith(f"{key} ")]
    for more, named in (("/tenant", "path"), ("/", "slash"), ("?a=b", "query")):
        stack.config.write_text("\n".join([*lines, f"{key} = https://a.example{more}"]) + "\n")
        for name in ("svc-worker", "svcctl", "svc-ingest"):
            done = ended(name, "--config", stack.config, "--check-config")
            assert done.returncode == 2, (name, more)
            for word in (f"{stack.config}:{len(lines) + 1}", key, f"without a {named}", "https://media.example"):
                assert word in done.stderr, (name, more)


@pytest.mark.parametrize("lines, named", [pytest.param(*row[1:], id=row[0]) for row in TOGETHER])
def test_operations_P10_refuses_contradictory_settings(stack, lines, named):
    said, places = refused(stack, lines, "--check-config")
    assert all(place in said for place in places)
    assert all(word in said for word in named)


def test_operations_P10_refuses_a_key_that_is_set_twice(stack):
    said, (first, second) = refused(stack, ["workers = 2", "workers = 3"], "--check-config")
    assert first in said and second in said


@pytest.mark.parametrize("arguments, named", [
    (["--wrokers", "4"], "wrokers"), (["--workers", "many"], "workers"), (["--workers"], "workers"),
    (["extra"], ""), (["--work", "4"], "work")])
def test_operations_P10_refuses_mistakes_on_the_command_line(stack, arguments, named):
    done = run("--config", stack.config, *arguments, "--check-config")
    assert done.returncode == 2
    assert "command line" in done.stderr and named in done.stderr


@pytest.mark.parametrize("name", ["svc-worker", "svcctl"])
def test_operations_P10_check_config_reads_the_files_that_the_settings_name(stack, name):
    def check():
        return subprocess.run([program(name), "--config", str(stack.config), "--check-config"],
                              capture_output=True, text=True, timeout=PATIENCE)
    assert check().returncode == 0
    stack.key_file.chmod(0o644)
    done = check()
    assert done.returncode == 2 and str(stack.key_file) in done.stderr and "0600" in done.stderr
    stack.key_file.chmod(0o600)
    stack.key_file.write_text("k1:swordfish\n")
    done = check()
    assert done.returncode == 2 and f"{stack.key_file}, line 1" in done.stderr
    assert "swordfish" not in done.stderr and "is right" not in done.stdout


def test_operations_P10_refuses_a_missing_file(stack):
    path = stack.directory / "nowhere.conf"
    done = run("--config", path, "--check-config")
    assert done.returncode == 2
    assert str(path) in done.stderr


def test_operations_P10_a_flag_overrides_the_file(stack):
    stack.write_config(workers=3)
    def workers(*flags):
        text = run("--config", stack.config, *flags, "--print-config").stdout
        return re.search(r"(?m)^workers = (.*)$", text).group(1)
    assert workers() == "3"
    assert workers("--workers", "5") == "5"


def test_operations_P10_prints_a_configuration_that_it_accepts(stack):
    stack.write_config(workers=3, log_level="warn")
    printed = run("--config", stack.config, "--print-config")
    assert printed.returncode == 0
    again = stack.directory / "again.conf"
    again.write_text(printed.stdout)
    assert run("--config", again, "--check-config").returncode == 0
    assert run("--config", again, "--print-config").stdout == printed.stdout


def test_operations_P10_does_not_print_secrets(stack):
    password = stack.directory / "password"
    password.write_text("swordfish\n")
    password.chmod(0o600)
    stack.write_config(redis_password_file=password)
    key = stack.key_file.read_text().strip().partition(":")[2]
    for how in ("--print-config", "--check-config"):
        done = run("--config", stack.config, how)
        assert done.returncode == 0
        assert "swordfish" not in done.stdout + done.stderr
        assert key not in done.stdout + done.stderr
