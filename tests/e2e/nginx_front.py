"""nginx_front: an nginx with the shipped files, echoing pools, and checks of its errors."""

import base64
import contextlib
import hashlib
import json
import re
import socket
import threading
import xml.etree.ElementTree

import fastcgi_client as fcgi
from hosts import tables
from processes import free_port, wait_until
from shipped_nginx import REPOSITORY, put

# Not shipped.
SOON = """
location = /too-fast    { return 429; }
location = /too-many    { return 503; }
location = /settings/too-fast { return 429; }
"""


POOLS = tuple(dict.fromkeys(row["role"] for row in tables()["routes"] if row["role"] != "each"))


class EchoPool:
    """A pool's replacement at its socket, which responds with the parameters and the body of the request."""

    def __init__(self, path, forget=0):
        self.forget = forget  # the number of requests that are read and then dropped, as by a worker's death
        # Replaces the echo: a text, or a function of the parameters; "" means that the pool does not respond.
        self.answer = None
        self.answered = threading.Event()
        self.seen = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            while True:
                kept, pairs, body = False, b"", b""
                while True:
                    header = stream.read(fcgi.HEADER.size)
                    if len(header) < fcgi.HEADER.size:
                        return
                    _, kind, _, length, padding = fcgi.HEADER.unpack(header)
                    content = stream.read(length + padding)[:length]
                    if kind == fcgi.BEGIN_REQUEST:
                        kept = bool(content[2] & fcgi.KEEP_CONN)
                    elif kind == fcgi.PARAMS:
                        pairs += content
                    elif kind == fcgi.STDIN and content:
                        body += content
                    elif kind == fcgi.STDIN:
                        break
                parameters = fcgi.decode_pairs(pairs)
                self.seen.append(dict(parameters))
                if len(self.seen) <= self.forget:
                    return
                text = "Content-Type: text/plain\r\n\r\n" + json.dumps(
                    {"parameters": parameters, "body": body.decode(), "kept": kept})
                if self.answer is not None:
                    text = self.answer(dict(parameters)) if callable(self.answer) else self.answer
                if not text:
                    stream.read(1)  # until nginx closes the connection
                    return
                with contextlib.suppress(ConnectionError):
                    connection.sendall(fcgi.stream(fcgi.STDOUT, text.encode())
                                       + fcgi.record(fcgi.END_REQUEST, bytes(8)))
                    self.answered.set()
                if not kept:
                    return

    def close(self):
        self.listener.close()


# Some of those in Debian's nginx.conf.
TYPES = "types { text/html html; text/xml xml; application/json json; image/x-icon ico; }\n"


class Front:
    """nginx with the shipped files, and an EchoPool for each pool."""

    def __init__(self, stack, site="four", text=None, **forget):
        self.stack = stack
        self.pools = {name: EchoPool(stack.directory / f"{name}.sock", forget.get(name, 0))
                      for name in POOLS}
        self.tls_port = free_port()
        self.nginx = stack.start_nginx(lambda port: TYPES + put(
            stack.directory, self.tls_port, clear=port, site=site, text=text,
            # Errors that nginx otherwise returns only under load.
            change=lambda text: text + SOON if text.startswith("# svc-paths-app:") else text))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pool in self.pools.values():
            pool.close()

    def echo(self, target, **how):
        answer = self.nginx.request(target, **how)
        assert answer.status == 200, answer
        got = json.loads(answer.body)
        pairs, got["parameters"] = got["parameters"], dict(got["parameters"])
        assert len(pairs) == len(got["parameters"]), f"a name twice in {pairs}"
        return got

    def access_log(self, lines):
        file = self.stack.directory / "svc-access.log"
        return wait_until(lambda: len(text := file.read_text().splitlines()) >= lines and text,
                          "access log lines")


# The codes of the data API (api-N3) for what nginx itself refuses.
API_CODES = {400: "invalid_request", 404: "not_found", 405: "method_not_allowed", 413: "too_large", 414: "invalid_request",
             429: "slow_down", 502: "temporarily_unavailable", 503: "temporarily_unavailable", 504: "temporarily_unavailable",
             507: "insufficient_storage"}


# Those of RFC 6749; 429 and 5xx are temporary.
OAUTH_CODES = {400: "invalid_request", 404: "invalid_request", 405: "invalid_request", 413: "invalid_request", 414: "invalid_request"}


def check_refusal(answer, status, words, form=None):
    """Checks an error: JSON or XML for data, HTML for pages; Retry-After if it is temporary, and no caching."""
    assert answer.status == status
    if status == 429 or status >= 502:
        assert int(answer.header("retry-after")) >= 1
    assert answer.header("cache-control") == "no-store"
    assert answer.header("x-content-type-options") == "nosniff"
    assert b"nginx" not in answer.body
    form = form or ("json" if isinstance(words, dict) else "html")
    if form == "json":
        assert answer.header("content-type") == "application/json; charset=utf-8"
        # The path and the method decide (oauth-P7).
        assert answer.header("access-control-allow-origin") in ("*", None)
        assert json.loads(answer.body) == words
    elif form in ("api", "oauth"):
        assert answer.header("content-type") == "application/json; charset=utf-8"
        # Of OAuth, the origin that asks (oauth-P7).
        assert form == "oauth" or answer.header("access-control-allow-origin") in ("*", None)
        code = API_CODES[status] if form == "api" else OAUTH_CODES.get(status, "temporarily_unavailable")
        assert re.fullmatch("[0-9a-f]{32}", answer.header("x-request-id"))
        assert json.loads(answer.body) == {"error": code, "error_description": words["error"],
                                           "request_id": answer.header("x-request-id")}
    elif form == "xml":
        assert answer.header("content-type") == "text/xml; charset=utf-8"
        assert answer.header("access-control-allow-origin") == "*"
        error = xml.etree.ElementTree.fromstring(answer.body)
        assert (error.tag, error.text, len(error)) == ("error", words["error"], 0)
    else:
        assert answer.header("content-type") == "text/html; charset=utf-8"
        assert answer.header("access-control-allow-origin") is None
        check_page(answer, words)


def declared(style, *selectors):
    """The declarations of these selectors in a style sheet without nested rules."""
    rules = {selector.strip(): body for selector, body in re.findall(r"(?m)^([^{}@]+){([^{}]*)}", style)}
    pairs = (each.split(":", 1) for selector in selectors for each in rules[selector].split(";") if ":" in each)
    return {name.strip(): " ".join(value.split()) for name, value in pairs}


def check_page(answer, words):
    """Checks our error page: its only style is allowed by its hash, in light and dark, and it loads nothing."""
    page = answer.body.decode()
    assert words in page
    (style,) = re.findall(r"(?s)<style>(.*)</style>", page)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert answer.header("content-security-policy") == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    # Its colours are the same as in our stylesheet.
    ours = (REPOSITORY / "worker/pages/assets/site.css").read_text()
    light, dark = (dict(re.findall(r"--(\w+):\s*(#\w+)", half)) for half in style.split("prefers-color-scheme:dark"))
    for theirs, half in zip((light, dark), ours.split("prefers-color-scheme: dark")):
        known = {name: value.replace("#ffffff", "#fff") for name, value in re.findall(r"--(\w+):\s*(#\w+)", half)}
        assert theirs and theirs.items() <= known.items()
    # In the frame of a player it is as a worker's notice.
    ours = (REPOSITORY / "nginx/player/src/frame.css").read_text()
    notice = declared(ours, ".svc_frame", ".svc_problem")
    assert notice.items() <= declared(style, "*", "body", ".frame main").items()
    assert declared(ours, "body")["background"] == declared(style, ".frame")["background"]
    assert declared(ours, ".svc_problem code") == declared(style, ".frame main code")
    assert not re.search(r"<(script|link|img)|\bsrc=|url\(", page)
    # Its parts are those of the frame of our pages.
    ours = (REPOSITORY / "worker/pages/templates/page_frame.tpl").read_text()
    for part in ('<body class="', '<main id="content">', *(['<header class="top"><div class="bar">'] if 'class="top"' in page else [])):
        assert part in page and part.replace("><", ">\n<") in ours.replace("><", ">\n<"), part
    assert re.search(r"Request <code>[0-9a-f]{32}</code>", page)
    assert answer.header("referrer-policy") == "no-referrer"
    # A cross-origin isolated page shows it in the frame of a player.
    assert answer.header("cross-origin-embedder-policy") == "require-corp"
    assert answer.header("cross-origin-resource-policy") == "cross-origin"


AWAY = {"error": "temporarily unavailable"}
AWAY_PAGE = "<h1>Not available just now</h1>"
