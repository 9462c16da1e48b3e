"""A pool's reports about itself: status page, metrics, log of requests, svcctl status.

Rules operations-P9 and operations-P11.
"""

import contextlib
import json
import os
import re
import signal
import socket
import time

import documents
from oembed_asking import PLAYLIST_QUERY, VIDEO_QUERY
from processes import PATIENCE, wait_for_wakeups, wait_until
from redis_relay import Relay
from stack import CATALOG, ROLES, ended

SECRET = "s3cr3t-of-somebody"

# php-fpm's page has these.
PHP_FPM = {"pool", "process_manager", "start_time", "start_since", "accepted_conn", "listen_queue",
           "max_listen_queue", "listen_queue_len", "idle_processes", "active_processes",
           "total_processes", "max_active_processes", "slow_requests"}


def status_of(pool):
    answer = pool.request("/status")
    assert answer.status == 200 and answer.header("content-type").startswith("application/json")
    assert answer.header("cache-control") == "no-store"
    return json.loads(answer.body)


def svcctl(*arguments):
    return ended("svcctl", *arguments)


# --- operations-P9: the page ---------------------------------------------------------------------


def test_operations_P9_status_counts_the_responses(stack):
    stack.import_catalog()
    begun = time.time()
    pool = stack.start_pool(workers=3)
    asked, looked = 0, 0
    with pool.connect() as kept:
        # The memory keeps answers from when its link to Redis is up, some milliseconds after the start.
        while looked == 0 or status_of(pool)["cache"]["memory"]["hits"] == 0:
            assert kept.request("/oembed", VIDEO_QUERY).status == 200
            asked, looked = asked + 1, looked + 1
            assert asked < 10_000
        for _ in range(6):
            assert kept.request("/oembed", VIDEO_QUERY).status == 200
            asked += 1
    for _ in range(3):
        assert pool.request("/oembed", "url=nothing").status == 404
    assert pool.request("/oembed", method="DELETE").status == 405
    assert pool.request("/nowhere").status == 404
    looks = []

    def all_counted():  # a request is counted after its response
        looks.append(status_of(pool))
        return looks[-1]["requests"] == asked + looked + 5 + len(looks) - 1

    wait_until(all_counted, "every request is counted")
    status, looked = looks[-1], looked + len(looks) - 1
    assert PHP_FPM <= status.keys()
    assert (status["pool"], status["process_manager"]) == ("embed", "static")
    assert status["pid"] == pool.pid
    assert begun - 2 <= status["start_time"] <= time.time() and 0 <= status["start_since"] < PATIENCE
    assert status["accepted_conn"] == 6 + looked + 1  # includes this request
    endpoints = {each["endpoint"]: each for each in status["endpoints"]}
    oembed = endpoints["/oembed"]
    assert oembed["statuses"] == {"1xx": 0, "2xx": asked, "3xx": 0, "4xx": 4, "5xx": 0}
    assert oembed["durations"]["count"] == asked + 4
    assert sum(number for _, number in oembed["durations"]["buckets"]) == asked + 4
    assert endpoints["other"]["statuses"]["4xx"] == 1
    assert status["statuses"]["4xx"] == 5
    assert status["store"]["up"] >= 1 and status["store"]["away"] == 0
    # To connect, and for the media until it was in memory; the others had the same answer.
    assert 1 <= status["store"]["round_trips"]["count"] < asked and status["store"]["failures"] == 0
    assert status["cache"].keys() == {"memory", "handover", "redis"}
    # One of the last six may have been built again, if the invalidation connection had just been opened.
    hits = status["cache"]["memory"]["hits"]
    assert hits >= 6
    assert status["cache"]["memory"]["entries"] == 1
    assert status["cache"]["redis"] == {"hits": 0, "misses": asked - hits + 3}
    assert status["slow_requests"] == 0 and status["deaths"] == {}


def test_operations_P9_status_names_every_worker(stack):
    pool = stack.start_pool(workers=3)
    for _ in range(9):
        pool.request("/healthz", "token=" + SECRET)
    looks = []

    def only_one_is_at_it():
        looks.append(status_of(pool))
        return looks[-1]["active_processes"] == 1

    # A worker becomes idle shortly after its response, so the previous worker may still count as active.
    wait_until(only_one_is_at_it, "nobody but whoever answers this is at anything")
    status = looks[-1]
    assert {each["pid"] for each in status["processes"]} == pool.workers()
    assert status["total_processes"] == status["workers"] == 3
    assert status["idle_processes"] == 2 and status["max_active_processes"] >= 1
    by_phase = {each["phase"]: each for each in status["processes"]}
    assert by_phase["handling"]["path"] == "/status"
    assert sum(each["requests"] for each in status["processes"]) == 9 + len(looks) - 1
    assert all(each["seconds"] >= 0 and each["generation"] == 1 for each in status["processes"])


COUNTED = {"statuses", "server_errors", "deaths", "buckets"}  # their keys are values


def keys_of(status):
    if isinstance(status, list):
        return set().union(*map(keys_of, status))
    if not isinstance(status, dict):
        return set()
    return set(status).union(*(keys_of(value) for key, value in status.items() if key not in COUNTED))


def test_the_manual_explains_every_key_of_the_status(stack):
    pool = stack.start_pool()
    pool.request("/healthz")
    keys = keys_of(status_of(pool))
    assert len(keys) > 50
    explained = {name for names, words in documents.manual("svc-worker", "STATUS") for name in (*names, *words)}
    assert keys - explained == set()


def test_operations_P9_the_counts_outlive_workers_and_reloads(stack):
    pool = stack.start_pool(workers=2, deaths_expected=True)
    for _ in range(20):
        assert pool.request("/healthz").status == 200
    # A request is counted after its response.
    wait_until(lambda: [each["statuses"]["2xx"] for each in status_of(pool)["endpoints"]
                        if each["endpoint"] == "/healthz"] == [20], "all twenty are counted")
    workers = pool.workers()
    victim = min(workers)
    os.kill(victim, signal.SIGKILL)
    pool.wait_for("worker.died")
    pool.wait_for_workers(2, without={victim})
    pool.send_signal(signal.SIGHUP)
    pool.wait_for("reload.done")
    pool.wait_for_workers(2, without=workers)
    # The signal may have found the victim's replacement; nothing it answered is missing.
    status = wait_until(lambda: (now := status_of(pool))["retired"] == 2 and now, "both retired")
    healthz = [each for each in status["endpoints"] if each["endpoint"] == "/healthz"]
    assert healthz[0]["statuses"]["2xx"] == 20
    assert status["deaths"] == {"KILL": 1}
    assert status["generation"] == 2


def test_operations_P9_operations_P11_a_slow_request_is_answered_at_its_deadline_counted_and_named(stack):
    stack.import_catalog()
    relay = Relay(stack.directory, stack.redis_state)
    pool = stack.start_pool(workers=1, redis_state=relay.url, request_timeout=3000, redis_timeout=2999)
    assert pool.request("/readyz").status == 200
    workers = pool.workers()
    # Two round trips for a playlist, each shorter than the limit: the time is that of a slow network.
    relay.look = lambda pid, way, data: time.sleep(2) if way == "from" else None
    answer = pool.request("/oembed", PLAYLIST_QUERY + "&token=" + SECRET)
    assert answer.status == 503 and int(answer.header("Retry-After")) >= 1
    (slow,) = pool.wait_for("request.slow")
    assert slow["path"] == "/oembed" and slow["ms"] >= 3000
    relay.look = lambda pid, way, data: None
    assert pool.request("/oembed", PLAYLIST_QUERY).status == 200, "the connection to the store is the same"
    status = status_of(pool)
    assert status["slow_requests"] == 1 and status["deaths"] == {} and pool.workers() == workers
    assert SECRET not in pool.log_text()


def test_operations_P9_status_reports_an_unavailable_store(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=1)
    assert status_of(pool)["store"]["not_asked"] == 1
    assert pool.request("/readyz").status == 200
    assert status_of(pool)["store"]["up"] == 1
    stack.redis_state.stop()
    assert pool.request("/readyz").status == 503
    store = status_of(pool)["store"]
    assert (store["up"], store["away"]) == (0, 1) and store["failures"] >= 1
    stack.redis_state.start()
    wait_until(lambda: pool.request("/readyz").status == 200, "the store is back")
    assert status_of(pool)["store"]["up"] == 1


def has_sock_diag():
    with contextlib.suppress(OSError), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4):
        return True
    return False


def test_operations_P9_status_counts_the_connections_that_wait_at_the_socket(stack):
    """TCP_INFO, which other servers read, is always 0 for a unix socket. In a sandbox without netlink, the status has to
    report the number as unknown."""
    pool = stack.start_pool(workers=1, backlog=50, deaths_expected=True)
    (worker,) = pool.workers()
    if not has_sock_diag():
        assert [status_of(pool)[key] for key in
                ("listen_queue", "max_listen_queue", "listen_queue_len")] == [None] * 3
        return
    os.kill(worker, signal.SIGSTOP)
    with contextlib.ExitStack() as waiting:
        for _ in range(5):
            waiting.enter_context(pool.connect())
        wait_for_wakeups(pool.pid, 5)  # the parent checks every 100 ms; the only worker is stopped
        os.kill(worker, signal.SIGCONT)
        status = status_of(pool)
    # The question itself may have waited as the sixth.
    assert status["max_listen_queue"] in (5, 6) and status["listen_queue_len"] == 50
    wait_until(lambda: status_of(pool)["listen_queue"] == 0, "nobody waits any more")


def test_operations_P9_status_is_for_this_machine_and_each_pool_has_its_own(stack):
    stack.import_catalog()
    pools = {role: stack.start_pool(role, roles=role) for role in ROLES}
    nginx = stack.start_shipped_nginx()
    for role, pool in pools.items():
        answer = nginx.request(f"/status/{role}")
        assert answer.status == 200 and json.loads(answer.body)["pid"] == pool.pid
        metrics = nginx.request(f"/metrics/{role}")
        assert metrics.header("content-type").startswith("application/openmetrics-text")
        assert f'svc_up{{pool="{role}"}} 1\n' in metrics.body.decode()
    for path in ("/status", "/metrics", "/status/", "/status/all", "/metrics/embed/"):
        assert nginx.request(path).status == 404
    # nginx' other local address acts as a client from elsewhere.
    config = stack.directory / "svc" / "svc-fastcgi-health.conf"
    config.write_text(config.read_text().replace("allow 127.0.0.1;", ""))
    nginx.reload()
    for path in ("/status/embed", "/metrics/embed"):
        wait_until(lambda: nginx.request(path).status == 403, f"{path} is refused")  # pylint: disable=W0640


def test_operations_P9_no_query_string_in_status_metrics_or_log(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=2, log_requests="on", log_level="debug")
    for path in ("/oembed", "/nowhere", "/embed/medias/l4unchf1lm.m3u8", "/medias/l4unchf1lm"):
        pool.request(path, f"{VIDEO_QUERY}&access_token={SECRET}&state={SECRET}",
                     extra={"HTTP_COOKIE": f"session={SECRET}",
                                 "HTTP_AUTHORIZATION": f"Bearer {SECRET}"})
    everything = [pool.request("/status").body.decode(), pool.request("/metrics").body.decode(),
                  svcctl("status", "--socket", pool.socket).stdout]
    pool.wait_for("request", 4)
    for text in (*everything, pool.log_text()):
        assert SECRET not in text and "access_token" not in text


# --- operations-P9: OpenMetrics ------------------------------------------------------------------


SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z]+="[^"\\\n]*",?)*)\} ([0-9.e+-]+|\+Inf)')
SUFFIXES = {"gauge": [""], "counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"]}


def parse_metrics(text):
    """Strict, by OpenMetrics 1.0: families are not mixed, suffixes are those of their types, no
    sample comes twice, buckets grow and end with +Inf and the count."""
    assert text.endswith("# EOF\n") and text.count("# EOF") == 1
    family, kind, seen, samples = None, None, set(), {}
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            family, kind = line.split()[2:]
            assert family not in seen and kind in SUFFIXES, line
            seen.add(family)
        elif line.startswith("# HELP "):
            assert line.split()[2] == family and line.endswith("."), line
        else:
            name, labels, value = SAMPLE.fullmatch(line).groups()
            assert name in [family + suffix for suffix in SUFFIXES[kind]], line
            assert (name, labels) not in samples, line
            samples[name, labels] = float(value)
    groups = {}
    for (name, labels), value in samples.items():
        if name.endswith("_bucket"):
            rest, bound = re.fullmatch(r'(.*),le="([^"]+)"', labels).groups()
            groups.setdefault((name[:-7], rest), []).append((float(bound), value))
    for (name, rest), buckets in groups.items():
        assert buckets == sorted(buckets) and buckets[-1][0] == float("inf")
        assert [count for _, count in buckets] == sorted(count for _, count in buckets)
        assert buckets[-1][1] == samples[name + "_count", rest] and (name + "_sum", rest) in samples
    return samples


def test_operations_P9_metrics_say_the_same_as_the_status(stack):
    stack.import_catalog()
    pool = stack.start_pool(workers=2, memory_cache_size=0)  # so each asks the store
    for _ in range(5):
        assert pool.request("/oembed", VIDEO_QUERY).status == 200
    assert pool.request("/oembed", "url=a").status == 404
    own = 'pool="embed"'

    # A worker counts a request after its response, so the other worker may report before that: the test
    # checks the first page that has all requests.
    pages = []

    def all_counted():
        pages.append(pool.request("/metrics"))
        seen = parse_metrics(pages[-1].body.decode())
        return (seen.get(("svc_request_duration_seconds_count", own + ',endpoint="/oembed"')) == 6
                and seen["svc_processes", own + ',state="active"'] == 1)

    wait_until(all_counted, "all six are counted, and one worker is active")
    assert pages[-1].header("content-type") == (
        "application/openmetrics-text; version=1.0.0; charset=utf-8")
    samples = parse_metrics(pages[-1].body.decode())
    assert samples["svc_requests_total", own + ',endpoint="/oembed",status="2xx"'] == 5
    assert samples["svc_requests_total", own + ',endpoint="/oembed",status="4xx"'] == 1
    assert samples["svc_request_duration_seconds_sum", own + ',endpoint="/oembed"'] > 0
    assert samples["svc_workers", own] == 2 and samples["svc_store_trip_seconds_count", own + ',redis="state"'] >= 5


# --- operations-P11: the log ---------------------------------------------------------------------


def test_operations_P11_logs_one_line_per_request_only_if_configured(stack):
    stack.import_catalog()
    silent = stack.start_pool("silent")
    assert silent.request("/oembed", VIDEO_QUERY).status == 200
    pool = stack.start_pool("embed", log_requests="on")
    request_id = "fedcba9876543210" * 2
    assert pool.request("/oembed", VIDEO_QUERY, extra={"REQUEST_ID": request_id}).status == 200
    assert pool.request("/embed/medias/l4unchf1lm.m3u8").status == 200
    assert pool.request("/nowhere").status == 404
    lines = {line["path"]: line for line in pool.wait_for("request", 3)}  # in no order: workers write after they answer
    oembed, manifest, nowhere = (lines[path] for path in ("/oembed", "/embed/medias/l4unchf1lm.m3u8", "/nowhere"))
    assert oembed.items() >= {"role": "embed", "endpoint": "/oembed", "path": "/oembed",
                              "status": 200, "request_id": request_id,
                              "about": "l4unchf1lm"}.items()
    assert isinstance(oembed["ms"], float) and re.fullmatch(r"\S+Z", oembed["time"])
    assert manifest.items() >= {"endpoint": "/embed/medias/{media}.m3u8", "about": "l4unchf1lm",
                                "path": "/embed/medias/l4unchf1lm.m3u8"}.items()
    assert nowhere.items() >= {"endpoint": "none", "status": 404, "about": ""}.items()
    assert not silent.events("request")


def test_operations_P11_the_line_of_a_token_request_names_the_application_and_no_secret(stack):
    stack.import_catalog()
    pool = stack.start_pool("grant", roles="grant", log_requests="on")
    catalog = map(json.loads, CATALOG.read_text().rstrip().split("\n"))
    application = next(each for each in catalog if each["kind"] == "application")
    body = (f"grant_type=authorization_code&code={SECRET}&redirect_uri=x"
            f"&client_id={application['client_id']}&client_secret={application['client_secret']}")
    answer = pool.request("/oauth/token", method="POST", body=body.encode(),
                          extra={"CONTENT_TYPE": "application/x-www-form-urlencoded"})
    assert answer.status == 400, answer
    (line,) = pool.wait_for("request")
    assert line.items() >= {"role": "grant", "endpoint": "/oauth/token", "status": 400,
                            "about": application["client_id"]}.items()
    for secret in (SECRET, application["client_secret"]):
        assert secret not in pool.log_text()


# --- svcctl status -------------------------------------------------------------------------------


def test_operations_P9_svcctl_status_is_for_operators_and_for_programs(stack):
    embed = stack.start_pool("embed", workers=2)
    grant = stack.start_pool("grant", roles="grant", workers=1)
    embed.request("/healthz")
    both = ["--socket", embed.socket, "--socket", grant.socket]

    def counted():  # after its response
        done = svcctl("status", *both)
        return re.search(r"(?m)^  /healthz +1 +0 ", done.stdout) and done

    done = wait_until(counted, "the request is counted")
    assert done.returncode == 0
    assert f"embed: process {embed.pid}, up for " in done.stdout
    assert f"grant: process {grant.pid}, up for " in done.stdout
    for worker in embed.workers() | grant.workers():
        assert re.search(rf"(?m)^  {worker} ", done.stdout)
    done = svcctl("status", "--json", *both)
    first, second = json.loads(done.stdout)
    assert (first["pid"], second["pid"]) == (embed.pid, grant.pid)
    grant.stop()
    done = svcctl("status", "--json", *both)
    assert done.returncode == 3 and "grant.sock" in done.stderr
    assert [each["pool"] for each in json.loads(done.stdout)] == ["embed"]
