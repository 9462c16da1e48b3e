"""The settings pages in a real browser, against a service like that of scripts/serve.

The tests themselves are in tests/browser/settings, for node. Here they get the service, users, applications, and a
session whose password was entered long ago.
"""

import json

import pytest

import node_suite
import stack as stacks
from test_browser import BROWSER
from test_browser_oauth import ENDLESS, INTERNATIONAL, MARIA
from user_agent import Browser

FILES = ("settings/settings.test.js", "settings/developers.test.js", "settings/first-visit.test.js")

# An account without applications.
EMPTY = {"kind": "account", "id": 1004, "name": "Empty House", "host": "empty.svc.localhost",
         "url": "https://empty.svc.localhost", "oauth_enabled": True}


# A film with chapters; its transcript is that of the demonstration's captions.
FILM = next(line for line in stacks.catalog_lines() if line.get("id") == "l4unchf1lm")
CHAPTERS = [{"at": 0, "title": "Beginning"}, {"at": 3000, "title": "Middle"}, {"at": 6000, "title": "End"}]
TIMES = {**FILM, "id": "t1mes00001", "name": "Film with chapters",
         "assets": [*FILM["assets"], {"type": "chapters", "chapters": CHAPTERS}]}

# Without a file, since only svc-ingest makes files of a private film.
PRIVATE = {"kind": "media", "id": "pr1vate001", "account_id": 1001, "type": "Video", "name": "Private film", "status": "ready",
           "visibility": "private", "created": "2026-03-01T10:00:00Z", "updated": "2026-03-01T10:00:00Z", "assets": []}

# Names that are hard to show: none, more than fits, from right to left.
NAMED = [{**FILM, "id": media, "name": name} for media, name in (
    ("n0name0001", ""), ("l0ngname01", "A name that tells the whole story, with every place and year. " + "Donaudampfschiff" * 12),
    ("rt1name001", "فيلم الإطلاق: الجزء الثاني (2026)"))]


def an_old_session(stack):
    """Returns the cookie of Manuel's session, whose password was entered long ago."""
    browser = Browser(stack.nginx)
    browser.log_in(browser.page("/settings"), "manuel@acme.example")
    stack.redis_state.command("EVAL", "for _, key in ipairs(redis.call('KEYS', 'web:session:*')) do "
                              "redis.call('HSET', key, 'password_given', 1) end return 1", 0)
    ((name, value),) = browser.cookies.items()
    return f"{name}={value}"


def results(stack, tmp_path_factory, files):
    maria = {**MARIA, "memberships": [*MARIA["memberships"], {"account_id": 1004, "role": "owner"}]}
    catalog = tmp_path_factory.mktemp("catalog") / "catalog.jsonl"
    catalog.write_text(stacks.CATALOG.read_text() + "".join(json.dumps(line) + "\n" for line in (EMPTY, maria, TIMES, PRIVATE, *NAMED)))
    base = node_suite.serve(stack, catalog, example_media="l4unchf1lm")
    for application in (ENDLESS, INTERNATIONAL):
        stack.store_application(account_id=1002, **application)
    stack.start_pool("web", roles="web", workers=3, demo_gallery="http://127.0.0.1:9090")
    stack.start_pool("embed", roles="embed", workers=2)
    stack.start_pool("grant", roles="grant", workers=2)
    environment = {"SVC_URL": base, "SVC_NEWCOMERS": "0", "SVC_SESSION_OLD": an_old_session(stack)}
    return node_suite.results(BROWSER, files, **environment) | node_suite.looks_elsewhere(BROWSER, files, **environment)


@pytest.fixture(scope="module")
def node_results(module_stack, tmp_path_factory):
    return results(module_stack, tmp_path_factory, FILES)


globals().update(node_suite.tests(BROWSER, FILES, elsewhere=True))
