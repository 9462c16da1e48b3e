#!/usr/bin/python3
"""build.py FOLDER: makes the pages for developers from the Markdown files next to it: a template of each page and
developer_guides.cpp, their list. CMake runs it. Each page has a head: `order` and `group` of the navigation, `about` for search
engines and the first page, and `title` if the navigation has another one than the page. Then Markdown, and:

  ## Title {#place}     a heading that links lead to; [text](other.md#place) is such a link
  > Text                a notice
  ```html name          a block that readers copy, of a kind of LOOKS; its name is its id
  {{NAME}}, {{#NAME}}   what templates have (pages/template.h); developers_page.cpp has the values
  {{=name argument}}    what sources.py finds in this tree
  {{=list class}}       the table that follows, as a list of that class
"""

import html
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import sources

HERE = Path(__file__).parent
WORDS = "|".join("async await const else export false from function if import let new return true".split())
SCRIPT_WORD = rf"(?<![.=\w-])(?:{WORDS})(?![\w-])"
COMMENT, HASH = r"(?<![^\n ])//[^\n]*", r"(?<![^\n ])#[^\n]*"
# An apostrophe within a word is not a quotation mark.
QUOTED = r'"(?:\\.|[^"\\])*"?|(?<![A-Za-z0-9])' + r"'(?:\\.|[^'\\])*'?"
HTML = (rf"<!--.*?(?:-->|\Z)|{COMMENT}", r'"[^"]*"?|(?<![A-Za-z0-9])' + r"'[^']*'?|`[^`]*`?", rf"</?[\w-]*|{SCRIPT_WORD}")
NEVER = r"(?!)"
SHELL = (HASH, QUOTED, r"\$[\w-]+")
# The comments, texts and words of a language, by the kind of a block.
LOOKS = {
    "html": HTML, "react": HTML, "vue": HTML,
    "script": (COMMENT, QUOTED + r"|`(?:\\.|[^`\\])*`?", SCRIPT_WORD),
    "shell": SHELL, "python": SHELL,
    "header": (NEVER, QUOTED, r"(?:\A|(?<=\n))[^:]+"),
    "json": (NEVER, QUOTED, NEVER),
}


def escaped(text):
    return html.escape(text).replace("&#x27;", "&#39;")


def block(kind, name, code):
    """The block with the button that copies it (assets/copy.js). Its text is exactly the code: the template's parser
    leaves out blank lines, so they are references."""
    pattern = re.compile("(?P<c>{})|(?P<s>{})|(?P<k>{})|[\\w-]+|.".format(*LOOKS[kind]), re.S | re.A)
    shown = "".join(f'<span class="{piece.lastgroup}">{escaped(piece[0])}</span>' if piece.lastgroup else escaped(piece[0])
                    for piece in pattern.finditer(code)).replace("\n\n", "\n&#10;")
    return (f'<div class="block"><pre><code class="{kind}" id="{name}">{shown}</code></pre>'
            f'<button type="button" class="copy" data-copy="{name}" hidden>Copy</button></div>')


def read(path):
    """A page: its head and the Markdown below it."""
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    page = SimpleNamespace(**{"group": "", **dict(line.split(": ", 1) for line in head.splitlines())})
    page.name = path.stem
    page.path = "" if page.name == "index" else page.name
    page.address = "{{@DEVELOPERS}}" + (f"/{page.path}" if page.path else "")
    page.heading = re.search(r"(?m)^# (.+)$", text)[1]
    page.title = escaped(getattr(page, "title", page.heading))
    page.text = text
    return page


def article(page, pages, codes):
    """The page's HTML. `codes` has the blocks so far by their names."""
    def of_fence(part):
        kind, name, code = re.fullmatch(r"```(\w+) ([\w-]+)\n(.*)\n```", part, re.S).groups()
        if codes.setdefault(name, (kind, code)) != (kind, code):
            raise ValueError(f"{page.name}.md: another block is named {name}")
        return block(kind, name, code)

    def of_text(part):
        part = re.sub(r"\{\{=list (\w+)\}\}\n((?:\|.*\n)+)", 
                      lambda found: sources.listed(found[1], sources.rows(found[2])) + "\n", part)
        part = re.sub(r"\{\{=(\w+)(?: (.*?))?\}\}", lambda found: known[found[1]](*(found[2] or "").split()), part)
        part = re.sub(r"(?m)^## (.+) \{#([\w-]+)\}$", lambda found: f'<h2 id="{found[2]}">{sources.inline(found[1])}</h2>\n', part)
        return re.sub(r"(?m)^(\{\{[#/]\w+\}\})$", r"<!--\1-->", part)  # apart from paragraphs

    def cards():
        return "\n".join(['<ul class="guide-cards">', *(
            f'<li><a href="{each.address}">{each.title}</a><br><span class="meta">{escaped(each.about)}</span></li>'
            for each in pages if each.path), "</ul>"])

    def link(found):
        name, place = found.groups()
        return f'href="{next(each.address for each in pages if each.name == name)}{place or ""}"'

    known = {**sources.FACTS, "cards": cards}
    parts = re.split(r"(?ms)^(```.*?^```$)", page.text)
    made = sources.MARKDOWN.render("".join(of_fence(part) if part.startswith("```") else of_text(part) for part in parts))
    made = re.sub(r"<!--(\{\{.*?\}\})-->", r"\1", made).replace("</h1>\n<p>", '</h1>\n<p class="lead">')
    made = re.sub(r"<blockquote>\n<p>(.*?)</p>\n</blockquote>", r'<p class="notice">\1</p>', made, flags=re.S)
    made = re.sub(r'href="(\w+)\.md(#[\w-]+)?"', link, made.replace("<th>", '<th scope="col">'))
    # Braces of a code that are not a template's.
    return re.sub(r"\{\{(?![#/@]?[A-Z][A-Z0-9_]*\}\})", "{&#123;", made)


def contents(made):
    """The list of the headings, each in the sections of the template around it."""
    sections, items = [], []
    for begin, end, place, title in re.findall(r'\{\{#(\w+)\}\}|\{\{/(\w+)\}\}|<h2 id="([^"]+)">(.*?)</h2>', made):
        if begin:
            sections.append(begin)
        elif end:
            sections.pop()
        else:
            around = [f"{{{{#{name}}}}}" for name in sections], [f"{{{{/{name}}}}}" for name in reversed(sections)]
            items.append(f'{"".join(around[0])}<li><a href="#{place}">{title}</a></li>\n{"".join(around[1])}')
    return "" if len(items) < 2 else (f'<nav class="contents" aria-labelledby="contents"><p id="contents">On this page</p>\n'
                                      f'<ul>\n{"".join(items)}</ul></nav>\n')


def navigation(pages, current):
    made = ""
    for group in dict.fromkeys(page.group for page in pages):
        made += f"<p>{group}</p>\n<ul>\n" if group else "<ul>\n"
        for page in pages:
            mark = ' aria-current="page"' if page is current else ""
            made += f'<li><a href="{page.address}"{mark}>{page.title}</a></li>\n' if page.group == group else ""
        made += "</ul>\n"
    return made


def template(page, pages, codes):
    made, guides, at = article(page, pages, codes), navigation(pages, page), pages.index(page)
    before = "".join(f'<a rel="prev" href="{each.address}"><span class="meta">Previous</span> {each.title}</a>\n'
                     for each in pages[max(at - 1, 0):at])
    after = "".join(f'<a rel="next" href="{each.address}"><span class="meta">Next</span> {each.title}</a>\n'
                    for each in pages[at + 1:at + 2])
    return f"""<div class="guide">
<nav class="guides" aria-label="For developers">
{guides}</nav>
<details class="guides-menu"><summary>For developers: {page.title}</summary>
<nav aria-label="For developers, menu">
{guides}</nav></details>
<article>
{made}<nav class="next-guides" aria-label="Previous and next">
{before}{after}</nav>
</article>
{contents(made)}</div>
"""


def write(path, text):
    """Leaves an equal file as it is: nothing that is made from it is made again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(folder):
    pages = sorted(map(read, HERE.glob("*.md")), key=lambda page: int(page.order))
    codes = {}
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        write(folder / f"developers_{page.name}.tpl", template(page, pages, codes))
    rows = "".join("      {%s},\n" % ", ".join(json.dumps(text, ensure_ascii=False) for text in (
        page.path, page.heading, page.about, f"developers_{page.name}.tpl")) for page in pages)
    write(folder / "developer_guides.cpp", f"""#include "pages/public/developers_page.h"

namespace svc::pages {{

std::span<const DeveloperGuide> developer_guides() {{
  static constexpr DeveloperGuide kGuides[] = {{
{rows}  }};
  return kGuides;
}}

}}  // namespace svc::pages
""")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
