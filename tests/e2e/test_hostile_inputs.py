"""Tables of malicious requests and titles, sent through the shipped nginx, or directly to a worker if nginx would
reject or change them.

A row contains a query and the expected status. strict.py checks the properties of every response: each row is requested
as JSON, JSONP and XML, and each response is read by a strict parser.
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


def check(front, query, status, *, xml_status=None, forms=("json", "jsonp", "xml"), **how):
    """Requests each form and checks its status. Returns the key-value pairs of the 200 responses by form."""
    found = {}
    for form in forms:
        answer = front.request(to_bytes(FORMS[form]) + to_bytes(query))
        expected = xml_status if form == "xml" and xml_status else status
        assert answer is not None and answer.status == expected, (form, query[:200], answer)
        if expected == 200:
            found[form] = read_oembed(answer, form, "svc.cb", **how)
        else:
            strict.check_error(answer, form)
    if len(found) == 3:
        assert found["json"] == found["jsonp"]
    return found


# --- URLs ----------------------------------------------------------------------------------------

LOOKALIKES = {
    "our domain behind letters": "https://evilsvc.localhost/medias/l4unchf1lm",
    "our domain behind a hyphen": "https://evil-svc.localhost/medias/l4unchf1lm",
    "our domain in front": "https://svc.localhost.evil.example/medias/l4unchf1lm",
    "our embed host in front": "https://embed.svc.example.evil.example/medias/l4unchf1lm",
    "below the embed host": "https://x.embed.svc.example/medias/l4unchf1lm",
    "short domain behind letters": "https://evilsvc.test/medias/l4unchf1lm",
    "parent domain": "https://localhost/medias/l4unchf1lm",
    "another host of ours": "https://app.svc.example/medias/l4unchf1lm",
    "userinfo": "https://acme.svc.localhost@evil.example/medias/l4unchf1lm",
    "userinfo in front of us": "https://evil.example@acme.svc.localhost/medias/l4unchf1lm",
    "userinfo with a password": "https://user:pass@acme.svc.localhost/medias/l4unchf1lm",
    "empty userinfo": "https://@acme.svc.localhost/medias/l4unchf1lm",
    "backslash": "https://acme.svc.localhost\\@evil.example/medias/l4unchf1lm",
    "backslash in front": "https://evil.example\\acme.svc.localhost/medias/l4unchf1lm",
    "backslashes for slashes": "https:\\\\acme.svc.localhost\\medias\\l4unchf1lm",
    "backslash in the path": "https://acme.svc.localhost/medias\\l4unchf1lm",
    "port": "https://acme.svc.localhost:22/medias/l4unchf1lm",
    "port 0": "https://acme.svc.localhost:0/medias/l4unchf1lm",
    "the other scheme's port": "https://acme.svc.localhost:80/medias/l4unchf1lm",
    "port with a sign": "https://acme.svc.localhost:+443/medias/l4unchf1lm",
    "two ports": "https://acme.svc.localhost:443:443/medias/l4unchf1lm",
    "line feed": "https://acme.svc.localhost/medias/l4unchf1lm\nx",
    "line feed in the host": "https://acme.svc.localhost\n.evil.example/medias/l4unchf1lm",
    "tab": "https://acme.svc.local\thost/medias/l4unchf1lm",
    "null": "https://acme.svc.localhost/medias/l4unchf1lm\0",
    "null in the host": "https://evil.example\0.svc.localhost/medias/l4unchf1lm",
    "DEL": "https://acme.svc.localhost/medias/l4unchf1lm\x7f",
    "space in the scheme": "https ://acme.svc.localhost/medias/l4unchf1lm",
    "space in the host": "https://acme .svc.localhost/medias/l4unchf1lm",
    "in a query": "https://evil.example/?u=https://acme.svc.localhost/medias/l4unchf1lm",
    "in a path": "https://evil.example/acme.svc.localhost/medias/l4unchf1lm",
    "in a fragment": "https://evil.example/#https://acme.svc.localhost/medias/l4unchf1lm",
    "path in a query": "https://acme.svc.localhost/?/medias/l4unchf1lm",
    "path in a fragment": "https://acme.svc.localhost/#/medias/l4unchf1lm",
    "slash, encoded": "https://acme.svc.localhost/medias%2fl4unchf1lm",
    "slash in the id, encoded": "https://acme.svc.localhost/medias/l4unchf1lm%2fx",
    "slash in the id, encoded upper": "https://acme.svc.localhost/medias/l4unchf1lm%2Fx",
    "id, encoded": "https://acme.svc.localhost/medias/%6c4unchf1lm",
    "null in the id, encoded": "https://acme.svc.localhost/medias/l4unchf1lm%00",
    "dot in the id": "https://acme.svc.localhost/medias/l4unchf1lm.json",
    "hyphen in the id": "https://acme.svc.localhost/medias/l4unchf1lm-x",
    "id of 65": "https://acme.svc.localhost/medias/" + "a" * 65,
    "dots": "https://acme.svc.localhost/medias/../medias/l4unchf1lm",
    "two slashes": "https://acme.svc.localhost//medias/l4unchf1lm",
    "empty label": "https://acme..svc.localhost/medias/l4unchf1lm",
    "dot in front": "https://.svc.localhost/medias/l4unchf1lm",
    "percent in the host": "https://acme%2esvc.localhost/medias/l4unchf1lm",
    "full-width dot": "https://evil.example。svc.localhost/medias/l4unchf1lm",
    "not ASCII": "https://ácme.svc.localhost/medias/l4unchf1lm",
    "upper case id": "https://acme.svc.localhost/medias/L4UNCHF1LM",
    "dot behind": "https://acme.svc.localhost./medias/l4unchf1lm",
    "dots behind": "https://acme.svc.localhost../medias/l4unchf1lm",
    "dot behind the embed host": "https://embed.svc.example.:8443/medias/l4unchf1lm",
    "dot for a host": "https://./medias/l4unchf1lm",
    "letters behind": "https://acme.svc.localhostevil.example/medias/l4unchf1lm",
    "hyphen behind": "https://acme.svc.localhost-evil.example/medias/l4unchf1lm",
    "comma": "https://acme.svc.localhost,evil.example/medias/l4unchf1lm",
    "semicolon": "https://acme.svc.localhost;evil.example/medias/l4unchf1lm",
    "semicolon behind the id": "https://acme.svc.localhost/medias/l4unchf1lm;x",
    "a label less": "https://localhost/medias/l4unchf1lm",
    "nothing but a label of ours": "https://svc/medias/l4unchf1lm",
    "Cyrillic letter": "https://\u0455vc.localhost/medias/l4unchf1lm",
    "Cyrillic letter, punycode": "https://" + "\u0455vc".encode("idna").decode() + ".localhost/medias/l4unchf1lm",
    "punycode in the domain": "https://acme.xn--svc.localhost/medias/l4unchf1lm",
    "long s": "https://\u017fvc.localhost/medias/l4unchf1lm",
    "full-width letters": "https://\uff53\uff56\uff43.localhost/medias/l4unchf1lm",
    "soft hyphen": "https://s\u00advc.localhost/medias/l4unchf1lm",
    "zero-width joiner": "https://svc\u200d.localhost/medias/l4unchf1lm",
    "full-width slash": "https://evil.example\uff0f.svc.localhost/medias/l4unchf1lm",
    "full-width dot of ours": "https://acme\uff0esvc.localhost/medias/l4unchf1lm",
    "from right to left": "https://acme.svc.localhost\u202e/medias/l4unchf1lm",
    "userinfo, encoded": "https://acme.svc.localhost%40evil.example/medias/l4unchf1lm",
    "userinfo in brackets": "https://[acme.svc.localhost]@evil.example/medias/l4unchf1lm",
    "brackets": "https://[acme.svc.localhost]/medias/l4unchf1lm",
    "address": "https://[::1]/medias/l4unchf1lm",
    "address in front": "https://127.0.0.1.svc.localhost.evil.example/medias/l4unchf1lm",
    "port of 2^16 more": "https://acme.svc.localhost:65979/medias/l4unchf1lm",
    "port of 2^32 more": "https://acme.svc.localhost:4294967739/medias/l4unchf1lm",
    "port, negative": "https://acme.svc.localhost:-443/medias/l4unchf1lm",
    "port, hexadecimal": "https://acme.svc.localhost:0x1bb/medias/l4unchf1lm",
    "port, other digits": "https://acme.svc.localhost:\uff14\uff14\uff13/medias/l4unchf1lm",
    "port with a space": "https://acme.svc.localhost:443 /medias/l4unchf1lm",
    "port and a host": "https://acme.svc.localhost:443.evil.example/medias/l4unchf1lm",
    "port and userinfo": "https://acme.svc.localhost:443@evil.example/medias/l4unchf1lm",
    "one slash": "https:/acme.svc.localhost/medias/l4unchf1lm",
    "three slashes": "https:///acme.svc.localhost/medias/l4unchf1lm",
    "slash and backslash": "https:/\\acme.svc.localhost/medias/l4unchf1lm",
    "two schemes": "https://https://acme.svc.localhost/medias/l4unchf1lm",
    "a scheme in front": "view-source:https://acme.svc.localhost/medias/l4unchf1lm",
    "a scheme with more": "httpss://acme.svc.localhost/medias/l4unchf1lm",
    "a file": "file:///medias/l4unchf1lm",
    "data": "data:text/html,https://acme.svc.localhost/medias/l4unchf1lm",
    "tab in the scheme": "ht\ttps://acme.svc.localhost/medias/l4unchf1lm",
    "NUL in front": "\0https://acme.svc.localhost/medias/l4unchf1lm",
    "control byte in front": "\x01https://acme.svc.localhost/medias/l4unchf1lm",
    "line feed in the host": "https://acme\n.svc.localhost/medias/l4unchf1lm",
    "CR and LF in the fragment": "https://acme.svc.localhost/medias/l4unchf1lm#\r\nSet-Cookie: x=1",
    "control byte in the query": "https://acme.svc.localhost/medias/l4unchf1lm?a=\x1b[2J",
    "query for a path": "https://acme.svc.localhost?/medias/l4unchf1lm",
    "no slash": "https://acme.svc.localhostmedias/l4unchf1lm",
    "upper case path": "https://acme.svc.localhost/MEDIAS/l4unchf1lm",
    "host too long": "https://" + "a." * 130 + "svc.localhost/medias/l4unchf1lm",
}

@pytest.mark.parametrize("url", LOOKALIKES.values(), ids=LOOKALIKES)
def test_oembed_E6_refuses_lookalikes(nginx, worker, url):
    check(nginx, "url=" + quote(url), 404)
    # Also unencoded and with bytes that nginx rejects.
    if not set(url) & set("\0%"):
        check(worker, b"url=" + url.encode(), 404)


OURS = {
    "white space around it": f"\r\n\t {VIDEO} \u00a0\n",
    "a port of a configured host": "http://acme.svc.localhost:8443/medias/l4unchf1lm",
    "zeros in front of the port": "https://acme.svc.localhost:0443/medias/l4unchf1lm",
    "another site behind the id": f"{VIDEO}/https://evil.example/",
    "another site in the query": f"{VIDEO}?u=https://evil.example/&x=@evil.example\\",
    "another site in the fragment": f"{VIDEO}#@evil.example/\\",
    "userinfo's letter in the path": f"{VIDEO}/@evil.example",
    "encoded dots behind the id": f"{VIDEO}/%2e%2e/%2e%2e/x",
    "bytes that are no UTF-8 behind the id": f"{VIDEO}/".encode() + b"\xff\xc0\xaf",
    "markup behind the id": f"{VIDEO}/\"><script>alert(1)</script>",
}


@pytest.mark.parametrize("url", OURS.values(), ids=OURS)
def test_oembed_E5_takes_only_the_id_from_one_of_our_urls(nginx, url):
    found = check(nginx, "url=" + quote(url), 200)
    assert all(pairs == check(nginx, "url=" + quote(VIDEO), 200)[form] for form, pairs in found.items())


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
PLACES = ["top", "inner"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_oembed_O2_a_value_cannot_escape_its_context(nginx, value, place):
    given = "&".join(f"{quote(name)}={urllib.parse.quote_from_bytes(value, safe='')}" for name in CARRIED + READ)
    for kind in KINDS:
        url = PLAYLIST if kind.startswith("playlist") else VIDEO
        choice = "videoFoam=true" if kind == "responsive" else f"embedType={kind}"
        if place == "top":
            query = f"url={quote(url)}&{choice}&{given}"
        else:
            query = f"url={quote(url + '?' + given)}&{choice}"
        for form, pairs in check(nginx, query, 200).items():
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


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_oembed_O1_a_name_that_could_escape_its_context_is_not_carried(nginx, value):
    name = urllib.parse.quote_from_bytes(value, safe="")
    names = [name, f"plugin[{name}]", f"plugin[a][{name}]x", f"theme{name or 'x'}", f"media_0_1[{name}]"]
    for url, kind in [(VIDEO, "iframe"), (VIDEO, "async"), (PLAYLIST, "playlist_api")]:
        found = check(nginx, f"url={quote(url)}&embedType={kind}&" + "&".join(f"{one}=v1" for one in names), 200)
        for pairs in found.values():
            assert not strict.options_of(pairs["html"])


# --- broken encoding, control bytes --------------------------------------------------------------

# After `theme=`: the query's bytes, the value that is read, and nginx's status if it rejects such a line.
ENCODINGS = {
    "a cut escape": (b"%", b"%", 200), "half an escape": (b"%4", b"%4", 200), "no hex digits": (b"%zz", b"%zz", 200),
    "one hex digit": (b"%4z", b"%4z", 200), "signs": (b"%+4%-4", b"% 4%-4", 200), "twice": (b"%%41", b"%A", 200),
    "an escaped percent": (b"%2541", b"%41", 200), "%u": (b"%u0041", b"%u0041", 200), "NUL": (b"a%00b", b"a\0b", 200),
    "line feeds": (b"%0d%0a%0D%0A", b"\r\n\r\n", 200), "overlong": (b"%c0%af", b"\xc0\xaf", 200),
    "a surrogate": (b"%ed%a0%80", b"\xed\xa0\x80", 200), "truncated": (b"%e2%82", b"\xe2\x82", 200),
    "not a byte of UTF-8": (b"%ff%fe", b"\xff\xfe", 200), "raw, no UTF-8": (b"\xff\xfe", b"\xff\xfe", 200),
    "raw, overlong": (b"\xc0\xaf", b"\xc0\xaf", 200), "raw, UTF-8": ("é".encode(), "é".encode(), 200),
    "raw markup": (b"\"'<>`{|}^\\", b"\"'<>`{|}^\\", 200), "raw, a tab": (b"\t", b"\t", 400),
    "raw, a space": (b"a b", b"a b", 400), "raw, control": (b"\x01", b"\x01", 400),
    "raw, escape": (b"\x1b", b"\x1b", 400),
    "raw, DEL": (b"\x7f", b"\x7f", 400), "raw, a line feed": (b"\n", b"\n", None), "raw, a CR": (b"\r", b"\r", None),
}


@pytest.mark.parametrize("raw, meant, status", ENCODINGS.values(), ids=ENCODINGS)
def test_oembed_O2_keeps_broken_encoding_unchanged(nginx, worker, raw, meant, status):
    query = f"url={quote(VIDEO)}&theme=".encode() + raw
    if status == 200:
        for pairs in check(nginx, query, 200).values():
            assert strict.options_of(pairs["html"]) == {"theme": meant}
    elif status:
        assert nginx.request(b"/oembed?" + query).status == status
    for pairs in check(worker, query, 200).values():
        assert strict.options_of(pairs["html"]) == {"theme": meant}


@pytest.mark.parametrize("raw, meant, status", ENCODINGS.values(), ids=ENCODINGS)
def test_oembed_E3_broken_encoding_never_makes_a_valid_url(nginx, worker, raw, meant, status):
    in_front = 404 if meant.strip() else 200  # oembed-E25: white space is ignored there
    for url, expected in ((b"https://" + raw + b".svc.localhost/medias/l4unchf1lm", 404),
                          (f"{ACME}/medias/l4".encode() + raw, 404), (raw + VIDEO.encode(), in_front)):
        if status == 200:
            check(nginx, b"url=" + url, expected)
        check(worker, b"url=" + url, expected)


def test_a_raw_NUL_is_rejected(nginx, worker):
    """libfcgi would end the parameter at the NUL, and the worker would answer a different request."""
    query = f"url={quote(VIDEO)}".encode()
    assert nginx.request(b"/oembed?" + query + b"\0x").status == 400
    assert nginx.request(b"/embed/iframe/l4unchf1lm%00x", host="embed.svc.example").status == 400
    assert worker.request(b"/oembed?" + query + b"\0x") is None
    assert worker.request(b"/embed/iframe/l4unchf1lm\0x") is None
    check(worker, query, 200)


# --- long ----------------------------------------------------------------------------------------

NGINX_LINE = 8192  # nginx/svc-limits.conf: GET, the target, HTTP/1.1 and the line end
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
def test_answers_up_to_the_longest_request_line_of_nginx(nginx, beginning, status):
    for form, prefix in FORMS.items():
        room = NGINX_LINE - len("GET  HTTP/1.1\r\n") - len(prefix) - len(beginning)
        check(nginx, beginning + "a" * room, status, forms=[form])
        for more in (1, 8192, 65536):
            answer = nginx.request(prefix + beginning + "a" * (room + more))
            assert answer.status == 414 and b"aaaa" not in answer.body


@pytest.mark.parametrize("beginning, status", long_queries().values(), ids=long_queries())
def test_answers_up_to_the_most_parameters_of_a_worker(worker, beginning, status):
    for form, prefix in FORMS.items():
        path, _, callback = prefix.partition("?")
        beginning_here = callback + beginning
        room = WORKER_PARAMETERS - len(beginning_here) - sum(
            len(name) + len(value) + 2 for name, value in stacks.fastcgi_client.environment(path).items()) - 3
        found = check(worker, beginning + "a" * room, status, forms=[form])
        assert not found or "aaaa" not in found[form]["title"]
        assert worker.request(prefix + beginning + "a" * (room + 1)) is None
        check(worker, f"url={quote(VIDEO)}", 200, forms=[form])


MANY = {
    "unknown ones": "a&" * 3900, "empty ones": "&" * 7000, "equals signs": "=&" * 3900,
    "options": "".join(f"plugin[{number}]&" for number in range(550)), "sizes": "width=x&" * 900,
}


@pytest.mark.parametrize("many", MANY.values(), ids=MANY)
def test_oembed_E4_finds_the_url_after_thousands_of_parameters(nginx, worker, many):
    for front in (nginx, worker):
        found = check(front, f"{many}url={quote(VIDEO)}&" + "url=x&" * 20, 200)
        assert {int(pairs["width"]) for pairs in found.values()} == {640}


def test_oembed_E4_carries_every_option_that_fits_into_a_line(nginx):
    given = {f"plugin[{number}]": b"v" for number in range(500)}
    (found,) = check(nginx, "".join(f"{name}=v&" for name in reversed(given)) + f"url={quote(VIDEO)}", 200,
                     forms=["json"]).values()
    assert strict.options_of(found["html"]) == given


# --- numbers -------------------------------------------------------------------------------------

NUMBERS = {
    "0": None, "00": None, "-0": None, "-1": None, "1": 1, "05": 5, "+5": 5, " 5": 5, "5 ": 5, "5px": 5,
    "5.0": 5, "5.": 5, "5.99": 5, "1e3": 1000, "0x10": None, "5,5": None, "": None, "10000": 10000,
    **dict.fromkeys(["10001", "65536", "65541", "2147483647", "2147483648", "2147483653", "4294967296", "4294967301",
                     "9223372036854775807", "9223372036854775808", "18446744073709551616", "18446744073709551621",
                     "1e9", "1e999", "9" * 3000], 10000),
    "0" * 3000 + "5": 5, "NaN": None,
    "Infinity": None, "null": None, "true": None, "٥": None, "５": None, "5\0": None, "5\n": 5, "\t5": 5,
    "5em": None, "5;": None, "5'": None, "[5]": None, "${5}": None,
}


def test_oembed_S5_accepts_or_ignores_a_number(nginx):
    for text, number in NUMBERS.items():
        wrong = f"url={quote(VIDEO)}"
        for name in ("width", "videoWidth"):
            for place in PLACES:
                query = (f"{wrong}&{name}={quote(text)}" if place == "top"
                         else f"url={quote(f'{VIDEO}?{name}={quote(text)}')}")
                for pairs in check(nginx, query, 200, forms=["json", "xml"]).values():
                    size = (int(pairs["width"]), int(pairs["height"]))
                    assert size == ((number, max((number * 9 + 8) // 16, 1)) if number else (640, 360)), (text, size)
        for pairs in check(nginx, f"{wrong}&maxwidth={quote(text)}&maxheight={quote(text)}", 200).values():
            size = (int(pairs["width"]), int(pairs["height"]))
            assert size == ((min(number, 1920), min(max((number * 9 + 8) // 16, 1), 1080)) if number else (640, 360))


# --- repeated ------------------------------------------------------------------------------------

WELL, ILL = quote(VIDEO), quote("https://evil.example/medias/l4unchf1lm")
# Query, status of the JSON response, status of the XML response; the first value of a name counts.
REPEATED = {
    "url, ours first": (f"url={WELL}&url={ILL}", 200, 200), "url, ours last": (f"url={ILL}&url={WELL}", 404, 404),
    "url, an empty one first": (f"url=&url={WELL}", 404, 404), "url, a bare one first": (f"url&url={WELL}", 404, 404),
    "url in other letters": (f"URL={ILL}&url={WELL}", 200, 200),
    "url, encoded name": (f"%75rl={ILL}&url={WELL}", 404, 404),
    "url as an array": (f"url[]={WELL}", 404, 404),
    "url within a url": (f"url={quote('/oembed?url=' + VIDEO)}", 404, 404),
    "format, known first": (f"format=json&format=yaml&url={WELL}", 200, 200),
    "format, unknown first": (f"format=yaml&format=json&url={WELL}", 501, 200),
    "format, empty": (f"format=&url={WELL}", 200, 200), "format, markup": (f"format=%3Cscript%3E&url={WELL}", 501, 200),
    "format, line feed": (f"format=json%0d%0a&url={WELL}", 501, 200),
    "format, NUL": (f"format=xml%00&url={WELL}", 501, 200),
    "callback, good first": (f"callback=cb&callback=1&url={WELL}", 200, 200),
    "callback, bad first": (f"callback=1&callback=cb&url={WELL}", 400, 200),
    "callback and a url of nobody": (f"callback=1&url={ILL}", 400, 404),
    "callback and an unknown format": (f"format=yaml&callback=1&url={WELL}", 501, 200),
}


@pytest.mark.parametrize("query, status, xml_status", REPEATED.values(), ids=REPEATED)
def test_reads_the_first_of_a_repeated_parameter(nginx, query, status, xml_status):
    for path, form, expected in [("/oembed?", "json", status), ("/oembed.xml?", "xml", xml_status)]:
        answer = nginx.request(path + query)
        assert answer.status == expected
        if expected != 200:
            strict.check_error(answer, form)
        else:
            jsonp = form == "json" and "callback=cb" in query
            assert read_oembed(answer, "jsonp" if jsonp else form, "cb")["title"] == "Launch film"


@pytest.mark.parametrize("query, width", [
    ("width=400&width=500", 400), ("width=400&width=x", 400), ("width=x&width=400", 400), ("width=&width=400", 400),
    ("maxwidth=400&maxwidth=300", 400), ("maxwidth=0&maxwidth=300", 300), ("width=400&Width=500&WIDTH=600", 400),
    ("width=400;width=500", 640), ("width[]=400", 640)])
def test_reads_the_first_valid_number(nginx, query, width):
    found = check(nginx, f"url={WELL}&{query}", 200)
    assert {int(pairs["width"]) for pairs in found.values()} == {width}


# --- callbacks -----------------------------------------------------------------------------------

CALLBACKS = {
    **{f"value: {name}": (value, 400) for name, value in VALUES.items() if value},
    "128 characters": (b"c" * 128, 200), "129 characters": (b"c" * 129, 400), "6000": (b"c" * 6000, 400),
    "64 segments": (b".".join([b"c"] * 64), 200), "65 segments": (b".".join([b"c"] * 65), 400),
    "dots": (b"...", 400), "a dot at the end": (b"a.", 400), "a dot in front": (b".a", 400),
    "brackets": (b"a[0]", 400), "a call": (b"alert(1)", 400), "a chain": (b"a;b", 400), "a comment": (b"a/**/", 400),
    "a keyword": (b"function", 400), "a keyword within": (b"a.delete.b", 400), "eval": (b"eval", 400),
    "this": (b"this.a", 400), "escapes": (b"\\u0061", 400), "letters": ("ａ".encode(), 400),
    "joiners": (b"a\xe2\x80\x8d", 400),
    "the plug-in's first bytes": (b"CWSMIKI0hCD0Up0IZUnnnn", 200), "a keyword as a beginning": (b"newer.classes", 200),
}


@pytest.mark.parametrize("callback, status", CALLBACKS.values(), ids=CALLBACKS)
def test_oembed_R2_calls_only_valid_callback_names(nginx, callback, status):
    encoded = urllib.parse.quote_from_bytes(callback, safe="")
    answer = nginx.request(f"/oembed?callback={encoded}&url={WELL}")
    assert answer.status == status
    if status == 200:
        read_oembed(answer, "jsonp", callback.decode())
    else:
        strict.check_error(answer, "json")
    # An invalid callback is not repeated in a refusal, and XML ignores it.
    strict.check_error(nginx.request(f"/oembed?callback={encoded}&url={ILL}"), "json")
    read_oembed(nginx.request(f"/oembed?format=xml&callback={encoded}&url={WELL}"), "xml")


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, form", [("/oembed?", "json"), ("/oembed.json?format=xml&", "json"),
                                        ("/oembed?format=xml&", "xml"), ("/oembed.xml?", "xml")])
def test_oembed_E2_refuses_in_the_requested_form(nginx, path, form):
    for query, method, status in [("url=x", "GET", 404), (f"url={WELL}", "POST", 405), (f"url={WELL}", "PROPFIND", 405),
                                  (f"url={quote(ACME)}/medias/aud10only1", "GET", 501), ("", "DELETE", 405)]:
        answer = nginx.request(path + query, method=method)
        assert answer.status == status
        strict.check_error(answer, form)
        assert status != 405 or answer.header("Allow") == "GET, HEAD, OPTIONS"


def test_oembed_E9_an_unknown_playlist_is_404_for_every_embed_type(nginx):
    for known, status in [("pl4yl1st01", 501), ("unkn0wn", 404)]:
        check(nginx, f"url={quote(EMBED_HOST)}/embed/playlists/{known}&embedType=open_graph_tags", status)


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
