"""Two front machines before one store machine, over a network with delay and loss."""

import itertools
import threading
import urllib.parse

import pytest

import oauth_store as oauth
from ctl_calls import done
from fronts import RoundTrips, Site
from oauth_store import CLIENT, URI, Codes, encode, error_of, exchange, lives, refresh, revoke, tokens_of
from oembed_asking import HOT, Everybody, catalog_with, query, title
from processes import wait_until
from stack import ROLES
from user_agent import Browser, Page

DELAY = 0.01  # s, one way
# oembed-C2 promises a second and a round trip. Counted in round trips, which take longer on a busy machine.
PROMISE = int(1 / (2 * DELAY)) + 1
OLIVIA = "olivia@acme.example"
AUTHORIZE = "/oauth/authorize?" + encode(response_type="code", client_id=CLIENT, redirect_uri=URI)
LOSSES = pytest.mark.parametrize("loss", [0.0, 0.02], ids=["no loss", "loss"])
names = (f"Name {number}" for number in itertools.count())


@pytest.fixture(scope="module", name="built")
def fixture_built():
    one = Site(DELAY)
    try:
        one.codes = Codes(one.store.stack)
        yield one
    finally:
        one.end()


@pytest.fixture
def site(built):
    """Every test begins with a network that loses nothing."""
    built.network.loss = 0.0
    yield built
    built.network.loss = 0.0


@pytest.fixture
def browser(site):
    """At the first front. Its user has to log in and to consent."""
    done(site.store.stack, "user", "revoke", OLIVIA, "--yes")
    return Browser(site.fronts[0])


def rename(site):
    """Changes the media with svcctl on the store machine, and returns its new name."""
    name = next(names)
    done(site.store.stack, "import", str(catalog_with(site.store.stack, name=name)))
    return name


def oembed_title(front):
    return title(front.request(f"/oembed?{HOT}"))


def code_of(answer):
    assert answer.status == 303, answer.body
    return urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)["code"][0]


def consent_page(browser):
    """The page that asks for the consent of the user who is logged in."""
    page = browser.page(AUTHORIZE)
    if ("answer", "choose") in page.form("/oauth/authorize")["buttons"]:
        page = Page(browser.answer(page, "choose", account="1001"))
    return page


def has_session(browser):
    return any(form["action"] == "/logout" for form in browser.page("/settings").forms)


def at_once(*actions):
    """Runs each in a thread, begun together, and returns their results."""
    results, gate = [None] * len(actions), threading.Barrier(len(actions))

    def act(number):
        gate.wait()
        results[number] = actions[number]()

    threads = [threading.Thread(target=act, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# --- changes and revocations -------------------------------------------------------------------------


@LOSSES
def test_operations_Y5_a_change_on_the_store_machine_reaches_every_worker_of_every_front(site, loss):
    site.network.loss = loss
    for _ in range(3):
        before = title(site.fronts[0].pools["embed"].request("/oembed", HOT))
        for front in site.fronts:
            # The response is in the memory of each worker.
            with Everybody(front.pools["embed"]) as everybody:
                assert everybody.titles() == {before}
        name = rename(site)
        for front in site.fronts:
            with RoundTrips(front) as trips, Everybody(front.pools["embed"]) as everybody:
                for _ in range(PROMISE):
                    trips.wait()
                    seen = everybody.titles()
                    if seen == {name}:
                        break
                assert seen == {name}
                # No worker returns to the old one.
                for _ in range(3):
                    assert everybody.titles() == {name}
    # nginx's micro-cache may be older, for a time of its own.
    for front in site.fronts:
        wait_until(lambda front=front: oembed_title(front) == name, "the micro-cache has the new one")
        assert {oembed_title(front) for _ in range(10)} == {name}


def test_operations_Y5_playlists_follow_a_change_although_each_front_has_a_cache_of_its_own(site):
    def data(front):
        answer = front.request("/embed/playlists/pl4yl1st01.json", host="embed.svc.example")
        assert answer.status == 200, answer
        return answer.body.decode()

    for front in site.fronts:
        data(front)
    name = rename(site)
    for front in site.fronts:
        wait_until(lambda front=front: name in data(front), "the playlist has the new name")
        assert all(name in data(front) for _ in range(10))


@LOSSES
def test_operations_Y5_a_revocation_at_one_front_holds_at_every_other_with_the_next_request(site, loss):
    site.network.loss = loss
    for here, there in (site.fronts, site.fronts[::-1]) * 2:
        tokens = tokens_of(exchange(here, site.codes.new()))
        access = tokens["access_token"]
        # Every worker has seen the token.
        for _ in range(8):
            assert lives(here, access) and lives(there, access)
        assert revoke(here, access).status == 200
        for _ in range(8):
            assert not lives(there, access) and not lives(here, access)
        assert error_of(refresh(there, tokens["refresh_token"])) == (400, "invalid_grant")


# --- codes and sessions ------------------------------------------------------------------------------


def test_operations_Y5_a_session_and_its_forms_work_on_every_front(site, browser):
    assert browser.log_in(browser.page("/settings"), OLIVIA).status == 200
    # Each request goes to the other front, as behind a load balancer.
    turns = itertools.cycle(site.fronts[::-1])

    class Balancer:
        request = staticmethod(lambda *words, **how: next(turns).request(*words, **how))

    browser.nginx = Balancer
    assert all(has_session(browser) for _ in range(4))
    page = consent_page(browser)
    code = code_of(browser.answer(page, "allow"))
    tokens = tokens_of(exchange(next(turns), code))
    assert lives(next(turns), tokens["access_token"]) and lives(next(turns), tokens["access_token"])
    form = browser.page("/settings").form("/logout")
    assert browser.request("/logout", fields=form["fields"]).status == 303
    assert not has_session(browser) and not has_session(browser)


# --- faults ------------------------------------------------------------------------------------------


def test_operations_Y5_one_front_is_killed_and_the_other_continues(site, browser):
    here, there = site.fronts
    assert browser.log_in(browser.page(AUTHORIZE), OLIVIA).status == 200
    code = code_of(browser.answer(consent_page(browser), "allow"))
    before = {role: there.pools[role].workers() for role in ROLES}
    here.kill()
    try:
        with pytest.raises((ConnectionRefusedError, ConnectionResetError)):
            here.request("/healthz", host="app.svc.example")
        browser.nginx = there
        assert has_session(browser)
        tokens = tokens_of(exchange(there, code))
        name = rename(site)
        wait_until(lambda: oembed_title(there) == name, "the other front serves the change")
        assert {role: there.pools[role].workers() for role in ROLES} == before
    finally:
        here.start_again()
    assert lives(here, tokens["access_token"])
    assert oembed_title(here) == name


def test_operations_Y5_a_front_without_its_link_serves_from_memory_and_is_right_afterwards(site, browser):
    here, there = site.fronts
    wanted = title(there.pools["embed"].request("/oembed", HOT))
    tokens = tokens_of(exchange(there, site.codes.new()))
    revoked = tokens_of(exchange(there, site.codes.new()))
    code, cold = site.codes.new(), query("sm4ll480px")
    browser.nginx = there
    assert browser.log_in(browser.page("/settings"), OLIVIA).status == 200

    with Everybody(there.pools["embed"]) as everybody:
        assert everybody.titles() == {wanted}
        with site.network.cut(there.port):
            # The other front continues: a change, a revocation.
            name = rename(site)
            wait_until(lambda: oembed_title(here) == name, "the change is visible where the link works")
            assert revoke(here, revoked["access_token"]).status == 200
            # Memory answers. A request that needs the state gets 503.
            assert everybody.titles() == {wanted}
            for answer in at_once(lambda: there.pools["embed"].request("/oembed", cold),
                                  lambda: there.request(f"/oembed?{cold}"),
                                  lambda: oauth.media(there, tokens["access_token"]),
                                  lambda: oauth.media(there, revoked["access_token"]),
                                  lambda: exchange(there, code), lambda: refresh(there, tokens["refresh_token"]),
                                  lambda: browser.request("/settings"),
                                  lambda: there.request("/readyz", host="app.svc.example")):
                assert answer.status == 503, (answer.status, answer.body)
                assert int(answer.header("retry-after")) > 0
            assert there.request("/healthz", host="app.svc.example").status == 200
            # In time the answers from memory are marked as stale, and are still served.
            wait_until(lambda: all("no-cache" in connection.request("/oembed", HOT).header("cache-control")
                                   for connection in everybody.connections), "answers are stale")
            assert everybody.titles() == {wanted}
            assert there.request(f"/oembed?{HOT}").status == 200

        wait_until(lambda: there.request("/readyz", host="app.svc.example").status == 200, "the store is back")
        # Each worker has a connection of its own. Until it is back there are refusals, but no wrong answers.
        def settled(status, request):
            seen = [request().status for _ in range(8)]
            assert set(seen) <= {status, 503}, seen
            return set(seen) == {status}

        for status, request in ((401, lambda: oauth.media(there, revoked["access_token"])),
                                (200, lambda: oauth.media(there, tokens["access_token"])),
                                (200, lambda: browser.request("/settings")),
                                (200, lambda: there.pools["embed"].request("/oembed", cold))):
            wait_until(lambda status=status, request=request: settled(status, request), "the store is back")
        wait_until(lambda: everybody.titles() == {name}, "every worker has the change")
        assert all(everybody.titles() == {name} for _ in range(3))
    assert lives(here, tokens_of(exchange(there, code))["access_token"])
