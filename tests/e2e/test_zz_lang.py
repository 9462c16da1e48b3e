import json
import pytest
import node_suite
import stack as stacks
from test_browser import BROWSER
from test_browser_oauth import ENDLESS, INTERNATIONAL, UNDERSCORE, MARIA, write_long_words
def test_languages(stack, tmp_path):
    catalog = tmp_path / "catalog.jsonl"
    catalog.write_text(stacks.CATALOG.read_text() + json.dumps(MARIA) + "\n")
    languages = tmp_path / "languages"
    languages.mkdir()
    write_long_words(languages)
    base = node_suite.serve(stack, catalog, language_dir=languages)
    for application in (ENDLESS, INTERNATIONAL, UNDERSCORE):
        stack.store_application(account_id=1002, **application)
    stack.start_pool("web", roles="web", workers=2)
    found = node_suite.results(BROWSER, ("oauth/languages.test.js",), SVC_URL=base, SVC_NEWCOMERS="0", SVC_PICTURES="1")
    for name, report in found.items():
        print(name, report or "ok")
    assert not any(found.values())
