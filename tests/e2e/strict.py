"""strict: strict parsers for the service's responses.

The checks are about form and do not depend on the request. A response that carries a byte of the request in a wrong
place has an additional element, attribute, key or header, or one that the patterns below do not allow.
"""

import json
import re
import subprocess
import urllib.parse
import xml.parsers.expat

import html5lib

from stack import EMBED_HOST, HOSTS

KEYS = ["version", "type", "html", "width", "height", "provider_name", "provider_url", "title", "thumbnail_url",
        "thumbnail_width", "thumbnail_height", "player_color", "duration", "cache_age"]

# All headers of the service's responses; nginx adds the first four.
HEADERS = {"server", "date", "connection", "transfer-encoding", "content-type", "content-length", "cache-control",
           "etag", "allow", "retry-after", "vary", "access-control-allow-origin", "access-control-allow-methods",
           "access-control-allow-headers", "access-control-max-age", "timing-allow-origin",
           "cross-origin-resource-policy", "cross-origin-embedder-policy",
           "x-content-type-options", "x-frame-options", "content-security-policy", "referrer-policy"}

ERRORS = {
    400: {"callback must be JavaScript identifiers joined by dots"},
    404: {"the parameter url is missing", "url is not the URL of a media or playlist here",
          "no such media or playlist", "no such media", "not found"},
    405: {"method not allowed", "method not allowed, use one of GET, HEAD, OPTIONS",
          "method not allowed, use one of GET, HEAD"},
    501: {"unknown format, use json or xml", "open_graph_tags are for single media only",
          "the media has no embed code", "the playlist has no video to embed", "the media has no manifest",
          "nothing to play"},
    503: {"temporarily unavailable"},
}

# --- heads and data ------------------------------------------------------------------------------


def check_head(answer):
    assert set(answer.headers) <= HEADERS, set(answer.headers) - HEADERS
    for name, value in answer.headers.items():
        assert value.isascii() and value.isprintable(), (name, value)


def _no_double(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key twice: {keys}"
    return dict(pairs)


def read_json(body):
    """Parses JSON that is safe in a page: neither markup nor a line end of a script may appear in it."""
    text = body.decode("utf-8")
    for character in text:
        assert character not in "<>&\x7f\u2028\u2029" and character >= " ", f"{character!r} in {text[:300]}"
    return json.loads(text, object_pairs_hook=_no_double, parse_constant=_refuse_constant)


def _refuse_constant(name):
    raise AssertionError(f"{name} is no JSON")


def read_xml(body, *, xmllint=False):
    """Returns the root's name, the (name, text) of its children, and its own text; allows only elements and text."""
    text = body.decode("utf-8")
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    assert "<!" not in text and text.count("<?") == 1
    if xmllint:  # checked by a second parser
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--pedantic", "-"], input=body, capture_output=True,
                              check=False)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr
    path, children, root = [], [], []

    def start(name, attributes):
        assert not attributes and len(path) < 2, (name, attributes)
        path.append(name)
        if len(path) == 2:
            children.append([name, ""])

    def data(text):
        if len(path) == 2:
            children[-1][1] += text
        else:
            root.append(text)

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler, parser.CharacterDataHandler = start, data
    ends = []
    parser.EndElementHandler = lambda name: (ends.append(name), path.pop())
    parser.Parse(body, True)
    return ends[-1], [tuple(child) for child in children], "".join(root)


def check_error(answer, form):
    check_head(answer)
    if form == "xml":
        assert answer.header("Content-Type") == "text/xml; charset=utf-8"
        name, children, text = read_xml(answer.body)
        assert name == "error" and not children
    else:
        assert answer.header("Content-Type") == "application/json; charset=utf-8"
        error = read_json(answer.body)
        assert list(error) == ["error"]
        text = error["error"]
    # An exact text of ours, so that it cannot echo the request.
    assert text in ERRORS[answer.status], (answer.status, text)
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert answer.header("Access-Control-Allow-Origin") == "*" or answer.status == 405
    if answer.status in (400, 404, 501):  # cached, but only briefly
        assert re.fullmatch(r"public, max-age=\d{1,3}", answer.header("Cache-Control"))


def read_oembed(answer, form, callback=None, **how):
    """Returns the key-value pairs of a 200 response in any form; checks its html, too."""
    check_head(answer)
    assert answer.status == 200, answer
    assert answer.header("Access-Control-Allow-Origin") == "*"
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert re.fullmatch('W/"[0-9a-f]{16}"', answer.header("ETag"))
    body = answer.body
    if form == "xml":
        assert answer.header("Content-Type") == "text/xml; charset=utf-8"
        name, children, text = read_xml(body, **how)
        assert name == "oembed" and text.strip() == ""
        pairs = dict(children)
        assert len(pairs) == len(children)
    else:
        kind = "application/json"
        if form == "jsonp":
            kind = "application/javascript"
            head, tail = f"/**/{callback}(".encode(), b");"
            assert body.startswith(head) and body.endswith(tail), body[:200]
            body = body[len(head):-len(tail)]
        assert answer.header("Content-Type") == f"{kind}; charset=utf-8"
        pairs = read_json(body)
    assert list(pairs) == [key for key in KEYS if key in pairs] and list(pairs)[:3] == KEYS[:3]
    check_embed_code(pairs["html"])
    for key in ("width", "height", "thumbnail_width", "thumbnail_height"):
        assert key not in pairs or 1 <= int(pairs[key]) <= 400_000_000
    return pairs


# --- HTML ----------------------------------------------------------------------------------------


def parse_html(text, *, whole):
    """Returns the elements in order, as (name, attributes, text before the first child).

    html5lib parses as browsers do; each error that it reports is an error here."""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text), "a control character"
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(text) if whole else parser.parseFragment(text)
    # It also reports meaningless characters (C1, U+FFFE), which are harmless.
    errors = [error for error in parser.errors if error[1] != "invalid-codepoint"]
    assert not errors, (errors[:3], text[:500])
    return [(element.tag, dict(element.attrib), element.text or "") for element in tree.iter()
            if isinstance(element.tag, str) and element.tag != "DOCUMENT_FRAGMENT"]


def outline(elements):
    """Returns what input must not change: the elements and the names of their attributes."""
    return [(name, sorted(attributes)) for name, attributes, _ in elements]


ID = "[A-Za-z0-9]{1,64}"
OPTION = (r"(?:[A-Za-z]+|plugin(?:\[[\w.-]+\]){1,3}|videoOptions(?:\[[\w.-]+\]){1,3}"
          r"|media_\d+_\d+(?:\[[\w.-]+\]){1,3})")
VALUE = r"(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*"
SCRIPT = ["script", ["async", "src"]]
FRAME = ["iframe", sorted(["src", "title", "allow", "allowtransparency", "frameborder", "scrolling", "class", "name",
                           "msallowfullscreen", "width", "height"])]
BOX = ["div", ["class", "style"]]
LATIN1 = ["script", ["async", "charset", "src"]]
SHAPES = {
    "iframe": [FRAME, SCRIPT],
    "responsive iframe": [BOX, BOX, FRAME, SCRIPT],
    "async": [LATIN1, BOX],
    "responsive async": [LATIN1, BOX, BOX, BOX],
    "popover": [LATIN1, ["span", ["class", "style"]]],
    "playlist_api": [["div", ["class", "data-video-height", "data-video-width", "id", "style"]],
                     ["script", ["charset", "src"]], ["script", []]],
}
OPEN_GRAPH = ["title", "type", "url", "image", "image:width", "image:height", "video:secure_url", "video:url",
              "video:type", "video:width", "video:height", "site_name"]
SIZE = r"height:\d+px;width:\d+px|height:100%;width:100%"
HOST = re.escape(EMBED_HOST)
PATTERNS = {
    ("iframe", "src"): rf"{HOST}/embed/(?:iframe|playlists)/{ID}(?:\?{VALUE}={VALUE}(?:&{VALUE}={VALUE})*)?",
    ("iframe", "title"): "[^\"<>]*Video", ("iframe", "allow"): "autoplay; fullscreen",
    ("iframe", "allowtransparency"): "true", ("iframe", "frameborder"): "0", ("iframe", "scrolling"): "no",
    ("iframe", "class"): "svc_embed|svc_playlist", ("iframe", "name"): "svc_embed|svc_playlist",
    ("iframe", "msallowfullscreen"): "", ("iframe", "width"): r"\d+|100%", ("iframe", "height"): r"\d+|100%",
    ("script", "src"): rf"{HOST}/assets/external/(?:E|playlist)-v1\.js", ("script", "async"): "",
    ("script", "charset"): "ISO-8859-1",
    ("div", "class"): rf"svc_responsive_(?:padding|wrapper)|svc_embed(?: svc_async_{ID}(?: {OPTION}={VALUE})*)?",
    ("div", "style"): (rf"{SIZE}|width:\d+px;height:\d+px;|padding:\d+(?:\.\d\d?)?% 0 (?:0|28px) 0;position:relative;"
                       r"|height:100%;left:0;position:absolute;top:0;width:100%;"),
    ("span", "class"): rf"svc_embed svc_(?:async|playlist)_{ID} popover=true(?: {OPTION}={VALUE})*",
    ("span", "style"): rf"display:inline-block;(?:{SIZE})",
    ("div", "id"): f"svc_{ID}", ("div", "data-video-width"): r"\d+", ("div", "data-video-height"): r"\d+",
    ("meta", "property"): "og:(?:" + "|".join(OPEN_GRAPH) + ")",
}
CALL = re.compile(r'\n([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*) = svc\.playlist\("[A-Za-z0-9]{1,64}", (\{.*\})\);\n',
                  re.ASCII)


def check_embed_code(html):
    """Checks that a code has one of the contract's shapes and nothing else. Returns its elements."""
    elements = parse_html(html, whole=False)
    shape = [list(element) for element in outline(elements)]
    if shape[0][0] == "meta":
        tags = [attributes["property"] for _, attributes, _ in elements]
        assert tags == [f"og:{name}" for name in OPEN_GRAPH if f"og:{name}" in tags] and len(tags) >= 8, tags
        assert all(one == ["meta", ["content", "property"]] for one in shape)
        assert html.count("\n") == len(tags) - 1
    else:
        assert shape in SHAPES.values(), shape
        # Lines end only where the contract demands it, even if a title contains line ends.
        assert html.count("\n") == {"iframe": 1, "responsive iframe": 1, "playlist_api": 4}.get(
            next(name for name, one in SHAPES.items() if one == shape), 0)
    for name, attributes, text in elements:
        for attribute, value in attributes.items():
            if (name, attribute) != ("meta", "content"):
                assert re.fullmatch(PATTERNS[name, attribute], value, re.ASCII), (name, attribute, value)
        if name == "script" and "src" not in attributes:
            call = CALL.fullmatch(text)
            assert call, text
            for option in read_json(call.group(2).encode()):
                assert re.fullmatch(OPTION, option)
        elif name in ("div", "span") and "responsive" not in attributes["class"]:
            assert text == "\u00a0"
        else:
            assert text == "", (name, text)
    return elements


def options_of(html):
    """Returns the player options of an embed code of any kind; names are decoded, values are bytes."""
    for name, attributes, text in parse_html(html, whole=False):
        if name == "iframe":
            query = urllib.parse.urlsplit(attributes["src"]).query
            return {urllib.parse.unquote(key): urllib.parse.unquote_to_bytes(value)
                    for key, _, value in (pair.partition("=") for pair in query.split("&")) if key}
        words = attributes.get("class", "").split(" ")
        if any(word.startswith(("svc_async_", "svc_playlist_")) for word in words):
            return {key: urllib.parse.unquote_to_bytes(value)
                    for key, equals, value in (word.partition("=") for word in words) if equals}
        if name == "script" and "src" not in attributes:
            return {key: value.encode() for key, value in json.loads(CALL.fullmatch(text).group(2)).items()}
    return {}


# What gives the stage of a player its ratio.
EMPTY_PICTURE = re.compile(r"data:image/svg\+xml,%3Csvg%20xmlns=%22http://www\.w3\.org/2000/svg%22"
                           r"%20width=%22\d+%22%20height=%22\d+%22/%3E")


def read_page(answer, status=200):
    """Returns the elements of a page whose only scripts and frames are our own."""
    check_head(answer)
    assert answer.status == status, answer
    assert answer.header("Content-Type") == "text/html; charset=utf-8"
    assert answer.header("X-Content-Type-Options") == "nosniff"
    policy = answer.header("Content-Security-Policy")
    assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" not in policy
    elements = parse_html(answer.body.decode("utf-8"), whole=True)
    ours = tuple(f"{HOSTS[name]}/" for name in ("embed-host", "oembed-url", "app-url"))
    ids = {attributes.get("id") for _, attributes, _ in elements}
    for name, attributes, text in elements:
        assert not [attribute for attribute in attributes if attribute.startswith("on")], attributes
        assert "style" not in attributes and "srcdoc" not in attributes
        if name == "script" and attributes.get("type") == "application/ld+json":
            # Data, which no browser runs.
            assert set(attributes) == {"type"} and "<" not in text
            assert read_json(text.encode())["@type"] == "VideoObject"
        elif name == "script":
            assert text == "" and attributes["src"].startswith(f"{EMBED_HOST}/assets/")
        for attribute in ("src", "href", "poster"):
            value = attributes.get(attribute)
            own = value in ("data:,", "/") or re.fullmatch(r"#[A-Za-z]+", value or "") and value[1:] in ids
            own = own or name == "img" and EMPTY_PICTURE.fullmatch(value or "")
            assert value is None or value.startswith(ours) or own, (name, value)
        assert attributes.get("action") in (None, "/embed-codes#outcome")
    return elements
