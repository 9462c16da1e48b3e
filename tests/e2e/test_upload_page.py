"""Uploads by the form of the settings, without scripts, as shipped: from a file to its embed code. pages-W12, pages-W13."""

import html
import json
import re

import pytest

import settings_site
from processes import wait_until
from settings_site import APP, MANUEL, OLIVIA, audit, logged_in
from uploads import BOUNDARY, film, form, unique
from user_agent import Page

LIST = "/settings/accounts/1001/media"
ACTION = f"{LIST}/upload"
TYPE = f"multipart/form-data; boundary={BOUNDARY}"


@pytest.fixture(scope="module")
def service(module_stack):
    module_stack.import_catalog()
    for role in ("web", "embed", "upload"):
        module_stack.start_pool(role, roles=role)
    module_stack.nginx = module_stack.start_shipped_nginx(micro_cache=False)
    module_stack.ingest = module_stack.start_ingest()
    module_stack.browsers = {email: logged_in(module_stack, email) for email in (OLIVIA, MANUEL)}
    return module_stack


@pytest.fixture(scope="module")
def clip(service):
    return film(unique(service.directory))


def action_of(page):
    """The address of the form, with its token."""
    (action,) = [one["action"] for one in page.forms if one["action"].startswith(ACTION)]
    return action


def send(service, action, body, *, email=OLIVIA, origin="null", **headers):
    cookies = service.browsers[email].cookies if email else {}
    sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()), "Content-Type": TYPE,
            "Origin": origin, "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
            **{name.replace("_", "-"): value for name, value in headers.items()}}
    return service.nginx.request(action, method="POST", host=APP, headers=sent, body=body)


def leftovers(service):
    uploads = [path for path in (service.directory / "uploads").rglob("*") if path.is_file()]
    return uploads + list((service.directory / "media" / ".work").glob("*/*"))


def wait_for(service, path):
    """Waits until the page of an upload has an end; returns it."""
    def ended():
        page = service.browsers[OLIVIA].page(path)
        return None if b'http-equiv="refresh"' in page.answer.body else page
    return wait_until(ended, f"{path} is processed", pause=0.2)


def test_pages_W12_a_form_without_scripts_becomes_an_embed_code(service, clip):
    olivia = service.browsers[OLIVIA]
    assert LIST in [attributes.get("href") for _, attributes in olivia.page("/settings").elements]
    page = olivia.page(LIST)
    assert "Nothing was uploaded yet" in page.text
    answer = send(service, action_of(page), form({"name": "My <film>"}, "clip.mp4", clip.read_bytes()))
    assert answer.status == 303, (answer.status, answer.body)
    path = answer.headers["location"]
    assert re.fullmatch(LIST + "/[a-z0-9]+", path) and answer.headers["cache-control"] == "no-store"
    (event,) = [entry for entry in audit(service) if entry["what"] == "upload.permitted"]
    assert (event["contact"], event["account"]) == ("501", "1001")
    ready = wait_for(service, path)
    assert "My <film>" in ready.text and "Ready." in ready.text
    (code,) = re.findall(r'<textarea id="code-[^>]*>([^<]*)<', ready.answer.body.decode())
    assert path.rpartition("/")[2] in html.unescape(code)
    again = olivia.page(LIST)
    assert path in [attributes.get("href") for _, attributes in again.elements]
    assert code in again.answer.body.decode()
    status = olivia.request(path + ".json")
    media = json.loads(status.body)
    assert (media["status"], media["progress"], media["name"]) == ("ready", 1, "My <film>")
    assert media["embedCode"] == html.unescape(code)
    wait_until(lambda: not leftovers(service), "nothing is left of the upload")


def test_pages_W12_a_script_gets_json(service, clip):
    action = action_of(service.browsers[OLIVIA].page(LIST))
    answer = send(service, action, form({}, "clip.mp4", clip.read_bytes()), Accept="application/json")
    assert answer.status == 201, (answer.status, answer.body)
    media = json.loads(answer.body)
    assert media["status"] == "queued"
    wait_for(service, f"{LIST}/{media['hashed_id']}")
    # The API does not have the answer of a page, whatever a client sends.
    assert media["hashed_id"] in service.redis_state.command("ZRANGE", "ingest:uploads:1001", 0, -1)


def test_pages_W12_a_file_that_is_no_media_shows_its_reason(service):
    action = action_of(service.browsers[OLIVIA].page(LIST))
    answer = send(service, action, form({}, "a.mp4", b"hello\n" * 1000))
    failed = wait_for(service, answer.headers["location"])
    assert "Failed." in failed.text and "Embed code" not in failed.text
    assert "Failed." in service.browsers[OLIVIA].page(LIST).text
    media = json.loads(service.browsers[OLIVIA].request(answer.headers["location"] + ".json").body)
    assert media["status"] == "failed" and media["failure"] in failed.text
    assert leftovers(service), "the upload is kept"
    olivia = service.browsers[OLIVIA]
    deleted = settings_site.send(olivia, olivia.page(answer.headers["location"]), answer.headers["location"])
    assert "It is deleted." in deleted.text and "Failed." not in deleted.text
    assert audit(service)[-1]["what"] == "media.removed"
    wait_until(lambda: not leftovers(service), "it is deleted with its media")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
@pytest.mark.parametrize("name, fields, file_name, data, status, says", [
    ("no file", {"name": "a"}, None, b"", 422, "no file"),
    ("an empty file", {}, "a.mp4", b"", 422, "the file is empty"),
    ("a long name", {"name": "a" * 2049}, "a.mp4", b"x", 422, "name must be"),
])
def test_pages_W12_a_form_is_refused_with_a_reason(service, accept, name, fields, file_name, data, status, says):
    action = action_of(service.browsers[OLIVIA].page(LIST))
    answer = send(service, action, form(fields, file_name, data), Accept=accept)
    assert answer.status == status, (name, answer.body)
    assert answer.headers["cache-control"] == "no-store"
    if accept == "text/html":
        page = Page(answer)
        assert says in page.text and "Nothing was uploaded" in page.text
        assert LIST in [attributes.get("href") for _, attributes in page.elements]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    else:
        assert says in json.loads(answer.body)["error"]
    wrong = send(service, action, b"a=b", Accept=accept, Content_Type="application/x-www-form-urlencoded")
    assert wrong.status == 415
    wait_until(lambda: not leftovers(service), "nothing is left")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_pages_W12_an_account_with_too_many_uploads_is_refused_with_a_reason(service, accept):
    action = action_of(service.browsers[OLIVIA].page(LIST))
    many = [word for number in range(10_000) for word in (1, f"upload{number:05}")]
    service.redis_state.command("ZADD", "ingest:uploads:1001", *many)
    try:
        answer = send(service, action, form({}, "a.mp4", b"x" * 300_000), Accept=accept)
    finally:
        service.redis_state.command("ZREM", "ingest:uploads:1001", *many[1::2])
    assert answer.status == 507
    text = Page(answer).text if accept == "text/html" else json.loads(answer.body)["error"]
    assert "10000 are allowed. Delete some by the API, or ask the operator of this service." in text
    assert not leftovers(service)


def test_pages_W12_only_who_may_upload_is_heard(service, clip):
    """No byte of a body is stored, and none is read, before the permission."""
    body = form({}, "clip.mp4", clip.read_bytes())
    before = service.redis_state.command("DBSIZE")
    right = action_of(service.browsers[OLIVIA].page(LIST))
    token = right.partition("=")[2]
    foreign = right.replace("/1001/", "/1002/")
    for name, action, how, status, says in (
            ("no session", right, {"email": None}, 200, "Log in"),
            ("a wrong token", f"{ACTION}?form={'0' * 64}", {}, 403, "This page is too old"),
            ("no token", ACTION, {}, 403, "This page is too old"),
            ("the token as a field", f"{ACTION}?csrf={token}", {}, 403, "This page is too old"),
            ("the token of another user", right, {"email": MANUEL}, 403, "This page is too old"),
            ("another site", right, {"origin": "https://evil.example"}, 403, "This page is too old"),
            ("a token for another account", foreign, {}, 403, "This page is too old")):
        answer = send(service, action, body, **how)
        assert answer.status == status and says in Page(answer).text, (name, answer.status, answer.body[:2000])
        json_answer = send(service, action, body, Accept="application/json", **how)
        assert json_answer.status == (401 if name == "no session" else status), (name, json_answer.body)
        assert json.loads(json_answer.body)["error"]
    assert not leftovers(service)
    recent = service.redis_state.command("ZCARD", "ingest:uploads:1001")
    assert service.redis_state.command("DBSIZE") - before <= 1, "but for the count of forms"
    assert service.redis_state.command("ZCARD", "ingest:uploads:1001") == recent


def test_pages_W13_media_and_accounts_of_others_are_not_found(service, clip):
    olivia = service.browsers[OLIVIA]
    assert "There is nothing here" in olivia.page("/settings/accounts/1002/media", 404).text
    theirs = logged_in(service, MANUEL).page("/settings/accounts/1002/media")
    assert "Media of" in theirs.text
    (action,) = [one["action"] for one in theirs.forms if "/media/upload" in one["action"]]
    # Manuel's session is new: his form belongs to it.
    service.browsers["manuel again"] = browser = logged_in(service, MANUEL)
    (action,) = [one["action"] for one in browser.page("/settings/accounts/1002/media").forms
                 if "/media/upload" in one["action"]]
    answer = send(service, action, form({}, "a.mp4", clip.read_bytes()), email="manuel again")
    path = answer.headers["location"]
    assert path.startswith("/settings/accounts/1002/media/")
    stolen = path.replace("/1002/", "/1001/")
    assert "There is nothing here" in olivia.page(stolen, 404).text
    assert olivia.request(stolen + ".json").status == 404
    assert "There is nothing here" in olivia.page(path, 404).text
    for missing in (f"{LIST}/", f"{LIST}/nothing", f"{LIST}/a/b", f"{LIST}/..%2f1002"):
        assert olivia.request(missing).status == 404, missing
    uma = logged_in(service, "uma@acme.example")
    assert "You are a user of this account" in uma.page(LIST, 403).text


def test_pages_W12_other_methods_lead_to_the_form(service):
    olivia = service.browsers[OLIVIA]
    answer = olivia.request(action_of(olivia.page(LIST)))
    assert (answer.status, answer.headers["location"]) == (303, LIST)
