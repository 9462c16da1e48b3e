"""A pool's log of requests that its listener refuses, the peers that it cuts, and the libfcgi that it refuses.

The bytes themselves: unit tests of fastcgi/, and the conformance suite of test_fastcgi.py."""

import os
import re
import struct
import subprocess
from pathlib import Path

import pytest

from fastcgi_client import request
from stack import program


def test_operations_P11_logs_requests_refused_before_their_body_is_read(stack):
    """Covers a body above max-body and a body longer than its Content-Length."""
    secret = "code=swordfish"
    refused = ((request("/too/large", secret, method="POST", body=b"b" * 101), 413),
               (request("/too/long", secret, method="POST", body=b"b" * 9, extra={"CONTENT_LENGTH": 8}), 400),
               (request("/" + "f" * 5000, secret, method="POST", body=b"b" * 101), 413))

    def asked(pool):
        for data, status in refused:
            with pool.connect() as connection:
                connection.send(data)
                assert connection.read_answer().status == status
        assert pool.request("/healthz").status == 200
        return pool

    silent = asked(stack.start_pool("silent", workers=1, max_body=100))
    pool = asked(stack.start_pool(workers=1, log_requests="on", max_body=100))
    pool.wait_for("request", path="/healthz", status=200)
    assert len(pool.events("request", path="/too/large", status=413)) == 1
    assert len(pool.events("request", path="/too/long", status=400)) == 1
    assert len(pool.events("request")) == 4
    assert max(map(len, pool.log_text().splitlines())) < 1000
    assert "swordfish" not in pool.log_text()
    assert silent.stop() == 0
    assert not silent.events("request"), "unless log-requests is on"


@pytest.mark.parametrize("sent, timeout", [(0, {"idle_timeout": 1}), (30, {"read_timeout": 400})], ids=["idle", "half"])
def test_operations_P6_cuts_silent_peers_while_it_serves_others(stack, sent, timeout):
    pool = stack.start_pool(workers=1, **timeout)
    with pool.connect() as silent:
        silent.send(request("/healthz")[:sent])
        assert pool.request("/healthz").status == 200
        assert silent.read_rest() == b""
    assert pool.request("/healthz").status == 200


# --- a libfcgi that calls its own input and output functions ---------------------------------------

R_X86_64_RELATIVE = 8


def libfcgi_with_its_own(function, directory):
    """Copies the worker's libfcgi so that it calls its own version of that function even if the program defines one.

    This is how a libfcgi linked with -Bsymbolic-functions behaves. Returns the copy's directory."""
    found = subprocess.run(["ldd", program("svc-worker")], capture_output=True, text=True,
                           check=True).stdout
    (name, path), = re.findall(r"(libfcgi\.so\S*) => (\S+)", found)
    table = subprocess.run(["readelf", "--relocs", "--wide", path], capture_output=True, text=True,
                           check=True).stdout
    (numbers,) = re.findall(rf"(?m)^(\w+) +(\w+) +R_X86_64_JUMP_SLO\w* +(\w+) +{function}\b", table)
    where, what, address = (int(number, 16) for number in numbers)
    before = struct.pack("<QQQ", where, what, 0)
    after = struct.pack("<QQQ", where, R_X86_64_RELATIVE, address)
    library = Path(path).read_bytes()
    assert library.count(before) == 1
    (directory / name).write_bytes(library.replace(before, after))
    return directory


@pytest.mark.parametrize("function", ("OS_Read", "OS_Write", "OS_IpcClose"))
def test_does_not_start_with_a_libfcgi_that_calls_its_own_function(stack, function):
    """Without this check the pool reports ready, and the first request kills its worker or, if standard input stays
    open, blocks it. The error is logged."""
    library = libfcgi_with_its_own(function, stack.directory)
    silent = stack.directory / "silent"
    os.mkfifo(silent)
    pool = stack.pool(workers=1, deaths_expected=True)
    pool.start(wrapper=["sh", "-c", f'exec "$@" <>{silent}', "sh"],
               env={**os.environ, "LD_LIBRARY_PATH": str(library)})
    pool.wait_for("pool.failing")
    assert {entry["function"] for entry in pool.events("libfcgi.unusable")} == {function}
    assert pool.events("worker.died", phase="starting")
    assert not pool.events("pool.ready")
