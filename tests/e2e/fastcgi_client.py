"""fastcgi_client: a small FastCGI 1.0 client for tests.

It builds requests record by record, so that a test can send a part of one, and it reads the response so.
The numbers in parentheses are sections of the FastCGI 1.0 specification. All waits are limited: if a peer is
silent for PATIENCE seconds, the client raises Silent.
"""

import dataclasses
import socket
import struct

from processes import PATIENCE

VERSION = 1
HEADER = struct.Struct("!BBHHBx")  # version, type, request id, content length, padding (3.3)

# Types of records (8).
(BEGIN_REQUEST, ABORT_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT, STDERR, DATA, GET_VALUES,
 GET_VALUES_RESULT, UNKNOWN_TYPE) = range(1, 12)
# The role (5.1), and the protocol status of END_REQUEST (5.5).
RESPONDER = 1
REQUEST_COMPLETE = 0

KEEP_CONN = 1


class Silent(Exception):
    """The peer neither responded nor closed the connection."""


class Broken(Exception):
    """The peer closed the connection during a response, or sent something else than a response."""


# --- bytes out ---------------------------------------------------------------------------------


def record(kind, content=b"", request_id=1):
    return HEADER.pack(VERSION, kind, request_id, len(content), 0) + content


def begin(request_id=1, *, keep=True):
    flags = KEEP_CONN if keep else 0
    return record(BEGIN_REQUEST, struct.pack("!HB5x", RESPONDER, flags), request_id)


def encode_length(number):
    """Returns the encoded length of a name or value (3.4): one byte below 128, otherwise four."""
    return bytes([number]) if number < 128 else struct.pack("!I", number | 0x80000000)


def encode_pairs(pairs):
    out = b""
    for name, value in pairs.items():
        name, value = _bytes(name), _bytes(value)
        out += encode_length(len(name)) + encode_length(len(value)) + name + value
    return out


def stream(kind, content, request_id=1, *, piece=65535):
    """Returns a complete stream: the content in records of at most `piece` bytes, and the empty record."""
    out = b"".join(record(kind, content[at:at + piece], request_id) for at in range(0, len(content), piece))
    return out + record(kind, b"", request_id)


def environment(path, query="", *, method="GET", body=b"", extra=()):
    """Returns the parameters that nginx sends, as a dict. `extra` replaces or adds parameters; None removes one."""
    pairs = {
        "REQUEST_METHOD": method,
        "QUERY_STRING": query,
        "REMOTE_ADDR": "127.0.0.1",
        "REQUEST_SCHEME": "http",
        "HTTP_HOST": "svc.test",
        "REQUEST_ID": "0123456789abcdef0123456789abcdef",
        "DOCUMENT_URI": path,
    }
    if body:
        pairs["CONTENT_LENGTH"] = str(len(body))
        pairs["CONTENT_TYPE"] = "application/octet-stream"
    pairs.update(dict(extra))
    return {name: value for name, value in pairs.items() if value is not None}


def request(path, query="", *, method="GET", body=b"", extra=(), keep=True, request_id=1):
    """Returns a complete request, in nginx's order."""
    pairs = encode_pairs(environment(path, query, method=method, body=body, extra=extra))
    return begin(request_id, keep=keep) + stream(PARAMS, pairs, request_id) + stream(STDIN, body, request_id)


# --- bytes in ----------------------------------------------------------------------------------


def decode_pairs(content):
    """Returns the name-value pairs of a record, as a list, so that repeated names are visible."""
    pairs, at = [], 0

    def take(count):
        nonlocal at
        if at + count > len(content):
            raise Broken("a name-value pair is longer than its record")
        at += count
        return content[at - count:at]

    def take_length():
        first = take(1)
        return first[0] if first[0] < 128 else struct.unpack("!I", first + take(3))[0] & 0x7fffffff

    while at < len(content):
        name, value = take_length(), take_length()
        pairs.append((take(name).decode(), take(value).decode()))
    return pairs


@dataclasses.dataclass(frozen=True)
class Record:
    kind: int
    request_id: int
    content: bytes

    @property
    def protocol_status(self):
        """The protocol status of an END_REQUEST."""
        return self.content[4]


@dataclasses.dataclass(frozen=True)
class Answer:
    """One response, by FastCGI or by HTTP. Header names are in lower case."""
    status: int
    headers: dict
    body: bytes

    def header(self, name):
        return self.headers.get(name.lower())


def parse_answer(text):
    """Parses the contents of STDOUT: a CGI head, an empty line, a body."""
    head, separator, body = text.partition(b"\r\n\r\n")
    if not separator:
        raise Broken(f"no end of the head in {text[:200]!r}")
    status, headers = 200, {}
    for line in head.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise Broken(f"a line of the head is no header: {line!r}")
        name = name.decode("ascii").lower()
        value = value.strip().decode("latin-1")
        if name == "status":
            status = int(value.split()[0])
        elif name in headers:
            headers[name] += ", " + value
        else:
            headers[name] = value
    return Answer(status, headers, body)


class Connection:
    """One connection to a pool. It stays open until either side closes it."""

    def __init__(self, path, patience=PATIENCE):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self.socket.settimeout(patience)
        self.socket.connect(str(path))
        self._seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        """Returns false if the peer closed the connection before it read everything; earlier responses can still be
        read."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        except TimeoutError as error:
            raise Silent("the peer does not read") from error
        return True

    def request(self, path, query="", **how):
        """Sends a request and reads its response."""
        self.send(request(path, query, **how))
        return self.read_answer(how.get("request_id", 1))

    def read_record(self):
        """Returns the next record, or None at the end of file."""
        header = self._take(HEADER.size)
        if header is None:
            return None
        version, kind, request_id, length, padding = HEADER.unpack(header)
        if version != VERSION:
            raise Broken(f"a record of version {version}")
        content = self._take(length + padding) if length + padding else b""
        if content is None:
            raise Broken("closed within a record")
        return Record(kind, request_id, content[:length])

    def read_answer(self, request_id=1):
        """Returns the response up to its END_REQUEST, or None if the peer closed the connection before its first
        byte."""
        out, begun = b"", False
        while True:
            came = self.read_record()
            if came is None:
                if begun:
                    raise Broken(f"closed within an answer, behind {out!r}")
                return None
            begun = True
            if came.request_id != request_id:
                raise Broken(f"a record of request {came.request_id}")
            if came.kind == STDOUT:
                out += came.content
            elif came.kind == STDERR:
                if came.content:
                    raise Broken(f"something on STDERR: {came.content!r}")
            elif came.kind == END_REQUEST:
                if came.protocol_status != REQUEST_COMPLETE:
                    raise Broken(f"END_REQUEST with protocol status {came.protocol_status}")
                return parse_answer(out)
            else:
                raise Broken(f"a record of type {came.kind} within an answer")

    def read_rest(self):
        """Returns everything up to the end of file."""
        rest = self._seen
        self._seen = b""
        while piece := self._receive():
            rest += piece
        return rest

    def _take(self, count):
        """Returns `count` bytes, or None at an end of file before the first byte."""
        while len(self._seen) < count:
            piece = self._receive()
            if not piece:
                if self._seen:
                    raise Broken(f"closed within a record, behind {self._seen!r}")
                return None
            self._seen += piece
        taken, self._seen = self._seen[:count], self._seen[count:]
        return taken

    def _receive(self):
        try:
            return self.socket.recv(65536)
        except ConnectionResetError:
            return b""  # the peer closed the connection with unread bytes
        except TimeoutError as error:
            raise Silent("the peer neither answers nor closes") from error


def _bytes(text):
    return text if isinstance(text, bytes) else str(text).encode()
