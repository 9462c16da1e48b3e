"""nginx_check: finds problems in an nginx configuration that nginx itself does not report.

Contains the checks of gixy that matter here, and rules of our own on parameters and retries. `nginx -t`
accepts all of these problems.
"""

import glob
import os
import re
from dataclasses import dataclass


class ConfigError(Exception):
    pass


@dataclass
class Directive:
    name: str
    args: list
    file: str
    line: int
    block: list = None  # None for a simple directive, else the directives between { and }
    parent: "Directive" = None

    def all(self, name):
        """Returns the block's own directives of that name."""
        return [d for d in self.block if d.name == name]

    def ancestors(self):
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def walk(self):
        for d in self.block:
            yield d
            if d.block is not None:
                yield from d.walk()

    def inherited(self, name):
        """Returns the directives in effect in this block: its own, otherwise those of the nearest block above."""
        for block in (self, *self.ancestors()):
            if found := block.all(name):
                return found
        return []


@dataclass
class Finding:
    rule: str
    at: Directive
    why: str

    def __str__(self):
        return f"{os.path.basename(self.at.file)}:{self.at.line}: {self.rule}: {self.why}"


# ---- reading ---------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""(?P<space>\s+) | (?P<comment>\#[^\n]*) | (?P<mark>[;{}])
      | "(?P<double>(?:[^"\\]|\\.)*)" | '(?P<single>(?:[^'\\]|\\.)*)'
      | (?P<word>(?:\\.|\$\{\w*\}|[^\s;{}"'\\])(?:\\.|\$\{\w*\}|[^\s;{}\\])*)""",
    re.VERBOSE | re.DOTALL,
)


def tokens(text, file):
    """Yields (kind, text, line), where kind is mark or word, without comments and space."""
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        line = text.count("\n", 0, at) + 1
        if not match:
            raise ConfigError(f"{file}:{line}: cannot read {text[at:at + 20]!r}")
        at = match.end()
        kind = match.lastgroup
        if kind == "mark":
            yield "mark", match[kind], line
        elif kind in ("double", "single", "word"):
            yield "word", re.sub(r"\\([\"'\\])", r"\1", match[kind]), line


def parse(path, prefix, parent):
    """Appends a file's directives to parent.block; an include is replaced by its file's directives."""
    with open(path, encoding="utf-8") as f:
        stream = tokens(f.read(), path)
    block, words, first = parent, [], 0
    for kind, text, line in stream:
        if kind == "word":
            first = first if words else line
            words.append(text)
            continue
        if text == "}":
            if words or block is parent:
                raise ConfigError(f"{path}:{line}: unexpected }}")
            block = block.parent
            continue
        if not words:
            raise ConfigError(f"{path}:{line}: unexpected {text}")
        d = Directive(words[0], words[1:], path, first, [] if text == "{" else None, block)
        words = []
        if d.name == "include":
            pattern = os.path.join(prefix, d.args[0])
            files = sorted(glob.glob(pattern))
            if not files and not glob.has_magic(pattern):
                raise ConfigError(f"{path}:{d.line}: no file {pattern}")
            for file in files:
                parse(file, prefix, block)
            continue
        block.block.append(d)
        if d.block is not None:
            block = d
    if words or block is not parent:
        raise ConfigError(f"{path}: ends inside of a directive or a block")


def load(path, prefix=None):
    root = Directive("main", [], path, 0, [])
    parse(path, prefix or os.path.dirname(os.path.abspath(path)), root)
    return root


# ---- rules -----------------------------------------------------------------------------------

RULES = {}


def rule(name):
    def add(function):
        RULES[name] = function
        return function
    return add


def blocks(root, *names):
    return [d for d in root.walk() if d.name in names and d.block is not None]


def uses(text, *variables):
    return any(re.search(r"\$(?:%s\b|\{%s\})" % (v, v), text) for v in variables)


def fastcgi_blocks(root):
    return [d for d in blocks(root, "location", "if") if d.all("fastcgi_pass")]


@rule("add_header_redefinition")
def add_header_redefinition(root):
    """An add_header in a block drops all inherited ones."""
    for block in blocks(root, "server", "location", "if"):
        own = {d.args[0].lower() for d in block.all("add_header")}
        if not own:
            continue
        for d in block.parent.inherited("add_header"):
            if d.args[0].lower() not in own:
                yield block, f"its add_header drops the inherited {d.args[0]}"


@rule("http_splitting")
def http_splitting(root):
    """$uri is decoded: %0d%0a in the path becomes a line end in a header."""
    for d in root.walk():
        if d.name in ("return", "rewrite", "add_header", "proxy_set_header", "proxy_pass"):
            # A rewrite's first argument is a regular expression, where $ is the end of the line.
            for text in d.args[1:] if d.name == "rewrite" else d.args:
                if uses(text, "uri", "document_uri"):
                    yield d, f"{d.name} with the decoded path in {text!r}; take $request_uri"


@rule("host_spoofing")
def host_spoofing(root):
    for d in root.walk():
        if any(uses(a, "http_host") for a in d.args):
            yield d, "$http_host is whatever the client wrote; take $host"


@rule("alias_traversal")
def alias_traversal(root):
    """location /files with alias /data/ answers /files../secret with /data/../secret."""
    for block in blocks(root, "location"):
        prefix = block.args[-1]
        if block.args[0] in ("=", "~", "~*") or prefix.startswith("@") or prefix.endswith("/"):
            continue
        for d in block.all("alias"):
            if d.args[0].endswith("/"):
                yield d, f"location {prefix} without a slash at its end, alias with one"


@rule("if_is_evil")
def if_is_evil(root):
    for block in blocks(root, "if"):
        if block.parent.name != "location":
            continue
        for d in block.block:
            safe = d.name == "return" or (d.name == "rewrite" and d.args[-1] in
                                          ("last", "redirect", "permanent"))
            if not safe:
                yield d, f"{d.name} inside of if inside of location; only return and rewrite work"


@rule("allow_without_deny")
def allow_without_deny(root):
    for block in [root, *(d for d in root.walk() if d.block is not None)]:
        rules = [d for d in block.block if d.name in ("allow", "deny")]
        if any(d.name == "allow" for d in rules) and rules[-1].args != ["all"]:
            yield rules[0], "allow without deny all behind it"


@rule("parameter_twice")
def parameter_twice(root):
    for block in fastcgi_blocks(root):
        seen = set()
        for d in block.all("fastcgi_param"):
            if d.args[0] in seen:
                yield d, f"{d.args[0]} is sent twice, and the worker takes either"
            seen.add(d.args[0])


@rule("body_on_get")
def body_on_get(root):
    """Unread bytes on a keep-alive connection would be read as the next request."""
    for block in fastcgi_blocks(root):
        passes = [d.args for d in block.inherited("fastcgi_pass_request_body")] != [["off"]]
        length = any(d.args[0] == "CONTENT_LENGTH" and d.args[1] for d in
                     block.inherited("fastcgi_param"))
        if passes != length:
            yield block, "the body passes without its length, or the length without the body"


@rule("tries")
def tries(root):
    """Each server line is tried once per request, even if it leads to a dead keep-alive connection."""
    for block in blocks(root, "upstream"):
        lines = block.all("server")
        kept = int(block.all("keepalive")[0].args[0]) if block.all("keepalive") else 0
        if len(lines) < kept + 2:
            yield block, f"{len(lines)} server lines for keepalive {kept}: needs {kept + 2}"
        for d in lines:
            if "max_fails=0" not in d.args:
                yield d, "without max_fails=0 one dead worker shuts the socket for 10 s"


def check(root):
    return [Finding(name, at, why) for name, function in RULES.items()
            for at, why in function(root)]
