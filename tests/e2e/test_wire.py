"""How a pool handles valid and invalid bytes on its socket.

The pool has one worker. After each row this worker must still answer a plain request and must not have more open
descriptors than before, so that a row that blocks or kills it is detected.
"""

import struct

import pytest

import fastcgi_client as fcgi
from fastcgi_client import (BEGIN_REQUEST, DATA, END_REQUEST, GET_VALUES, GET_VALUES_RESULT, PARAMS,
                            STDIN, abort, begin, encode_pairs, environment, record, request, stream)
from wire import (END_OF_FILE, GOOD, HOSTILE_PADDING, MAX_BODY, NEVER, NEVER_PAIRS, PADDED, THREE,
                  Row, Watched, aborted, after_params, answered, answered_id, answered_then_closed, begun,
                  bytewise, check_status, closed, first, get_values, no_hang, padded, post, refused,
                  split, unknown_role, unknown_type, values, within_params)


# --- good requests, however they arrive ----------------------------------------------------------

SPLIT = post(20)
SPLIT_PARAMS = len(encode_pairs(environment("/oembed", method="POST", body=b"b" * 20)))
# Offsets in SPLIT: in and around each header, in the first name's length, in names.
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
    # Padding is ignored, even if it resembles bytes that break libfcgi.
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

# --- invalid first records -----------------------------------------------------------------------

FIRST_ROWS = [
    *(Row(f"type {kind} with id {request_id}", first(kind, request_id), closed)
      for kind in (3, 4, 5, 6, 7, 8, 10, 11) for request_id in (0, 1)),
    *(Row(f"type {kind} with id 1", first(kind, 1), closed) for kind in (0, 12, 128, 255)),
    *(Row(f"type {kind} with id 0", first(kind, 0), unknown_type(kind)) for kind in (0, 12, 128, 255)),
    *(Row(f"type {kind} with id 0 and half a request, then the rest",
          [first(kind, 0) + GOOD[:20], 0.004, GOOD[20:]], unknown_type(kind, then=answered()))
      for kind in (0, 12, 255)),
    Row("ABORT with id 0", abort(0), closed),
    Row("ABORT of a request that never began, and a request", abort() + GOOD, answered()),
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
        lambda c: answered_id(c, 1)),
]

# --- incomplete requests, and requests that contain a second one ---------------------------------

BROKEN_ROWS = [
    Row("ABORT behind BEGIN", begun(abort()), aborted()),
    Row("ABORT behind BEGIN, and a request", begun(abort()) + GOOD, aborted(then=answered())),
    Row("ABORT behind BEGIN, not kept", begin(keep=False) + abort(), aborted(then=closed)),
    Row("ABORT between two params", within_params(abort()), aborted(then=closed)),
    Row("ABORT before the end of params", begun(record(PARAMS, NEVER_PAIRS), abort()), aborted()),
    Row("ABORT behind the params", after_params(abort()), aborted()),
    Row("ABORT in the body", after_params(record(STDIN, b"half"), abort(), length=8), aborted()),
    Row("ABORT before the end of the body",
        after_params(record(STDIN, b"complete"), abort(), length=8), aborted()),
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

# --- invalid lengths -----------------------------------------------------------------------------


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
def test_answers_a_request_in_any_pieces(watched, row):
    play(watched, row)


@rows("body")
def test_operations_P5_reads_a_body_completely_or_drops_the_connection(watched, row):
    play(watched, row)


@rows("pipeline")
def test_answers_the_first_of_several_requests_and_closes(watched, row):
    play(watched, row)


@rows("values")
def test_operations_P4_answers_get_values(watched, row):
    play(watched, row)


@rows("first")
def test_operations_P4_refuses_an_invalid_first_record(watched, row):
    play(watched, row)


@rows("broken")
def test_operations_P5_never_processes_an_incomplete_request(watched, row):
    play(watched, row)


@rows("length")
def test_operations_P4_refuses_invalid_lengths(watched, row):
    before = watched.memory_peak()
    play(watched, row)
    assert watched.memory_peak() - before < 256 * 1024, "memory was allocated for bytes that were not sent"


def test_operations_P4_a_flood_of_get_values_is_cut_off(watched):
    """Otherwise a single connection could occupy the worker."""
    with watched.pool.connect() as flooding:
        flooding.send(get_values() * 10_000)
        answers = flooding.read_rest()
        assert len(answers) < 10_000 * fcgi.HEADER.size
    # A client that waits for each reply may repeat GET_VALUES without limit.
    with watched.pool.connect() as monitor:
        for _ in range(2000):
            monitor.send(get_values("FCGI_MAX_REQS"))
            assert monitor.read_record().kind == GET_VALUES_RESULT
