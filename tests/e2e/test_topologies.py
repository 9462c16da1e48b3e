"""operations-D2: the service before a primary with replicas that Sentinels watch, and before a Cluster."""

import json
import urllib.parse

import pytest

from ctl_calls import done
from oauth_flow import Browser
from oauth_store import error_of, exchange, lives, media, refresh, revoke, tokens_of
from processes import wait_until
from stack import ROLES, Stack
from test_machines import AUTHORIZE, OLIVIA, code_of, consent_page
from topologies import Nodes, Watched

MEDIA = "l4unchf1lm"
OEMBED = "/oembed?" + urllib.parse.urlencode({"url": f"https://acme.svc.localhost/medias/{MEDIA}"})


@pytest.fixture(name="site", params=[Watched, Nodes], ids=["sentinel", "cluster"])
def fixture_site(request):
    """The service; `topology` has the servers of its state."""
    stack = Stack()
    try:
        stack.topology = request.param(stack)
        stack.redis_state = stack.topology.servers[0]
        stack.write_config(redis_state=stack.topology.url)
        stack.import_catalog()
        stack.pools = [stack.start_pool(role, roles=role) for role in ROLES]
        stack.nginx = stack.start_shipped_nginx()
        yield stack
    finally:
        stack.stop()


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


def test_operations_D2_everything_works_before_several_servers(site):
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


def test_operations_D2_D3_a_failover_loses_no_token_and_needs_no_operator(site):
    tokens = tokens_of(exchange(site.nginx, log_in_and_consent(site)))
    assert oembed_title(site) == "Launch film"
    for server in site.topology.primaries():  # acknowledged by every replica before the primary is killed
        replicas = server.command("ROLE")[2]
        assert server.command("WAIT", len(replicas), 10_000) == len(replicas)
    site.topology.fail_over()

    def status():
        answer = refresh(site.nginx, tokens["refresh_token"])
        # Never a wrong refusal: the token is valid.
        assert answer.status in (200, 503), answer
        assert answer.status == 200 or "retry-after" in answer.headers
        return answer.status

    wait_until(lambda: status() == 200, "tokens are issued again")
    wait_until(lambda: oembed_title(site) == "Launch film", "embed codes are rendered again")
    # Each worker finds the new primary on its own.
    answers = [media(site.nginx, tokens["access_token"]).status for _ in range(50)]
    assert set(answers) <= {200, 503}, answers
    wait_until(lambda: [media(site.nginx, tokens["access_token"]).status for _ in range(50)] == [200] * 50,
               "every worker has found the new primary")
    every_way(site)
