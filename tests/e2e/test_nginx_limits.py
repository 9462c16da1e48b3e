"""Rate limits, large responses and logs of the shipped nginx: rules operations-N4 and operations-N5."""

import base64
import contextlib
import http.client
import json
import os
import re
import select
import socket
import time

import pytest

import fastcgi_client as fcgi
import node_suite
import readme
import stack as stacks
from hosts import host_of, public_routes
from nginx_front import Front, check_refusal
from processes import PATIENCE, children_of, wait_until
from shipped_nginx import API


@pytest.fixture
def front(stack):
    with Front(stack) as one:
        yield one


# ---- rates --------------------------------------------------------------------------------------

# Burst and requests per second beyond it. The test reduces the rates of `embed` and `introspect`, which are 100 and 500.
ZONES = {"login": (11, 0.5), "authorize": (31, 1), "token": (61, 20), "upload": (41, 2), "oembed": (151, 50),
         "embed": (501, 1), "introspect": (1001, 1)}
TOO_MANY = {True: "<h1>Too many requests</h1>", False: {"error": "too many requests"}}
# Zone, method and paths, by zone and whether the error is a page.
LIMITED = [(zone, "GET" if "POST" not in rows[0]["methods"] else "POST", [row["example"] for row in rows], is_page)
           for zone in ZONES for is_page in (False, True)
           if (rows := [row for row in public_routes() if zone in row["zones"] and (row["errors"] == "html") == is_page])]


@pytest.mark.parametrize("zone, method, paths, is_page", LIMITED, ids=[f"{each[0]}-{each[2][0]}" for each in LIMITED])
def test_operations_N4_only_the_address_that_exceeds_a_rate_is_throttled(front, zone, method, paths, is_page):
    """operations-N4: the paths of one zone count together, those of other zones separately."""
    at_once, rate = ZONES[zone]

    def ask(number, path=None, source="127.0.0.1", how=method):
        with contextlib.closing(http.client.HTTPConnection(
                "127.0.0.1", front.nginx.port, timeout=PATIENCE, source_address=(source, 0))) as one:
            one.request(how, f"{path or paths[number % len(paths)]}?secret=s3cr3t",
                        headers={"Host": host_of(path or paths[number % len(paths)])})
            answer = one.getresponse()
            return fcgi.Answer(answer.status, {name.lower(): value for name, value
                                               in answer.getheaders()}, answer.read())

    # On a busy machine the test may not reach 100 requests per second; the burst stays the same.
    rates = front.stack.directory / "svc" / "svc-limits-rates.conf"
    text = rates.read_text()
    assert text.count("rate=100r/s") == text.count("rate=500r/s") == 1
    rates.write_text(text.replace("rate=100r/s", "rate=1r/s").replace("rate=500r/s", "rate=1r/s"))
    front.nginx.reload()

    begun = time.monotonic()
    answers = []
    while not answers or answers[-1].status == 200:
        answers.append(ask(len(answers)))
        assert len(answers) < 5000, "there is no limit"
    refused = paths[(len(answers) - 1) % len(paths)]
    form = next(row["errors"] for row in public_routes() if row["example"] == refused)
    check_refusal(answers[-1], 429, TOO_MANY[is_page], "json" if form == "format" else form)
    assert len(answers) > at_once
    assert len(answers) - 1 - at_once <= rate * (time.monotonic() - begun) + 1
    assert ask(0, source="127.0.0.2").status == 200, "another address"
    others = [row for row in LIMITED if row[0] != zone]
    for _, other_method, other_paths, _ in others:
        assert ask(0, other_paths[0], how=other_method).status == 200
    assert ask(0, "/login", how="GET").status == 200, "GET of the page is not limited"
    for file in ("/assets/external/E-v1.js", "/deliveries/clipmp4/360p.mp4"):
        assert ask(0, file, how="GET").status == 200, "nor are files served by nginx"
    # The pools received exactly the requests that passed; an upload is for two of them.
    uploads = len(answers) if zone == "upload" else sum(row[0] == "upload" for row in LIMITED)
    assert sum(len(pool.seen) for pool in front.pools.values()) == len(answers) + 1 + len(others) + uploads
    for log in front.stack.directory.glob("*log*"):
        if log.is_file():
            assert "s3cr3t" not in log.read_text(), log


def basic(client, secret):
    return {"Authorization": "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()}


@pytest.mark.parametrize("path, burst", [("/oauth/token", 61), ("/oauth/revoke", 61), ("/oauth/introspect", 1001)])
def test_operations_N4_a_secret_counts_for_itself_and_made_up_ones_for_the_address(front, path, burst):
    """operations-N4: gateways of several customers share one address."""
    rates = front.stack.directory / "svc" / "svc-limits-rates.conf"
    text = rates.read_text()
    slow = re.sub(r"(zone=svc_(?:token|introspect|oauth):\S+ +rate=)\d+r/s", r"\g<1>1r/s", text)
    rates.write_text(slow.replace("limit_req zone=svc_oauth  burst=2000", "limit_req zone=svc_oauth  burst=1200"))
    assert rates.read_text().count("burst=1200") == 1
    front.nginx.reload()
    ask = lambda **headers: front.nginx.request(path, method="POST", headers=headers).status  # noqa: E731
    gateway, other = basic("one", "secret"), basic("two", "other secret")
    asked = 0
    while ask(**gateway) == 200:
        asked += 1
        assert asked < 1200, "there is no limit"
    assert asked >= burst
    assert ask(**other) == ask() == ask(Authorization="Bearer a") == 200, "other applications of that address"
    guesses = 0
    while ask(**basic("one", f"wrong {guesses}")) == 200:
        guesses += 1
        assert asked + guesses < 2000, "made-up secrets have no limit"
    assert ask(**other) == 429, "the address has a limit for all"


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_oauth_P7_a_page_can_read_the_errors_of_nginx(stack, path):
    """oauth-P7: of its limits, and of a pool that is unavailable."""
    with Front(stack, grant=10_000) as front:  # the pool drops its requests
        def ask(origin="https://spa.example"):
            return front.nginx.request(path, method="POST", headers={"Origin": origin})

        def check_readable(answer, status, words, reader="https://spa.example"):
            check_refusal(answer, status, {"error": words}, "oauth")
            assert answer.header("retry-after") == "1"
            assert answer.header("access-control-expose-headers") == (
                "X-Request-Id, ETag, Link, Location, Retry-After, WWW-Authenticate, Deprecation, Sunset, "
                "RateLimit-Policy, RateLimit")
            assert (answer.header("access-control-allow-origin"), answer.header("vary")) == (reader, "Origin")
            assert answer.header("access-control-allow-credentials") is None
        check_readable(ask(), 502, "temporarily unavailable")
        for status, words in ((429, "too many requests"), (503, "temporarily unavailable")):
            rates = stack.directory / "svc" / "svc-limits-rates.conf"
            text = rates.read_text()
            assert text.count("limit_req_status  429;") == 1
            rates.write_text(text.replace("limit_req_status  429;", f"limit_req_status  {status};"))
            front.nginx.reload()
            refused = wait_until(lambda status=status: (answer := ask()).status == status and answer, f"a {status}")
            rates.write_text(text)
            check_readable(refused, status, words)
            strange = wait_until(lambda status=status: (answer := ask("null")).status == status and answer, "the same")
            check_readable(strange, status, words, None)


# Address that the balancer reports, and the group that it counts for.
SOURCES = [("2001:db8:1:2::1", "a"), ("2001:db8:1:2:ffff:ffff:ffff:ffff", "a"), ("2001:db8:1:3::1", "b"),
           ("::ffff:192.0.2.1", "c"), ("192.0.2.1", "c"), ("::ffff:192.0.2.2", "d"), ("192.0.2.3", "e"),
           ("::1", "f"), ("2001:db8:a0a:2::1", "g"), ("2001:db8:a0a:20a:a::1", "h")]


def test_operations_N4_an_ipv6_network_counts_as_one_address(stack):
    """operations-N4: otherwise each of its 2^64 addresses would have its own count."""
    front = Front(stack)
    try:
        site = stack.directory / "svc" / "site.conf"
        site.write_text("set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP;\n" + site.read_text())
        front.nginx.reload()
        ask = lambda source: front.nginx.request("/login", method="POST", headers={"X-Real-IP": source}).status
        seen = lambda: front.echo("/oembed", headers={"X-Real-IP": "2001:db8:ffff::1"})["parameters"]["REMOTE_ADDR"]
        wait_until(lambda: [seen() for _ in range(5)] == ["2001:db8:ffff::1"] * 5, "the reported addresses are trusted")
        for number, (source, whom) in enumerate(SOURCES):
            same = [other for other, of in SOURCES[:number] if of == whom]
            # A burst of eleven, then one request every two seconds: a new group passes six times, a known group does
            # not.
            answers = [ask(source) for _ in range(6)]
            assert (answers == [200] * 6) == (not same), (source, same, answers)
            while ask(source) == 200:
                pass
    finally:
        for pool in front.pools.values():
            pool.close()


def test_operations_N4_the_number_of_concurrent_requests_per_address_is_limited(front):
    """operations-N4."""
    for pool in front.pools.values():
        pool.answer = ""  # sends no response
    with contextlib.ExitStack() as hanging:
        for _ in range(4):
            client = hanging.enter_context(
                socket.create_connection(("127.0.0.1", front.nginx.port), PATIENCE))
            client.sendall(b"POST /login HTTP/1.1\r\nHost: app.svc.example\r\n"
                           b"Content-Length: 0\r\n\r\n")
        wait_until(lambda: len(front.pools["web"].seen) == 4, "four requests have reached the workers")
        check_refusal(front.nginx.request("/login", method="POST"), 429,
                      "<h1>Too many requests</h1>")
        front.pools["grant"].answer = None
        assert front.nginx.request("/oauth/token", method="POST").status == 200


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("path", ["/oembed", "/oauth/token", "/login"])
def test_operations_N4_errors_of_a_worker_are_passed_unchanged(front, path, status):
    """operations-N4."""
    for pool in front.pools.values():
        pool.answer = f"Status: {status}\r\nContent-Type: a/b\r\nRetry-After: 7\r\n\r\nown words"
    answer = front.nginx.request(path)
    assert (answer.status, answer.body) == (status, b"own words")
    assert (answer.header("content-type"), answer.header("retry-after")) == ("a/b", "7")


@contextlib.contextmanager
def slow_reader(front, path, source="127.0.0.1"):
    """A client that has sent a request, and whose receive buffer is small."""
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        reader.settimeout(PATIENCE)
        reader.bind((source, 0))
        reader.connect(("127.0.0.1", front.nginx.port))
        reader.sendall(f"GET {path} HTTP/1.0\r\nHost: {host_of(path)}\r\n\r\n".encode())
        yield reader


@pytest.mark.parametrize("pool, path, size", [("embed", "/oembed", 12_000_000),
                                              ("grant", "/v1/medias/a.json", 900_000)])
def test_a_slow_client_does_not_occupy_a_worker_with_a_large_response(front, pool, path, size):
    """nginx buffers the response, so that the worker need not wait for the client."""
    front.pools[pool].answer = "Content-Type: text/plain\r\n\r\n" + "a" * size
    with slow_reader(front, path) as reader:
        # Otherwise nginx closes its connection to the pool after send_timeout.
        assert front.pools[pool].answered.wait(PATIENCE)
        body = reader.makefile("rb").read().partition(b"\r\n\r\n")[2]
    assert body == b"a" * size


def test_a_frame_for_the_most_sites_with_the_most_hosts_of_files_fits(stack):
    """Its policy has the longest list that oembed-W1 allows. Such a film was stored before oembed-W13."""
    sites = [f"{'a' * 60}.b{i:02}.example" for i in range(50)]
    hosts, folder = [f"https://files{i:02}.cdn.example" for i in range(27)], "/files/l4unchf1lm/"
    film = next(record for record in map(json.loads, stacks.CATALOG.read_text().splitlines()) if record.get("id") == "l4unchf1lm")
    catalog = stack.directory / "most.jsonl"
    account = {"kind": "account", "id": film["account_id"], "name": "Most", "host": "most.example", "url": "https://most.example"}
    catalog.write_text("".join(json.dumps(record) + "\n" for record in (account, {
        **film, "project_id": None, "allowed_domains": sites,
        "assets": [{"type": "mp4", "url": f"{host}/a.mp4".replace("https://", folder), "bandwidth": 1} for host in hosts]})))
    node_suite.serve(stack, catalog)
    key = "catalog:media:l4unchf1lm"
    stack.redis_state.command("SET", key, stack.redis_state.command("GET", key).replace(folder, "https://"))
    stack.start_pool(workers=1)
    answer = stack.nginx.request("/embed/iframe/l4unchf1lm")
    policy = answer.header("content-security-policy")
    assert answer.status == 200 and all(f"http://{site}" in policy for site in sites), policy
    assert all(policy.count(host) == 2 for host in hosts), policy


def test_operations_N5_a_large_response_with_secrets_is_never_written_to_disk(front):
    """operations-N5: nginx buffers in memory only, even for a slow client."""
    front.pools["grant"].answer = "Content-Type: text/plain\r\n\r\n" + "a" * 3_000_000
    with slow_reader(front, "/v1/medias/a.json") as reader:
        assert reader.recv(100)
        for _ in range(100):  # during these, nginx would write all of it to a file
            assert front.nginx.request("/healthz").status == 200
        assert not front.pools["grant"].answered.is_set()
        open_files = [os.readlink(f"/proc/{worker}/fd/{number}")
                      for worker in children_of(front.nginx.pid)
                      for number in os.listdir(f"/proc/{worker}/fd")]
        assert open_files and not [name for name in open_files if "/fastcgi/" in name]
        assert len(reader.makefile("rb").read()) > 2_900_000


def test_each_line_of_the_access_log_is_json(front):
    """For any bytes in the request."""
    front.nginx.request('/oembed"\\%00%ff%0a')
    for raw in (b"GET /old\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET /%zz HTTP/1.1\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"G\xff\"T / HTTP/1.0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", front.nginx.port), PATIENCE) as connection:
            connection.sendall(raw)
            with contextlib.suppress(ConnectionError):  # 444 resets
                connection.makefile("rb").read()
    for line in front.access_log(6):
        assert json.loads(line)["status"] in (400, 404, 444), line


def test_operations_N49_half_sent_requests_delay_no_other_client(stack):
    """With the numbers of the operator's document, in one process, and every descriptor that a client would use."""
    (block,) = readme.blocks("systemd/README.md", "Connections of nginx")
    connections = re.search(r"/worker_connections (\d+);/", block.text)[1]
    files = re.search(r"worker_rlimit_nofile (\d+);", block.text)[0]
    with Front(stack) as front:
        stack.programs.remove(front.nginx)
        front.nginx.stop()
        text = front.nginx.config.read_text().replace("worker_connections 1024;", f"worker_connections {connections};")
        # As root, a process may have more descriptors than this test.
        front.nginx.config.write_text((files if os.getuid() == 0 else "") + text)
        assert front.nginx.start_again()
        stack.add(front.nginx)
        half = []
        try:
            begun = time.monotonic()
            for _ in range(1800):
                half.append(socket.create_connection(("127.0.0.1", front.nginx.port), PATIENCE))
                half[-1].sendall(b"G")
            asked = time.monotonic()
            assert front.nginx.request("/healthz").status == 200
            assert time.monotonic() - asked < 2
            for connection in half:
                connection.settimeout(PATIENCE)
                with contextlib.suppress(ConnectionError):
                    assert connection.recv(1) == b""
            # Each was open for client_header_timeout; the first ones ended while the last began.
            assert time.monotonic() - begun < 5 + (asked - begun) + 3
        finally:
            for connection in half:
                connection.close()


# ---- credentials --------------------------------------------------------------------------------

SESSIONS = [f"__Host-svc_session=svcs_{number:064x}" for number in range(40)]
CREDENTIALS = {
    "token": ("/v1/account", lambda number: {"Authorization": f"Bearer svca_{number:064x}"}),
    "token in the query": ("/v1/account", lambda number: {"?": f"access_token=svca_{number:064x}"}),
    "session": ("/settings", lambda number: {"Cookie": f"a=b; {SESSIONS[number]}; c=d"}),
    "session without TLS": ("/settings/accounts/1001", lambda number: {"Cookie": SESSIONS[number].removeprefix("__Host-")})}
WAYS = pytest.mark.parametrize("path, by", CREDENTIALS.values(), ids=CREDENTIALS)


@contextlib.contextmanager
def begun(front, path, by, number, method="GET", source="127.0.0.1"):
    """A request that no pool answers, and whose body does not come. Yields whether nginx took it; its refusal is a 429."""
    headers = by(number)
    query = "?" + headers.pop("?") if "?" in headers else ""
    sent = [f"{method} {path}{query} HTTP/1.1", f"Host: {host_of(path)}", *(f"{name}: {value}" for name, value in headers.items())]
    if method != "GET":
        sent += ["Content-Type: application/json", "Content-Length: 16000", "Expect: 100-continue"]
    seen = lambda: sum(len(pool.seen) for pool in front.pools.values())  # noqa: E731
    before = seen()
    with socket.create_connection(("127.0.0.1", front.nginx.port), PATIENCE, source_address=(source, 0)) as one:
        one.sendall("\r\n".join([*sent, "", ""]).encode())
        if method == "GET":
            wait_until(lambda: seen() > before or select.select([one], [], [], 0)[0], "nginx decided")
            is_taken = seen() > before
        else:
            is_taken = one.recv(13, socket.MSG_PEEK) == b"HTTP/1.1 100 "
        assert is_taken or one.recv(13) == b"HTTP/1.1 429 "
        yield is_taken


@WAYS
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("most, credentials, sources", [(8, 1, 4), (32, 32, 1)], ids=["of a credential", "of an address"])
def test_operations_N82_bodies_and_responses_under_way_are_bounded(front, path, by, method, most, credentials, sources):
    for pool in front.pools.values():
        pool.answer = ""  # sends no response
    other = {"GET": "POST", "POST": "GET"}[method]
    with contextlib.ExitStack() as opened:
        begin = lambda *one: opened.enter_context(begun(front, path, by, *one))  # noqa: E731
        assert [begin(number % credentials, method, f"127.0.0.{1 + number % sources}") for number in range(most)] == [True] * most
        assert not begin(most % 33 if credentials > 1 else 0, method), "one more"
        assert begin(0, other), "of the other kind"
        assert begin(39, method, "127.0.0.9"), "of another credential at another address"


@WAYS
def test_operations_N82_a_credential_has_a_rate_and_made_up_ones_that_of_the_address(front, path, by):
    rates = front.stack.directory / "svc" / "svc-limits-rates.conf"
    text = re.sub(r"(zone=svc_(?:credential|private):\S+ +rate=)\d+r/s", r"\g<1>1r/s", rates.read_text())
    text = text.replace("zone=svc_private burst=1000", "zone=svc_private burst=300")
    assert text.count("rate=1r/s") == 2 and "burst=300" in text
    rates.write_text(text)
    front.nginx.reload()

    def ask(number):
        headers = by(number)
        query = "?" + headers.pop("?") if "?" in headers else ""
        return front.nginx.request(path + query, headers=headers)
    asked = 0
    while (refused := ask(0)).status == 200:
        asked += 1
        assert asked < 300, "a credential has no limit"
    assert asked >= 200 and (refused.status, refused.header("retry-after")) == (429, "1")
    assert ask(1).status == 200, "another of that address"
    while ask(2 + asked % 38).status == 200:
        asked += 1
        assert asked < 400, "the address has no limit"
    assert front.nginx.request("/oembed").status == 200, "other paths are not counted"


# ---- long texts ---------------------------------------------------------------------------------

TOKEN = "svca_0123456789abcdef"
# Forms in which clients send one token, and forms that clients never use: each row shares its places.
SPELLINGS = {
    "of a client": [("", f"Bearer {TOKEN}"), ("", f"bEaReR  {TOKEN}"), (f"?access_token={TOKEN}", None), (f"?bearer_token={TOKEN}", None)],
    "of nobody": [(f"?access_token=%73{TOKEN[1:]}", None), ("?access_token=" + "".join(f"%{ord(c):x}" for c in TOKEN * 5), None),
                  (f"?access_token={TOKEN}", f"Bearer {TOKEN}"), ("", f"Bearer {TOKEN}%20")]}


@pytest.mark.parametrize("spellings", SPELLINGS.values(), ids=SPELLINGS)
def test_operations_N4_a_token_has_its_places_for_long_texts_however_it_is_spelled(front, spellings):
    front.pools["grant"].answer = lambda sent: "Status: 204\r\nX-Svc-Account: 1\r\n\r\n"
    with contextlib.ExitStack() as opened:
        refused = 0
        for number in range(12):
            query, header = spellings[number % len(spellings)]
            asked = len(front.pools["grant"].seen)
            one = opened.enter_context(contextlib.closing(socket.create_connection(
                ("127.0.0.1", front.nginx.port), timeout=PATIENCE, source_address=(f"127.0.0.{1 + number % 3}", 0))))
            one.sendall((f"POST /v1/medias/a/captions{query} HTTP/1.1\r\nHost: {API}\r\nContent-Type: text/vtt\r\n"
                         f"Content-Length: 100\r\n" + (f"Authorization: {header}\r\n" if header else "") + "\r\nW").encode())
            # Its body is awaited once the pool has permitted it; a refusal needs no pool.
            wait_until(lambda: len(front.pools["grant"].seen) > asked or select.select([one], [], [], 0)[0], "nginx decided")
            if len(front.pools["grant"].seen) == asked:
                refused += 1
                assert b" 429 " in one.recv(100)
    assert refused == 4


@pytest.mark.parametrize("most, tokens, sources", [(8, 1, 3), (16, 17, 1)], ids=["of a token", "of an address"])
@pytest.mark.parametrize("path", ["/v1/captions", "/v1/medias/a/captions", "/v1/medias/a/captions/en"])
def test_operations_N4_slow_readers_of_long_texts_are_bounded(front, path, most, tokens, sources):
    """operations-N4: nginx keeps the unread part on its disk."""
    front.pools["grant"].answer = "Content-Type: text/plain\r\n\r\n" + "a" * 3_000_000
    with contextlib.ExitStack() as opened:
        for number in range(most + 1):
            reader = opened.enter_context(slow_reader(front, f"{path}?access_token={TOKEN}{number % tokens}",
                                                      f"127.0.0.{1 + number % sources}"))
            assert reader.recv(13)[9:] == (b"200 " if number < most else b"429 "), number
