"""Login and authorization in a real browser, against a service like that of scripts/serve.

The tests themselves are in tests/browser/oauth, for node. Here they get the service, and users and applications in
addition to those of the demonstration catalog.
"""

import json
import re
import subprocess

import pytest

import node_suite
import stack as stacks
from processes import free_port
from test_browser import BROWSER

FILES = ("oauth/application.test.js", "oauth/authorize.test.js", "oauth/languages.test.js", "oauth/looks.test.js")
LANGUAGES = stacks.REPOSITORY / "worker/pages/languages"

# Each test has users of its own, without grants.
NEWCOMERS = 16

ENDLESS = {
    "client_id": "browser-client-endless", "name": "W" * 200, "description": "wordwithoutanyend" * 120,
    "redirect_uri": "http://127.0.0.1:9090/endless",
    "scopes": ["all:all", "all:read", "media:read", "stats:read", "media:upload"]}
# Right-to-left text, a direction override, text without spaces, and characters outside the basic plane.
INTERNATIONAL = {
    "client_id": "browser-client-international", "name": "مُجدول \u202eالمقاطع 予約投稿 🎬",
    "description": "ينشر مقاطعك عندما تريد.\n動画を好きな時間に公開します。\u202e backwards",
    "redirect_uri": "http://127.0.0.1:9090/international", "scopes": ["media:read"]}
# A host that a policy cannot name.
UNDERSCORE = {
    "client_id": "browser-client-underscore", "name": "Underscore", "redirect_uri": "https://my_app.example/callback",
    "scopes": ["media:read"]}

# A program in pages of another origin, which has a port of its own: only a registered origin may read responses.
DESK = {"client_id": "browser-client-desk", "type": "public", "name": "Film Desk", "scopes": ["media:read"]}

# Member of three accounts, with permission for applications in one of them.
MARIA = {"kind": "user", "id": 900, "name": "Maria Mixed", "email": "maria@acme.example", "password": "maria-password",
         "memberships": [{"account_id": account, "role": role} for account, role in
                         ((1001, "user"), (1002, "manager"), (1003, "owner"))]}


def doubled(text):
    """A text of a catalog with each word twice. Placeholders, tags and escapes stay."""
    parts = re.split(r"(\{+[^{}]*\}+|<[^>]*>|\\.)", text)
    return "".join(part if at % 2 else re.sub(r"\w+", lambda word: word[0] * 2, part) for at, part in enumerate(parts))


def write_long_words(folder):
    """Writes the catalog of a language whose words are twice as long as in English."""
    english = subprocess.run(["msgen", "--no-wrap", LANGUAGES / "messages.pot"], capture_output=True, text=True, check=True).stdout
    head, texts = english.split("\n\n", 1)
    texts = re.sub(r'^(msgstr(?:\[\d\])? )(".*")$', lambda line: line[1] + doubled(line[2]), texts, flags=re.M)
    (folder / "eo.po").write_text(f"{head}\n\n{texts}", encoding="utf-8")


@pytest.fixture(scope="module")
def node_results(module_stack, tmp_path_factory):
    stack = module_stack
    lines = [MARIA] + [{"kind": "user", "id": 900 + number, "name": f"Newcomer {number}",
                        "email": f"newcomer{number}@acme.example", "password": f"newcomer{number}-password",
                        "memberships": [{"account_id": 1001, "role": "owner"}]} for number in range(1, NEWCOMERS + 1)]
    catalog = tmp_path_factory.mktemp("catalog") / "catalog.jsonl"
    catalog.write_text(stacks.CATALOG.read_text() + "".join(json.dumps(line) + "\n" for line in lines))
    languages = tmp_path_factory.mktemp("languages")
    write_long_words(languages)
    base = node_suite.serve(stack, catalog, language_dir=languages)
    for application in (ENDLESS, INTERNATIONAL, UNDERSCORE):
        stack.store_application(account_id=1002, **application)
    port = free_port()
    desk = stack.directory / "desk.jsonl"
    desk.write_text(json.dumps({"kind": "application", "account_id": 1001, "created": "2026-04-01T10:00:00Z",
                                "redirect_uris": [f"http://127.0.0.1:{port}/desk"], **DESK}) + "\n")
    stack.import_catalog(desk)
    stack.start_pool("web", roles="web", workers=3)
    stack.start_pool("grant", roles="grant", workers=2)
    environment = {"SVC_APPLICATION_PORT": str(port), "SVC_URL": base, "SVC_NEWCOMERS": str(NEWCOMERS)}
    return node_suite.results(BROWSER, FILES, **environment) | node_suite.looks_elsewhere(BROWSER, FILES, **environment)


globals().update(node_suite.tests(BROWSER, FILES, elsewhere=True))
