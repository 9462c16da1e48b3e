"""A request body must never become somebody's request.

libfcgi reads 8192 bytes at a time. Where a worker answers without having read the body, and keeps
the connection, the bytes behind the last read are the next records on it, and the client chose
them: it may forge any parameter, REMOTE_USER too. The bodies here hold nothing but such records, so
often and at so many offsets that one of them lies wherever a reader may stop.
"""

import http.client
import json
import urllib.parse

import pytest

import fastcgi_client as fcgi
from fastcgi_client import PARAMS, STDIN, begin, encode_pairs, environment, record, stream
from processes import PATIENCE

MAX_BODY = 65536
READ_SIZE = 8192  # of libfcgi

# What the attacker wants answered, with as few bytes as possible. nginx's requests have id 1 too.
FORGED = (begin() + stream(PARAMS, encode_pairs({
    "REQUEST_METHOD": "GET", "DOCUMENT_URI": "/healthz", "REMOTE_USER": "admin"}))
    + record(STDIN))
FORGED_ANSWER = b'{"status":"ok"}'

# Below and above max-body; the middle one spans several reads.
SIZES = {"two reads": 2 * READ_SIZE, "as large as allowed": MAX_BODY, "too large": MAX_BODY + 5000}

# Passes bodies on, as no location of ours for GET does, and keeps connections.
NGINX = """
  upstream pool {{ server unix:{socket}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{port};
    client_max_body_size 1m;
    client_body_buffer_size 1m;
    location / {{
      fastcgi_pass pool;
      fastcgi_keep_conn on;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param DOCUMENT_URI $uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param REMOTE_ADDR $remote_addr;
      fastcgi_param REQUEST_SCHEME $scheme;
      fastcgi_param HTTP_HOST $host;
      fastcgi_param REQUEST_ID $request_id;
    }}
  }}
"""


def body_of(size, shift):
    """`shift` bytes, and then the forged request again and again."""
    copies = (size - shift) // len(FORGED) + 1
    return (b"x" * shift + FORGED * copies)[:size]


def honest(number):
    """A question whose answer is nobody else's: its width is the number."""
    url = urllib.parse.quote("https://acme.svc.localhost/medias/l4unchf1lm", safe="")
    return "/oembed", f"url={url}&width={number}"


@pytest.fixture(scope="module", name="pool")
def fixture_pool(module_stack):
    module_stack.import_catalog()
    # One worker, so that the log has everything that came before the last answer.
    return module_stack.start_pool(workers=1, log_requests="on", max_body=MAX_BODY)


@pytest.fixture(scope="module", name="nginx")
def fixture_nginx(module_stack, pool):
    return module_stack.start_nginx(
        lambda port: NGINX.format(socket=pool.socket, port=port))


@pytest.fixture(autouse=True)
def _nothing_was_forged(request, pool):
    """The log of requests has no line for the forged one, but where the test asked for it."""
    before = len(pool.events("request", path="/healthz"))
    yield
    assert pool.request(*honest(640)).status == 200
    expected = 1 if "genuine" in request.node.name else 0
    assert len(pool.events("request", path="/healthz")) - before == expected


def test_the_forged_bytes_are_answered_as_a_genuine_second_request(pool):
    """The control: where a record may begin, these bytes are a request."""
    with pool.connect() as connection:
        assert connection.request(*honest(640)).status == 200
        connection.send(FORGED)
        assert connection.read_answer().body == FORGED_ANSWER


def attack(size, shift):
    """The bytes that nginx would send, and where in them the forged requests begin."""
    body = body_of(size, shift)
    pairs = encode_pairs(environment("/oembed", method="POST", body=body))
    head = begin() + stream(PARAMS, pairs)
    sent = head + stream(STDIN, body, piece=32768)
    # Offsets in the first record of the body only, which is where the first reads end.
    first = len(head) + fcgi.HEADER.size + shift
    return sent, range(first, len(head) + 32768, len(FORGED))


def test_the_shifts_put_a_forged_request_behind_every_read():
    """The table below is only as good as this."""
    for size in SIZES.values():
        begins = set()
        for shift in range(len(FORGED)):
            begins |= set(attack(size, shift)[1])
        assert READ_SIZE in begins
        assert size < 3 * READ_SIZE or 2 * READ_SIZE in begins


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_P5_answers_an_attack_on_the_socket_once(pool, size):
    for shift in range(len(FORGED)):
        with pool.connect() as connection:
            connection.send(attack(size, shift)[0])
            answer = connection.read_answer()
            assert answer.status == (413 if size > MAX_BODY else 405)
            if size <= MAX_BODY:
                width = 100 + shift
                connection.send(fcgi.request(*honest(width)))
                assert json.loads(connection.read_answer().body)["width"] == width
            connection.half_close()
            assert connection.read_rest() == b"", "more answers than requests"


@pytest.mark.parametrize("claimed", ["", "0", "1", "8000", "8192"])
def test_answers_no_bytes_beyond_content_length(pool, claimed):
    """A front that miscounts, which nginx does not."""
    for shift in range(len(FORGED)):
        body = body_of(2 * READ_SIZE, shift)
        with pool.connect() as connection:
            connection.send(fcgi.request("/oembed", method="POST", body=body,
                                         extra={"CONTENT_LENGTH": claimed}))
            answer = connection.read_answer()
            assert answer is None or answer.status == 400
            assert connection.read_rest() == b""


class Browser:
    """One kept HTTP connection to nginx, which nginx maps to its kept connections as it likes."""

    def __init__(self, port):
        self.port = port
        self.connection = None

    def ask(self, method, path, query="", body=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.connection.request(method, f"{path}?{query}", body=body)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.will_close:
            self.connection.close()
            self.connection = None
        return answer.status, body


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_P5_gives_every_request_its_own_answer_after_an_attack_through_nginx(pool, nginx, size):
    widths = range(200, 207)
    own = {width: pool.request(*honest(width)).body for width in widths}
    assert len(set(own.values())) == len(widths)
    browser = Browser(nginx.port)
    # Beyond max-body the pool says 413 and closes; nginx, still sending, may see only the close.
    statuses = {413, 502} if size > MAX_BODY else {405}
    for shift in range(len(FORGED)):
        status, body = browser.ask("POST", "/oembed", body=body_of(size, shift))
        assert status in statuses
        assert FORGED_ANSWER not in body
        # nginx takes the connection that it used last, which is the attacked one.
        for width in (widths[shift % 7], widths[(shift + 3) % 7]):
            assert browser.ask("GET", *honest(width)) == (200, own[width])
    # Several at once, so that every kept connection is asked.
    many = [Browser(nginx.port) for _ in range(8)]
    for width, other in zip([*widths, 200], many):
        assert other.ask("GET", *honest(width)) == (200, own[width])
