"""operations-D7: the service and svcctl with a state Redis that requires TLS and client certificates, set up by the
commands of systemd/README.md."""

import re
import subprocess
import urllib.parse

import pytest

import documents
import readme
import stack as stacks
from processes import PATIENCE, free_port, wait_until

OEMBED = urllib.parse.urlencode({"url": "https://acme.svc.localhost/medias/l4unchf1lm"})


def ours(stack, text):
    """The text of the document, for this stack and the host localhost."""
    return text.replace("/etc/svc", str(stack.directory)).replace("redis.example", "localhost")


def section_files(stack):
    """The other blocks of the section: lines for Redis, for svc.conf and for the unit."""
    found = documents.fences(documents.tokens("systemd/README.md", "TLS to the store"))
    return [ours(stack, text) for language, text in found if not language]


@pytest.fixture(name="port")
def fixture_port(stack):
    """A stack whose state Redis also listens with TLS; returns the port."""
    (block,) = readme.blocks("systemd/README.md", "TLS to the store")
    done = subprocess.run(["sh", "-eu", "-c", ours(stack, block.text)], capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    of_redis = section_files(stack)[0]
    assert of_redis.startswith("port 0\ntls-port 6379\n")
    config = stack.redis_state.config.read_text()
    for attempt in range(10):
        port = free_port()
        stack.redis_state.config.write_text(f"{config}\n{of_redis.replace('6379', str(port))}bind 127.0.0.1\n")
        try:
            stack.redis_state.start()
            break
        except AssertionError:  # another process took the port
            assert attempt < 9
    stack.add(stack.redis_state)
    stack.start_redis()
    return port


def settings(stack, port):
    lines = section_files(stack)[1].replace("6379", str(port)).splitlines()
    return {name.replace("-", "_"): value for name, value in (line.split(" = ") for line in lines)}


def svcctl(stack, *words):
    return stacks.ended("svcctl", "--config", stack.config, *words)


def test_the_service_works_with_a_store_behind_tls(stack, port):
    stack.write_config(**settings(stack, port))
    assert stacks.ended("svc-worker", "--config", stack.config, "--check-config").returncode == 0
    stack.import_catalog()
    pool = stack.start_pool(roles="all")
    answer = pool.request("/oembed", OEMBED)
    assert answer.status == 200, answer
    assert pool.request("/readyz").status == 200
    # Each worker has two connections to the state: one for commands and one for invalidations.
    clients = stack.redis_state.command("CLIENT", "LIST").splitlines()
    of_workers = [line for line in clients if " name=svc-worker:" in line]
    assert len(of_workers) >= 2 and all(f" laddr=127.0.0.1:{port} " in line for line in of_workers), clients
    # A change reaches the workers' memory: the invalidation connection works.
    deleted = svcctl(stack, "media", "delete", "l4unchf1lm", "--yes")
    assert deleted.returncode == 0, deleted.stderr
    wait_until(lambda: pool.request("/oembed", OEMBED).status == 404, "the change is received")
    # Redis away and back: the pool recovers without a restart.
    stack.redis_state.stop()
    wait_until(lambda: pool.request("/readyz").status == 503, "the store is unavailable")
    stack.redis_state.start()
    wait_until(lambda: pool.request("/readyz").status == 200, "the store is back")


def test_the_unit_passes_the_key_as_a_credential(stack):
    """The drop-in of the document: ExecStart has the variable that it sets, and the setting exists."""
    drop_in = section_files(stack)[2]
    variable, flag = re.search(r'Environment="(\w+)=(--[a-z-]+) %d/redis-tls-key"', drop_in).groups()
    assert "LoadCredential=redis-tls-key:" in drop_in
    unit = (stacks.REPOSITORY / "systemd/svc-worker@.service").read_text()
    assert re.search(rf"(?m)^ExecStart=.* \${variable}( |$)", unit)
    assert re.search(rf"(?m)^Environment=.*\b{variable}=( |$)", unit)
    assert f"{flag[2:]} = " in stacks.ended("svc-worker", "--print-config").stdout
