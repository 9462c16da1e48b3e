"""readme: the command blocks of the documents, as they are written there."""

import re
from collections import namedtuple

import documents

Block = namedtuple("Block", "path section text")


def blocks(path, section=None):
    """The shell blocks of a document, or of one of its sections, in order. A section has its heading's text."""
    found, heading = [], ""
    tokens = documents.tokens(path)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = tokens[at + 1].content
        elif token.type == "fence" and token.info == "sh":
            found.append(Block(path, heading, token.content))
    return [block for block in found if section in (None, block.section)]


def commands(path, section, number=0):
    """The commands of a block, one per line, without comments."""
    lines = (line.split("  #")[0].strip() for line in blocks(path, section)[number].text.splitlines())
    return [line for line in lines if line]


def script(path, section, number=0, **changed):
    """The text of a block, with other values of these variables."""
    text = blocks(path, section)[number].text
    for name, value in changed.items():
        text, count = re.subn(rf"(?m)^{name}=\S+", f"{name}={value}", text)
        assert count == 1, name
    return text
