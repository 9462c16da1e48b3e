"""Uploads by the form of the settings, without scripts, as shipped: from a file to its embed code. pages-W12, pages-W13."""

import html
import json
import re

import pytest

from processes import wait_until
from uploads import BOUNDARY, film, form, unique
from user_agent import Browser, Page

LIST = "/settings/accounts/1001/media"
ACTION = f"{LIST}/upload"


@pytest.fixture(scope="module")
def service(module_stack):
    module_stack.import_catalog()
    for role in ("web", "embed", "upload"):
        module_stack.start_pool(role, roles=role)
    module_stack.nginx = module_stack.start_shipped_nginx(micro_cache=False)
    module_stack.ingest = module_stack.start_ingest()
    module_stack.olivia = Browser(module_stack.nginx)
    module_stack.olivia.log_in(module_stack.olivia.page("/settings"), "olivia@acme.example")
    return module_stack


@pytest.fixture(scope="module")
def clip(service):
    return film(unique(service.directory))


def action_of(service):
    """The address of the form, with its token."""
    (action,) = [one["action"] for one in service.olivia.page(LIST).forms if one["action"].startswith(ACTION)]
    return action


def send(service, action, body, *, cookies=True, accept="text/html,application/xhtml+xml,*/*;q=0.8"):
    sent = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Origin": "null", "Accept": accept}
    if cookies:
        sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in service.olivia.cookies.items())
    return service.nginx.request(action, method="POST", host="app.svc.example", headers=sent, body=body)


def leftovers(service):
    uploads = [path for path in (service.directory / "uploads").rglob("*") if path.is_file()]
    return uploads + list((service.directory / "media" / ".work").glob("*/*"))


def wait_for(service, path):
    """Waits until the page of an upload has an end; returns it."""
    def ended():
        page = service.olivia.page(path)
        return None if b'http-equiv="refresh"' in page.answer.body else page
    return wait_until(ended, f"{path} is processed", pause=0.2)


def test_pages_W12_a_form_without_scripts_becomes_an_embed_code(service, clip):
    answer = send(service, action_of(service), form({"name": "My <film>"}, "clip.mp4", clip.read_bytes()))
    assert answer.status == 303, (answer.status, answer.body)
    path = answer.headers["location"]
    assert re.fullmatch(LIST + "/[a-z0-9]+", path) and answer.headers["cache-control"] == "no-store"
    ready = wait_for(service, path)
    assert "My <film>" in ready.text and "Ready." in ready.text
    (code,) = re.findall(r'<textarea id="code-[^>]*>([^<]*)<', ready.answer.body.decode())
    assert code in service.olivia.page(LIST).answer.body.decode()
    media = json.loads(service.olivia.request(path + ".json").body)
    assert (media["status"], media["progress"], media["name"]) == ("ready", 1, "My <film>")
    assert media["embedCode"] == html.unescape(code) and path.rpartition("/")[2] in media["embedCode"]
    wait_until(lambda: not leftovers(service), "nothing is left of the upload")


def test_pages_W34_a_file_that_is_no_media_is_deleted_with_its_upload(service):
    path = send(service, action_of(service), form({}, "a.mp4", b"hello\n" * 1000)).headers["location"]
    failed = wait_for(service, path)
    assert "Failed." in failed.text and leftovers(service), "the upload is kept"
    deleted = service.olivia.request(path, fields=failed.form(path)["fields"])
    assert "It is deleted." in service.olivia.page(deleted.headers["location"]).text
    wait_until(lambda: not leftovers(service), "it is deleted with its media")


def test_pages_W12_no_byte_is_stored_before_the_permission(service, clip):
    body = form({}, "clip.mp4", clip.read_bytes())
    right, wrong = action_of(service), f"{ACTION}?form={'0' * 64}"
    before = service.redis_state.command("DBSIZE")
    assert "Log in" in Page(send(service, right, body, cookies=False)).text
    assert "This page is too old" in Page(send(service, wrong, body)).text
    assert send(service, wrong, body, accept="application/json").status == 403
    assert not leftovers(service) and service.redis_state.command("DBSIZE") - before <= 1, "but for the count of forms"
