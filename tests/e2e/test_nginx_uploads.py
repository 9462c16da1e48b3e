"""Uploads through the shipped nginx: the permission, the place of the bytes, the second half, and the removal of files."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess

import pytest

from nginx_front import AWAY, Front, check_refusal
from processes import PATIENCE, children_of, wait_until
from shipped_nginx import API, APP, EMBED

TOKEN = "s3cr3t"
PATH = f"/v1/medias?access_token={TOKEN}"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
NO_SPACE = {"error": "insufficient_storage", "error_description": "no space for this upload"}
KEPT = "Status: 200\r\nContent-Type: application/json\r\n\r\n{\"hashed_id\":\"a\"}"
FORM = "e30"
HANDED_ON = f"Status: 307 a\r\nX-Svc-Upload: {FORM}\r\n\r\n"
COMMITS = ("/upload-commit", "/upload-page-commit")
REFUSAL = ("Status: 401\r\nContent-Type: application/json\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\n"
           "Cache-Control: no-store\r\n\r\n{\"error\":\"invalid_token\"}")


class Uploads:
    """The shipped nginx, a grant pool that knows one token, and an upload pool that keeps each file. The grant pool permits and
    commits uploads."""

    def __init__(self, stack, **forget):
        self.front = Front(stack, **forget)
        self.nginx, self.pools, self.directory = self.front.nginx, self.front.pools, stack.directory
        self.kept = self.directory / "uploads" / "kept"
        self.incoming = self.directory / "uploads" / "incoming"
        self.permission = lambda _: "Status: 204\r\nX-Svc-Account: 7\r\nX-Svc-Permit: p3rm1t\r\n\r\n"
        self.commit = lambda _: KEPT
        self.refusal = lambda _: REFUSAL
        self.pools["grant"].answer = self._grant
        self.pools["upload"].answer = self._keep

    def _grant(self, parameters):
        if parameters["DOCUMENT_URI"] in COMMITS:
            return self.commit(parameters)
        if parameters["DOCUMENT_URI"] != "/upload-permission":
            return self.refusal(parameters)
        if TOKEN not in parameters["QUERY_STRING"]:
            return "Status: 403\r\n\r\n"
        return self.permission(parameters)

    def _keep(self, parameters):
        os.rename(parameters["BODY_FILE"], self.kept)
        return HANDED_ON

    def asked(self):
        """The pools' requests so far: [(pool, path)], and forgets them."""
        found = [(name, one["DOCUMENT_URI"]) for name, pool in self.pools.items() for one in pool.seen]
        for pool in self.pools.values():
            pool.seen.clear()
        return found

    def is_empty(self):
        return not os.listdir(self.incoming)

    def wait_empty(self):
        wait_until(self.is_empty, "nginx has deleted the file")

    @contextlib.contextmanager
    def begun(self, path, *headers, host=API):
        """A connection on which the head of an upload was sent."""
        with socket.create_connection(("127.0.0.1", self.nginx.port), PATIENCE) as connection:
            head = [f"POST {path} HTTP/1.1", f"Host: {host}", "Content-Type: multipart/form-data; boundary=b", *headers]
            connection.sendall("\r\n".join([*head, "", ""]).encode())
            yield connection


def is_told_to_continue(connection):
    """Waits for the interim response to `Expect: 100-continue`."""
    return connection.recv(len(CONTINUE), socket.MSG_WAITALL) == CONTINUE


def response(connection):
    """Status, headers and body of a response; the connection may stay open."""
    answer = http.client.HTTPResponse(connection, method="POST")
    answer.begin()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


@pytest.fixture
def uploads(stack):
    one = Uploads(stack)
    yield one
    for pool in one.pools.values():
        pool.close()


LARGE = 100 * 1024 * 1024
SIZES = {"a length": [f"Content-Length: {LARGE}"], "chunks": ["Transfer-Encoding: chunked"]}


def part_of_body(size, what):
    return b"%x\r\n%s\r\n" % (size, b"a" * size) if what == "chunks" else b"a" * size


# Headers with which a client may try to set what nginx hands over.
FORGED = {"X-Svc-Account": "9", "X-Svc-Permit": "f0", "X-Svc-Upload": "f0", "Body-File": "/etc/passwd", "Upload-Account": "9",
          "Upload-Permit": "f0", "Upload_Permit": "f0", "Svc-Upload-Permit": "f0", "Upload-Form": "f0", "Upload_Form": "f0",
          "Svc-Upload-Form": "f0", "Upload-Answer": "x", "Request-Id": "f0", "X-Request-Id": "f0"}


def test_operations_N3_each_pool_gets_exactly_these_parameters(uploads):
    answer = uploads.nginx.request(PATH, method="POST", body=b"body", headers={
        "Authorization": "Bearer b", "Content-Type": "multipart/form-data; boundary=b", "Cookie": "a=b",
        "Idempotency-Key": "k", **FORGED})
    assert (answer.status, answer.body) == (200, b'{"hashed_id":"a"}')
    assert uploads.kept.read_bytes() == b"body" and uploads.is_empty()
    (asked, committed), (kept,) = uploads.pools["grant"].seen, uploads.pools["upload"].seen
    common = {"REQUEST_METHOD": "POST", "REMOTE_ADDR": "127.0.0.1", "REQUEST_SCHEME": "http", "HTTP_HOST": API,
              "REMOTE_USER": "", "CONTENT_LENGTH": ""}
    number = asked.pop("REQUEST_ID")
    assert re.fullmatch("[0-9a-f]{32}", number) and kept.pop("REQUEST_ID") == committed.pop("REQUEST_ID") == number
    assert answer.header("x-request-id") == number
    assert asked.pop("UPLOAD_LENGTH") == "4"
    assert asked == {**common, "DOCUMENT_URI": "/upload-permission", "QUERY_STRING": f"access_token={TOKEN}",
                     "HTTP_AUTHORIZATION": "Bearer b", "CONTENT_TYPE": "", "HTTP_IDEMPOTENCY_KEY": "k"}
    assert kept.pop("BODY_FILE").startswith(f"{uploads.incoming}/")
    assert kept == {**common, "DOCUMENT_URI": "/upload", "CONTENT_TYPE": "multipart/form-data; boundary=b"}
    assert committed == {**common, "DOCUMENT_URI": "/upload-commit", "CONTENT_TYPE": "", "UPLOAD_PERMIT": "p3rm1t",
                         "UPLOAD_FORM": FORM, "HTTP_IDEMPOTENCY_KEY": "k"}


@pytest.mark.parametrize("path", ["/v1/medias", "/v1/medias.json", "/settings/accounts/7/media/upload"])
def test_operations_N4_only_a_post_is_an_upload(uploads, path):
    """operations-N4: the list has the same path. Other methods go to the pool as on every other path, and do not count."""
    pool, host = ("web", APP) if path.startswith("/settings") else ("grant", API)
    uploads.refusal = lambda parameters: ("Content-Type: text/plain\r\n\r\n" + json.dumps(parameters))
    uploads.pools["web"].answer = uploads.refusal
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "DELETE"):
        for number in range(50):
            answer = uploads.nginx.request(f"{path}?a=b", method=method, host=host, headers={"Accept": "a/b"})
            assert answer.status == 200, (method, number)
        if method != "HEAD":
            got = json.loads(answer.body)
            assert (got["REQUEST_METHOD"], got["DOCUMENT_URI"], got["QUERY_STRING"]) == (method, path, "a=b")
            assert pool == "web" or got["HTTP_ACCEPT"] == "a/b"
        assert set(uploads.asked()) == {(pool, path)}
        large = uploads.nginx.request(path, method=method, host=host, body=b"a" * 70_000)
        if method == "HEAD":
            assert (large.status, large.body) == (413, b"")
        else:
            check_refusal(large, 413, {"error": "the body is too large"}, "api" if pool == "grant" else "json")
        assert uploads.asked() == [] and uploads.is_empty()
    lines = [json.loads(line) for line in uploads.front.access_log(255)]
    assert {line["uri"] for line in lines if line["status"] == 200} == {path}


def test_a_body_is_stored_once_the_grant_pool_permits_it(uploads):
    for what in SIZES:
        with uploads.begun(PATH, *([SIZES[what][0]] if what == "chunks" else ["Content-Length: 300000"]),
                           "Expect: 100-continue") as client:
            assert is_told_to_continue(client)
            client.sendall(part_of_body(300_000, what) + (b"0\r\n\r\n" if what == "chunks" else b""))
            assert response(client)[0] == 200
        assert uploads.kept.read_bytes() == b"a" * 300_000 and uploads.is_empty(), what
        uploads.kept.unlink()


@pytest.mark.parametrize("what", SIZES)
def test_nothing_is_left_of_an_upload_that_the_client_ends(uploads, what):
    with uploads.begun(PATH, *SIZES[what]) as client:
        client.sendall(part_of_body(1_000_000, what))
        wait_until(lambda: not uploads.is_empty(), "nginx stores the body")
    uploads.wait_empty()
    assert uploads.asked() == [("grant", "/upload-permission")]


@pytest.mark.parametrize("down", [False, True])
def test_operations_N4_the_file_of_a_failed_upload_is_deleted(uploads, down):
    uploads.pools["upload"].answer = HANDED_ON
    uploads.commit = lambda _: "Status: 400\r\nContent-Type: application/json\r\n\r\n{\"error\":\"no file\"}"
    if down:
        uploads.pools["upload"].listener.shutdown(socket.SHUT_RDWR)
        uploads.pools["upload"].close()
    answer = uploads.nginx.request(PATH, method="POST", body=b"a" * 300_000)
    if down:
        check_refusal(answer, 502, AWAY, "api")
    else:
        assert (answer.status, answer.body) == (400, b'{"error":"no file"}')
    uploads.wait_empty()


def test_a_client_that_stalls_loses_its_upload(uploads):
    file = uploads.directory / "svc" / "svc-upload-body.conf"
    file.write_text(file.read_text().replace("client_body_timeout 60s", "client_body_timeout 2s"))
    uploads.nginx.reload()
    with uploads.begun(PATH, *SIZES["a length"]) as client:
        client.sendall(b"a" * 1_000_000)
        wait_until(lambda: not uploads.is_empty(), "nginx stores the body")
        with pytest.raises(ConnectionResetError):
            client.recv(1)
    uploads.wait_empty()


@pytest.fixture
def full_disk(stack):
    """A file system of 1 MB for the uploads."""
    place = stack.directory / "uploads"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], check=True)
    yield
    stack.programs.pop().stop()  # nginx
    subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("what", SIZES)
def test_a_full_disk_is_507_and_nothing_is_left(full_disk, stack, what):  # pylint: disable=unused-argument
    uploads = Uploads(stack)
    for size in (1_500_000, 30_000_000):
        more = [f"Content-Length: {size}"] if what == "a length" else SIZES[what]
        with uploads.begun(PATH, *more) as client:
            with contextlib.suppress(ConnectionError):
                client.sendall(part_of_body(size, what))
            status, headers, body = response(client)
            assert (status, json.loads(body)) == (507, {**NO_SPACE, "request_id": headers["x-request-id"]})
            assert headers["cache-control"] == "no-store" and "retry-after" not in headers
        uploads.wait_empty()
    assert {pool for pool, _ in uploads.asked()} == {"grant"}
    assert [json.loads(line)["status"] for line in uploads.front.access_log(2)] == [507, 507]
    # There is room again.
    assert uploads.nginx.request(PATH, method="POST", body=b"a" * 500_000).status == 200


def test_operations_N4_the_clients_response_if_the_grant_pool_cannot_decide(uploads):
    uploads.permission = uploads.refusal = lambda _: (
        "Status: 503\r\nRetry-After: 7\r\nContent-Type: application/json\r\n\r\n{\"error\":\"the store\"}")
    with uploads.begun(PATH, *SIZES["a length"]) as client:
        status, headers, body = response(client)
    assert (status, headers["retry-after"], body) == (503, "7", b'{"error":"the store"}')
    uploads.pools["grant"].listener.shutdown(socket.SHUT_RDWR)
    uploads.pools["grant"].close()
    for what in SIZES:
        with uploads.begun(PATH, *SIZES[what]) as client:
            client.sendall(part_of_body(300_000, what))
            status, headers, body = response(client)
        assert (status, headers["retry-after"], json.loads(body)["error"]) == (502, "1", "temporarily_unavailable")
    check_refusal(uploads.nginx.request(PATH, method="POST", body=b"body"), 502, AWAY, "api")
    assert uploads.is_empty() and not uploads.pools["upload"].seen


def test_operations_N2_an_upload_whose_worker_dies_is_sent_again_with_the_same_id_and_file(stack):
    uploads = Uploads(stack, upload=2)
    assert uploads.nginx.request(PATH, method="POST", body=b"body").status == 200
    seen = uploads.pools["upload"].seen
    assert len(seen) == 3 and len({(one["REQUEST_ID"], one["BODY_FILE"]) for one in seen}) == 1
    assert uploads.kept.read_bytes() == b"body"


@pytest.fixture(params=["a token", "a form"])
def half(request, forms):
    """A path, host and pool of an upload, and how its errors are checked."""
    if request.param == "a token":
        return PATH, API, "grant", lambda answer, status, words: check_refusal(answer, status, words, "api")
    return FORM_PATH, APP, "web", lambda answer, status, words: check_refusal(answer, status, words)


def send(forms, half, **headers):
    path, host, *_ = half
    return forms.nginx.request(path, host=host, method="POST", body=b"body", headers={
        **BROWSER, "Accept": "application/json", **headers})


def test_operations_N2_a_second_half_whose_worker_dies_is_sent_again_with_the_same_id(forms, half):
    pool, check = half[2:]
    permitted = forms.permission(None)

    def permit(_):
        forms.pools[pool].forget = 99  # each worker dies from now on
        return permitted
    forms.permission = permit
    check(send(forms, half), 502, AWAY)
    seen = [one for one in forms.pools[pool].seen if one["DOCUMENT_URI"] in COMMITS]
    assert len(seen) == 3 and all(one == seen[0] for one in seen)
    assert seen[0]["UPLOAD_PERMIT"] == "p3rm1t" and len(forms.pools["upload"].seen) == 1


def test_operations_U52_the_response_of_the_second_half_is_the_client_s(forms, half):
    for status in (201, 303, 400, 403, 404, 409, 413, 415, 422, 429, 503, 507):
        forms.commit = lambda _, status=status: (f"Status: {status} a\r\nContent-Type: text/plain\r\nLocation: /there\r\n"
                                                 "Retry-After: 7\r\nCache-Control: no-store\r\n\r\nwords")
        answer = send(forms, half)
        assert (answer.status, answer.body) == (status, b"words")
        assert {name: answer.header(name) for name in ("content-type", "location", "retry-after", "cache-control")} == {
            "content-type": "text/plain", "location": "/there", "retry-after": "7", "cache-control": "no-store"}
        assert len(answer.header("x-request-id")) == 32 and answer.header("x-content-type-options") == "nosniff"
        assert answer.header("x-svc-upload") is answer.header("x-svc-permit") is None
        assert answer.header("content-security-policy") is None
    lines = [json.loads(line) for line in forms.front.access_log(12)]
    assert {line["uri"] for line in lines} == {half[0].partition("?")[0]} and lines[0]["method"] == "POST"


def test_operations_U52_a_form_of_the_largest_size_is_handed_on(forms, half):
    forms.pools["upload"].answer = f"Status: 307 a\r\nX-Svc-Upload: {'a' * 20 * 1024}\r\n\r\n"
    assert send(forms, half).status == 200
    assert forms.pools[half[2]].seen[-1]["UPLOAD_FORM"] == "a" * 20 * 1024


def test_operations_U52_the_upload_pool_leads_nowhere_else(forms, half):
    """As an attacker who controls that pool would answer."""
    pool, check = half[2:]
    commit, = (path for path in COMMITS if (pool == "web") == ("page" in path))
    permission = lambda sent: sent["DOCUMENT_URI"].startswith("/upload-permission")  # noqa: E731
    # It can set only the form for the second half, and chooses neither its pool nor its path.
    forms.pools["upload"].answer = ("Status: 307 a\r\nX-Svc-Upload: f\r\nX-Svc-Permit: f0\r\nX-Svc-Account: 9\r\nLocation: /a\r\n"
                                    "X-Accel-Redirect: /svc-upload-permission\r\nSet-Cookie: svc_session=f0\r\n\r\n")
    answer = send(forms, half)
    assert (answer.status, answer.header("set-cookie"), answer.header("location")) == (200, None, None)
    assert [one["DOCUMENT_URI"] for one in forms.pools[pool].seen if not permission(one)] == [commit]
    assert forms.pools[pool].seen[-1]["UPLOAD_PERMIT"] == "p3rm1t"
    forms.pools[pool].seen.clear()
    for target in ("/svc-upload-permission", "/svc-grant-text", "/svc-web", "@svc_upload_page_commit", "@svc_upload_response",
                   "/files/abc/a.mp4", "/robots.txt"):
        for status in (200, 302):
            forms.pools["upload"].answer = (
                f"Status: {status} a\r\nX-Accel-Redirect: {target}\r\nContent-Type: text/html\r\nLocation: https://evil.example/\r\n"
                "Set-Cookie: svc_session=f0\r\n\r\n<script>alert(1)</script>")
            answer = send(forms, half)
            assert (answer.status, answer.header("set-cookie")) == (status, None)
            assert answer.header("content-security-policy") == "default-src 'none'; sandbox"
    assert all(permission(one) for one in forms.pools[pool].seen)
    for pool_name in ("embed", "grant" if pool == "web" else "web"):
        assert forms.pools[pool_name].seen == []
    # The body of its error is not read.
    forms.pools["upload"].answer = "Status: 503 a\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>"
    check(send(forms, half), 503, AWAY)


def test_operations_N5_no_log_has_the_token(uploads):
    """Also if a pool is down, the disk fails, or the client leaves."""
    for path in (PATH, f"/v1/medias?access_token=wrong-{TOKEN[1:]}"):
        uploads.nginx.request(path, method="POST", body=b"a" * 20_000)
    with uploads.begun(PATH, *SIZES["a length"]) as client:
        client.sendall(b"a" * 300_000)
    uploads.front.access_log(3)  # before, nginx may not have made the file yet
    uploads.wait_empty()
    uploads.incoming.rmdir()
    assert uploads.nginx.request(PATH, method="POST", body=b"a" * 300_000).status == 507
    uploads.incoming.mkdir()
    for pool in uploads.pools.values():
        pool.close()
        uploads.nginx.request(PATH, method="POST", body=b"a" * 300_000)
    uploads.front.access_log(5)
    logs = {file.name: file.read_text() for file in uploads.directory.glob("*log")}
    del logs["nginx-error.log"]  # the level `info` of the tests, before the location is known
    assert logs.keys() == {"svc-access.log", "svc-error.log"}
    assert [line for text in logs.values() for line in text.splitlines() if TOKEN[1:] in line] == []


@pytest.mark.parametrize("path", ["/svc-upload-permission", "/svc-upload-page-permission", "/svc-upload-discard",
                                  "/svc-upload-no-file", "/svc-body-permission", "/upload", "/upload-commit",
                                  "/upload-page-commit", "/@svc_upload_commit", "/svc-grant-compressed", "/svc-grant-text",
                                  "/svc-grant-text-compressed", "/svc-web", "/svc-web-text"])
def test_operations_N8_operations_U52_no_client_can_request_the_internal_locations(uploads, path):
    for host in (API, EMBED):
        for method in ("GET", "POST"):
            check_refusal(uploads.nginx.request(path, host=host, method=method), 404, {"error": "not found"})
    assert uploads.asked() == []


# ---- the form of the settings ---------------------------------------------------------------------

FORM_PATH = f"/settings/accounts/7/media/upload?form={TOKEN}"
BROWSER = {"Accept": "text/html,*/*;q=0.8", "Cookie": "svc_session=c00kie", "Origin": "null",
           "Content-Type": "multipart/form-data; boundary=b"}


@pytest.fixture
def forms(uploads):
    """The web pool permits the token; it refuses all others, with a page."""
    def web(parameters):
        if parameters["DOCUMENT_URI"] in COMMITS:
            return uploads.commit(parameters)
        if not parameters["DOCUMENT_URI"].startswith("/upload-permission/"):
            return "Status: 403\r\nContent-Type: text/html\r\nCache-Control: no-store\r\n\r\nThis page is too old"
        return uploads.permission(parameters) if TOKEN in parameters["QUERY_STRING"] else "Status: 403\r\n\r\n"
    uploads.pools["web"].answer = web
    return uploads


@pytest.mark.parametrize("accept, answer", [("text/html,*/*;q=0.8", "html"), ("application/json", "json")])
def test_operations_N3_pages_W12_each_pool_gets_exactly_these_parameters_of_a_form(forms, accept, answer):
    done = forms.nginx.request(FORM_PATH, host=APP, method="POST", body=b"body", headers={
        **BROWSER, "Accept": accept, "Authorization": "Bearer b", **FORGED})
    assert done.status == 200 and forms.kept.read_bytes() == b"body" and forms.is_empty()
    (asked, committed), (kept,) = forms.pools["web"].seen, forms.pools["upload"].seen
    common = {"REQUEST_METHOD": "POST", "REMOTE_ADDR": "127.0.0.1", "REQUEST_SCHEME": "http", "HTTP_HOST": APP,
              "REMOTE_USER": "", "CONTENT_LENGTH": ""}
    assert asked.pop("REQUEST_ID") == kept.pop("REQUEST_ID") == committed.pop("REQUEST_ID")
    assert asked.pop("UPLOAD_ANSWER") == committed.pop("UPLOAD_ANSWER") == answer
    assert asked.pop("UPLOAD_LENGTH") == "4"
    assert asked == {**common, "DOCUMENT_URI": "/upload-permission/settings/accounts/7/media/upload",
                     "QUERY_STRING": f"form={TOKEN}", "HTTP_COOKIE": "svc_session=c00kie", "HTTP_ORIGIN": "null",
                     "CONTENT_TYPE": ""}
    assert kept.pop("BODY_FILE").startswith(f"{forms.incoming}/")
    assert kept == {**common, "DOCUMENT_URI": "/upload", "CONTENT_TYPE": "multipart/form-data; boundary=b"}
    assert committed == {**common, "DOCUMENT_URI": "/upload-page-commit", "CONTENT_TYPE": "", "UPLOAD_PERMIT": "p3rm1t",
                         "UPLOAD_FORM": FORM}


# The path of an upload without permission, its host, the pool that decides, and its refusal.
REFUSED = {"a token": ("/v1/medias?access_token=wrong", API, "grant", 401, b'{"error":"invalid_token"}'),
           "a form": ("/settings/accounts/7/media/upload?form=wrong", APP, "web", 403, b"This page is too old")}


@pytest.mark.parametrize("path, host, pool, refusal, text", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("expect", [[], ["Expect: 100-continue"]], ids=["", "expect"])
@pytest.mark.parametrize("what", SIZES)
@pytest.mark.parametrize("begun", [0, 5, 300_000])
def test_pages_W12_a_refusal_does_not_wait_for_the_body(forms, what, expect, begun, path, host, pool, refusal, text):
    """nginx reads the beginning of a body in chunks, so that the client gets a 100 if it asks for it."""
    with forms.begun(path, *SIZES[what], *expect, host=host) as client:
        if what == "chunks":
            assert not expect or is_told_to_continue(client)
            begun = max(begun, 2)
        if begun:
            client.sendall(part_of_body(begun, what))
        status, headers, body = response(client)
        assert (status, body) == (refusal, text)
        assert host != API or headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert forms.is_empty()
    uri = path.partition("?")[0]
    assert forms.asked() == [(pool, "/upload-permission" + (uri if pool == "web" else "")), (pool, uri)]
    (line,) = map(json.loads, forms.front.access_log(1))
    assert (line["method"], line["uri"], line["status"]) == ("POST", uri, refusal)
    assert forms.is_empty()


@pytest.mark.parametrize("what", SIZES)
def test_pages_W12_too_large_a_file_is_refused_and_deleted(forms, what):
    file = forms.directory / "svc" / "svc-upload-body.conf"
    text = file.read_text()
    assert text.count("client_max_body_size 2g;") == 1
    file.write_text(text.replace("client_max_body_size 2g;", "client_max_body_size 1m;"))
    forms.nginx.reload()
    for path, host, accept in ((PATH, API, "*/*"), (FORM_PATH, APP, "text/html"), (FORM_PATH, APP, "application/json")):
        with forms.begun(path, *SIZES[what], f"Accept: {accept}", host=host) as client:
            if what == "chunks":
                client.sendall(part_of_body(1_100_000, what))
            status, headers, body = response(client)
        assert status == 413 and headers["cache-control"] == "no-store"
        if accept == "text/html":
            assert b"<h1>This file is too large</h1>" in body
        else:
            words = {"error": "the body is too large"}
            assert json.loads(body) == (words if host == APP else {"error": "too_large", "error_description": words["error"],
                                                                            "request_id": headers["x-request-id"]})
        forms.wait_empty()
        asked = [] if what == "a length" else ["grant" if host == API else "web"]
        assert [pool for pool, _ in forms.asked()] == asked


def test_pages_W12_no_space_is_a_page_or_json(forms):
    forms.incoming.rmdir()
    page = forms.nginx.request(FORM_PATH, host=APP, method="POST", body=b"a" * 300_000, headers=BROWSER)
    assert page.status == 507 and b"<h1>There is no space for this file</h1>" in page.body
    script = forms.nginx.request(FORM_PATH, host=APP, method="POST", body=b"a" * 300_000,
                                 headers={**BROWSER, "Accept": "application/json"})
    assert (script.status, json.loads(script.body)) == (507, {"error": "no space for this upload"})
    forms.incoming.mkdir()


@pytest.mark.parametrize("pool", ["web", "upload"])
def test_operations_N4_pages_W12_the_response_to_a_form_if_a_pool_is_down(forms, pool):
    forms.pools[pool].listener.shutdown(socket.SHUT_RDWR)
    forms.pools[pool].close()
    check_refusal(forms.nginx.request(FORM_PATH, host=APP, method="POST", body=b"body", headers=BROWSER), 502,
                  "<h1>Not available just now</h1>")
    check_refusal(forms.nginx.request(FORM_PATH, host=APP, method="POST", body=b"body",
                                      headers={**BROWSER, "Accept": "application/json"}), 502, AWAY)
    forms.wait_empty()


# ---- long texts ---------------------------------------------------------------------------------

TEXTS = {"an application's": (f"/v1/medias/a/captions?access_token={TOKEN}", API, "grant", "/body-permission"),
         "in a language": (f"/v1/medias/a/captions/en.json?access_token={TOKEN}", API, "grant", "/body-permission"),
         "a form's": ("/settings/accounts/7/media/a/captions/new", APP, "web",
                      "/upload-permission/settings/accounts/7/media/a/captions/new")}


@pytest.fixture
def texts(uploads):
    """The pools permit requests with the token or the cookie, refuse all others, and note each body's length."""
    bodies = []

    def answer(parameters):
        may = TOKEN in parameters["QUERY_STRING"] or "c00kie" in parameters.get("HTTP_COOKIE", "")
        if parameters["DOCUMENT_URI"].startswith(("/body-permission", "/upload-permission")):
            return "Status: 204\r\nX-Svc-Account: 7\r\n\r\n" if may else "Status: 403\r\n\r\n"
        if not may:
            return REFUSAL
        bodies.append(int(parameters.get("CONTENT_LENGTH") or 0))
        return KEPT
    for pool in ("grant", "web"):
        uploads.pools[pool].answer = answer
    uploads.bodies = bodies
    # nginx removes the name of a temporary file as soon as the file is open.
    uploads.spooled = lambda: [name for worker in children_of(uploads.nginx.pid) for number in os.listdir(f"/proc/{worker}/fd")
                               if "/client_body/" in (name := os.readlink(f"/proc/{worker}/fd/{number}"))]
    return uploads


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("what", SIZES)
@pytest.mark.parametrize("begun", [0, 1, 300_000])
def test_api_N7_a_long_text_is_refused_before_its_body(texts, text, what, begun):
    """api-N7: otherwise clients without a token fill nginx's disk, a byte every few seconds."""
    path, host, pool, question = TEXTS[text]
    path = path.partition("?")[0]
    size = ["Content-Length: 3000000"] if what == "a length" else SIZES[what]
    with texts.begun(path, *size, host=host) as client:
        if what == "chunks":
            begun = max(begun, 2)
        if begun:
            client.sendall(part_of_body(begun, what))
        status, headers, body = response(client)
        assert (status, body) == (401, b'{"error":"invalid_token"}')
        assert headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert texts.spooled() == []
    assert texts.asked() == [(pool, question), (pool, path)]


@pytest.mark.parametrize("text", TEXTS)
def test_api_N7_only_a_long_text_is_on_the_disk_while_it_arrives(texts, text):
    path, host, pool, question = TEXTS[text]
    for size, is_spooled in ((60_000, False), (3_000_000, True)):
        with texts.begun(path, f"Content-Length: {size}", "Cookie: svc_session=c00kie", host=host) as client:
            client.sendall(b"a" * (size - 10))
            wait_until(lambda: (pool, question) in [(pool, one["DOCUMENT_URI"]) for one in texts.pools[pool].seen], "it is permitted")
            if is_spooled:
                wait_until(texts.spooled, "nginx stores the body")
            for _ in range(20):  # during these, nginx reads the sent bytes
                assert texts.nginx.request("/robots.txt").status == 200
            assert bool(texts.spooled()) == is_spooled
            client.sendall(b"a" * 10)
            assert response(client)[0] == 200
        assert texts.bodies.pop() == size
        wait_until(lambda: not texts.spooled(), "nothing is left")
        texts.asked()


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS"])
def test_api_N7_other_methods_of_long_texts_have_no_long_body(texts, method):
    for path, host in (("/v1/captions", API), ("/v1/medias/a/captions", API), ("/v1/medias/a/captions/en", API),
                       ("/settings/accounts/7/media/a/captions/en", APP)):
        with socket.create_connection(("127.0.0.1", texts.nginx.port), PATIENCE) as client:
            client.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100000\r\n\r\n".encode())
            assert response(client)[0] == 413
        assert texts.spooled() == []


@pytest.mark.parametrize("most, same_token", [(8, True), (16, False)])
def test_operations_N4_long_texts_at_the_same_time_are_bounded_by_token_and_address(texts, most, same_token):
    path = lambda number: "/v1/medias/a/captions?access_token=" + TOKEN + ("" if same_token else str(number))  # noqa: E731
    with contextlib.ExitStack() as slow:
        for number in range(most):
            client = slow.enter_context(texts.begun(path(number), "Content-Length: 100"))
            client.sendall(b"a")
        wait_until(lambda: len(texts.pools["grant"].seen) == most, "all are permitted")
        check_refusal(texts.nginx.request(path(most), method="POST", body=b"a"), 429, {"error": "too many requests"}, "api")
        assert texts.nginx.request("/v1/account?access_token=" + TOKEN).status == 200
        if same_token:
            assert texts.nginx.request("/v1/captions?access_token=" + TOKEN + "1").status == 200, "another token"


# ---- limits -------------------------------------------------------------------------------------


def test_operations_N82_a_token_may_upload_8_files_at_the_same_time_and_an_address_32(uploads):
    with contextlib.ExitStack() as open_uploads:
        clients = [open_uploads.enter_context(uploads.begun(f"{PATH}{each // 8}", "Content-Length: 400000")) for each in range(32)]
        for client in clients:
            client.sendall(b"a" * 300_000)
        wait_until(lambda: len(os.listdir(uploads.incoming)) == len(clients), "nginx stores all of them")
        for token in ("0", "another"):
            check_refusal(uploads.nginx.request(PATH + token, method="POST", body=b"a"), 429, {"error": "too many requests"}, "api")
        for client in clients:
            client.sendall(b"a" * 100_000)
            assert response(client)[0] == 200
            assert uploads.kept.stat().st_size == 400_000
    uploads.wait_empty()


# ---- /files/ ------------------------------------------------------------------------------------

PLAYED = {"Content-Type": "", "Content-Disposition": None, "Content-Security-Policy": None}
SAVED = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment",
         "Content-Security-Policy": "default-src 'none'; sandbox"}
FILES = [("index.m3u8", {**PLAYED, "Content-Type": "application/vnd.apple.mpegurl"}),
         ("360p/1.m4s", {**PLAYED, "Content-Type": "video/mp4"}), ("360p.mp4", {**PLAYED, "Content-Type": "video/mp4"}),
         ("poster.jpg", {**PLAYED, "Content-Type": "image/jpeg"}), ("en.vtt", {**PLAYED, "Content-Type": "text/vtt"}),
         ("original.mp4", {**SAVED, "Content-Type": "video/mp4"}), ("original.html", SAVED), ("original.svg", SAVED),
         ("original.pdf", SAVED), ("original", SAVED), ("a.html", SAVED), ("a.js", SAVED),
         ("a.MP4", {**SAVED, "Content-Type": "video/mp4"}),
         ("a.jpg.html", SAVED), ("still-1-0.png", {**PLAYED, "Content-Type": "image/png"}), ("still-1-0.html", SAVED),
         ("original.png", {**SAVED, "Content-Type": "image/png"})]


@pytest.mark.parametrize("name, headers", FILES, ids=[name for name, _ in FILES])
def test_operations_N8_a_file_of_an_upload_never_runs_as_a_page(uploads, name, headers):
    file = uploads.directory / "media/abc" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(b"<script>alert(1)</script>" * 20)
    answer = uploads.nginx.request(f"/files/abc/{name}", host=EMBED)
    assert (answer.status, answer.body) == (200, file.read_bytes())
    assert {key: answer.header(key.lower()) for key in headers} == headers
    assert answer.header("x-content-type-options") == "nosniff"
    assert answer.header("cache-control") == "public, max-age=31536000, immutable"
    assert answer.header("access-control-allow-origin") == "*"
    part = uploads.nginx.request(f"/files/abc/{name}", host=EMBED, headers={"Range": "bytes=1-6"})
    assert (part.status, part.body) == (206, b"script")
    assert part.header("content-disposition") == headers["Content-Disposition"]


def test_operations_N8_unfinished_files_links_and_folders_are_not_found(uploads):
    media = uploads.directory / "media"
    for name in (".tmp-a/a.mp4", "abc/.a.mp4", "abc/.part/a.mp4", "abc/a.mp4"):
        (media / name).parent.mkdir(parents=True, exist_ok=True)
        (media / name).write_bytes(b"a")
    (media / "abc/link.jpg").symlink_to(uploads.directory / "keys")
    (media / "linked").symlink_to(media / "abc")
    assert uploads.nginx.request("/files/abc/a.mp4", host=EMBED).status == 200
    for path in (".tmp-a/a.mp4", "abc/.a.mp4", "abc/.part/a.mp4", "abc/%2e%2e/.tmp-a/a.mp4", "abc", "abc/", "",
                 "abc/none.mp4", "../keys", "..%2fkeys", "abc/link.jpg", "linked/a.mp4"):
        answer = uploads.nginx.request(f"/files/{path}", host=EMBED)
        assert answer.status in (404, 400), path
        assert answer.header("cache-control") == "no-store", path
    wrong = uploads.nginx.request("/files/abc/a.mp4", host=EMBED, method="POST")
    assert (wrong.status, wrong.header("allow")) == (405, "GET, HEAD")
