"""FastCGI peers that send garbage, disconnect, fall silent or come in large numbers, and the log entries they cause."""

import json
import os
import random
import re
import signal
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest

import fastcgi_client as fcgi
from fastcgi_client import (GET_VALUES, GET_VALUES_RESULT, PARAMS, STDIN, begin, encode_pairs,
                            record, request)
from processes import wait_until
from stack import program
from wire import (GOOD, MAX_BODY, NEVER, NEVER_PAIRS, THREE, Row, Watched, after_params, answered,
                  begun, bytewise, check_status, closed, get_values, post, refused, values)


@pytest.fixture(scope="module", name="watched_pool")
def fixture_watched_pool(module_stack):
    return Watched(module_stack.start_pool(workers=1, log_requests="on", max_body=MAX_BODY))


@pytest.fixture(name="watched")
def fixture_watched(watched_pool):
    yield watched_pool
    watched_pool.check()


def test_operations_P11_logs_requests_refused_before_their_body_is_read(stack):
    """Covers a body above max-body and a body longer than its Content-Length."""
    pool = stack.start_pool(workers=1, log_requests="on", max_body=100)
    secret = "code=swordfish"
    large = request("/too/large", secret, method="POST", body=b"b" * 101)
    wrong = request("/too/long", secret, method="POST", body=b"b" * 9, extra={"CONTENT_LENGTH": 8})
    far = request("/" + "f" * 5000, secret, method="POST", body=b"b" * 101)
    for data, status in ((large, 413), (wrong, 400), (far, 413), (bytewise(large), 413)):
        with pool.connect() as connection:
            for piece in data if isinstance(data, list) else [data]:
                connection.send(piece)
            assert connection.read_answer().status == status
    pool.request("/healthz")
    pool.wait_for("request", path="/healthz", status=200)
    assert len(pool.events("request", path="/too/large", status=413)) == 2
    assert len(pool.events("request", path="/too/long", status=400)) == 1
    assert len(pool.events("request")) == 5
    assert max(map(len, pool.log_text().splitlines())) < 1000
    assert "swordfish" not in pool.log_text()


def test_operations_P11_logs_no_request_by_default(stack):
    pool = stack.start_pool(workers=1, max_body=100)
    with pool.connect() as connection:
        connection.send(request("/too/large", method="POST", body=b"b" * 101))
        assert connection.read_answer().status == 413
    with pool.connect() as connection:
        connection.send(request("/a", method="POST", body=b"b" * 9, extra={"CONTENT_LENGTH": 8}))
        assert connection.read_answer().status == 400
    assert pool.request("/healthz").status == 200
    assert pool.stop() == 0
    assert not pool.events("request")


def test_loses_no_byte_after_get_values_that_arrives_in_pieces(watched):
    """The worker reads a management record up to its end, so that the bytes after it reach libfcgi."""
    name = "n" * (65535 - 5)
    long = record(GET_VALUES, encode_pairs({name: ""}), 0, padding=1)
    assert len(long) == 8 + 65536
    with watched.pool.connect() as connection:
        connection.send(long[:8])
        time.sleep(0.02)
        os.kill(watched.worker, signal.SIGSTOP)
        connection.send(long[8:] + GOOD[:20])
        os.kill(watched.worker, signal.SIGCONT)
        assert connection.read_record().kind == GET_VALUES_RESULT
        time.sleep(0.02)
        connection.send(GOOD[20:])
        answered()(connection)


def test_answers_head_with_the_length_of_the_body_only(watched):
    with watched.pool.connect() as connection:
        get = connection.request("/healthz")
        head = connection.request("/healthz", method="HEAD")
        assert head.body == b""
        assert head.headers == get.headers
        assert head.header("Content-Length") == str(len(get.body))
        assert connection.request("/healthz").body == get.body


def test_logs_a_refused_request_under_its_own_path(watched):
    """The log entry does not repeat the path of the previous request."""
    watched.request()
    with watched.pool.connect() as connection:
        connection.send(post(101, claimed="100", path=NEVER))
        refused(connection)
    watched.request()
    assert {entry["path"] for entry in watched.pool.events("request", status=400)} <= {NEVER}


PATHS = {
    "a quote": '/a"b', "a backslash": "/a\\b", "a line": '/a\n{"event":"forged"}',
    "control characters": "/a\r\tb\x7f\x1b[31m", "bytes that are no UTF-8": b"/\xff\xfe\xc3",
    "a line separator": "/\u2028", "very long": "/" + "x" * 5000, "nothing": "",
    # Paths cut to fit, never within a character.
    **{f"long, {width} bytes a character, from {len(start)}": start + character * 100
       for width, character in ((2, "é"), (3, "ビ"), (4, "🎬"))
       for start in ("/", "/x", "/xx", "/xxx")},
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_logs_every_path_as_one_line_of_json(watched, path):
    before = len(watched.pool.log.read_bytes())
    assert watched.pool.request(path).status == 404
    watched.request()
    # The log entry is written after the response.
    written = lambda: watched.pool.log.read_bytes()[before:].split(b"\n")[:-1]  # noqa: E731
    wait_until(lambda: len(written()) >= 2, "a line for each request")
    for line in written():
        assert json.loads(line.decode("utf-8"))["event"] == "request", line


# --- garbage -------------------------------------------------------------------------------------


def garbage(dice):
    """Returns random bytes, a damaged request, or a random sequence of records."""
    kind = dice.randrange(6)
    good = bytearray(request("/healthz", method="POST", body=dice.randbytes(dice.randrange(300)),
                             piece=dice.choice((1, 7, 100, 65535)), padding=dice.randrange(4)))
    if kind == 0:
        return dice.randbytes(dice.randrange(1, 2000))
    if kind == 1:  # some bytes are changed
        for _ in range(dice.randrange(1, 6)):
            good[dice.randrange(len(good))] = dice.randrange(256)
    elif kind == 2:  # one byte of the first two headers is changed
        good[dice.randrange(24)] = dice.randrange(256)
    elif kind == 3:  # some bytes are missing
        at = dice.randrange(len(good))
        del good[at:at + dice.randrange(1, 40)]
    elif kind == 4:  # some bytes are repeated
        at = dice.randrange(len(good))
        good[at:at] = good[at:at + dice.randrange(1, 60)]
    else:  # valid records, in a random order
        good = bytearray()
        for _ in range(dice.randrange(1, 8)):
            good += record(dice.randrange(13), dice.randbytes(dice.choice((0, 1, 8, 50))),
                           dice.choice((0, 1, 1, 2)), padding=dice.randrange(3))
        if dice.random() < 0.7:
            good[0:0] = begin()
    return bytes(good)


def test_survives_garbage(watched):
    dice = random.Random(20260301)
    for number in range(200):
        piece = garbage(dice)
        with watched.pool.connect() as connection:
            if number % 2:
                at = dice.randrange(len(piece))
                connection.send(piece[:at])
                connection.send(piece[at:])
            else:
                connection.send(piece)
            connection.half_close()
            try:
                connection.read_rest()
            except fcgi.Silent:
                pytest.fail(f"case {number} hangs: {piece.hex()}")
        if number % 10 == 0:
            watched.request()
        assert watched.pool.workers() == {watched.worker}, f"case {number}: {piece.hex()}"


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


# --- many peers at the same time -------------------------------------------------------------------


def test_sends_each_of_many_simultaneous_clients_its_own_response(stack):
    """All requests are in the sockets before the worker reads any of them."""
    stack.import_catalog()
    watched = Watched(stack.start_pool(workers=1, log_requests="on"))
    medias = ("l4unchf1lm", "p0rtrait99", "cinema2391", "unkn0wn")
    kept = [watched.pool.connect() for _ in range(30)]
    for connection in kept:
        assert connection.request("/healthz").status == 200
    os.kill(watched.worker, signal.SIGSTOP)
    everybody = kept + [watched.pool.connect() for _ in range(30)]
    for i, connection in enumerate(everybody):
        if i % 10 == 3:
            connection.send(request(NEVER)[:50])
        elif i % 10 == 5:
            connection.send(request(NEVER) if i % 20 == 5 else b"garbage!")
            connection.close()
        elif i % 10 == 7:
            connection.send(post(9, claimed="8"))
        elif i % 10 == 9:
            connection.send(get_values(*THREE) + GOOD)
        else:
            url = f"url=https://acme.svc.localhost/medias/{medias[i % 4]}"
            connection.send(request("/oembed", f"{url}&width={100 + i}"))
    os.kill(watched.worker, signal.SIGCONT)
    for i, connection in enumerate(everybody):
        if i % 10 == 3:
            connection.half_close()
            closed(connection)
        elif i % 10 == 7:
            refused(connection)
        elif i % 10 == 9:
            values(*THREE, then=answered())(connection)
        elif i % 10 != 5:
            answer = connection.read_answer()
            check_status(answer, 404 if medias[i % 4] == "unkn0wn" else 200)
            if answer.status == 200:
                assert json.loads(answer.body)["width"] == 100 + i
                assert medias[i % 4] in json.loads(answer.body)["html"]
            answered(times=0)(connection)
        connection.close()
    # A complete request of a disconnected peer may be processed: the worker cannot tell it from a waiting peer.
    watched.acted_on = len(watched.pool.events("request", path=NEVER, status=404))
    watched.descriptors += 1  # the connection to the store
    watched.check()


# --- silent and slow peers -------------------------------------------------------------------------


def test_silent_connections_do_not_delay_other_requests(watched):
    silent = [watched.pool.connect() for _ in range(50)]
    try:
        # All through the only worker, which also holds the silent connections.
        for _ in range(100):
            watched.request()
        with watched.pool.connect() as kept:
            for _ in range(100):
                assert kept.request("/healthz").status == 200
        # The silent connections are still served, too.
        for connection in silent:
            assert connection.request("/healthz").status == 200
    finally:
        for connection in silent:
            connection.close()


# The bytes that each peer sends before it falls silent. Requests that have begun are cut by read-timeout, connections
# without a request by idle-timeout.
SILENT_ROWS = {
    "nothing": b"",
    "a request that was answered": GOOD,
    "GET_VALUES": get_values(*THREE),
    "one byte": GOOD[:1],
    "seven bytes": GOOD[:7],
    "BEGIN_REQUEST": GOOD[:16],
    "a header of params": GOOD[:24],
    "half of the params": begun(record(PARAMS, NEVER_PAIRS[:40])),
    "params without their end": begun(record(PARAMS, NEVER_PAIRS)),
    "params, and no body": after_params(),
    "half of the body": after_params(record(STDIN, b"half"), length=8),
    "the body without its end": after_params(record(STDIN, b"complete"), length=8),
    "half of GET_VALUES": get_values(*THREE)[:20],
    "a request, and half of a second": [GOOD, 0.02, request(NEVER)[:40]],
}


def test_operations_P6_cuts_silent_peers_while_it_serves_others(stack):
    watched = Watched(stack.start_pool(workers=1, log_requests="on", read_timeout=400,
                                       idle_timeout=1))
    silent = {}
    for name, said in SILENT_ROWS.items():
        silent[name] = watched.pool.connect()
        Row(name, said, closed).play(silent[name])
    for _ in range(200):
        watched.request()
    for name, connection in silent.items():
        with connection:
            expected = {"a request that was answered": 1, "a request, and half of a second": 1}
            for _ in range(expected.get(name, 0)):
                check_status(connection.read_answer(), 200)
            if name == "GET_VALUES":
                assert connection.read_record().kind == GET_VALUES_RESULT
            assert connection.read_rest() == b"", name
    watched.check()


def test_operations_P6_cuts_a_slow_sender_while_it_serves_others(stack):
    """Each byte arrives in time, but the whole request exceeds read-timeout."""
    watched = Watched(stack.start_pool(workers=1, log_requests="on", read_timeout=400))
    cut = threading.Event()

    def dribble():
        with watched.pool.connect() as connection:
            for byte in bytewise(request(NEVER, extra={"HTTP_X_FILLER": "f" * 60000})):
                if not connection.send(byte):
                    cut.set()
                    return
                time.sleep(0.02)

    thread = threading.Thread(target=dribble, daemon=True)
    thread.start()
    wait_until(lambda: (watched.request(), cut.is_set())[1], "the peer is cut")
    thread.join()
    watched.check()


def test_serves_others_while_a_peer_does_not_read(stack):
    """The unread responses fill the socket; later clients are served all the same."""
    watched = Watched(stack.start_pool(workers=1, write_timeout=100))
    with watched.pool.connect(patience=0.2) as deaf:
        sent = 0
        while sent < 5000:
            try:
                if not deaf.send(GOOD):
                    break  # cut, which is allowed
            except fcgi.Silent:
                break  # the worker stopped reading, which is allowed
            sent += 1
        for _ in range(20):
            watched.request()
    watched.check()
