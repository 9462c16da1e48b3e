"""The generator of the pages for developers (worker/pages/developers): its blocks have exactly their code, what it takes from
other files is found, and its tables of oEmbed are those of the contract."""

import html
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEVELOPERS = ROOT / "worker" / "pages" / "developers"
sys.path[:0] = [str(ROOT / "tests"), str(DEVELOPERS)]

import build  # noqa: E402  # its folder is not installed
import sources  # noqa: E402

OEMBED = "worker/pages/developers/oembed.md"


def page(text, name="page", address="{{@DEVELOPERS}}/page"):
    return SimpleNamespace(name=name, path=name, address=address, title="Page", about="About", text=text)


def article(text, *others, codes=None):
    one = page(text)
    return build.article(one, [one, *others], {} if codes is None else codes)


@pytest.mark.parametrize("kind, code", [
    ("html", """<!-- it's --><p class="a &amp; b">don't</p>\n\n\n<script>\n  // it's\n  const a = `x ${y}` + 'it';\n</script>"""),
    ("script", "// a 'comment'\nawait play('x'); // more\nlet b = \"open"),
    ("shell", '# a "comment"\ncurl "$url" | sed -n "s/\\"$1//p" # no\n\\'),
    ("header", "Content-Security-Policy: script-src 'none'"),
    ("json", '{\n  "a": "b\\""\n}'),
    ("html", "<"), ("script", "'"), ("script", "'\\"),
])
def test_a_block_has_exactly_its_code(kind, code):
    made = build.block(kind, "name", code)
    assert "\n\n" not in made
    assert html.unescape(re.sub("</?span[^>]*>", "", re.search(r'id="name">(.*)</code>', made, re.S)[1])) == code


def test_a_block_marks_comments_strings_and_words():
    assert build.block("script", "a", "const b = 'c'; // d") == (
        '<div class="block"><pre><code class="script" id="a"><span class="k">const</span> b = <span class="s">&#39;c&#39;</span>; '
        '<span class="c">// d</span></code></pre><button type="button" class="copy" data-copy="a" hidden>Copy</button></div>')


def test_braces_of_a_code_are_not_those_of_a_template():
    made = article("# Page\n\n```html a\n{{HOST}}{{ second }}\n```\n")
    assert ">{{HOST}}{&#123; second }}<" in made


def test_two_different_blocks_have_two_names():
    codes = {}
    article("# Page\n\n```shell a\ntrue\n```\n", codes=codes)
    article("# Page\n\n```shell a\ntrue\n```\n", codes=codes)
    with pytest.raises(ValueError, match="named a"):
        article("# Page\n\n```shell a\nfalse\n```\n", codes=codes)


def test_a_page_is_markdown_with_places_notices_sections_and_lists():
    made = article("# Page\n\nWhat it\nis.\n\n## `A` part {#a}\n\n{{#NEW}}\n> Read [it](other.md#there).\n{{/NEW}}\n\n"
                   "{{=list options}}\n| a | b |\n|---|---|\n| `x` | does `y` |\n\nMore.\n",
                   page("", "other", "{{@DEVELOPERS}}/other"))
    assert [line for line in made.splitlines() if line] == [
        "<h1>Page</h1>", '<p class="lead">What it is.</p>', '<h2 id="a"><code>A</code> part</h2>', "{{#NEW}}",
        '<p class="notice">Read <a href="{{@DEVELOPERS}}/other#there">it</a>.</p>', "{{/NEW}}", '<dl class="options">',
        "<dt><code>x</code></dt>", "<dd>Does <code>y</code></dd>", "</dl>", "<p>More.</p>"]


def test_the_contents_have_the_sections_around_a_heading():
    made = build.contents('<h2 id="a">A</h2>{{#PART}}<h2 id="{{PLACE}}">{{TITLE}}</h2>{{/PART}}')
    assert '<li><a href="#a">A</a></li>\n{{#PART}}<li><a href="#{{PLACE}}">{{TITLE}}</a></li>\n{{/PART}}' in made
    assert build.contents('<h2 id="a">A</h2>') == ""


def test_cells_of_other_documents_lose_the_targets_of_their_links():
    assert sources.plain("the URL, [all of them](../a.md#b) (`[x](y)`)") == "the URL, all of them (`[x](y)`)"


def test_facts_of_other_files_are_found():
    assert sources.rate("upload") == "120 per minute" and sources.at_once("token") == "32"
    assert sources.limit("text").startswith("16 at the same time<br>")
    assert sources.size("nginx/svc-upload-body.conf", "client_max_body_size") == "2 GiB"
    assert "<dt><code>pause(): this</code></dt>\n" in sources.members("SvcPlayer")
    assert "<dt><code>play: [player: SvcPlayer]</code></dt>\n<dd></dd>" in sources.members("SvcEvents")
    # Rows with one kind of values tell it once.
    assert sources.options().count("{{VALUES_AUTOPLAY}}") == 1 and "{{VALUES_MUTED}}" not in sources.options()
    assert re.search(r'<h2 id="version-[\d.]+">', sources.changelog())
    with pytest.raises(ValueError, match="no table"):
        sources.rows_of("nginx/player/README.md", "Keys")


def test_every_link_between_the_pages_leads_to_a_heading():
    pages = [build.read(path) for path in DEVELOPERS.glob("*.md")]
    made = {each.name: build.article(each, pages, {}) for each in pages}
    wrong = [(each.name, name, place) for each in pages
             for name, place in re.findall(r"\]\((\w*)(?:\.md)?(?:#([\w-]+))?\)", each.text)
             # Those of the reference are known at run time.
             if place and name != "api" and f'id="{place}"' not in made[name or each.name]]
    assert wrong == []


@pytest.mark.parametrize("ours, contract", [("Parameters", "Parameters"), ("Errors", "Statuses")])
def test_the_contract_has_the_tables_of_the_page(ours, contract):
    there = [[re.sub(r" \([a-z]+-[A-Z]\d+\)", "", cell) for cell in row]
             for row in sources.rows_of("tests/contract/oembed.md", contract)]
    assert there == sources.rows_of(OEMBED, ours)
