"""A request body must never be interpreted as another user's request.

libfcgi reads 8192 bytes at a time. If a worker responds without having read the body and keeps the connection open, the
bytes after the last read become the next records on it. A client that chose these bytes could forge any parameter, for
example REMOTE_USER. The bodies here consist of such records, at different offsets, so that a record begins wherever a
reader may stop.
"""

import http.client
import urllib.parse

import pytest

from fastcgi_client import PARAMS, STDIN, begin, encode_pairs, record, stream
from processes import PATIENCE

MAX_BODY = 65536
READ_SIZE = 8192  # bytes; libfcgi

# The request that the attacker wants to be processed, in as few bytes as possible. nginx's requests have id 1, too.
FORGED = (begin() + stream(PARAMS, encode_pairs({
    "REQUEST_METHOD": "GET", "DOCUMENT_URI": "/healthz", "REMOTE_USER": "admin"}))
    + record(STDIN))
FORGED_ANSWER = b'{"status":"ok"}'

# Below and above max-body; the second size spans several reads.
SIZES = {"two reads": 2 * READ_SIZE, "as large as allowed": MAX_BODY, "too large": MAX_BODY + 5000}

# Passes bodies on, which no location of ours for GET does, and keeps connections to the pool open.
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
    """Returns `shift` bytes, followed by copies of the forged request."""
    copies = (size - shift) // len(FORGED) + 1
    return (b"x" * shift + FORGED * copies)[:size]


def honest(number):
    """Returns a request whose response is recognisable: its width is the number."""
    url = urllib.parse.quote("https://acme.svc.localhost/medias/l4unchf1lm", safe="")
    return "/oembed", f"url={url}&width={number}"


@pytest.fixture(scope="module", name="pool")
def fixture_pool(module_stack):
    module_stack.import_catalog()
    # With a single worker the log is complete up to the last response.
    return module_stack.start_pool(workers=1, log_requests="on", max_body=MAX_BODY)


@pytest.fixture(scope="module", name="nginx")
def fixture_nginx(module_stack, pool):
    return module_stack.start_nginx(
        lambda port: NGINX.format(socket=pool.socket, port=port))


@pytest.fixture(autouse=True)
def _nothing_was_forged(request, pool):
    """Only the control test leaves an entry for the forged request in the request log."""
    before = len(pool.events("request", path="/healthz"))
    yield
    assert pool.request(*honest(640)).status == 200
    expected = 1 if "genuine" in request.node.name else 0
    assert len(pool.events("request", path="/healthz")) - before == expected


def test_the_forged_bytes_are_a_genuine_request_on_their_own(pool):
    """The control: at the start of a record these bytes are a valid request."""
    with pool.connect() as connection:
        assert connection.request(*honest(640)).status == 200
        connection.send(FORGED)
        assert connection.read_answer().body == FORGED_ANSWER


class Browser:
    """A keep-alive connection to nginx. nginx itself chooses its connection to the pool."""

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
def test_operations_P5_every_request_gets_its_own_response_after_an_attack_through_nginx(pool, nginx, size):
    widths = range(200, 207)
    own = {width: pool.request(*honest(width)).body for width in widths}
    assert len(set(own.values())) == len(widths)
    browser = Browser(nginx.port)
    # Beyond max-body the pool responds with 413 and closes. nginx is still sending, and may only see the close.
    statuses = {413, 502} if size > MAX_BODY else {405}
    for shift in range(len(FORGED)):
        status, body = browser.ask("POST", "/oembed", body=body_of(size, shift))
        assert status in statuses
        assert FORGED_ANSWER not in body
        # nginx reuses its most recent connection, which is the attacked one.
        for width in (widths[shift % 7], widths[(shift + 3) % 7]):
            assert browser.ask("GET", *honest(width)) == (200, own[width])
    # Several in parallel, so that every keep-alive connection is used.
    many = [Browser(nginx.port) for _ in range(8)]
    for width, other in zip([*widths, 200], many):
        assert other.ask("GET", *honest(width)) == (200, own[width])
