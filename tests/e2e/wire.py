"""wire: FastCGI requests byte by byte, the expected responses, and a pool of one worker whose state is checked."""

import dataclasses
import os
import time
from pathlib import Path

import fastcgi_client as fcgi
from fastcgi_client import (END_REQUEST, GET_VALUES, GET_VALUES_RESULT, PARAMS, STDIN, UNKNOWN_TYPE,
                            begin, encode_pairs, environment, record, request, stream)
from processes import wait_until

MAX_BODY = 65536  # the configured max-body
END_OF_FILE = "end of file"

# Requests that must not be processed have this path, so that their processing would show in the request log.
NEVER = "/never/acted/on"
NEVER_PAIRS = encode_pairs(environment(NEVER))
GOOD = request("/healthz")


@dataclasses.dataclass
class Row:
    name: str
    send: object  # bytes, or a list of bytes, pauses in seconds, and END_OF_FILE
    then: object  # the expected reaction: a function that checks the connection

    def play(self, connection):
        for step in self.send if isinstance(self.send, list) else [self.send]:
            if step == END_OF_FILE:
                connection.half_close()
            elif isinstance(step, float):
                time.sleep(step)
            elif not connection.send(step):
                return  # closed already; an earlier response can still be read


# --- expected reactions --------------------------------------------------------------------------


def closed(connection):
    assert connection.read_rest() == b"", "closed, but after a response"


def answered(status=200, times=1):
    """A response, and the connection can be used for another request."""
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
    """A response or a closed connection after a body that contradicts CONTENT_LENGTH."""
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


def aborted(then=None):
    """END_REQUEST of an aborted request; the connection stays usable unless `then` checks something else."""
    def check(connection):
        came = connection.read_record()
        assert came is not None, "closed without an answer"
        assert (came.kind, came.request_id) == (END_REQUEST, 1)
        assert came.protocol_status == fcgi.REQUEST_COMPLETE
        if then is not None:
            then(connection)
            return
        check_status(connection.request("/healthz"), 200)
    return check


def unknown_type(kind, then=None):
    """FCGI_UNKNOWN_TYPE that names the type; the connection stays usable."""
    def check(connection):
        came = connection.read_record()
        assert came is not None, "closed without an answer"
        assert (came.kind, came.request_id, came.content) == (UNKNOWN_TYPE, 0, bytes([kind]) + b"\0" * 7)
        if then is not None:
            then(connection)
            return
        check_status(connection.request("/healthz"), 200)
    return check


def values(*names, then=None):
    """FCGI_GET_VALUES_RESULT with each of these names once; the connection stays usable."""
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
    """The connection ends, in whatever way."""
    connection.half_close()
    connection.read_rest()


# --- helpers of the table ------------------------------------------------------------------------


def first(kind, request_id):
    return record(kind, b"\0" * 8, request_id)


def begun(*rest):
    """A BEGIN_REQUEST, and then these records."""
    return begin() + b"".join(rest)


def within_params(*rest):
    half = len(NEVER_PAIRS) // 2
    return begun(record(PARAMS, NEVER_PAIRS[:half]), *rest,
                 record(PARAMS, NEVER_PAIRS[half:]), record(PARAMS), record(STDIN))


def after_params(*rest, length=None):
    pairs = environment(NEVER, method="POST", extra={"CONTENT_LENGTH": length})
    return begun(stream(PARAMS, encode_pairs(pairs)), *rest)


def post(size, *, piece=65535, claimed=None, path="/oembed", **how):
    """A POST to an endpoint that refuses it with 405 without reading the body."""
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
    """A POST with padding in exactly one place."""
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


def check_status(answer, status):
    assert answer is not None, "closed without an answer"
    assert answer.status == status


def answered_id(connection, request_id):
    check_status(connection.read_answer(request_id), 200)
    assert connection.request("/healthz").status == 200


# --- the pool, and its state after each row ------------------------------------------------------


class Watched:
    """A pool of one worker, and the state that must be the same after each test."""

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
        """Returns the highest size of the worker's address space so far, in KiB."""
        status = Path(f"/proc/{self.worker}/status").read_text()
        return int(status.partition("VmPeak:")[2].split()[0])

    def check(self):
        self.request()
        worker = self.worker
        if self.pool.workers() != {worker}:
            self.meet_worker()  # otherwise the next row would fail as well
        assert worker == self.worker, "the worker died"
        wait_until(lambda: self.count_descriptors() <= self.descriptors,
                   "the worker closes its descriptors")
        # A processed request is logged with 404, a refused one with 400 or 413.
        found = self.pool.events("request", path=NEVER, status=404)
        before, self.acted_on = self.acted_on, len(found)
        assert self.acted_on == before, "processed a broken request"
