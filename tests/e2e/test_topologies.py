"""operations-D2: the service before a primary with replicas that Sentinels watch, and before a Cluster
and one server with the catalog."""

import contextlib
import json
import signal
import urllib.parse

import pytest
from redis.exceptions import AuthenticationError, NoPermissionError

import uploads
from ctl_calls import done
from oauth_store import error_of, exchange, lives, refresh, revoke, tokens_of
from processes import wait_until
from redis_client import Client
from stack import ROLES, SHIPPED_ACL, Stack
from test_machines import AUTHORIZE, OLIVIA, code_of, consent_page
from topologies import OPTIONAL, Nodes, Watched
from user_agent import Browser

MEDIA = "l4unchf1lm"
OEMBED = "/oembed?" + urllib.parse.urlencode({"url": f"https://acme.svc.localhost/medias/{MEDIA}"})


@pytest.fixture(name="site", params=[Watched, Nodes], ids=["sentinel", "cluster"])
def fixture_site(request):
    """The service; `topology` has the servers of its state."""
    stack = Stack()
    try:
        stack.topology = request.param(stack)
        stack.import_catalog()
        stack.pools = [stack.start_pool(role, roles=role) for role in ROLES]
        stack.nginx = stack.start_shipped_nginx()
        yield stack
    finally:
        stack.stop()


# Commands that a user between servers must not run. On a Sentinel, the users of the pools and of other Sentinels.
REFUSED = {
    "replication": ["GET x", "FLUSHALL", "CONFIG GET *", "REPLICAOF NO ONE", "ACL LIST"],
    "sentinel": ["GET oauth:refresh:x", "SET x y", "KEYS *", "FLUSHALL", "CONFIG GET *", "CONFIG SET maxmemory 1",
                 "PSYNC ? -1", "PUBLISH __redis__:invalidate x", "EVAL return 0"],
    "cluster": ["GET x", "SET x y", "FLUSHALL", "KEYS *", "CONFIG SET maxmemory 1", "ACL LIST", "SHUTDOWN"],
}
REFUSED_BY_SENTINEL = {
    "discovery": ["SENTINEL FAILOVER svc", "SENTINEL REMOVE svc", "SENTINEL SET svc quorum 1",
                  "SENTINEL CONFIG SET sentinel-user x", "SHUTDOWN", "PUBLISH +switch-master x",
                  "SUBSCRIBE __sentinel__:hello"],
    "sentinel": ["SENTINEL REMOVE svc", "SENTINEL MASTERS", "SHUTDOWN", "PUBLISH +switch-master x"],
    "monitoring": ["SENTINEL FAILOVER svc", "SENTINEL REMOVE svc", "SENTINEL SET svc quorum 1", "SHUTDOWN",
                   "PUBLISH +switch-master x"],
}


def check_refusals(port, passwords, table):
    for user, commands in table.items():
        with contextlib.closing(Client(port=port, user=user, password=passwords[user])) as client:
            assert client.command("PING") == "PONG"
            for command in commands:
                with pytest.raises(NoPermissionError):
                    client.command(*command.split())


def test_oauth_K8_operations_D4_the_users_between_servers_may_do_only_what_these_need(site):
    topology = site.topology
    check_refusals(topology.servers[0].port, topology.secrets.passwords, REFUSED)
    for sentinel in getattr(topology, "sentinels", [])[:1]:
        check_refusals(sentinel.port, topology.secrets.passwords, REFUSED_BY_SENTINEL)
        with contextlib.closing(Client(port=sentinel.port)) as nobody, pytest.raises(AuthenticationError):
            nobody.command("PING")


def test_oauth_K8_only_installations_with_replicas_have_users_for_them():
    assert not [line for store in SHIPPED_ACL.values() for line in store.splitlines()
                if line.split()[1] in OPTIONAL or "@" in line.replace("-@all", "").replace("+@all", "")]


def oembed_title(site):
    answer = site.nginx.request(OEMBED, host="oembed.svc.example")
    return json.loads(answer.body)["title"] if answer.status == 200 else answer.status


def log_in_and_consent(site):
    """A user logs in and allows an application. Returns the code."""
    done(site, "user", "revoke", OLIVIA, "--yes")
    browser = Browser(site.nginx)
    assert browser.log_in(browser.page(AUTHORIZE), OLIVIA).status == 200
    return code_of(browser.answer(consent_page(browser), "allow"))


def every_way(site):
    """Login, consent, code, tokens, refresh, API, revocation, one use of a code."""
    code = log_in_and_consent(site)
    tokens = tokens_of(exchange(site.nginx, code))
    assert lives(site.nginx, tokens["access_token"])
    fresh = tokens_of(refresh(site.nginx, tokens["refresh_token"]))
    assert lives(site.nginx, fresh["access_token"])
    assert revoke(site.nginx, fresh["access_token"]).status == 200
    assert not lives(site.nginx, fresh["access_token"])
    code = log_in_and_consent(site)
    tokens = tokens_of(exchange(site.nginx, code))
    assert error_of(exchange(site.nginx, code)) == (400, "invalid_grant")
    assert not lives(site.nginx, tokens["access_token"])


def test_everything_works_before_several_servers(site):
    assert oembed_title(site) == "Launch film"
    every_way(site)
    # Scripts are unknown again on every server.
    for server in site.topology.primaries():
        server.command("SCRIPT", "FLUSH")
    every_way(site)
    # A change is seen: invalidations arrive from the server of the media.
    done(site, "media", "delete", MEDIA, "--yes")
    wait_until(lambda: oembed_title(site) == 404, "the pools see the change")
    assert "Launch film" not in done(site, "media", "list")


def test_operations_U1_an_upload_survives_a_failover(site):
    site.start_ingest()
    path = uploads.film(site.directory / "film.mp4", seconds=20, size="640x360")
    app = uploads.Application(site, site.nginx, store=site.topology.store)
    media_id = app.upload(path)["hashed_id"]
    wait_until(lambda: list((site.directory / "media" / ".work").glob("*/*")), "it is processed")
    site.topology.fail_over()
    wait_until(lambda: app.media(media_id), "the grant pool has found the new primary")
    assert app.wait(media_id)["progress"] == 1
    wait_until(lambda: app.delete(media_id) == 204, "it is deleted")
    wait_until(lambda: not (site.directory / "media" / media_id).exists(), "its files are deleted")
    assert not any(path.is_file() for path in (site.directory / "uploads").rglob("*"))


@pytest.mark.parametrize("site", [Watched], indirect=True, ids=["sentinel"])
def test_oauth_K6_an_operator_replaces_the_primary_as_documented(site):
    tokens = tokens_of(exchange(site.nginx, log_in_and_consent(site)))
    topology = site.topology
    old = topology.primary()
    topology.fail_over_as_documented()
    assert not old.is_primary()
    topology.wait_for_another(old)
    wait_until(lambda: refresh(site.nginx, tokens["refresh_token"]).status == 200, "tokens are issued again")


def test_oauth_K6_tokens_that_no_replica_has_are_refused_and_their_code_stays_valid(site):
    before = tokens_of(exchange(site.nginx, log_in_and_consent(site)))
    code = log_in_and_consent(site)
    others = [server for server in site.topology.servers if not server.is_primary()]
    for replica in others:
        replica.send_signal(signal.SIGSTOP)
    try:
        answers = [exchange(site.nginx, code) for _ in range(3)]
        assert [answer.status for answer in answers] == [503] * 3, answers
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers)
        # Revoked on the primary by the first request, but not confirmed by any.
        answers = [revoke(site.nginx, before["access_token"]) for _ in range(3)]
        assert [answer.status for answer in answers] == [503] * 3, answers
    finally:
        for replica in others:
            replica.send_signal(signal.SIGCONT)

    def tokens():
        answer = exchange(site.nginx, code)
        assert answer.status in (200, 503), answer
        return answer.status == 200 and tokens_of(answer)

    wait_until(lambda: revoke(site.nginx, before["access_token"]).status == 200, "the revocation is confirmed")
    fresh = wait_until(tokens, "the code is exchanged")
    assert lives(site.nginx, fresh["access_token"])

    def refused():
        answer = exchange(site.nginx, code)
        return answer.status != 503 and error_of(answer)

    assert wait_until(refused, "the nodes have all replicas again") == (400, "invalid_grant"), "once"
