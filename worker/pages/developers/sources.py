"""sources: facts of the pages for developers that are read from other files of this tree: tables and types of the player, limits
of nginx, the changelog."""

import html
import re
from pathlib import Path

from markdown_it import MarkdownIt

TOP = Path(__file__).resolve().parents[3]
MARKDOWN = MarkdownIt("commonmark").enable("table")
MARKDOWN.normalizeLink = MARKDOWN.validateLink = lambda address: address  # braces of a template stay
MARKDOWN.add_render_rule("softbreak", lambda *_: " ")
LIMITS = "nginx/svc-limits-rates.conf"


def text_of(path):
    return (TOP / path).read_text(encoding="utf-8")


def inline(text):
    return MARKDOWN.renderInline(text)


def rows(markdown, number=0):
    """The cells of a table, without its head. `number` 0: the first table."""
    found, tables = [], -1
    for token, following in zip(tokens := MARKDOWN.parse(markdown), tokens[1:]):
        tables += token.type == "table_open"
        if tables == number and token.type == "tr_open" and following.type == "td_open":
            found.append([])
        elif tables == number and token.type == "td_open":
            found[-1].append(following.content)
    if not found:
        raise ValueError(f"no table {number}")
    return found


def rows_of(path, heading, number=0):
    """Those of a table below a heading."""
    section = re.search(rf"(?ms)^## {heading}(?: \{{#[\w-]+\}})?\n(.*?)(?=^## |\Z)", text_of(path))[1]
    return [[plain(cell) for cell in row] for row in rows(section, number)]


def plain(cell):
    """Without the targets of links, which lead elsewhere."""
    return re.sub(r"(`[^`]*`)|\[([^\]]*)\]\([^)]*\)", lambda found: found[1] or found[2], cell)


def as_sentence(cell):
    return cell[:1].upper() + cell[1:]


def listed(css, cells):
    return "\n".join([f'<dl class="{css}">', *(f"<dt>{inline(row[0])}</dt>\n<dd>{inline(as_sentence(row[-1]))}</dd>"
                                               for row in cells), "</dl>"])


def table(css, path, heading, number="0"):
    return listed(css, rows_of(path, heading.replace("_", " "), int(number)))


def options():
    """The options of the player. The program fills in the values; those of one row are often the same."""
    allowed = dict(re.findall(r'(?m)^ {4}\{"(\w+)"(.*)\},$', text_of("worker/embed/player_option_table.cpp")))
    made = ['<dl class="options">']
    for row in rows_of("nginx/player/README.md", "Options"):
        names = re.findall("`([^`]+)`", row[0])
        of_values = {allowed[name]: name for name in reversed(names) if name in allowed}
        values = "".join(f'<br><span class="meta">{{{{VALUES_{name.upper()}}}}}</span>' for name in reversed(of_values.values()))
        made += ["<dt>" + "".join(f"<code>{name}</code> " for name in names) + "</dt>",
                 f"<dd>{inline(as_sentence(row[-1]))}.{values}</dd>"]
    return "\n".join([*made, "</dl>"])


def members(interface):
    """The members of an interface of the player's types, with the comment of each."""
    body = re.search(rf"(?s)interface {interface} \{{\n(.*?)\n\}}", text_of("nginx/player/src/player-v1.d.ts"))[1]
    found = re.findall(r"(?m)^ *(?:/\*\* *(.*?) *\*/\n *)?(?:readonly )?([^/\n].*);$", body)
    return "\n".join(['<dl class="members">', *(f"<dt>{inline(f'`{code}`')}</dt>\n<dd>{inline(about)}</dd>" for about, code in found),
                      "</dl>"])


def directive(path, pattern):
    return re.search(rf"(?m)^{pattern}", text_of(path)).groups()


def rate(zone):
    number, unit = directive(LIMITS, rf"limit_req_zone .*zone=svc_{zone}:.* rate=(\d+)r/([sm]);")
    return f'{number} per {"second" if unit == "s" else "minute"}'


def at_once(zone):
    return directive(LIMITS, rf"limit_conn +svc_{zone}_at_once +(\d+);")[0]


def limit(zone):
    """The limit of requests, and the paths that have it: those are known at run time."""
    burst = re.search(rf"(?m)^limit_req +zone=svc_{zone} +burst=(\d+)", text_of(LIMITS))
    before = f"{rate(zone)}, {burst[1]} more at once, " if burst else ""
    section = f"PATHS_{zone.upper()}"
    return (f'{before}{at_once(zone)} at the same time<br><span class="meta">'
            f"{{{{#{section}}}}}<code>{{{{PATTERN}}}}</code> {{{{/{section}}}}}</span>")


def size(path, name):
    number, unit = directive(path, rf"{name} (?:.* )?(\d+)([kmg]);$")
    return f'{number} {dict(k="KiB", m="MiB", g="GiB")[unit]}'


def changelog():
    made = []
    for version, body, date in re.findall(r"(?ms)^svc-worker \((.*?)\).*?\n(.*?)\n -- .*?>  (.*?) [\d:]+ [-+]\d+$",
                                          text_of("systemd/debian/changelog")):
        changes = [" ".join(change.split()) for change in re.split(r"(?m)^  \* ", body)[1:]]
        made += [f'<h2 id="version-{version}">{version}</h2>', f'<p class="meta">{date}</p>', "<ul>",
                 *(f"<li>{html.escape(change)}</li>" for change in changes), "</ul>"]
    return "\n".join(made)


FACTS = {each.__name__: each for each in (options, members, table, rate, at_once, limit, size, changelog)}
