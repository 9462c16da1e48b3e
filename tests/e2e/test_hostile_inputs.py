"""Tables of malicious requests and titles, sent through the shipped nginx, or directly to a worker if nginx would
reject or change them.

strict.py checks the properties of every response: each row is requested as JSON, JSONP and XML, and each response is
read by a strict parser. Unit tests have the tables of URLs, names, numbers and encodings.
"""

import itertools
import json
import random
import re
import urllib.parse

import pytest

import stack as stacks
import strict
from stack import EMBED_HOST
from strict import read_json, read_oembed, read_page

ACME = "https://acme.svc.localhost"
VIDEO = f"{ACME}/medias/l4unchf1lm"
PLAYLIST = f"{EMBED_HOST}/embed/playlists/pl4yl1st01"
FORMS = {"json": "/oembed?", "jsonp": "/oembed?callback=svc.cb&", "xml": "/oembed.xml?"}
KINDS = ["iframe", "async", "async_popover", "playlist_api", "playlist_popover", "open_graph_tags", "responsive"]


def quote(text):
    return urllib.parse.quote(text, safe="")


def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


class Worker:
    """Sends requests directly to the pool, as nginx would, with any bytes in the query."""

    def __init__(self, pool):
        self.pool = pool
        self.connection = None

    def request(self, target, *, method="GET", headers=()):
        """Returns None if a new connection is closed without a response. A kept one may have been idle for too long."""
        path, _, query = to_bytes(target).partition(b"?")
        extra = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in dict(headers).items()}
        is_new = self.connection is None
        self.connection = self.connection or self.pool.connect()
        answer = self.connection.request(urllib.parse.unquote_to_bytes(path), query, method=method, extra=extra)
        if answer is None:
            self.connection.close()
            self.connection = None
            if not is_new:
                return self.request(target, method=method, headers=headers)
        return answer


@pytest.fixture(scope="module", name="pool")
def fixture_pool(module_stack):
    module_stack.import_catalog()
    catalog = module_stack.directory / "hostile.jsonl"
    catalog.write_text("".join(json.dumps(line) + "\n" for line in hostile_catalog()))
    module_stack.import_catalog(catalog)
    return module_stack.start_pool(workers=2)


@pytest.fixture(scope="module", name="nginx")
def fixture_nginx(module_stack, pool):
    return module_stack.start_shipped_nginx() if pool else None


@pytest.fixture(scope="module", name="worker")
def fixture_worker(pool):
    worker = Worker(pool)
    yield worker
    if worker.connection:
        worker.connection.close()


def check(front, query, status, *, forms=("json", "jsonp", "xml"), **how):
    """Requests each form and checks its status. Returns the key-value pairs of the 200 responses by form."""
    found = {}
    for form in forms:
        answer = front.request(to_bytes(FORMS[form]) + to_bytes(query))
        assert answer is not None and answer.status == status, (form, query[:200], answer)
        if status == 200:
            found[form] = read_oembed(answer, form, "svc.cb", **how)
        else:
            strict.check_error(answer, form)
    if len(found) == 3:
        assert found["json"] == found["jsonp"]
    return found


# --- titles --------------------------------------------------------------------------------------

TITLES = [
    "\"><script>alert(1)</script>", "' onload='alert(1)", "\" onload=\"alert(1)", "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>", "</script><script>alert(1)//", "<!--<script>", "-->", "]]>",
    "<![CDATA[x]]>", "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>&e;", "<?xml version='1.0'?>",
    "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "&#34;&#62;&#x3c;", "&amp;quot;", "\\\"};alert(1);//",
    "\\u003cscript\\u003e", "*/alert(1);/*", "a\u2028b\u2029c", "a\nb\rc\r\nd\te", "a\0b", "a\x01b\x08c\x1bd\x7fe",
    "a\u0080b\u0085c\u009fd", "a\ufffeb\uffffc\U0001ffffd\ufdd0e", "\u202egnp.exe\u202c", "\ufeffa", "a\u200bb",
    "{{TITLE}}{{#X}}{{!y}}", "{{%AUTOESCAPE context=\"JS\"}}", "%s%n%22%3E", "${alert(1)}`", "=cmd|' /C calc'!A0",
    "javascript:alert(1)", " leading and trailing ", "", "\"" * 2048, "<" * 2048, "é" * 1024, "😀" * 512, "&" * 2048,
]


def hostile_catalog():
    """A media and a playlist for each title; everything else is as in the demonstration catalog."""
    records = [json.loads(line) for line in stacks.CATALOG.read_text().split("\n") if line]
    media = next(one for one in records if one.get("id") == "l4unchf1lm")
    playlist = next(one for one in records if one.get("id") == "pl4yl1st01")
    yield from (one for one in records if one["kind"] in ("account", "project", "media"))
    for number, title in enumerate(TITLES):
        yield {**media, "id": f"h0st1le{number}", "name": title}
        yield {**playlist, "id": f"h0st1le{number}", "name": title, "media_ids": [f"h0st1le{number}"]}
    yield {**playlist, "id": "pl41n", "media_ids": ["l4unchf1lm"]}


def subject_and_choice(number, kind):
    """Returns the query for this kind of code of a hostile media or playlist."""
    folder = "/embed/playlists/" if kind.startswith("playlist") else "/medias/"
    choice = "videoFoam=true" if kind == "responsive" else f"embedType={kind}"
    return f"url={quote(EMBED_HOST + folder + number)}&{choice}"


def drop(text, forbidden, by=""):
    return re.sub(f"[{forbidden}]", by, text)


@pytest.mark.parametrize("number", range(len(TITLES)))
def test_oembed_R5_a_title_cannot_escape_its_context_in_a_response(nginx, number):
    title = TITLES[number]
    for kind in KINDS:
        found = check(nginx, subject_and_choice(f"h0st1le{number}", kind), 200, xmllint=True)
        plain = subject_and_choice("pl41n" if kind.startswith("playlist") else "l4unchf1lm", kind)
        shape = strict.outline(strict.parse_html(check(nginx, plain, 200)["json"]["html"], whole=False))
        for form, pairs in found.items():
            # XML cannot represent these characters.
            expected = drop(title, "\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff") if form == "xml" else title
            assert pairs["title"] == expected
            assert strict.outline(strict.parse_html(pairs["html"], whole=False)) == shape


@pytest.mark.parametrize("number", range(len(TITLES)))
def test_oembed_R5_a_title_cannot_escape_its_context_on_a_page(nginx, number):
    title = drop(drop(TITLES[number], "\0-\x08\x0b-\x1f\x7f", "\ufffd"), "\t\n", " ") or "Video"
    for page, other in [(f"/medias/h0st1le{number}", "/medias/l4unchf1lm"),
                        (f"/embed/iframe/h0st1le{number}", "/embed/iframe/l4unchf1lm"),
                        (f"/embed/playlists/h0st1le{number}", "/embed/playlists/pl41n"),
                        (f"/embed-codes?url=h0st1le{number}", "/embed-codes?url=l4unchf1lm")]:
        elements = read_page(nginx.request(page))
        assert strict.outline(elements) == strict.outline(read_page(nginx.request(other)))
        if "embed-codes" not in page:
            (shown,) = [text for name, _, text in elements if name == "title"]
            assert shown == title
    for path in (f"/embed/medias/h0st1le{number}.json", f"/embed/playlists/h0st1le{number}.json"):
        answer = nginx.request(path)
        strict.check_head(answer)
        assert read_json(answer.body)["title"] == TITLES[number]
    manifest = nginx.request(f"/embed/medias/h0st1le{number}.m3u8")
    assert manifest.status == 200
    assert manifest.body == nginx.request("/embed/medias/l4unchf1lm.m3u8").body


# --- options -------------------------------------------------------------------------------------

# Values that would end an attribute, a word of a class, a string of a script, an element or a header.
VALUES = {
    "double quote": b'"', "single quote": b"'", "attribute": b'" onload="alert(1)', "attribute, single": b"' x='",
    "element": b'"><script>alert(1)</script>', "script's end": b"</script><script>alert(1)//",
    "comment": b"<!--<script>", "comment's end": b"-->", "CDATA's end": b"]]>", "entities": b"&quot;&gt;&#34;&#x3e;",
    "string's end": b'\\";alert(1);//', "escapes": b"\\u0022\\x22", "call's end": b"});alert(1);({",
    "backtick": b"`${1}`",
    "template": b"{{TITLE}}", "space": b"a b", "word": b" popover=true svc_async_x", "plus": b"+", "ampersand": b"&a=b",
    "percent": b"%", "percent twice": b"%2522%253E", "header": b"x\r\nSet-Cookie: a=b\r\n\r\n<script>", "tab": b"\t",
    "NUL": b"a\0b", "control": b"\x01\x08\x0b\x1b\x1f\x7f", "C1": "\u0080\u0085\u009f".encode(),
    "overlong": b"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "surrogates": b"\xed\xa0\x80\xed\xbf\xbf",
    "truncated": b"\xe2\x82", "too large": b"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80", "Latin-1": b"\xe9\xff\xfe",
    "separators": "\u2028\u2029".encode(), "not characters": "\ufffe\uffff".encode(), "from right": "\u202e".encode(),
    "script": b"javascript:alert(1)", "empty": b"", "long": b"\"<'>&" * 16,
}
CARRIED = ["playerColor", "stillUrl", "theme", "email", "plugin[a][b]", "videoOptions[volume]", "media_0_1[x]"]
# Parameters that are read but not carried, or ignored.
READ = ["width", "height", "maxwidth", "maxheight", "videoWidth", "videoHeight", "handle", "popover", "unknown", "_"]


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_oembed_O2_a_value_cannot_escape_its_context(nginx, value):
    given = "&".join(f"{quote(name)}={urllib.parse.quote_from_bytes(value, safe='')}" for name in CARRIED + READ)
    for kind in KINDS:
        url = PLAYLIST if kind.startswith("playlist") else VIDEO
        choice = "videoFoam=true" if kind == "responsive" else f"embedType={kind}"
        for form, pairs in check(nginx, f"url={quote(url)}&{choice}&{given}", 200).items():
            assert (pairs["title"], int(pairs["width"])) in (("Launch film", 640), ("The launch films", 640))
            options = strict.options_of(pairs["html"])
            if kind == "open_graph_tags":
                assert not options
                continue
            for name in CARRIED:
                if kind == "playlist_api":  # JSON cannot represent invalid UTF-8, and XML lacks further characters
                    text = value.decode(errors="ignore")
                    assert options[name].decode().replace("\ufffd", "") == (
                        drop(text, "\ufffe\uffff") if form == "xml" else text), name
                else:
                    assert options[name] == value, name
            assert set(options) <= {*CARRIED, "popover", "seo", "videoFoam"}


def test_a_raw_NUL_is_rejected(nginx, worker):
    """libfcgi would end the parameter at the NUL, and the worker would answer a different request."""
    query = f"url={quote(VIDEO)}".encode()
    assert nginx.request(b"/oembed?" + query + b"\0x").status == 400
    assert nginx.request(b"/embed/iframe/l4unchf1lm%00x", host="embed.svc.example").status == 400
    assert worker.request(b"/oembed?" + query + b"\0x") is None
    assert worker.request(b"/embed/iframe/l4unchf1lm\0x") is None
    check(worker, query, 200)


# --- long ----------------------------------------------------------------------------------------

WORKER_PARAMETERS = 65535  # fastcgi/request_inspection.h: all names and values, including their lengths


def long_queries():
    """Returns the beginnings of queries that are padded to a length, and their status up to the limit."""
    here = quote(VIDEO)
    return {
        "a url of ours": (f"url={here}%2F", 200), "a url's query": (f"url={here}%3Ftheme%3D", 200),
        "a url's id": (f"url={here}", 404), "a url's host": ("url=https%3A%2F%2F", 404),
        "a url of nobody": ("url=", 404),
        "an option": (f"url={here}&stillUrl=", 200), "a type": (f"url={here}&embedType=", 200),
        "a handle": (f"url={here}&embedType=async&handle=", 200), "a number": (f"url={here}&width=", 200),
        "an option's name": (f"url={here}&plugin[", 200), "unknown": (f"url={here}&", 200),
    }


@pytest.mark.parametrize("beginning, status", long_queries().values(), ids=long_queries())
def test_answers_up_to_the_most_parameters_of_a_worker(worker, beginning, status):
    path = FORMS["json"].removesuffix("?")
    room = WORKER_PARAMETERS - len(beginning) - sum(
        len(name) + len(value) + 2 for name, value in stacks.fastcgi_client.environment(path).items()) - 3
    found = check(worker, beginning + "a" * room, status, forms=["json"])
    assert not found or "aaaa" not in found["json"]["title"]
    assert worker.request(FORMS["json"] + beginning + "a" * (room + 1)) is None
    check(worker, f"url={quote(VIDEO)}", 200, forms=["json"])


# --- mutations -----------------------------------------------------------------------------------

SEEDS = [
    f"url={quote(VIDEO)}", f"url={VIDEO}", f"url={quote(VIDEO + '?embedType=async&handle=my.player&theme=a%20b')}",
    f"url={quote(PLAYLIST)}&embedType=playlist_api&handle=list&playlistLoop=true&stillUrl=https%3A%2F%2Fx.example%2F",
    f"url={quote(VIDEO)}&embedType=async_popover&width=300&popoverContent=link&plugin[a][b]=c",
    f"url={quote(VIDEO)}&embedType=open_graph_tags&maxwidth=400&maxheight=200",
    f"url={quote(VIDEO)}&videoFoam=true&playerColor=ff0000&autoPlay=true&format=json",
    "url=https%3A%2F%2Fbinary.svc.localhost%2Fmedias%2Fxss0title1&embedType=async&email=a%40b",
]
PIECES = [
    b"%", b"%00", b"%0d%0a", b"%22", b"%27", b"%3c", b"%3E", b"%26", b"%23", b"%5c", b"%c0%af", b"%ed%a0%80", b"%2522",
    b"&", b"=", b"?", b"#", b"/", b"..", b"@", b":", b"+", b"\"", b"<", b">", b"'", b"\\", b"\xff", b"\xe2\x80\xa8",
    b"\r\n", b"\x1b", b" ", b"0", b"9" * 20, b"-1", b"[", b"]", b"url=", b"&url=", b"width=", b"&embedType=async",
    b"&handle=", b"svc.localhost", b"</script>", b"]]>", b"&quot;", b"callback", b"a" * 300]


def mutate(rng, query):
    query = bytearray(query.encode())
    # Half of the mutations keep the first parameter: an invalid url hides all other effects.
    front = rng.choice([0, query.find(b"&") + 1])
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(min(front, len(query)), len(query) + 1)
        match rng.randrange(5):
            case 0: query[at:at] = rng.choice(PIECES)
            case 1: query[at:at + rng.randint(1, 4)] = b""
            case 2: query[at:at + 1] = bytes([rng.randrange(1, 256)])
            case 3: query[at:at] = query[rng.randrange(len(query) + 1):][:rng.randint(1, 40)]
            case 4: query[at:at + 1] = rng.choice(PIECES)
    return bytes(query).replace(b"\0", b"")


def test_oembed_R5_two_thousand_mutated_requests_get_well_formed_responses(nginx, worker):
    rng = random.Random(20260610)
    answered = {}
    for number, form in zip(range(2000), itertools.cycle(FORMS)):
        query = mutate(rng, rng.choice(SEEDS))
        target = FORMS[form].encode() + query
        answer = worker.request(target)
        try:
            assert answer.status in (200, 404, 501)
            if answer.status == 200:
                inner = urllib.parse.parse_qs(query.decode("latin-1"), keep_blank_values=True)
                as_xml = form == "xml" or inner.get("format", ["json"])[0] == "xml"
                read_oembed(answer, "xml" if as_xml else form, "svc.cb")
            else:
                as_xml = answer.header("Content-Type").startswith("text/xml")
                assert as_xml or form != "xml"
                strict.check_error(answer, "xml" if as_xml else "json")
        except AssertionError as error:
            raise AssertionError(f"mutation {number}: {target!r}") from error
        # The same through nginx, if nginx would accept the line unchanged.
        if number % 8 == 0 and all(byte > 0x20 and byte not in (0x23, 0x7f) for byte in target):
            same = nginx.request(target)
            assert (same.status, same.body) == (answer.status, answer.body)
        answered[answer.status] = answered.get(answer.status, 0) + 1
    # If all mutations were refused, the test would show nothing.
    assert answered[200] > 300 and answered[404] > 300, answered
