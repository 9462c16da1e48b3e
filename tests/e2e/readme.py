"""readme: the command blocks of the documents, as they are written there."""

import re
from collections import namedtuple

from stack import REPOSITORY

Block = namedtuple("Block", "path section text")
SKIPPED = re.compile(r"(^|/)(build[^/]*|node_modules|\.[^/]+)/")


def documents():
    """The paths of all documents, relative to the repository."""
    paths = (str(path.relative_to(REPOSITORY)) for depth in ("", "*/", "*/*/")
             for path in REPOSITORY.glob(f"{depth}*.md"))
    return sorted(path for path in paths if not SKIPPED.search(path))


def blocks(path, section=None):
    """The shell blocks of a document, or of one of its sections, in order. A section has its heading's text."""
    found, heading = [], ""
    for part in re.split(r"(?m)^(#+ .*|```\w*\n(?:.*\n)*?```)$", (REPOSITORY / path).read_text(encoding="utf-8")):
        if part.startswith("#"):
            heading = part.lstrip("#").strip()
        elif part.startswith("```sh\n"):
            found.append(Block(path, heading, part.removeprefix("```sh\n").removesuffix("```")))
    return [block for block in found if section in (None, block.section)]


def commands(path, section, number=0):
    """The commands of a block, one per line, without comments."""
    lines = (line.split("  #")[0].strip() for line in blocks(path, section)[number].text.splitlines())
    return [line for line in lines if line]
