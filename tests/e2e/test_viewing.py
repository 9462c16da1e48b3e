"""The beacons of players, through the shipped nginx to the shipped pool: floods, deaths, and the traces on this
machine."""

import contextlib
import json
import os
import random
import re
import signal
import string

import pytest

import fastcgi_client as fcgi
import stack as stacks
from processes import children_of, wait_until

FILM, OTHER, ACCOUNT = "l4unchf1lm", "sm4ll480px", 1001
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
LETTERS = string.ascii_letters + string.digits + "-_"


@pytest.fixture
def pool(stack):
    stack.import_catalog()
    return stack.start_pool(workers=2, deaths_expected=True)


def stats(stack, *words):
    done = stacks.ended("svcctl", "--config", stack.config, "stats", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ticket(pool, media=FILM):
    return json.loads(pool.request(f"/embed/medias/{media}.json").body)["viewing"]


def view(end, source=random):
    """The name of a page view with that ticket."""
    return "".join(source.choices(LETTERS, k=14)) + end


def beacon(session, what, media=FILM, address="192.0.2.1", **more):
    return {"path": f"/embed/medias/{media}/viewing", "method": "POST", "body": f"v1 {session} {what}".encode(),
            "extra": {"CONTENT_TYPE": "text/plain;charset=UTF-8", "HTTP_USER_AGENT": BROWSER, "REMOTE_ADDR": address, **more}}


def tell(link, **one):
    answer = link.request(one.pop("path"), **one)
    assert (answer.status, answer.body) == (204, b""), answer


def watch(link, session, parts, media=FILM, address="192.0.2.1"):
    for what in ("load", "play", f"seen {parts}"):
        tell(link, **beacon(session, what, media, address))


def dropped(pool):
    found = re.findall(r'svc_viewing_dropped_total\{[^}]*reason="(\w+)"\} (\d+)', pool.request("/metrics").body.decode())
    return {reason: int(count) for reason, count in found if count != "0"}


def test_deaths_of_workers_and_reloads_lose_nothing_that_was_acknowledged(stack, pool):
    end, told = ticket(pool), 0
    for turn in range(6):
        for _ in range(50):
            # A connection may be that of a worker which is killed: a beacon that it had not answered is sent again.
            session = view(end)
            for what in ("load", "play", "seen 0-49"):
                def sent(one=beacon(session, what)):
                    try:
                        with pool.connect() as link:
                            tell(link, **one)
                        return True
                    except (fcgi.Broken, OSError):
                        return False
                wait_until(sent, "a worker answers")
            told += 1
        if turn % 2:
            pool.send_signal(signal.SIGHUP)
            pool.wait_for("reload.done", turn // 2 + 1)
        else:
            # A worker that a reload has replaced may end in between.
            for worker in children_of(pool.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            pool.wait_for_workers(2)
    # Each worker writes what it has counted, at moments of its own: a load may come after its play.
    def counted(*of):
        found = stats(stack, *of)
        return found["loads"], found["plays"]
    def seen():
        return [stats(stack, "media", FILM)["seen"][second] for second in (0, 50)]
    wait_until(lambda: counted("media", FILM) == (told, told) and seen() == [told, 0], "what was told is counted")
    wait_until(lambda: counted("account", str(ACCOUNT)) == (told, told), "of the account, too")


def test_a_store_that_hangs_delays_counts_and_no_answer(stack, pool):
    end = ticket(pool)
    with pool.connect() as link:
        watch(link, view(end), "0-9")
        stack.redis_state.send_signal(signal.SIGSTOP)
        for _ in range(200):
            watch(link, view(end), "0-9")
        stack.redis_state.send_signal(signal.SIGCONT)
        for _ in range(50):
            watch(link, view(end), "0-9")
    wait_until(lambda: stats(stack, "media", FILM)["seen"][5] == 251, "what was told is counted")
    assert stats(stack, "media", FILM)["plays"] == 251


def test_a_flood_changes_no_count_and_leaves_no_trace_of_any_viewer(stack, pool):
    """Made-up page views from thousands of addresses while real viewers watch; then a search through all stored data."""
    source, end = random.Random(7), ticket(pool)
    addresses = [f"203.0.{source.randrange(256)}.{source.randrange(256)}" for _ in range(3000)]
    people = [(view(end, source), f"198.51.100.{number + 1}") for number in range(100)]
    made_up = []
    with pool.connect() as link:
        for number, (session, address) in enumerate(people):
            watch(link, session, "0-49,75-99" if number % 2 else "0-99", address=address)
            for _ in range(30):
                made_up.append(view(end[:1] + "".join(source.choices(LETTERS, k=7)), source))
                what = source.choice(["load", "play", "seen 0-99", "seen 100", "seen -1", "seen 0-99,0-99,0-99", "seen 5000000000",
                                      "seen " + "0-99," * 300, "LOAD", ""])
                tell(link, **beacon(made_up[-1], what, source.choice([FILM, FILM, OTHER, "nosuchfilm"]),
                                    source.choice(addresses)))
    wait_until(lambda: stats(stack, "media", FILM)["seen"][99] >= len(people), "what was told is counted")
    counted = stats(stack, "media", FILM)
    assert (counted["loads"], counted["plays"]) == (100, 100)
    assert counted["seen"] == [100] * 50 + [50] * 25 + [100] * 25
    assert counted["seen_again"] == [0] * 100
    assert 95 <= counted["visitors"] <= 105
    assert stats(stack, "media", OTHER)["loads"] == 0
    assert set(dropped(pool)) == {"ticket", "malformed"}

    stack.redis_state.command("BGREWRITEAOF")
    wait_until(lambda: "aof_rewrite_in_progress:0" in stack.redis_state.command("INFO", "persistence"), "the file is rewritten")
    kept = [file for file in stack.directory.rglob("*") if file.is_file()]
    texts = {file: file.read_bytes() for file in kept}
    secret = [session[:14] for session, _ in people] + [address for _, address in people] + addresses[:500]
    secret += [one[:14] for one in made_up[:500]]
    for file, text in texts.items():
        for one in secret:
            assert one.encode() not in text, (file, one)
    assert any(file.name.startswith("appendonly") for file in kept), kept
    # The salt of the day is in the cache, and in no file.
    date = stack.redis_cache.command("KEYS", "embed:salt:*")
    assert len(date) == 1
    assert 0 < stack.redis_cache.command("TTL", date[0]) <= 86_400


def test_nginx_answers_204_to_all_and_logs_none(stack, pool):
    front = stack.start_shipped_nginx(limits=True)
    end = ticket(pool)
    path = f"/embed/medias/{FILM}/viewing"

    def post(body, headers=(), method="POST"):
        return front.request(path, method=method, body=body,
                             headers=[("Content-Type", "text/plain"), ("User-Agent", BROWSER), *headers])
    good = f"v1 {view(end)} load".encode()
    for body, headers in [(good, ()), (b"x" * 65536, ()), (b"", ()), (good, [("DNT", "1")]), (good, [("Sec-GPC", "1")]),
                          (good, [("Origin", "https://elsewhere.example"), ("Cookie", "a=b")])]:
        answer = post(body, headers)
        assert (answer.status, answer.body) == (204, b""), (body[:40], headers, answer)
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
    assert post(b"", method="GET").status == 405
    assert dropped(pool) == {"malformed": 1, "privacy": 2}
    # Beyond the rate of one address: 200 per second, and a burst of 1 000.
    for _ in range(1500):
        assert post(f"v1 {view(end)} play".encode()).status == 204
    assert set(dropped(pool)) <= {"malformed", "privacy", "rate", "address"}
    assert front.request(f"/embed/medias/{FILM}.json").status == 200
    wait_until(lambda: stats(stack, "media", FILM)["plays"] > 0 and stats(stack, "media", FILM)["loads"] > 0,
               "what was told is counted")
    assert stats(stack, "media", FILM)["loads"] == 1
    log = "".join(file.read_text() for file in stack.directory.rglob("*.log"))
    assert "viewing" not in "".join(line for line in log.splitlines() if '"uri"' in line)
