"""nginx's micro-cache, before a real pool and before an echoing one: rule operations-N6."""

import contextlib
import json
import re
import subprocess
import threading
import time

import pytest

import facts
import stack as stacks
from nginx_front import Front
from processes import wait_until

MEDIA = "/oembed?url=http%3A%2F%2Facme.svc.localhost%2Fmedias%2Fl4unchf1lm"
ENOUGH = 40  # after this number of identical requests in a row the response is cached


def cache_files(stack):
    return [path for path in (stack.directory / "micro-cache").rglob("*") if path.is_file()]


def kept_questions(stack):
    """Returns the cache keys. While nginx replaces a response, the new file is called KEY.0000000002."""
    return {path.name.partition(".")[0] for path in cache_files(stack)}


def access_log(stack, count):
    """Returns the cache status of each request, once nginx has logged `count` requests."""
    log = stack.directory / "svc-access.log"
    lines = wait_until(lambda: len(lines := log.read_text().splitlines()) >= count and lines, f"{count} lines of nginx")
    return [json.loads(line)["cache"] for line in lines]


@pytest.fixture
def nginx(stack):
    stack.import_catalog()
    # None of tens of thousands of responses may be a 503 caused by a slow Redis on a busy processor.
    stack.start_pool("embed", workers=2, redis_timeout=2000)
    return stack.start_shipped_nginx()


@pytest.fixture
def front(stack):
    with Front(stack) as one:
        yield one


def answer_of(front, *head, body="an answer", status=200):
    front.pools["embed"].answer = "\r\n".join(
        [f"Status: {status}", "Content-Type: application/json", *head, "", body])


def asked(front, target=MEDIA, times=ENOUGH, **how):
    """Sends `times` requests. Returns the responses, and the number of requests that reached the pool."""
    before = len(front.pools["embed"].seen)
    answers = [front.nginx.request(target, **how) for _ in range(times)]
    return answers, len(front.pools["embed"].seen) - before


# --- staleness ---------------------------------------------------------------------------------


def import_file(stack, file):
    done = subprocess.run([stacks.program("svcctl"), "--config", stack.config, "import", file],
                          capture_output=True, text=True, timeout=stacks.PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


def rename(stack, title):
    """Imports another title. Returns the time at which the import ended."""
    lines = stacks.CATALOG.read_text().splitlines()
    (line,) = [line for line in lines if '"l4unchf1lm"' in line and json.loads(line)["kind"] == "media"]
    changed = stack.directory / "changed.jsonl"
    changed.write_text(json.dumps({**json.loads(line), "name": title}) + "\n")
    import_file(stack, changed)
    return time.monotonic()


def title_of(answer):
    assert answer.status == 200, answer
    return json.loads(answer.body)["title"]


def let_pass(seconds):
    """Waits: nginx counts the age of cached responses in seconds of its own clock."""
    time.sleep(seconds)


def test_operations_N6_a_changed_response_is_stale_for_at_most_two_seconds(stack, nginx):
    """operations-N6, under continuous requests. The request's start counts; the longest response time is added, because
    a response may have been built before the change."""
    seen, stop = [], threading.Event()  # (start, end, title)

    def ask():
        while not stop.is_set():
            at = time.monotonic()
            title = title_of(nginx.request(MEDIA))
            seen.append((at, time.monotonic(), title))

    clients = [threading.Thread(target=ask) for _ in range(2)]
    for client in clients:
        client.start()
    spans = []  # (title, start and end of the time in which it must be the only title)
    try:
        wait_until(lambda: len(seen) > 2 * ENOUGH, "the response is hot")
        for number in range(6):
            changed = rename(stack, f"title {number}")
            let_pass(2)  # the longest age that the rule allows
            late = changed + 2 + max(end - at for at, end, _ in list(seen))
            let_pass(max(0, late - time.monotonic()) + 0.3)  # the time in which only the new title is right
            spans.append((f"title {number}", late, time.monotonic()))
            let_pass(0.1 + 0.15 * number)  # so each change is at a different fraction of nginx's second
    finally:
        stop.set()
        for client in clients:
            client.join(stacks.PATIENCE)
    assert access_log(stack, len(seen)).count("HIT") > len(seen) / 2, "otherwise the test shows nothing"
    for title, begin, end in spans:
        after = [other for at, _, other in seen if begin <= at < end]
        assert after and set(after) == {title}


def test_operations_N6_the_first_response_after_a_pause_is_fresh(stack, nginx):
    """operations-N6: with `use_stale updating` nginx would return a stale response here."""
    for number in range(2):
        for _ in range(ENOUGH):
            old = title_of(nginx.request(MEDIA))
        title = f"another title {number}"
        assert old != title and cache_files(stack), "the old response is cached"
        rename(stack, title)
        let_pass(4 + number)
        assert title_of(nginx.request(MEDIA)) == title


def test_operations_N6_a_404_expires_once_the_media_exists(stack, nginx):
    target = MEDIA.replace("l4unchf1lm", "s00nthere1")
    for _ in range(ENOUGH):
        assert nginx.request(target).status == 404
    assert cache_files(stack)
    (stack.directory / "new.jsonl").write_text(json.dumps(
        {"kind": "media", "id": "s00nthere1", "account_id": 1001, "type": "Video", "name": "New", "status": "ready",
         "created": "2026-01-05T09:00:00Z", "updated": "2026-01-05T09:00:00Z", "assets": []}) + "\n")
    import_file(stack, stack.directory / "new.jsonl")
    wait_until(lambda: nginx.request(target).status == 200, "the 404 has expired")


# --- the cached response -----------------------------------------------------------------------


def test_operations_N6_a_cached_response_equals_the_workers_response(stack, nginx):
    """operations-N6: status, body and all headers except the date. nginx itself answers conditional requests with
    304."""
    def plain(answer):
        return answer.status, {**answer.headers, "date": ""}, answer.body

    for target, method in ((MEDIA, "GET"), (MEDIA.replace("oembed", "oembed.xml"), "GET"), (MEDIA, "HEAD"),
                           (MEDIA.replace("l4unchf1lm", "nobodyhasit"), "GET"),
                           (MEDIA.replace("l4unchf1lm", "qu3u3d0001"), "GET")):
        first, *others = [plain(nginx.request(target, method=method)) for _ in range(ENOUGH)]
        assert others == [first] * (ENOUGH - 1)
    assert first[0] == 501
    etag = nginx.request(MEDIA).headers["etag"]
    assert etag.startswith('W/"')
    for sent in (etag, f'"other", {etag}', etag[2:], "*"):
        answers = [nginx.request(MEDIA, headers={"If-None-Match": sent}) for _ in range(ENOUGH)]
        assert {(each.status, each.body, each.headers.get("etag"), each.headers["cache-control"],
                 each.headers["access-control-allow-origin"]) for each in answers} == {
                     (304, b"", etag, first_of(answers, "cache-control"), "*")}
    assert nginx.request(MEDIA, headers={"If-None-Match": '"other"'}).status == 200
    assert access_log(stack, 9 * ENOUGH).count("HIT") > 5 * (ENOUGH - 25)


def first_of(answers, name):
    return answers[0].headers[name]


def test_operations_N6_methods_formats_and_callbacks_have_separate_entries(nginx):
    """operations-N6: each of them is hot, in turn."""
    get = nginx.request(MEDIA)
    xml = MEDIA + "&format=xml"
    for _ in range(ENOUGH):
        head = nginx.request(MEDIA, method="HEAD")
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-type"] == get.headers["content-type"]
        assert nginx.request(MEDIA).body == get.body
        assert nginx.request(xml).body.startswith(b"<?xml")
        assert nginx.request(MEDIA + "&callback=one").body.startswith(b"/**/one({")
        assert nginx.request(MEDIA + "&callback=two").body.startswith(b"/**/two({")
        assert nginx.request(MEDIA + "&callback=1").status == 400
        options = nginx.request(MEDIA, method="OPTIONS")
        assert (options.status, options.body) == (204, b"") and "access-control-allow-methods" in options.headers
        assert nginx.request(MEDIA, method="POST").status == 405


# --- cached requests and responses -------------------------------------------------------------

ID = "url=http%3A%2F%2Fsvc.localhost%2Fmedias%2Fa"
# ["handle=async", …], of each row of the table of parameters for developers. A value that nginx does not list would go to a
# worker each time.
VALUES = [[f"{name}={value}" for name in re.findall("`([^`]+)`", names) for value in values]
          for names, words in re.findall(r"(?m)^\| (`[^|]*) \| ([^|]*) \|$",
                                         (facts.ROOT / "worker/pages/developers/oembed.md").read_text(encoding="utf-8"))
          if (values := re.findall("`([^`]+)`", words))]
assert ["loading=eager", "loading=lazy"] in VALUES
KEPT = ["/oembed?" + ID, "/oembed/?" + ID, "/oembed.json?" + ID, "/oembed.xml?" + ID + "&maxwidth=400",
        "/oembed?url=https://home.svc.localhost:8080/medias/abc123",
        "/oembed?url=http://svc.test/m/abc?embedType=async&width=400",
        "/oembed?format=json&" + ID + "%3FembedType%3Dasync%26videoWidth%3D640",
        "/oembed?" + ID + "&width=640&height=360&embedType=async&videoFoam=true&handle=a.b",
        # Otherwise each request with a new parameter goes to a worker.
        "/oembed?" + ID + "".join(f"&{name}=1" for name in facts.printed()["parameters"]),
        # Each value that developers are told of, and each form of a size, in both places.
        *("/oembed?" + ID + first + between.join(values) for first, between in (("&", "&"), ("%3F", "%26")) for values in (
            *VALUES, ("width=1e3", "height=0.5", "maxwidth=640px"), ("handle=app.player_1", "playerColor=ff00Aa", "seo=false")))]
NOT_KEPT = ["/oembed", "/oembed?", "/oembed?" + ID + "&callback=a", "/oembed?" + ID + "&_=1", "/oembed?token=a&" + ID,
            "/oembed?" + ID + "%3Ftoken%3Da", "/oembed?url=http://user:pass@svc.localhost/medias/a",
            "/oembed?" + ID + "&width=" + "1" * 30,
            "/oembed?" + ID + "&width=-1", "/oembed?" + ID + "&handle=a-b", "/oembed?" + ID + "%3FembedType%3Da-b",
            "/oembed?" + ID + "&handle=%61", "/oembed?" + ID + "&email=a",
            "/oembed?" + ID + "%3Fa", "/oembed?" + ID + "%0Aa", "/healthz", "/robots.txt", "/providers.json",
            "/embed/medias/a.m3u8", "/embed/medias/a.json", "/embed/iframe/a", "/medias/a",
            "/embed/medias/a.m3u8?" + ID]


@pytest.mark.parametrize("target", KEPT)
def test_operations_N6_a_request_with_known_parameters_is_cached(front, target):
    answer_of(front, "Cache-Control: public, max-age=3600, stale-while-revalidate=600")
    answers, count = asked(front, target)
    assert {answer.body for answer in answers} == {b"an answer"}
    assert 20 <= count < ENOUGH, "the twentieth response is the first that is cached"


@pytest.mark.parametrize("target", NOT_KEPT)
def test_operations_N6_no_other_request_is_cached(front, target):
    """Among them manifests, which a worker counts (oembed-M5), and all requests that may contain secrets."""
    answer_of(front, "Cache-Control: public, max-age=3600")
    assert asked(front, target)[1] == ENOUGH
    assert cache_files(front.stack) == []


@pytest.mark.parametrize("status, head", [(400, ()), (405, ()), (500, ()), (502, ()), (503, ("Retry-After: 1",)),
                                          (200, ("Set-Cookie: a=b",)), (200, ("Vary: *",))])
def test_operations_N6_no_other_response_is_cached(front, status, head):
    answer_of(front, *head, status=status)
    answers, count = asked(front)
    assert count == ENOUGH and {answer.status for answer in answers} == {status}
    assert cache_files(front.stack) == []


def test_operations_N6_the_grant_and_web_pools_are_not_cached(front):
    for pool, target in (("grant", "/v1/medias/a?" + ID), ("web", "/login?" + ID), ("web", "/settings?" + ID)):
        for _ in range(ENOUGH):
            front.nginx.request(target)
        assert len([one for one in front.pools[pool].seen if one["DOCUMENT_URI"] == target.partition("?")[0]]) == ENOUGH
    assert cache_files(front.stack) == []


def test_operations_N6_an_error_is_not_replaced_by_an_expired_response(front):
    """nginx passes on the pool's error: a worker itself serves stale responses during an outage."""
    answer_of(front)
    asked(front)
    assert cache_files(front.stack)
    answer_of(front, status=503)
    wait_until(lambda: front.nginx.request(MEDIA).status == 503, "the response has expired")


# --- the long tail -----------------------------------------------------------------------------


def test_operations_N6_rare_requests_create_no_cache_file(stack, nginx):
    """operations-N6: more keys than fit into the zone, with a hot one in between."""
    kept = set()
    with contextlib.closing(KeepAliveClient(nginx)) as client:
        for number in range(40_000):
            client.ask(MEDIA.replace("l4unchf1lm", f"random{number}"), 404)
            if number % 10 == 0:
                client.ask(MEDIA, 200)
                if number % 5000 == 0:
                    kept |= kept_questions(stack)
    assert len(kept | kept_questions(stack)) <= 1
    assert access_log(stack, 44_000).count("HIT") > 4000 * 0.8, "the hot response stays cached"
    assert (stack.directory / "svc-error.log").read_text() == ""


class KeepAliveClient:
    """A keep-alive connection for many requests."""

    def __init__(self, nginx):
        self.connection = stacks.http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=stacks.PATIENCE)

    def ask(self, target, status):
        self.connection.request("GET", target, headers={"Host": "oembed.svc.example"})
        answer = self.connection.getresponse()
        answer.read()
        assert answer.status == status, target

    def close(self):
        self.connection.close()


# --- switching it off, the folder --------------------------------------------------------------


def test_operations_N4_operations_N6_removing_one_line_disables_the_limits_or_the_cache(stack):
    """The lines that scripts/serve removes."""
    front = Front(stack)
    answer_of(front)
    assert asked(front)[1] < ENOUGH
    site = stack.directory / "svc" / "site.conf"
    text, count = re.subn(r"(?m)^include svc/svc-(micro-cache|limits-rates)\.conf;\n", "", site.read_text())
    assert count == 2
    site.write_text(text)
    front.nginx.reload()
    wait_until(lambda: asked(front)[1] == ENOUGH, "every request reaches a worker")
    assert {front.nginx.request("/login", method="POST").status for _ in range(30)} == {200}
    for pool in front.pools.values():
        pool.close()


def test_operations_N6_the_folder_is_accessible_to_nginx_only(stack, nginx):
    for _ in range(ENOUGH):
        nginx.request(MEDIA)
    folder = stack.directory / "micro-cache"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in cache_files(stack)} == {0o600}

