"""documents: the Markdown files of the repository, as the parser of python3-markdown-it reads them."""

import functools
import re
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
PARSER = MarkdownIt("commonmark").enable("table")


def paths():
    """All documents, three folders deep, without those of builds and packages."""
    found = [path.relative_to(ROOT) for depth in ("", "*/", "*/*/") for path in ROOT.glob(f"{depth}*.md")]
    return sorted(path for path in found if not any(
        part.startswith((".", "build")) or part == "node_modules" for part in path.parts[:-1]))


@functools.cache
def tokens(path, section=None):
    """The tokens of a document, or of the section with that heading, up to the next heading of its level."""
    found = PARSER.parse((ROOT / path).read_text(encoding="utf-8"))
    if section is None:
        return found
    begin = next(at for at, token in enumerate(found) if token.type == "heading_open" and found[at + 1].content == section)
    return found[begin:next((at for at, token in enumerate(found) if at > begin and token.type == "heading_open"
                             and token.tag <= found[begin].tag), len(found))]


def headings(some):
    return [following.content for token, following in zip(some, some[1:]) if token.type == "heading_open"]


def inline(some, kind):
    """The parts of paragraphs, headings and cells that are of this kind: "code_inline", "link_open"."""
    return [part for token in some for part in token.children or () if part.type == kind]


def anchors(path):
    """As the usual viewers make them of headings."""
    return {"".join(c for c in heading.lower() if c.isalnum() or c in "_- ").replace(" ", "-")
            for heading in headings(tokens(path))}


def dead_links(path):
    """The links of a document that lead to no file or to no heading."""
    found = []
    for link in (link.attrs["href"] for link in inline(tokens(path), "link_open")):
        name, _, anchor = link.partition("#")
        other = (ROOT / path).parent / name if name else ROOT / path
        if "://" not in name and not (other.exists() and (not anchor or anchor in anchors(other.resolve()))):
            found.append(link)
    return found


def codes(*some):
    return [part.content for part in inline(some, "code_inline")]


def tables(some):
    """Each table's rows, without its head: the token of each cell."""
    found = []
    for token, following in zip(some, some[1:]):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open" and following.type == "td_open":
            found[-1].append([])
        elif token.type == "td_open":
            found[-1][-1].append(following)
    return found


def rows(some):
    return [row for table in tables(some) for row in table]


def items(some):
    """The first paragraph of each item of the lists."""
    return [some[at + 2] for at, token in enumerate(some) if token.type == "list_item_open"]


def fences(some):
    """The blocks of code: the language, and the text."""
    return [(token.info, token.content) for token in some if token.type == "fence"]


def manual(page, section):
    """The words in bold in a section of a manual page: [(those that an entry explains, the other ones)]."""
    text = (ROOT / f"systemd/man/{page}.8.in").read_text(encoding="utf-8").replace("\\-", "-")
    text = text.split(f"\n.SH {section}\n", 1)[1].split("\n.SH ", 1)[0]
    found = []
    for entry in text.split("\n.TP\n")[1:]:
        head, _, words = entry.partition("\n")
        found.append((head.split()[1:], re.findall(r"\\fB(.*?)\\fP", words)))
    return found
