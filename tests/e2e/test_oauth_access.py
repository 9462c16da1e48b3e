"""The use of tokens, through the shipped nginx: revocation, the API and metadata."""

import functools
import json
from urllib.parse import urlsplit

import pytest

import oauth_store as oauth
from oauth_site import code, nginx, site
from oauth_store import (INTROSPECT, connections, error_of, exchange, introspect, lives, media, refresh, revoke, start,
                         token_fields, tokens_of)
from processes import wait_until
from stack import ended


# --- lifetimes, revocation -----------------------------------------------------------------------


def test_oauth_T11_lifetimes_are_configurable(stack):
    start(stack, workers=1, access_token_lifetime=5, refresh_token_idle=4)
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    assert tokens["expires_in"] == 5
    assert lives(stack.nginx, tokens["access_token"])
    wait_until(lambda: not lives(stack.nginx, tokens["access_token"]), "the access token expires")
    assert error_of(refresh(stack.nginx, tokens["refresh_token"])) == (400, "invalid_grant"), "not used for 4 s"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_oauth_V1_oauth_V2_revoking_one_token_ends_all_of_its_grant_on_every_worker(nginx, code, kind):
    first = tokens_of(exchange(nginx, code))
    second = tokens_of(refresh(nginx, first["refresh_token"]))
    with connections(nginx, 8) as many:  # so that all workers have used the token
        for one in many:
            one.send(INTROSPECT, token_fields(second["access_token"]))
        assert all(json.loads(one.receive().body)["active"] for one in many)
        answer = revoke(nginx, first[kind])
        assert answer.status == 200
        for token in (first["access_token"], second["access_token"], first["refresh_token"]):
            for one in many:
                one.send(INTROSPECT, token_fields(token))
            assert [json.loads(one.receive().body) for one in many] == [{"active": False}] * 8
    assert not lives(nginx, first["access_token"]) and not lives(nginx, second["access_token"])
    assert refresh(nginx, first["refresh_token"]).status == 400
    assert revoke(nginx, first[kind]).status == 200, "a revoked token is unknown"


# --- API, metadata -----------------------------------------------------------


def test_oauth_S1_an_application_reads_media_of_the_grants_account_only(site, nginx):
    token = tokens_of(exchange(nginx, site.codes.new()))["access_token"]
    own = media(nginx, token)
    assert own.status == 200
    document = json.loads(own.body)
    assert list(document) == ["hashed_id", "name", "type", "description", "status", "progress", "duration", "created",
                              "updated", "project", "thumbnail", "assets", "embedCode"]
    assert document["hashed_id"] == "l4unchf1lm" and document["project"]["id"] == "prj1launch"
    theirs = tokens_of(exchange(nginx, site.codes.new(account=1002)))["access_token"]
    foreign = media(nginx, theirs)
    assert foreign.status == 404
    assert (foreign.status, foreign.body) == (404, media(nginx, token, "unknown001").body)
    for path in ("/v1/medias/", "/v1/medias/../medias/unknown001", "/v1/medias/a/b"):
        assert nginx.request(path, host=oauth.API, headers={"Authorization": f"Bearer {token}"}).status == 404


@pytest.mark.parametrize("scope", ["media:read", "stats:read", "media:upload"])
def test_oauth_S5_a_token_of_any_scope_reads_its_account(site, nginx, scope):
    token = tokens_of(exchange(nginx, site.codes.new(scopes=scope)))["access_token"]
    read = functools.partial(nginx.request, "/v1/account", host=oauth.API)
    answer = read(headers={"Authorization": f"Bearer {token}"})
    record = json.loads(site.redis_state.command("GET", "catalog:account:1001"))
    assert json.loads(answer.body) == {key: record[key] for key in ("id", "name", "url")}
    assert error_of(read(headers={"Authorization": "Bearer x"})) == (401, "invalid_token")
    assert read().status == 401


@pytest.mark.parametrize("issuer", ["https://api.svc.example", "http://api.svc.example:8080",
                                    "https://api.svc.example/", "https://api.svc.example/tenant"])
def test_oauth_D1_operations_P46_metadata_of_an_accepted_issuer_is_where_clients_look(stack, issuer):
    """RFC 8414 §3.1: the well-known path is between the issuer's host and its path."""
    stack.write_config(issuer=issuer)
    checked = ended("svc-worker", "--config", stack.config, "--check-config")
    if checked.returncode == 2:
        assert urlsplit(issuer).path and "issuer" in checked.stderr
        return
    stack.start_redis()
    stack.start_pool("grant", roles="grant")
    place = urlsplit(issuer)
    answer = stack.start_shipped_nginx().request(
        f"/.well-known/oauth-authorization-server{place.path.rstrip('/')}", host=place.netloc)
    assert (answer.status, json.loads(answer.body)["issuer"]) == (200, issuer)


# --- changed records ---------------------------------------------------------------------------


def enabled(site, account, is_enabled):
    redis, key = site.redis_state, f"catalog:account:{account}"
    record = json.loads(redis.command("GET", key))
    redis.command("SET", key, json.dumps({**record, "oauth_enabled": is_enabled}))


@pytest.mark.parametrize("change, back", [
    (lambda site, c: site.redis_state.command("SET", f"catalog:contact:{c}", oauth.contact_record(c, 1001, "user")),
     lambda site, c: site.redis_state.command("SET", f"catalog:contact:{c}", oauth.contact_record(c, 1001))),
    (lambda site, _: enabled(site, 1001, False), lambda site, _: enabled(site, 1001, True)),
], ids=["made a user", "OAuth disabled"])
@pytest.mark.parametrize("tells_holder", [True, False], ids=["", "of a former release"])
def test_oauth_B3_a_token_is_valid_only_while_its_contact_has_the_permission(site, nginx, change, back, tells_holder):
    contact = next(site.codes.contacts)

    def new_code():
        return site.codes.new(contact=contact, tells_holder=tells_holder)

    tokens, code = tokens_of(exchange(nginx, new_code())), new_code()
    asked = [introspect(nginx, tokens[kind]) for kind in ("access_token", "refresh_token")]
    assert lives(nginx, tokens["access_token"]) and all(json.loads(answer.body)["active"] for answer in asked)
    change(site, contact)
    assert error_of(media(nginx, tokens["access_token"])) == (401, "invalid_token")
    assert error_of(refresh(nginx, tokens["refresh_token"])) == (400, "invalid_grant")
    assert error_of(exchange(nginx, code)) == (400, "invalid_grant") and not site.codes.spent(code)
    for kind in ("access_token", "refresh_token"):
        assert introspect(nginx, tokens[kind]).body == b'{"active":false}'
    back(site, contact)
    assert lives(nginx, tokens["access_token"]) and refresh(nginx, tokens["refresh_token"]).status == 200
