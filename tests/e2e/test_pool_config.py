"""The pool's configuration: rule operations-P10, and its refusals of an issuer and of stores."""

import json
import subprocess
import urllib.parse

import pytest

from processes import PATIENCE
from stack import ended, program


def run(*arguments):
    """Runs svc-worker until it ends."""
    return ended("svc-worker", *arguments)


def test_operations_P10_check_config_creates_no_socket(stack):
    path = stack.directory / "unused.sock"
    done = run("--config", stack.config, "--listen", path, "--check-config")
    assert done.returncode == 0 and done.stdout.strip()
    assert not path.exists()


# The mistakes themselves: unit/app/options_test.cpp.
@pytest.mark.parametrize("how", ["--check-config", "--print-config", None])
def test_operations_P10_refuses_a_mistake_with_its_line_and_the_allowed_values(stack, how):
    lines = stack.config.read_text().splitlines()
    stack.config.write_text("\n".join([*lines, "max-queued = 1.5"]) + "\n")
    done = run("--config", stack.config, *[how] if how else [])
    assert done.returncode == 2
    assert f"{stack.config}:{len(lines) + 1}: max-queued must be an integer from 0 to " in done.stderr
    assert not stack.directory.joinpath("embed.sock").exists()


def test_operations_P46_every_program_refuses_a_path_where_nginx_has_none(stack):
    lines = [line for line in stack.config.read_text().splitlines() if not line.startswith("issuer ")]
    stack.config.write_text("\n".join([*lines, "issuer = https://a.example/tenant"]) + "\n")
    for name in ("svc-worker", "svcctl", "svc-ingest", "svc-courier", "svc-keeper"):
        done = ended(name, "--config", stack.config, "--check-config")
        assert done.returncode == 2, name
        for word in (f"{stack.config}:{len(lines) + 1}", "issuer", "without a path", "https://media.example"):
            assert word in done.stderr, name


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


def test_operations_P10_does_not_print_secrets(stack):
    password = stack.directory / "password"
    password.write_text("swordfish\n")
    password.chmod(0o600)
    stack.write_config(redis_password_file=password)
    key = stack.key_file.read_text().strip().partition(":")[2]
    for *more, status in (("--print-config", 0), ("--check-config", 0),
                          ("--redis-state", "redis://:swordfish@localhost", "--check-config", 2)):
        done = run("--config", stack.config, *more)
        assert done.returncode == status
        assert "swordfish" not in done.stdout + done.stderr
        assert key not in done.stdout + done.stderr


@pytest.mark.parametrize("issuer", ["https://api.svc.example", "http://api.svc.example:8080",
                                    "https://api.svc.example/", "https://api.svc.example/tenant"])
def test_operations_P46_metadata_of_an_accepted_issuer_is_where_clients_look(stack, issuer):
    """RFC 8414 §3.1: the well-known path is between the issuer's host and its path."""
    stack.write_config(issuer=issuer)
    checked = run("--config", stack.config, "--check-config")
    if checked.returncode == 2:
        assert urllib.parse.urlsplit(issuer).path and "issuer" in checked.stderr
        return
    stack.start_redis()
    stack.start_pool("grant", roles="grant")
    place = urllib.parse.urlsplit(issuer)
    answer = stack.start_shipped_nginx().request(
        f"/.well-known/oauth-authorization-server{place.path.rstrip('/')}", host=place.netloc)
    assert (answer.status, json.loads(answer.body)["issuer"]) == (200, issuer)


def test_a_pool_warns_if_no_key_signs_links(stack):
    stack.start_redis()
    without = stack.start_pool("without", watch_key_file="")
    assert without.wait_for("watch-keys.missing")[0]["level"] == "warn"
    for other in (stack.start_pool("with"), stack.start_pool("upload", roles="upload", watch_key_file="")):
        other.wait_for("pool.ready")
        assert not other.events("watch-keys.missing")


def test_oembed_C4_warns_if_both_stores_are_the_same_redis(stack):
    stack.start_redis()
    shared = stack.start_pool("shared", redis_cache=stack.redis_state.url)
    assert shared.wait_for("store.shared")[0]["level"] == "warn"
    apart = stack.start_pool("apart")
    assert not apart.events("store.shared")
