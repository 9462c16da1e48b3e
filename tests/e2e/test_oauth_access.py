"""The use of tokens, through the shipped nginx: refresh, revocation, the API, introspection and metadata."""

import json
import time
from urllib.parse import urlsplit

import pytest

import oauth_store as oauth
from oauth_site import code, nginx, site
from oauth_store import (CLIENT, INTROSPECT, OTHER, OTHER_SECRET, connections, encode, error_of, exchange,
                         introspect, lives, media, post, refresh, refresh_fields, revoke, start, token_fields,
                         tokens_of)
from processes import wait_until
from stack import HOSTS, ended


# --- refresh, revocation -----------------------------------------------------------------------


def test_oauth_T10_refresh_adds_an_access_token_and_keeps_all_others(nginx, code):
    first = tokens_of(exchange(nginx, code))
    second = tokens_of(refresh(nginx, first["refresh_token"]))
    narrow = tokens_of(refresh(nginx, first["refresh_token"], scope="stats:read"))
    third = tokens_of(refresh(nginx, first["refresh_token"]))
    assert {t["refresh_token"] for t in (second, narrow, third)} == {first["refresh_token"]}
    assert narrow["scope"] == ["stats:read"] and third["scope"] == ["media:read", "stats:read"]
    assert all(lives(nginx, t["access_token"]) for t in (first, second, third))
    assert media(nginx, narrow["access_token"]).status == 403
    for wider in ("all:all", "media:read media:upload", "nonsense"):
        assert error_of(refresh(nginx, first["refresh_token"], scope=wider)) == (400, "invalid_scope")
    assert error_of(refresh(nginx, first["refresh_token"], client_id=OTHER, client_secret=OTHER_SECRET)) == (
        400, "invalid_grant")
    assert error_of(refresh(nginx, first["access_token"])) == (400, "invalid_grant")


def test_oauth_T10_a_new_authorization_replaces_the_refresh_token(site, nginx):
    old = tokens_of(exchange(nginx, site.codes.new(contact=4712)))
    code = site.codes.new(contact=4712)
    assert refresh(nginx, old["refresh_token"]).status == 200
    anew = tokens_of(exchange(nginx, code))
    assert error_of(refresh(nginx, old["refresh_token"])) == (400, "invalid_grant")
    assert lives(nginx, old["access_token"]) and lives(nginx, anew["access_token"])


def test_oauth_T10_no_token_survives_a_revocation_during_refreshes(site, nginx):
    with connections(nginx, 9) as many:
        *refreshing, revoking = many
        for round_number in range(40):
            tokens = tokens_of(exchange(nginx, site.codes.new()))
            issued = [tokens["access_token"]]
            body, revocation = refresh_fields(tokens["refresh_token"]), token_fields(tokens["refresh_token"])
            for place, one in enumerate(refreshing):
                if place == round_number % 9:
                    revoking.send("/oauth/revoke", revocation)
                one.send("/oauth/token", body)
            if round_number % 9 == 8:
                revoking.send("/oauth/revoke", revocation)
            assert revoking.receive().status == 200
            for one in refreshing:
                answer = one.receive()
                assert answer.status == 200 or error_of(answer) == (400, "invalid_grant")
                if answer.status == 200:
                    issued.append(json.loads(answer.body)["access_token"])
            assert not any(lives(nginx, token) for token in issued)
            assert refresh(nginx, tokens["refresh_token"]).status == 400


def test_oauth_T11_lifetimes_are_configurable(stack):
    start(stack, workers=1, access_token_lifetime=5, refresh_token_idle=4)
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    assert tokens["expires_in"] == 5
    assert lives(stack.nginx, tokens["access_token"])
    wait_until(lambda: not lives(stack.nginx, tokens["access_token"]), "the access token expires")
    assert error_of(refresh(stack.nginx, tokens["refresh_token"])) == (400, "invalid_grant"), "not used for 4 s"


def test_oauth_K4_the_number_of_live_access_tokens_is_limited(stack):
    start(stack, workers=1, access_tokens_per_grant=3)
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    issued = [tokens["access_token"]]
    for _ in range(6):
        issued.append(tokens_of(refresh(stack.nginx, tokens["refresh_token"]))["access_token"])
    assert [lives(stack.nginx, token) for token in issued] == [False] * 4 + [True] * 3


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_oauth_V1_oauth_V2_revoking_one_token_ends_all_of_its_grant_on_every_worker(nginx, code, kind, hint):
    first = tokens_of(exchange(nginx, code))
    second = tokens_of(refresh(nginx, first["refresh_token"]))
    with connections(nginx, 8) as many:  # so that all workers have used the token
        for one in many:
            one.send(INTROSPECT, token_fields(second["access_token"]))
        assert all(json.loads(one.receive().body)["active"] for one in many)
        answer = revoke(nginx, first[kind], token_type_hint=hint)
        assert answer.status == 200
        for token in (first["access_token"], second["access_token"], first["refresh_token"]):
            for one in many:
                one.send(INTROSPECT, token_fields(token))
            assert [json.loads(one.receive().body) for one in many] == [{"active": False}] * 8
    assert not lives(nginx, first["access_token"]) and not lives(nginx, second["access_token"])
    assert refresh(nginx, first["refresh_token"]).status == 400
    assert revoke(nginx, first[kind]).status == 200, "a revoked token is unknown"


def test_oauth_V1_does_not_revoke_tokens_of_other_clients(nginx, code):
    tokens = tokens_of(exchange(nginx, code))
    for token in (tokens["access_token"], tokens["refresh_token"]):
        theirs = revoke(nginx, token, client_id=OTHER, client_secret=OTHER_SECRET)
        assert (theirs.status, theirs.body) == (200, revoke(nginx, "unknown").body)
        assert revoke(nginx, token, client_secret="x").status == 401
        assert revoke(nginx, token, client_secret=None).status == 401
        assert post(nginx, "/oauth/revoke", encode(token=token)).status == 401
    assert error_of(revoke(nginx, None)) == (400, "invalid_request")
    assert lives(nginx, tokens["access_token"]) and refresh(nginx, tokens["refresh_token"]).status == 200


# --- bearer, introspection, metadata -----------------------------------------------------------


def test_oauth_B1_a_token_is_accepted_in_three_places_but_only_in_one_at_a_time(nginx, code):
    token = tokens_of(exchange(nginx, code))["access_token"]

    def ask(query="", *headers):
        return nginx.request("/v1/medias/l4unchf1lm" + query, host=oauth.API, headers=headers)

    for answer in (ask(f"?access_token={token}"), ask(f"?bearer_token={token}"),
                   ask("", ("Authorization", f"Bearer {token}")), ask("", ("authorization", f"bEaReR {token}")),
                   ask(f"?access_token={token}&bearer_token="),
                   ask(f"?access_token={token}", ("Authorization", "Basic YTpi"))):
        assert answer.status == 200 and answer.headers["cache-control"] == "no-store"
    for answer in (ask(f"?access_token={token}&bearer_token={token}"),
                   ask(f"?access_token={token}&access_token={token}"),
                   ask(f"?access_token={token}", ("Authorization", f"Bearer {token}")),
                   ask("", ("Authorization", f"Bearer {token} {token}"))):
        assert error_of(answer) == (400, "invalid_request")
        assert answer.headers["www-authenticate"].startswith('Bearer realm="svc", error="invalid_request"')


def test_oauth_B2_errors_name_the_problem_with_a_token(site, nginx):
    tokens = tokens_of(exchange(nginx, site.codes.new()))
    stats = tokens_of(refresh(nginx, tokens["refresh_token"], scope="stats:read"))["access_token"]
    none = nginx.request("/v1/medias/l4unchf1lm", host=oauth.API)
    assert none.status == 401 and none.headers["www-authenticate"] == 'Bearer realm="svc"'
    assert "error" not in json.loads(none.body)
    for wrong in ("x", tokens["refresh_token"], tokens["access_token"][:-1], "svca_" + "0" * 96, site.codes.new()):
        answer = media(nginx, wrong)
        assert error_of(answer) == (401, "invalid_token")
        assert answer.headers["www-authenticate"].startswith('Bearer realm="svc", error="invalid_token"')
    answer = media(nginx, stats)
    assert error_of(answer) == (403, "insufficient_scope")
    assert 'scope="all:all all:read media:read media:upload"' in answer.headers["www-authenticate"]
    for answer in (none, answer, media(nginx, "x")):
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"


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


def test_oauth_I1_introspection_describes_only_a_clients_own_tokens(nginx, code):
    tokens = tokens_of(exchange(nginx, code))
    before = int(time.time())
    document = json.loads(introspect(nginx, tokens["access_token"]).body)
    assert document["active"] is True and document["client_id"] == CLIENT and document["account_id"] == 1001
    assert document["scope"] == "media:read stats:read" and document["iss"] == HOSTS["base-url"]
    assert document["exp"] - document["iat"] == 21600 and abs(document["iat"] - before) < 60
    assert json.loads(introspect(nginx, tokens["refresh_token"]).body)["active"]
    foreign = token_fields(tokens["access_token"], client_id=OTHER, client_secret=OTHER_SECRET)
    for body in (foreign, token_fields("unknown"), token_fields(code)):
        answer = post(nginx, INTROSPECT, body)
        assert (answer.status, answer.body) == (200, b'{"active":false}')
    assert post(nginx, INTROSPECT, encode(token=tokens["access_token"])).status == 401
    assert media(nginx, tokens["access_token"]).status == 200


def test_oauth_D1_metadata_names_the_configured_issuer_for_every_host(nginx):
    bodies = set()
    for host in ("api.svc.example", "127.0.0.1"):
        answer = nginx.request("/.well-known/oauth-authorization-server", host=host)
        assert answer.status == 200 and answer.headers["content-type"] == "application/json"
        bodies.add(answer.body)
    (body,) = bodies
    document = json.loads(body)
    assert document["issuer"] == HOSTS["base-url"]
    assert document["authorization_endpoint"] == HOSTS["app-url"] + "/oauth/authorize"
    assert document["token_endpoint"] == HOSTS["base-url"] + "/oauth/token"
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]


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
    (lambda site, c: site.redis_state.command("SET", f"catalog:contact:{c}", oauth.contact_record(c, 1001, None)),
     lambda site, c: site.redis_state.command("SET", f"catalog:contact:{c}", oauth.contact_record(c, 1001, "owner"))),
    (lambda site, c: site.redis_state.command("DEL", f"catalog:contact:{c}"),
     lambda site, c: site.redis_state.command("SET", f"catalog:contact:{c}", oauth.contact_record(c, 1001))),
    (lambda site, _: enabled(site, 1001, False), lambda site, _: enabled(site, 1001, True)),
], ids=["made a user", "removed from the account", "deleted", "OAuth disabled"])
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


@pytest.mark.parametrize("key", ["catalog:contact:{}", "catalog:account:1001"])
@pytest.mark.parametrize("damage", [("SET", "{"), ("HSET", "a", "b")], ids=["a record that cannot be read", "a hash"])
def test_oauth_B3_an_unreadable_record_allows_nothing(site, nginx, key, damage):
    contact = next(site.codes.contacts)
    tokens, code = tokens_of(exchange(nginx, site.codes.new(contact=contact))), site.codes.new(contact=contact)
    redis, key = site.redis_state, key.format(contact)
    record = redis.command("GET", key)
    redis.command("DEL", key)
    redis.command(damage[0], key, *damage[1:])
    try:
        for answer in (media(nginx, tokens["access_token"]), refresh(nginx, tokens["refresh_token"]),
                       exchange(nginx, code), introspect(nginx, tokens["access_token"])):
            assert answer.status == 503, answer.body
    finally:
        redis.command("DEL", key)
        redis.command("SET", key, record)
    assert lives(nginx, tokens["access_token"]) and tokens_of(exchange(nginx, code))
