"""What a pool does with bytes on its socket, right ones and wrong ones.

The pool has one worker, so that a row which held it up or killed it would leave nobody to answer
what follows: after each row the same worker answers a plain request, and holds no descriptor more
than before.
"""

import dataclasses
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
from fastcgi_client import (BEGIN_REQUEST, DATA, END_REQUEST, GET_VALUES, GET_VALUES_RESULT, PARAMS,
                            STDIN, abort, begin, encode_pairs, environment, record, request, stream)
from stack import program, wait_until

MAX_BODY = 65536  # the configured max-body
END_OF_FILE = "end of file"

# A request that nobody may act on names this path, which the log of requests would then show.
NEVER = "/never/acted/on"
NEVER_PAIRS = encode_pairs(environment(NEVER))
GOOD = request("/healthz")


@dataclasses.dataclass
class Row:
    name: str
    send: object  # bytes, or a list of bytes, pauses in seconds, and END_OF_FILE
    then: object  # what has to happen: a function of the connection

    def play(self, connection):
        for step in self.send if isinstance(self.send, list) else [self.send]:
            if step == END_OF_FILE:
                connection.half_close()
            elif isinstance(step, float):
                time.sleep(step)
            elif not connection.send(step):
                return  # closed already; what it said can still be read


# --- what has to happen --------------------------------------------------------------------------


def closed(connection):
    assert connection.read_rest() == b"", "closed, but not without an answer"


def answered(status=200, times=1):
    """Answered, and the connection is good for another request."""
    def then(connection):
        for _ in range(times):
            answer = connection.read_answer()
            assert answer is not None, "closed without an answer"
            assert answer.status == status
        again = connection.request("/healthz")
        assert again is not None and again.status == 200, "not usable afterwards"
    return then


def answered_then_closed(status=200, request_id=1):
    def then(connection):
        answer = connection.read_answer(request_id)
        assert answer is not None, "closed without an answer"
        assert answer.status == status
        assert connection.read_rest() == b"", "more than one answer"
    return then


def refused(connection):
    """Either way out of a body that is not what CONTENT_LENGTH says."""
    answer = connection.read_answer()
    assert answer is None or answer.status == 400
    assert connection.read_rest() == b""


def unknown_role(request_id):
    def then(connection):
        came = connection.read_record()
        assert came is not None, "closed without an answer"
        assert (came.kind, came.request_id) == (END_REQUEST, request_id)
        assert came.protocol_status == fcgi.UNKNOWN_ROLE
        assert connection.read_rest() == b""
    return then


def values(*names, then=None):
    """FCGI_GET_VALUES_RESULT with each of these names once, and the connection goes on."""
    def check(connection):
        came = connection.read_record()
        assert came is not None, "closed without an answer"
        assert (came.kind, came.request_id) == (GET_VALUES_RESULT, 0)
        pairs = fcgi.decode_pairs(came.content)
        assert sorted(name for name, _ in pairs) == sorted(names)
        for name, value in pairs:
            assert value.isdigit(), f"{name} is no number"
            assert name != "FCGI_MPXS_CONNS" or value == "0"
        if then is not None:
            then(connection)
            return
        answer = connection.request("/healthz")
        assert answer is not None and answer.status == 200
    return check


def no_hang(connection):
    """Whatever it is, it ends."""
    connection.half_close()
    connection.read_rest()


# --- helpers of the table ------------------------------------------------------------------------


def first(kind, request_id):
    return record(kind, b"\0" * 8, request_id)


def begun(*rest):
    """A request's beginning, and then something else."""
    return begin() + b"".join(rest)


def within_params(*rest):
    half = len(NEVER_PAIRS) // 2
    return begun(record(PARAMS, NEVER_PAIRS[:half]), *rest,
                 record(PARAMS, NEVER_PAIRS[half:]), record(PARAMS), record(STDIN))


def after_params(*rest, length=None):
    pairs = environment(NEVER, method="POST", extra={"CONTENT_LENGTH": length})
    return begun(stream(PARAMS, encode_pairs(pairs)), *rest)


def post(size, *, piece=65535, claimed=None, path="/oembed", **how):
    """A POST to an endpoint that takes none, which answers 405 without a look at the body."""
    claimed = str(size) if claimed is None else claimed
    return request(path, method="POST", body=b"b" * size, piece=piece,
                   extra={"CONTENT_LENGTH": claimed}, **how)


def get_values(*names, request_id=0, value="", **how):
    return record(GET_VALUES, encode_pairs([(name, value) for name in names]), request_id, **how)


def bytewise(data, pause=0.0):
    steps = []
    for i in range(len(data)):
        steps += [data[i:i + 1], pause] if pause else [data[i:i + 1]]
    return steps


def split(data, at, pause=0.004):
    return [data[:at], pause, data[at:]]


PADDED = ("BEGIN_REQUEST", "params", "the end of params", "the body", "the end of the body")


def padded(where, padding=8):
    """A POST with padding in one place only."""
    def pad(name):
        return padding if name == where else 0
    pairs = encode_pairs(environment("/oembed", method="POST", body=b"body"))
    return (begin(padding=pad("BEGIN_REQUEST"))
            + record(PARAMS, pairs, padding=pad("params"))
            + record(PARAMS, padding=pad("the end of params"))
            + record(STDIN, b"body", padding=pad("the body"))
            + record(STDIN, padding=pad("the end of the body")))


THREE = ("FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS")
HOSTILE_PADDING = {
    "GET_VALUES": get_values(*["FCGI_MAX_CONNS"] * 6),
    "a length beyond all numbers":
        record(PARAMS, b"\xff\xff\xff\xfe\xff\xff\xff\xfe" + b"x" * 30),
    "a whole request": begin() + stream(PARAMS, encode_pairs({"DOCUMENT_URI": NEVER}))
                       + record(STDIN),
}

# --- good requests, however they arrive ----------------------------------------------------------

SPLIT = post(20)
SPLIT_PARAMS = len(encode_pairs(environment("/oembed", method="POST", body=b"b" * 20)))
# Offsets in SPLIT: within and around each header, within the first name's length, within names.
SPLIT_STDIN = 16 + 8 + SPLIT_PARAMS + 8
SPLIT_OFFSETS = (1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 26, 30, 24 + SPLIT_PARAMS // 2,
                 24 + SPLIT_PARAMS - 1, 24 + SPLIT_PARAMS, 24 + SPLIT_PARAMS + 1, SPLIT_STDIN - 1,
                 SPLIT_STDIN, SPLIT_STDIN + 8, SPLIT_STDIN + 9, SPLIT_STDIN + 28,
                 len(SPLIT) - 8, len(SPLIT) - 7, len(SPLIT) - 1)

GOOD_ROWS = [
    Row("a plain request", GOOD, answered()),
    Row("id 2", request("/healthz", request_id=2), lambda c: answered_id(c, 2)),
    Row("id 65535", request("/healthz", request_id=65535), lambda c: answered_id(c, 65535)),
    Row("not kept", request("/healthz", keep=False), answered_then_closed()),
    Row("an end of file behind it", [GOOD, END_OF_FILE], answered_then_closed()),
    Row("byte by byte", bytewise(GOOD), answered()),
    Row("byte by byte, slowly", bytewise(GOOD, 0.0005), answered()),
    Row("a POST byte by byte", bytewise(post(40)), answered(405)),
    *(Row(f"cut at byte {at}", split(SPLIT, at), answered(405)) for at in SPLIT_OFFSETS),
    *(Row(f"{padding} bytes of padding", post(20, padding=padding), answered(405))
      for padding in (1, 7, 8, 255)),
    *(Row(f"padding behind {name}", padded(name), answered(405))
      for name in PADDED),
    # Padding is nobody's business, also where it looks like something that breaks libfcgi.
    *(Row(f"{what} as padding behind {name}", padded(name, padding), answered(405))
      for name in PADDED for what, padding in HOSTILE_PADDING.items()),
    Row("params in records of one byte", request("/healthz", piece=1), answered()),
    Row("params in records of three bytes", request("/healthz", piece=3), answered()),
    Row("lengths of four bytes", request("/healthz", wide=True), answered()),
    Row("lengths of four bytes in records of one", request("/healthz", wide=True, piece=1),
        answered()),
    Row("empty names and values",
        begun(stream(PARAMS, encode_pairs([*environment("/healthz").items(), ("", ""), ("A", ""),
                                           ("", "b")])), record(STDIN)), answered()),
    Row("unknown flags and reserved bytes",
        record(BEGIN_REQUEST, b"\0\1\xff\1\2\3\4\5") + GOOD[16:], answered()),
    Row("60 KiB of params", request("/healthz", extra={"HTTP_X_FILLER": "f" * 60 * 1024}),
        answered()),
    Row("60 KiB of params in a thousand names",
        request("/healthz", extra={f"HTTP_X_{i:04}": "f" * 50 for i in range(1000)}), answered()),
    Row("60 KiB of params, cut in the middle",
        split(request("/healthz", extra={"HTTP_X_FILLER": "f" * 60 * 1024}), 30000), answered()),
    Row("one after the other", [GOOD, 0.02, GOOD], answered(times=2)),
]

BODY_ROWS = [
    *(Row(f"a body of {size} bytes", post(size), answered(405))
      for size in (1, 8000, 8191, 8192, 8193, 20000, MAX_BODY - 1, MAX_BODY)),
    Row("a body in records of one byte", post(2000, piece=1), answered(405)),
    Row("a body in records of 32 KiB, as nginx sends it", post(MAX_BODY, piece=32768),
        answered(405)),
    *(Row(f"a body of {size} bytes, which is too much", post(size, path=NEVER),
          answered_then_closed(413))
      for size in (MAX_BODY + 1, 2 * MAX_BODY, 1024 * 1024)),
    Row("an empty body with CONTENT_LENGTH 0", request("/healthz", extra={"CONTENT_LENGTH": "0"}),
        answered()),
    Row("an empty body with an empty CONTENT_LENGTH",
        request("/healthz", extra={"CONTENT_LENGTH": ""}), answered()),
    Row("a body one byte short", post(99, claimed="100", path=NEVER), closed),
    Row("a body that is missing", post(0, claimed="100", path=NEVER), closed),
    Row("a body one byte long", post(101, claimed="100", path=NEVER), refused),
    Row("a body without CONTENT_LENGTH", post(10, claimed="", path=NEVER), refused),
    *(Row(f"CONTENT_LENGTH {text!r}", post(10, claimed=text, path=NEVER), refused)
      for text in ("-10", "+10", " 10", "10 ", "0x0a", "ten", "10,10", "1e1",
                   "99999999999999999999")),
]

PIPELINE_ROWS = [
    Row("two requests in one write", GOOD + GOOD, answered_then_closed()),
    Row("two requests with bodies in one write", post(100) + post(100), answered_then_closed(405)),
    Row("ten requests in one write", GOOD * 10, answered_then_closed()),
    Row("a request and the first byte of another", GOOD + GOOD[:1], answered_then_closed()),
    Row("a request and half of another", GOOD + GOOD[:40], answered_then_closed()),
    Row("a request and garbage", GOOD + b"GET / HTTP/1.1\r\n\r\n", answered_then_closed()),
    Row("a request in two pieces and another behind it", [GOOD[:30], 0.004, GOOD[30:] + GOOD],
        answered_then_closed()),
]

# --- management records --------------------------------------------------------------------------

VALUES_ROWS = [
    Row("GET_VALUES", get_values(*THREE), values(*THREE)),
    Row("GET_VALUES for one", get_values("FCGI_MPXS_CONNS"), values("FCGI_MPXS_CONNS")),
    Row("GET_VALUES for nothing", get_values(), values()),
    Row("GET_VALUES for the unknown", get_values("FCGI_MAX_WISHES", "PATH"), values()),
    Row("GET_VALUES for the known and the unknown", get_values("X", "FCGI_MAX_REQS", ""),
        values("FCGI_MAX_REQS")),
    Row("GET_VALUES, a name six times", get_values(*["FCGI_MAX_CONNS"] * 6),
        values("FCGI_MAX_CONNS")),
    Row("GET_VALUES, each name a hundred times", get_values(*THREE * 100), values(*THREE)),
    Row("GET_VALUES with values", get_values(*THREE, value="7"), values(*THREE)),
    Row("GET_VALUES with a long name", get_values("N" * 5000, *THREE), values(*THREE)),
    Row("GET_VALUES with padding", get_values(*THREE, padding=255), values(*THREE)),
    Row("GET_VALUES byte by byte", bytewise(get_values(*THREE), 0.0005), values(*THREE)),
    Row("GET_VALUES of 65535 bytes", record(GET_VALUES, encode_pairs({"n" * 65527: ""}), 0),
        values()),
    Row("GET_VALUES twice in one write", get_values(*THREE) + get_values("FCGI_MAX_REQS"),
        values(*THREE, then=values("FCGI_MAX_REQS"))),
    Row("GET_VALUES and a request in one write", get_values(*THREE) + GOOD,
        values(*THREE, then=answered())),
    Row("GET_VALUES and a request byte by byte", bytewise(get_values(*THREE) + GOOD),
        values(*THREE, then=answered())),
    Row("GET_VALUES and half a request, then the rest",
        [get_values(*THREE) + GOOD[:20], 0.004, GOOD[20:]], values(*THREE, then=answered())),
    Row("GET_VALUES and garbage", get_values(*THREE) + b"garbage!", values(*THREE, then=closed)),
    Row("GET_VALUES between two requests", [GOOD, 0.02, get_values(*THREE)],
        lambda c: (check_status(c.read_answer(), 200), values(*THREE)(c))),
    Row("GET_VALUES with pairs beyond its end",
        record(GET_VALUES, b"\x7f\x7fFCGI_MAX_CONNS", 0), no_hang),
    Row("GET_VALUES with lengths beyond all numbers",
        record(GET_VALUES, b"\xff\xff\xff\xfe\xff\xff\xff\xfe" + b"x" * 30, 0), no_hang),
    Row("GET_VALUES cut off", [get_values(*THREE)[:-3], END_OF_FILE], closed),
    Row("GET_VALUES with a request's id", get_values(*THREE, request_id=1), closed),
]

# --- first records that are none -----------------------------------------------------------------

FIRST_ROWS = [
    *(Row(f"type {kind} with id {request_id}", first(kind, request_id), closed)
      for kind in (0, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 128, 255) for request_id in (0, 1)),
    Row("BEGIN_REQUEST with id 0", request(NEVER, request_id=0), closed),
    *(Row(f"version {version}", record(BEGIN_REQUEST, GOOD[8:16], version=version) + GOOD[16:],
          closed) for version in (0, 2, 255)),
    *(Row(f"BEGIN_REQUEST of {size} bytes",
          record(BEGIN_REQUEST, (GOOD[8:16] * 9000)[:size])
          + stream(PARAMS, NEVER_PAIRS) + record(STDIN), closed)
      for size in (0, 7, 9, 16, 65535)),
    *(Row(f"role {role}", begin(7, role=role) + stream(PARAMS, NEVER_PAIRS, 7)
          + record(STDIN, b"", 7), unknown_role(7))
      for role in (0, fcgi.AUTHORIZER, fcgi.FILTER, 4, 257, 65535)),
    Row("an unknown role without params", begin(7, role=fcgi.FILTER), unknown_role(7)),
    Row("an unknown role, not kept", begin(7, role=fcgi.FILTER, keep=False), unknown_role(7)),
    Row("HTTP", b"GET /never/acted/on HTTP/1.1\r\nHost: svc.test\r\n\r\n", closed),
    Row("TLS", bytes.fromhex("16030100a5010000a1030352"), closed),
    Row("zeros", b"\0" * 4096, closed),
    Row("ones", b"\1" * 4096, closed),
    Row("nothing at all", [END_OF_FILE], closed),
    Row("one byte", [b"\1", END_OF_FILE], closed),
    Row("half a header", [GOOD[:4], END_OF_FILE], closed),
    Row("ABORT of a request that is over", [GOOD, 0.02, abort()],
        lambda c: (check_status(c.read_answer(), 200), closed(c))),
]

# --- requests that break off, or are two ---------------------------------------------------------

BROKEN_ROWS = [
    Row("ABORT behind BEGIN", begun(abort()), closed),
    Row("ABORT between two params", within_params(abort()), closed),
    Row("ABORT before the end of params", begun(record(PARAMS, NEVER_PAIRS), abort()), closed),
    Row("ABORT behind the params", after_params(abort()), closed),
    Row("ABORT in the body", after_params(record(STDIN, b"half"), abort(), length=8), closed),
    Row("ABORT before the end of the body",
        after_params(record(STDIN, b"complete"), abort(), length=8), closed),
    Row("ABORT of another request in the params", within_params(abort(2)), closed),
    *(Row(f"an end of file behind byte {at}",
          [request(NEVER, method="POST", body=b"b" * 20)[:at], END_OF_FILE], closed)
      for at in (8, 16, 20, 24, 30, 24 + SPLIT_PARAMS - 5)),
    Row("an end of file at a pair's end",
        [begun(record(PARAMS, NEVER_PAIRS)), END_OF_FILE], closed),
    Row("an end of file behind the params", [after_params(), END_OF_FILE], closed),
    Row("an end of file in the body",
        [after_params(record(STDIN, b"half"), length=8), END_OF_FILE], closed),
    Row("an end of file before the end of the body",
        [after_params(record(STDIN, b"complete"), length=8), END_OF_FILE], closed),
    Row("a second BEGIN at once", begun(begin(), stream(PARAMS, NEVER_PAIRS), record(STDIN)),
        closed),
    Row("a second BEGIN in the params", within_params(begin()), closed),
    Row("a second BEGIN of another id in the params", within_params(begin(2)), closed),
    Row("a second BEGIN in the body",
        after_params(record(STDIN, b"half"), begin(), record(STDIN, b"half"), record(STDIN),
                     length=8), closed),
    Row("params of another id", within_params(record(PARAMS, b"\1\1AB", 2)), closed),
    Row("an empty record of another id", within_params(record(PARAMS, b"", 2)), closed),
    Row("a body of another id",
        after_params(record(STDIN, b"complete", 2), record(STDIN), length=8), closed),
    Row("a management record in the params", within_params(get_values(*THREE)), closed),
    Row("a management record in the body",
        after_params(record(STDIN, b"half"), get_values(*THREE), record(STDIN, b"half"),
                     record(STDIN), length=8), closed),
    Row("a body before the end of params",
        begun(record(PARAMS, NEVER_PAIRS), record(STDIN)), closed),
    Row("no params at all", begun(record(STDIN)), closed),
    Row("params behind their end",
        after_params(record(PARAMS, b"\1\1AB"), record(STDIN)), closed),
    Row("DATA", after_params(record(DATA, b"data"), record(DATA), record(STDIN)), closed),
    Row("an answer", after_params(record(END_REQUEST, b"\0" * 8), record(STDIN)), closed),
    Row("another version in the params",
        within_params(record(PARAMS, b"\1\1AB", version=2)), closed),
]

# --- lengths that cannot be ----------------------------------------------------------------------


def pair_of(name_length, value_length, sent=b"x" * 100):
    lengths = struct.pack("!II", name_length | 1 << 31, value_length | 1 << 31)
    return begun(stream(PARAMS, NEVER_PAIRS + lengths + sent), record(STDIN))


LENGTH_ROWS = [
    Row("a value of 1 GiB", pair_of(10, 1 << 30), closed),
    Row("a name of 1 GiB", pair_of(1 << 30, 10), closed),
    Row("a value of 1 GiB that is not sent",
        [begun(record(PARAMS, NEVER_PAIRS + struct.pack("!BI", 10, 1 << 31 | 1 << 30))),
         0.02, END_OF_FILE], closed),
    Row("the largest name and value", pair_of(0x7fffffff, 0x7fffffff), closed),
    Row("a sum beyond 31 bits", pair_of(0x7ffffffe, 0x7ffffffe), closed),
    Row("a sum that wraps to nothing", pair_of(0x7fffffff, 1), closed),
    Row("a value one byte longer than the params", pair_of(50, 51), closed),
    Row("a name without a value's length", begun(stream(PARAMS, NEVER_PAIRS + b"\5"),
                                                 record(STDIN)), closed),
    Row("half of a length of four bytes", begun(stream(PARAMS, NEVER_PAIRS + b"\x80\0"),
                                                record(STDIN)), closed),
    Row("more than 64 KiB of params",
        request(NEVER, extra={"HTTP_X_FILLER": "f" * 66000}), closed),
    Row("1 MiB of params", request(NEVER, extra={"HTTP_X_FILLER": "f" * 1024 * 1024}), closed),
    Row("more than 64 KiB of params in small records",
        request(NEVER, piece=100, extra={"HTTP_X_FILLER": "f" * 66000}), closed),
]

ROWS = {
    "good": GOOD_ROWS,
    "body": BODY_ROWS,
    "pipeline": PIPELINE_ROWS,
    "values": VALUES_ROWS,
    "first": FIRST_ROWS,
    "broken": BROKEN_ROWS,
    "length": LENGTH_ROWS,
}


def rows(*groups):
    return pytest.mark.parametrize(
        "row", [pytest.param(row, id=row.name) for group in groups for row in ROWS[group]])


def check_status(answer, status):
    assert answer is not None, "closed without an answer"
    assert answer.status == status


def answered_id(connection, request_id):
    check_status(connection.read_answer(request_id), 200)
    assert connection.request("/healthz").status == 200


# --- the pool, and what holds after each row -----------------------------------------------------


class Watched:
    """A pool of one worker, and what must be the same after each test."""

    def __init__(self, pool):
        self.pool = pool
        self.acted_on = 0
        self.meet_worker()

    def meet_worker(self):
        self.request()
        (self.worker,) = self.pool.wait_for_workers(1)
        self.descriptors = self.count_descriptors()

    def request(self):
        answer = self.pool.request("/healthz")
        assert answer.status == 200

    def count_descriptors(self):
        return len(os.listdir(f"/proc/{self.worker}/fd"))

    def memory_peak(self):
        """KiB that the worker's address space ever had."""
        status = Path(f"/proc/{self.worker}/status").read_text()
        return int(status.partition("VmPeak:")[2].split()[0])

    def check(self):
        self.request()
        worker = self.worker
        if self.pool.workers() != {worker}:
            self.meet_worker()  # or the next row would be blamed as well
        assert worker == self.worker, "the worker died"
        wait_until(lambda: self.count_descriptors() <= self.descriptors,
                   "the worker closes what was opened")
        # A 404 is what acting on it comes to; a refusal is logged with 400 or 413.
        found = self.pool.events("request", path=NEVER, status=404)
        before, self.acted_on = self.acted_on, len(found)
        assert self.acted_on == before, "acted on a broken request"


@pytest.fixture(scope="module", name="watched_pool")
def fixture_watched_pool(module_stack):
    return Watched(module_stack.start_pool(workers=1, log_requests="on", max_body=MAX_BODY))


@pytest.fixture(name="watched")
def fixture_watched(watched_pool):
    yield watched_pool
    watched_pool.check()


def play(watched, row):
    with watched.pool.connect() as connection:
        row.play(connection)
        row.then(connection)


@rows("good")
def test_answers_a_request_however_it_arrives(watched, row):
    play(watched, row)


@rows("body")
def test_P5_reads_a_body_to_its_end_or_drops_the_connection(watched, row):
    play(watched, row)


@rows("pipeline")
def test_answers_the_first_of_several_requests_and_closes(watched, row):
    play(watched, row)


@rows("values")
def test_P4_answers_get_values_itself(watched, row):
    play(watched, row)


@rows("first")
def test_P4_refuses_a_first_record_that_begins_nothing(watched, row):
    play(watched, row)


@rows("broken")
def test_P5_never_acts_on_a_request_that_breaks_off(watched, row):
    play(watched, row)


@rows("length")
def test_P4_refuses_lengths_that_cannot_be(watched, row):
    before = watched.memory_peak()
    play(watched, row)
    assert watched.memory_peak() - before < 256 * 1024, "memory was taken for what was not sent"


def test_P4_a_flood_of_get_values_is_cut_off(watched):
    """It broke once: one connection that went on asking kept its worker to itself."""
    with watched.pool.connect() as flooding:
        flooding.send(get_values() * 10_000)
        answers = flooding.read_rest()
        assert len(answers) < 10_000 * fcgi.HEADER.size
    # In turns, anybody may ask as often as he likes.
    with watched.pool.connect() as monitor:
        for _ in range(2000):
            monitor.send(get_values("FCGI_MAX_REQS"))
            assert monitor.read_record().kind == GET_VALUES_RESULT


def test_P11_what_is_refused_unread_stands_in_the_log_too(stack):
    """It broke once: a body too large or of a wrong length left no line."""
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


def test_P11_no_request_stands_in_the_log_unless_asked(stack):
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


def test_loses_no_byte_behind_get_values_that_came_in_pieces(watched):
    """What the worker takes out of the socket in one go ends where GET_VALUES ends.

    It broke once: the bytes behind it were taken out too, and then forgotten.
    """
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


def test_answers_head_without_a_body_but_with_its_length(watched):
    with watched.pool.connect() as connection:
        get = connection.request("/healthz")
        head = connection.request("/healthz", method="HEAD")
        assert head.body == b""
        assert head.headers == get.headers
        assert head.header("Content-Length") == str(len(get.body))
        assert connection.request("/healthz").body == get.body


def test_logs_no_refused_request_under_the_path_of_another(watched):
    """It broke once: the line named the path of the request before."""
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
    # Cut to fit, and never within a character.
    **{f"long, {width} bytes a character, from {len(start)}": start + character * 100
       for width, character in ((2, "é"), (3, "ビ"), (4, "🎬"))
       for start in ("/", "/x", "/xx", "/xxx")},
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_writes_each_line_of_the_log_as_json_whatever_the_path(watched, path):
    before = len(watched.pool.log.read_bytes())
    assert watched.pool.request(path).status == 404
    watched.request()
    # The line of a request is written behind its answer.
    written = lambda: watched.pool.log.read_bytes()[before:].split(b"\n")[:-1]  # noqa: E731
    wait_until(lambda: len(written()) >= 2, "a line for each request")
    for line in written():
        assert json.loads(line.decode("utf-8"))["event"] == "request", line


# --- garbage -------------------------------------------------------------------------------------


def garbage(dice):
    """Something that may once have been a request."""
    kind = dice.randrange(6)
    good = bytearray(request("/healthz", method="POST", body=dice.randbytes(dice.randrange(300)),
                             piece=dice.choice((1, 7, 100, 65535)), padding=dice.randrange(4)))
    if kind == 0:
        return dice.randbytes(dice.randrange(1, 2000))
    if kind == 1:  # some bytes are others
        for _ in range(dice.randrange(1, 6)):
            good[dice.randrange(len(good))] = dice.randrange(256)
    elif kind == 2:  # some bytes of the first two headers are others
        good[dice.randrange(24)] = dice.randrange(256)
    elif kind == 3:  # something is missing
        at = dice.randrange(len(good))
        del good[at:at + dice.randrange(1, 40)]
    elif kind == 4:  # something comes twice
        at = dice.randrange(len(good))
        good[at:at] = good[at:at + dice.randrange(1, 60)]
    else:  # records that are right each by itself
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


# --- a libfcgi that keeps its own input and output ------------------------------------------------

R_X86_64_RELATIVE = 8


def libfcgi_with_its_own(function, directory):
    """A copy of the libfcgi that the worker loads which calls that function of its own, whatever
    the program has, as one does that is linked with -Bsymbolic-functions."""
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
def test_does_not_come_up_with_a_libfcgi_that_does_by_itself(stack, function):
    """It broke once: the pool was ready, and the first request killed its worker; with a standard
    input that stays open, that worker waited for it, and nobody was told why."""
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


# --- many at once --------------------------------------------------------------------------------


def test_gives_everybody_their_own_answer_when_many_come_at_once(stack):
    """All of it lies on the sockets before the worker looks at any of them."""
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
    # A whole request whose peer is gone may be acted on: it cannot be told from one who waits.
    watched.acted_on = len(watched.pool.events("request", path=NEVER, status=404))
    watched.descriptors += 1  # the connection to the store
    watched.check()


# --- peers that say nothing, or hardly anything --------------------------------------------------


def test_a_hundred_requests_wait_for_no_silent_connection(watched):
    silent = [watched.pool.connect() for _ in range(50)]
    try:
        # All through the one worker that holds the silent ones too.
        for _ in range(100):
            watched.request()
        with watched.pool.connect() as kept:
            for _ in range(100):
                assert kept.request("/healthz").status == 200
        # The silent ones were not forgotten either.
        for connection in silent:
            assert connection.request("/healthz").status == 200
    finally:
        for connection in silent:
            connection.close()


# What each of them says before it falls silent. Requests that have begun are cut by read-timeout,
# connections without one by idle-timeout.
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


def test_P6_cuts_peers_that_fall_silent_and_serves_others_meanwhile(stack):
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


def test_P6_cuts_a_peer_that_dribbles_and_serves_others_meanwhile(stack):
    """Each byte comes soon enough; the request as a whole never does."""
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


def test_waits_for_no_peer_that_does_not_read(stack):
    """Its answers fill the socket; whoever comes after is served all the same."""
    watched = Watched(stack.start_pool(workers=1, write_timeout=100))
    with watched.pool.connect(patience=0.2) as deaf:
        sent = 0
        while sent < 5000:
            try:
                if not deaf.send(GOOD):
                    break  # cut, as it may be
            except fcgi.Silent:
                break  # and the worker stopped reading, as it may
            sent += 1
        for _ in range(20):
            watched.request()
    watched.check()
