"""The settings pages through the shipped nginx. Unit tests have each page and form of them."""

import concurrent.futures
import json
import re

import pytest

from user_agent import Page
from settings_site import (DEMO, DEMO_SECRET, ENTERED, LIST, NEW, OLIVIA, audit, connect, logged_in, olivia, prepared,
                           register, send, shown, site, start, token_request, use)
from stack import CATALOG, Stack


MEDIA = "/settings/accounts/1001/media"

# --- from nothing ---

def test_from_an_empty_store_a_user_registers_connects_and_revokes_an_application(tmp_path):
    stack = Stack()
    try:
        mine = [line for line in map(json.loads, CATALOG.read_text().strip().split("\n"))
                if (line["kind"], line.get("id")) in (("account", 1001), ("user", 501))
                or line["kind"] in ("project", "media") and line.get("account_id") == 1001]
        catalog = tmp_path / "catalog.jsonl"
        catalog.write_text("".join(json.dumps(line) + "\n" for line in mine))
        stack.import_catalog(catalog)
        start(stack)
        media = next(line["id"] for line in mine if line["kind"] == "media")

        olivia = logged_in(stack, OLIVIA)
        overview = olivia.page("/settings")
        assert LIST in [attributes.get("href") for _, attributes in overview.elements]
        assert "There is no application yet" in olivia.page(LIST).text
        assert "No application is connected" in olivia.page("/settings/connected").text

        path, page = register(olivia)
        assert "The application is registered" in page.text and "no connections" in page.text
        (secret,) = shown(olivia, path)
        tokens = connect(stack, olivia, path, secret)
        assert use(stack, tokens, media) == 200

        connected = olivia.page("/settings/connected")
        assert "Reel Maker Has access to Acme Films" in connected.text
        assert "See media" in connected.text and "just now" in connected.text
        (revoke,) = [attributes["href"] for _, attributes in connected.elements
                     if attributes.get("href", "").startswith("/settings/connected/")]
        asked = olivia.page(revoke)
        assert "all its tokens end at once" in asked.text and use(stack, tokens, media) == 200
        page = send(olivia, asked, revoke)
        assert use(stack, tokens, media) == 401
        assert "Access is revoked" in page.text and "No application is connected" in page.text
        status, answer = token_request(stack, grant_type="refresh_token", client_id=path.rpartition("/")[2],
                                       client_secret=secret, refresh_token=tokens["refresh_token"])
        assert (status, answer["error"]) == (400, "invalid_grant")
        assert [(event["what"], event["contact"]) for event in audit(stack) if event["what"] != "import"] == [
            ("login", "501"), ("client.created", "501"), ("secret.shown", "501"), ("authorized", "501"),
            ("revoked", "501")]
    finally:
        stack.stop()


# --- permissions ---


def test_oauth_K7_simultaneous_revocations_of_a_connection_are_one_event(site):
    olivia = logged_in(site, OLIVIA)  # the rate limit counts per session
    for _ in range(3):
        connect(site, olivia, DEMO, DEMO_SECRET)
        (revoke,) = {form for _, attributes in olivia.page("/settings/connected").elements
                     if (form := attributes.get("href", "")).startswith("/settings/connected/")}
        fields = olivia.page(revoke).form(revoke)["fields"]
        before = sum(entry["what"] == "revoked" for entry in audit(site))
        with concurrent.futures.ThreadPoolExecutor(8) as many:
            statuses = list(many.map(lambda _: olivia.request(revoke, fields=fields).status, range(8)))
        assert set(statuses) == {303}
        assert sum(entry["what"] == "revoked" for entry in audit(site)) == before + 1


def actions():
    """Every form of the settings: the page that contains it, and its action."""
    return [(NEW, NEW), (DEMO + "/edit", DEMO + "/edit"), (DEMO, DEMO + "/secret"), (DEMO, DEMO + "/new-secret"),
            (DEMO + "/delete", DEMO + "/delete"), ("/settings/security", "/settings/security/password")]


def test_pages_W49_a_refused_form_links_to_its_page(olivia):
    media = MEDIA + "/upload?form="
    for page, action in [*actions(), ("/settings/security", "/settings/security/others"), (MEDIA, media)]:
        answer = olivia.request(action, fields={**ENTERED, "csrf": "0" * 64})
        (link,) = {attributes["href"] for tag, attributes in Page(answer).elements if tag == "a"}
        there = olivia.request(link)
        there = olivia.request(there.headers["location"]) if there.status == 303 else there
        heading = re.compile(rb"<h1.*?</h1>", re.S)
        assert heading.search(there.body)[0] == heading.search(olivia.page(page).answer.body)[0], (action, link)


# --- text entered by users ---

@pytest.mark.parametrize("text", ['"><script>alert(1)</script><img src=x onerror=alert(1)></title><b>',
                                  "{{NAME}} &lt; &amp; שלום &rlm; عالم"])
def test_pages_W5_names_and_descriptions_are_escaped(site, olivia, text):
    path, _ = register(olivia, name=text, description=text)
    (secret,) = shown(olivia, path)
    connect(site, olivia, path, secret)
    grant = next(attributes["href"] for _, attributes in olivia.page("/settings/connected").elements
                 if attributes.get("href", "").startswith("/settings/connected/"))
    for where in (path, path + "/edit", path + "/delete", LIST, "/settings/connected", grant):
        page = olivia.page(where)
        assert text in page.text or text in page.form(where)["fields"].get("name", ""), where
        tags = {tag for tag, _ in page.elements}
        assert not tags & {"img", "b", "iframe"}, where
        ends = where in (path + "/delete", grant)
        assert [a for t, a in page.elements if t == "script"] == [
            {"src": "/assets/show-password.js", "defer": None}, {"src": "/assets/copy.js", "defer": None},
            *([{"src": "/assets/deliberate.js"}] if ends else [])], where
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert olivia.page(path + "/edit").form(path + "/edit")["fields"]["description"] == text


def test_oauth_A6_every_page_forbids_caching_framing_and_foreign_resources(olivia):
    for path in ("/settings", LIST, NEW, DEMO, DEMO + "/edit", DEMO + "/delete", "/settings/connected",
                 "/settings/security", MEDIA):
        page = olivia.page(path)
        headers = page.answer.headers
        assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY" and "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "access-control-allow-origin" not in headers
        for tag, attributes in page.elements:
            for name in ("src", "href", "action"):
                assert attributes.get(name, "/").startswith(("/", "data:,")), (path, tag, attributes)
            assert "style" not in attributes and tag != "style"
        labelled = {attributes["for"] for tag, attributes in page.elements if tag == "label" and "for" in attributes}
        for tag, attributes in page.elements:
            if tag in ("input", "textarea") and attributes.get("type") not in ("hidden", "checkbox", "radio"):
                assert attributes["id"] in labelled or "aria-labelledby" in attributes, (path, attributes)
