"""The token endpoint, revocation, introspection, metadata and the API that tokens open, through the shipped nginx."""

import base64
import collections
import contextlib
import http.client
import json
import os
import random
import signal
import socket
import threading
import time
import urllib.parse

import pytest

import audit_trail
import oauth_store as oauth
import stack as stacks
from fastcgi_client import Answer
from oauth_flow import PASSWORDS, Browser, Page
from oauth_store import (CLIENT, EVERYTHING, EVERYTHING_SECRET, OTHER, OTHER_SECRET, SECRET, URI, encode, error_of,
                         exchange, exchange_fields, lives, media, post, refresh, refresh_fields, revoke, token_fields,
                         tokens_of)
from redis_relay import Relay, Trips
from stack import HOSTS, PATIENCE, Stack, wait_until

ENDPOINTS = ("/oauth/token", "/oauth/revoke", "/oauth/introspect")
# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def basic(pair=f"{CLIENT}:{SECRET}"):
    return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def start(stack, **options):
    """Everything that an application talks to."""
    stack.import_catalog()
    stack.grant = stack.start_pool("grant", **{"roles": "grant", "workers": 4, **options})
    stack.nginx = stack.start_shipped_nginx()
    stack.codes = oauth.Codes(stack)
    return stack


@pytest.fixture(scope="module")
def site(module_stack):
    return start(module_stack)


@pytest.fixture
def nginx(site):
    return site.nginx


@pytest.fixture
def code(site):
    return site.codes.new()


@pytest.fixture(autouse=True)
def nobody_guessed(request):
    """One test's wrong secrets are not another's."""
    if "site" in request.fixturenames:
        redis = request.getfixturevalue("site").redis_state
        redis.command("EVAL", "for _, key in ipairs(redis.call('KEYS', 'oauth:guess:*')) do redis.call('DEL', key) end", 0)


# --- requests: where parameters stand, and what is refused -------------------------------------


def test_T1_T3_parameters_may_stand_in_query_body_and_basic(site, nginx):
    def fields():
        return exchange_fields(site.codes.new())

    def without_client():
        return exchange_fields(site.codes.new(), client_id=None, client_secret=None)

    for how in ({"body": fields()}, {"query": fields()}, {"query": fields(), "headers": {"Content-Type": "text/plain"}},
                {"body": without_client(), "headers": basic()}, {"query": without_client(), "headers": basic()},
                {"body": without_client(), "query": encode(client_id=CLIENT, client_secret=SECRET)},
                {"body": without_client() + f"&client_id={CLIENT}", "headers": basic()},
                {"body": fields() + "&client_id=&code=", "query": "code=&grant_type="},
                {"body": fields() + "&unknown=1&unknown=2"}):
        answer = post(nginx, "/oauth/token", **how)
        assert answer.status == 200, (how, answer.body)


@pytest.mark.parametrize("query, body, headers, expected", [
    ("{all}&code=x", "", {}, (400, "invalid_request")),
    ("{all}", "code=x", {}, (400, "invalid_request")),
    ("grant_type=authorization_code", "{all}", {}, (400, "invalid_request")),
    ("", "{all}&client_secret=x", {}, (400, "invalid_request")),
    ("", "{all}&%63ode=x", {}, (400, "invalid_request")),
    ("", "{all}", basic(), (400, "invalid_request")),
    ("client_secret=x", "{anonymous}", basic(), (400, "invalid_request")),
    ("", "{anonymous}&client_id=demo-client-0002", basic(), (400, "invalid_request")),
    ("", "{anonymous}", {}, (401, "invalid_client")),
    ("", "{anonymous}&client_id=demo-client-0001", {}, (401, "invalid_client")),
    ("", "{anonymous}", basic(f"{CLIENT}:{SECRET}x"), (401, "invalid_client")),
    ("", "{anonymous}", basic(f"nobody:{SECRET}"), (401, "invalid_client")),
    ("", "{anonymous}", {"Authorization": "Basic ???"}, (401, "invalid_client")),
    ("", "{anonymous}", {"Authorization": basic()["Authorization"].rstrip("=")}, (401, "invalid_client")),
    ("", "{anonymous}", {"Authorization": "Bearer abc"}, (401, "invalid_client")),
    ("", "{no_type}", {}, (400, "invalid_request")),
    ("", "{no_type}&grant_type=", {}, (400, "invalid_request")),
    ("", "{no_type}&grant_type=password", {}, (400, "unsupported_grant_type")),
    ("", "{no_type}&grant_type=client_credentials", {}, (400, "unsupported_grant_type")),
    ("", "", {}, (400, "invalid_request")),
], ids=str)
def test_T1_T2_T6_refuses_by_name_and_spends_nothing(site, nginx, code, query, body, headers, expected):
    forms = {"all": exchange_fields(code), "anonymous": exchange_fields(code, client_id=None, client_secret=None),
             "no_type": exchange_fields(code, grant_type=None)}
    answer = post(nginx, "/oauth/token", body.format(**forms), query.format(**forms), headers)
    assert error_of(answer) == expected
    assert ("www-authenticate" in answer.headers) == (expected[0] == 401)
    if expected[0] == 401:
        assert answer.headers["www-authenticate"].startswith("Basic realm=")
    assert not site.codes.spent(code)


def test_T2_basic_halves_are_form_encoded(site, nginx):
    pair = f"{CLIENT.replace('-', '%2D')}:{SECRET.replace('-', '%2d')}"
    fields = exchange_fields(site.codes.new(), client_id=None, client_secret=None)
    assert post(nginx, "/oauth/token", fields, headers=basic(pair)).status == 200


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", None])
def test_T1_other_bodies_are_415(site, nginx, code, kind):
    headers = {"Content-Type": kind} if kind else {}
    answer = nginx.request("/oauth/token", method="POST", host=oauth.API, headers=headers,
                           body=json.dumps({"grant_type": "authorization_code"}).encode())
    assert answer.status == 415
    assert answer.headers["content-type"] == "application/json"
    assert not site.codes.spent(code)


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_T1_other_methods_are_405(site, nginx, code, path, method):
    answer = nginx.request(f"{path}?{exchange_fields(code)}", method=method, host=oauth.API)
    assert answer.status == 405 and answer.headers["allow"] == "POST"
    assert answer.headers["cache-control"] == "no-store"
    assert not site.codes.spent(code)


def test_T4_an_answer_is_complete_and_scope_is_as_the_application_wants_it(site, nginx):
    document = tokens_of(exchange(nginx, site.codes.new()))
    assert list(document) == ["access_token", "token_type", "expires_in", "refresh_token", "scope"]
    assert document["token_type"] == "bearer"
    assert document["expires_in"] == 21600 and isinstance(document["expires_in"], int)  # T11
    assert document["scope"] == ["media:read", "stats:read"]
    document = tokens_of(exchange(
        nginx, site.codes.new(client=EVERYTHING, scopes="all:all media:upload", uri="http://127.0.0.1:9090/all"),
        client_id=EVERYTHING, client_secret=EVERYTHING_SECRET, redirect_uri="http://127.0.0.1:9090/all"))
    assert document["scope"] == "all:all media:upload"


def test_T5_every_answer_is_json_that_nobody_keeps(site, nginx, code):
    answers = [exchange(nginx, code, client_secret="x"), exchange(nginx, code), exchange(nginx, "x"),
               post(nginx, "/oauth/token"), post(nginx, "/oauth/token", "{}", headers={"Content-Type": "application/json"}),
               revoke(nginx, "x"), post(nginx, "/oauth/revoke"), post(nginx, "/oauth/introspect", token_fields("x")),
               post(nginx, "/oauth/introspect"), nginx.request("/oauth/token", host=oauth.API)]
    assert {answer.status for answer in answers} == {200, 400, 401, 405, 415}
    for answer in answers:
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store" and answer.headers["pragma"] == "no-cache"
        assert "access-control-allow-origin" not in answer.headers
        json.loads(answer.body)


# --- guessing, outages -------------------------------------------------------------------------


class Kept:
    """A connection to nginx that is kept. `send` only sends, so that many can be sent before one is read."""

    def __init__(self, nginx, source=None):
        self.socket = socket.create_connection(("127.0.0.1", nginx.port), PATIENCE,
                                               source_address=(source, 0) if source else None)

    def send(self, path, body):
        self.socket.sendall(f"POST {path} HTTP/1.1\r\nHost: {oauth.API}\r\nContent-Length: {len(body)}\r\n"
                            f"Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}".encode())

    def receive(self):
        answer = http.client.HTTPResponse(self.socket, method="POST")
        answer.begin()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def post(self, path, body):
        self.send(path, body)
        return self.receive()

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def connections(nginx, count, source=None):
    kept = [Kept(nginx, source) for _ in range(count)]
    try:
        yield kept
    finally:
        for one in kept:
            one.close()


def test_T6_whoever_guesses_waits_and_nobody_else(nginx, code):
    wrong = refresh_fields("x", client_secret="guess")
    for _ in range(20):
        assert post(nginx, "/oauth/token", wrong).status == 401
    for path in ENDPOINTS:
        answer = post(nginx, path, token_fields("x", grant_type="refresh_token", client_secret="guess"))
        assert error_of(answer) == (429, "invalid_client")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert exchange(nginx, code).status == 429, "or a right guess would be told from the wrong ones"
    # Another client from here, and this client from elsewhere.
    assert revoke(nginx, "x", client_id=OTHER, client_secret=OTHER_SECRET).status == 200
    with connections(nginx, 1, source="127.0.0.2") as (elsewhere,):
        assert elsewhere.post("/oauth/token", exchange_fields(code)).status == 200


def test_T6_guesses_that_come_at_once_are_counted_one_by_one(nginx):
    wrong = refresh_fields("x", client_secret="guess")
    with connections(nginx, 120) as many:
        for one in many:
            one.send("/oauth/token", wrong)
        statuses = collections.Counter(one.receive().status for one in many)
    assert set(statuses) == {401, 429}
    assert statuses[401] == 20, statuses


def test_T6_a_store_that_is_away_is_a_503_and_never_invalid_grant(stack):
    start(stack, redis_timeout=500)
    code = stack.codes.new()
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    asked = [lambda: exchange(stack.nginx, code), lambda: refresh(stack.nginx, tokens["refresh_token"]),
             lambda: revoke(stack.nginx, tokens["access_token"]),
             lambda: post(stack.nginx, "/oauth/introspect", token_fields(tokens["access_token"])),
             lambda: media(stack.nginx, tokens["access_token"])]

    def all_are_503():
        for ask in asked:
            answer = ask()
            assert answer.status == 503, answer.body
            assert answer.headers["content-type"].startswith("application/json")
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["cache-control"] == "no-store"
            assert b"invalid" not in answer.body

    stack.redis_state.send_signal(signal.SIGSTOP)
    all_are_503()
    stack.redis_state.send_signal(signal.SIGCONT)
    wait_until(lambda: media(stack.nginx, tokens["access_token"]).status == 200, "the store is back")
    stack.redis_state.command("CONFIG", "SET", "maxmemory", "1")  # full: nothing can be written
    assert exchange(stack.nginx, code).status == 503
    stack.redis_state.command("CONFIG", "SET", "maxmemory", "0")
    wait_until(lambda: media(stack.nginx, tokens["access_token"]).status == 200, "the store takes writes")
    assert exchange(stack.nginx, code).status == 200, "the code was not spent"
    stack.redis_state.stop()
    all_are_503()


# --- codes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("challenge, changed", [
    ("", {"client_id": OTHER, "client_secret": OTHER_SECRET}), ("", {"redirect_uri": URI + "?x=1"}),
    ("", {"redirect_uri": URI.replace("127.0.0.1", "localhost")}), ("", {"code_verifier": VERIFIER}),
    (CHALLENGE, {}), (CHALLENGE, {"code_verifier": VERIFIER + "A"}), (CHALLENGE, {"code_verifier": CHALLENGE}),
    (CHALLENGE, {"code_verifier": "short"})], ids=str)
def test_T7_T9_who_proves_nothing_spends_nothing(site, nginx, challenge, changed):
    code = site.codes.new(challenge=challenge)
    bad = exchange(nginx, code, **changed)
    assert error_of(bad) == (400, "invalid_grant")
    assert bad.body == exchange(nginx, "unknown").body, "one wording for all"
    assert not site.codes.spent(code)
    good = exchange(nginx, code, code_verifier=VERIFIER if challenge else None)
    assert lives(nginx, tokens_of(good)["access_token"])


def test_T3_missing_parameters_are_named(nginx, code):
    for name, body in (("code", exchange_fields(None)), ("redirect_uri", exchange_fields(code, redirect_uri=None)),
                       ("refresh_token", refresh_fields(None)), ("refresh_token", refresh_fields(""))):
        answer = post(nginx, "/oauth/token", body)
        assert error_of(answer) == (400, "invalid_request") and name in json.loads(answer.body)["error_description"]


def test_T8_a_second_use_ends_all_that_came_from_the_first(site, nginx):
    code = site.codes.new(contact=4711)
    tokens = tokens_of(exchange(nginx, code))
    refreshed = tokens_of(refresh(nginx, tokens["refresh_token"]))
    assert lives(nginx, refreshed["access_token"])
    # Who does not prove that the code is his ends nothing.
    assert exchange(nginx, code, redirect_uri="http://127.0.0.1:9090/").status == 400
    assert exchange(nginx, code, client_id=OTHER, client_secret=OTHER_SECRET).status == 400
    assert lives(nginx, tokens["access_token"])
    assert error_of(exchange(nginx, code)) == (400, "invalid_grant")
    assert not lives(nginx, tokens["access_token"]) and not lives(nginx, refreshed["access_token"])
    assert error_of(refresh(nginx, tokens["refresh_token"])) == (400, "invalid_grant")
    assert site.redis_state.command("EXISTS", f"oauth:grant:{{{code[5:37]}}}") == "0", "its consent ended"
    assert "code.replayed" in str(audit(site))
    # Later uses end nothing of a grant that begins anew.
    anew = tokens_of(exchange(nginx, site.codes.new(contact=4711)))
    assert exchange(nginx, code).status == 400
    assert lives(nginx, anew["access_token"])


def audit(stack):
    """The trail as one text."""
    return "; ".join(str(entry) for entry in audit_trail.entries(stack.redis_state))


@pytest.mark.parametrize("run", range(5))
def test_T8_of_sixteen_exchanges_at_once_one_succeeds(site, nginx, run):
    codes = [site.codes.new() for _ in range(200)]
    winners = []
    with connections(nginx, 16) as many:
        for code in codes:
            body = exchange_fields(code)
            for one in many:
                one.send("/oauth/token", body)
            answers = [one.receive() for one in many]
            outcomes = collections.Counter(str(a.status) if a.status == 200 else error_of(a) for a in answers)
            assert outcomes == {"200": 1, (400, "invalid_grant"): 15}, (run, outcomes)
            winners += [json.loads(answer.body) for answer in answers if answer.status == 200]
    assert len(winners) == 200
    # Whoever was first may have been the thief.
    for winner in winners[::10]:
        assert not lives(nginx, winner["access_token"])
        assert refresh(nginx, winner["refresh_token"]).status == 400


def test_T8_L6_a_replay_in_a_whole_flow_asks_the_contact_again(stack):
    start(stack)
    stack.start_pool("web", roles="web", workers=2)
    browser = Browser(stack.nginx)
    target = "/oauth/authorize?" + encode(response_type="code", client_id=CLIENT, redirect_uri=URI, state="st",
                                          code_challenge=CHALLENGE, code_challenge_method="S256")

    def code_in(answer):
        assert answer.status in (302, 303), answer.body
        return dict(urllib.parse.parse_qsl(answer.headers["location"].partition("?")[2]))["code"]

    consent = Page(browser.log_in(browser.page(target), "olivia@acme.example"))
    code = code_in(browser.answer(consent, "allow"))
    first = tokens_of(exchange(stack.nginx, code, code_verifier=VERIFIER))
    assert lives(stack.nginx, first["access_token"])
    second = code_in(browser.request(target))  # remembered
    assert error_of(exchange(stack.nginx, code, code_verifier=VERIFIER)) == (400, "invalid_grant")
    assert error_of(exchange(stack.nginx, second, code_verifier=VERIFIER)) == (400, "invalid_grant")
    assert not lives(stack.nginx, first["access_token"])
    again = browser.page(target)
    assert ("answer", "allow") in again.form("/oauth/authorize")["buttons"]
    anew = tokens_of(exchange(stack.nginx, code_in(browser.answer(again, "allow")), code_verifier=VERIFIER))
    assert lives(stack.nginx, anew["access_token"])


# --- refresh, revocation -----------------------------------------------------------------------


def test_T10_refresh_adds_an_access_token_and_keeps_the_rest(nginx, code):
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


def test_T10_a_new_authorization_replaces_the_refresh_token(site, nginx):
    old = tokens_of(exchange(nginx, site.codes.new(contact=4712)))
    code = site.codes.new(contact=4712)
    assert refresh(nginx, old["refresh_token"]).status == 200
    anew = tokens_of(exchange(nginx, code))
    assert error_of(refresh(nginx, old["refresh_token"])) == (400, "invalid_grant")
    assert lives(nginx, old["access_token"]) and lives(nginx, anew["access_token"])


def test_T10_no_token_outlives_a_revocation_that_refreshes_race(site, nginx):
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


def test_T11_lifetimes_are_configured(stack):
    start(stack, workers=1, access_token_lifetime=1, refresh_token_idle=2)
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    assert tokens["expires_in"] == 1
    assert lives(stack.nginx, tokens["access_token"])
    wait_until(lambda: not lives(stack.nginx, tokens["access_token"]), "the access token ends")
    wait_until(lambda: refresh_is_dead_after_rest(stack.nginx, tokens["refresh_token"]), "the refresh token ends")


def refresh_is_dead_after_rest(nginx, token):
    """Each use begins its time anew, so it has to rest in between."""
    time.sleep(2.1)
    return error_of(refresh(nginx, token)) == (400, "invalid_grant")


def test_K4_live_access_tokens_are_capped(stack):
    start(stack, workers=1, access_tokens_per_grant=3)
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    issued = [tokens["access_token"]]
    for _ in range(6):
        issued.append(tokens_of(refresh(stack.nginx, tokens["refresh_token"]))["access_token"])
    assert [lives(stack.nginx, token) for token in issued] == [False] * 4 + [True] * 3


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_V1_V2_revoking_one_token_ends_all_on_every_worker(nginx, code, kind, hint):
    first = tokens_of(exchange(nginx, code))
    second = tokens_of(refresh(nginx, first["refresh_token"]))
    with connections(nginx, 8) as many:  # so that all workers have seen them
        for one in many:
            one.send("/oauth/introspect", token_fields(second["access_token"]))
        assert all(json.loads(one.receive().body)["active"] for one in many)
        answer = revoke(nginx, first[kind], token_type_hint=hint)
        assert answer.status == 200
        for token in (first["access_token"], second["access_token"], first["refresh_token"]):
            for one in many:
                one.send("/oauth/introspect", token_fields(token))
            assert [json.loads(one.receive().body) for one in many] == [{"active": False}] * 8
    assert not lives(nginx, first["access_token"]) and not lives(nginx, second["access_token"])
    assert refresh(nginx, first["refresh_token"]).status == 400
    assert revoke(nginx, first[kind]).status == 200, "what is revoked already is unknown"


def test_V1_leaves_alone_what_is_not_the_clients(nginx, code):
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


def test_B1_a_token_has_three_carriers_and_comes_in_one(nginx, code):
    token = tokens_of(exchange(nginx, code))["access_token"]

    def ask(query="", *headers):
        return nginx.request("/v1/medias/l4unchf1lm" + query, host=oauth.API, headers=headers)

    for answer in (ask(f"?access_token={token}"), ask(f"?bearer_token={token}"),
                   ask("", ("Authorization", f"Bearer {token}")), ask("", ("authorization", f"bEaReR {token}")),
                   ask(f"?access_token={token}&bearer_token="),
                   ask(f"?access_token={token}", ("Authorization", "Basic YTpi"))):
        assert answer.status == 200 and answer.headers["cache-control"] == "no-store"
    for answer in (ask(f"?access_token={token}&bearer_token={token}"), ask(f"?access_token={token}&access_token={token}"),
                   ask(f"?access_token={token}", ("Authorization", f"Bearer {token}")),
                   ask("", ("Authorization", f"Bearer {token} {token}"))):
        assert error_of(answer) == (400, "invalid_request")
        assert answer.headers["www-authenticate"].startswith('Bearer realm="svc", error="invalid_request"')


def test_B2_says_what_is_wrong_with_a_token(site, nginx):
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
        assert answer.headers["content-type"] == "application/json" and answer.headers["cache-control"] == "no-store"


def test_S1_an_application_reads_media_of_the_grants_account_only(site, nginx):
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


def test_S2_there_are_no_uploads_yet(site, nginx):
    token = tokens_of(exchange(nginx, site.codes.new(scopes="all:all")))["access_token"]
    assert post(nginx, "/v1/medias", query=f"access_token={token}").status == 404


def test_I1_introspection_tells_a_client_of_its_own_tokens(nginx, code):
    tokens = tokens_of(exchange(nginx, code))
    before = int(time.time())
    document = json.loads(post(nginx, "/oauth/introspect", token_fields(tokens["access_token"])).body)
    assert document["active"] is True and document["client_id"] == CLIENT and document["account_id"] == 1001
    assert document["scope"] == "media:read stats:read" and document["iss"] == HOSTS["base-url"]
    assert document["exp"] - document["iat"] == 21600 and abs(document["iat"] - before) < 60
    assert json.loads(post(nginx, "/oauth/introspect", token_fields(tokens["refresh_token"])).body)["active"]
    foreign = token_fields(tokens["access_token"], client_id=OTHER, client_secret=OTHER_SECRET)
    for body in (foreign, token_fields("unknown"), token_fields(code)):
        answer = post(nginx, "/oauth/introspect", body)
        assert (answer.status, answer.body) == (200, b'{"active":false}')
    assert post(nginx, "/oauth/introspect", encode(token=tokens["access_token"])).status == 401
    assert media(nginx, tokens["access_token"]).status == 200


def test_D1_metadata_names_the_configured_issuer_whatever_the_host(nginx):
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


# --- trips, deaths -----------------------------------------------------------------------------


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
def test_B3_a_token_is_worth_what_its_contact_is_worth_now(site, nginx, change, back, tells_holder):
    contact = next(site.codes.contacts)

    def new_code():
        return site.codes.new(contact=contact, tells_holder=tells_holder)

    tokens, code = tokens_of(exchange(nginx, new_code())), new_code()
    asked = [post(nginx, "/oauth/introspect", token_fields(tokens[kind])) for kind in ("access_token", "refresh_token")]
    assert lives(nginx, tokens["access_token"]) and all(json.loads(answer.body)["active"] for answer in asked)
    change(site, contact)
    assert error_of(media(nginx, tokens["access_token"])) == (401, "invalid_token")
    assert error_of(refresh(nginx, tokens["refresh_token"])) == (400, "invalid_grant")
    assert error_of(exchange(nginx, code)) == (400, "invalid_grant") and not site.codes.spent(code)
    for kind in ("access_token", "refresh_token"):
        assert post(nginx, "/oauth/introspect", token_fields(tokens[kind])).body == b'{"active":false}'
    back(site, contact)
    assert lives(nginx, tokens["access_token"]) and refresh(nginx, tokens["refresh_token"]).status == 200


@pytest.mark.parametrize("key", ["catalog:contact:{}", "catalog:account:1001"])
@pytest.mark.parametrize("damage", [("SET", "{"), ("HSET", "a", "b")], ids=["a record that cannot be read", "a hash"])
def test_B3_what_cannot_be_read_opens_nothing(site, nginx, key, damage):
    contact = next(site.codes.contacts)
    tokens, code = tokens_of(exchange(nginx, site.codes.new(contact=contact))), site.codes.new(contact=contact)
    redis, key = site.redis_state, key.format(contact)
    record = redis.command("GET", key)
    redis.command("DEL", key)
    redis.command(damage[0], key, *damage[1:])
    try:
        for answer in (media(nginx, tokens["access_token"]), refresh(nginx, tokens["refresh_token"]),
                       exchange(nginx, code), post(nginx, "/oauth/introspect", token_fields(tokens["access_token"]))):
            assert answer.status == 503, answer.body
    finally:
        redis.command("DEL", key)
        redis.command("SET", key, record)
    assert lives(nginx, tokens["access_token"]) and tokens_of(exchange(nginx, code))


@pytest.fixture(scope="module")
def relayed():
    """Everything once more, with a relay in front of Redis."""
    stack = Stack()
    stack.start_redis()
    stack.relay = Relay(stack.directory, stack.redis_state)
    start(stack, redis_state=stack.relay.url, deaths_expected=True)
    yield stack
    stack.relay.close()
    stack.stop()


def test_T7_an_exchange_takes_two_trips_and_a_bearer_check_one(stack):
    stack.start_redis()
    relay = Relay(stack.directory, stack.redis_state)
    start(stack, redis_state=relay.url, workers=1)
    trips = Trips(relay)
    warm = tokens_of(exchange(stack.nginx, stack.codes.new()))  # connects, and loads the script
    assert lives(stack.nginx, warm["access_token"]) and refresh(stack.nginx, warm["refresh_token"]).status == 200
    code = stack.codes.new()
    answer, count = trips.of(lambda: exchange(stack.nginx, code))
    tokens = tokens_of(answer)
    assert count == 2, trips.seen
    assert b"EVALSHA" in trips.seen and b"EVAL\r" not in trips.seen
    alive, count = trips.of(lambda: lives(stack.nginx, warm["access_token"]))
    # The token with the media, then the media's project.
    assert alive and count <= 2, trips.seen
    assert trips.seen.count(b"oauth:access") == 1
    answer, count = trips.of(lambda: media(stack.nginx, warm["access_token"], "unknown001"))
    assert answer.status == 404 and count == 1, trips.seen
    answer, count = trips.of(lambda: refresh(stack.nginx, tokens["refresh_token"]))
    assert answer.status == 200 and count == 2, trips.seen
    # B3: whose it is was asked for with it, each time anew.
    assert trips.seen.count(b"catalog:contact:") == trips.seen.count(b"catalog:account:") == 1, trips.seen
    # A token of a former release does not say whose it is.
    former = tokens_of(exchange(stack.nginx, stack.codes.new(tells_holder=False)))
    assert "_" in former["refresh_token"][5:], "but what comes of it does"
    answer, count = trips.of(lambda: refresh(stack.nginx, "svcr_" + "0" * 96))
    assert answer.status == 400 and count == 1, trips.seen
    relay.close()


@pytest.mark.parametrize("step, way, word, fate, spent", [
    ("before it has read", "to", b"HMGET", Relay.LOSE, False),
    ("when what it read is on its way", "from", b"media:read", Relay.LOSE, False),
    ("when it has read", "from", b"media:read", Relay.KEEP, False),
    ("before it spends", "to", b"EVALSHA", Relay.LOSE, False),
    ("while Redis spends", "to", b"EVALSHA", Relay.KEEP, False),
    ("when it is spent and not known", "from", b"redeemed", Relay.LOSE, True),
    ("when it is spent and known", "from", b"redeemed", Relay.KEEP, True)],
    ids=lambda value: value.replace(" ", "_") if isinstance(value, str) and " " in value else "")
def test_T8_a_worker_that_dies_at_any_step_costs_the_client_nothing(relayed, step, way, word, fate, spent):
    nginx, relay = relayed.nginx, relayed.relay
    for _ in range(4):
        assert exchange(nginx, relayed.codes.new()).status == 200
    for _ in range(5):
        code = relayed.codes.new()
        killed, was_spent = [], []

        def look(pid, towards, data, code=code, killed=killed, was_spent=was_spent):
            if killed or towards != way or word not in data:
                return None
            killed.append(pid)
            was_spent.append(relayed.codes.spent(code))
            return fate

        relay.look = look
        try:
            answer = exchange(nginx, code)
        finally:
            relay.look = lambda pid, towards, data: None
        assert killed and was_spent == [spent], step
        tokens = tokens_of(answer)
        assert relayed.codes.spent(code)
        assert lives(nginx, tokens["access_token"]) and refresh(nginx, tokens["refresh_token"]).status == 200
        # What nobody received is gone: this access token and the one of the refresh.
        grant = code[5:37]
        assert relayed.redis_state.command("XLEN", f"oauth:access:{{{grant}}}") == "2", step
        assert error_of(exchange(nginx, code)) == (400, "invalid_grant")
        relayed.grant.wait_for_workers(4, killed)


def test_T8_random_deaths_under_load_lose_no_code(stack):
    start(stack, deaths_expected=True)
    nginx, over, kills, outcomes = stack.nginx, threading.Event(), [], []

    def kill_now_and_then():
        chance = random.Random(1)
        while not over.wait(0.01 + chance.random() * 0.04):
            workers = sorted(stack.grant.workers())
            if len(workers) >= 3:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    kills.append(1)

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    give_up = time.monotonic() + PATIENCE
    try:
        with connections(nginx, 8) as many:
            while len(kills) < 40 or len(outcomes) < 600:
                assert time.monotonic() < give_up, (len(kills), len(outcomes))
                codes = [stack.codes.new() for _ in many]
                for one, code in zip(many, codes):
                    one.send("/oauth/token", exchange_fields(code))
                outcomes += [(code, one.receive()) for one, code in zip(many, codes)]
    finally:
        over.set()
        killer.join(PATIENCE)
    assert collections.Counter(answer.status for _, answer in outcomes) == {200: len(outcomes)}, len(kills)
    for code, answer in outcomes:
        tokens = json.loads(answer.body)
        assert stack.codes.spent(code)
        assert json.loads(post(nginx, "/oauth/introspect", token_fields(tokens["access_token"])).body)["active"]


# --- secrets -----------------------------------------------------------------------------------


class Monitor:
    """Every command that Redis is given, as MONITOR shows it."""

    def __init__(self, redis):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(redis.socket))
        self.socket.sendall(b"AUTH tests %s\r\n" % stacks.PASSWORDS["tests"].encode())
        assert self.socket.recv(100) == b"+OK\r\n"
        self.socket.sendall(b"MONITOR\r\n")
        assert self.socket.recv(100).startswith(b"+OK")
        self.seen = b""
        self.thread = threading.Thread(target=self._listen)
        self.thread.start()

    def _listen(self):
        with contextlib.suppress(OSError):
            while data := self.socket.recv(1 << 20):
                self.seen += data

    def stop(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join(PATIENCE)
        self.socket.close()
        return self.seen


def test_K1_K3_no_log_and_no_store_holds_a_secret(stack):
    """Secrets through all doors, right ones and wrong ones; then every file is searched."""
    start(stack, deaths_expected=True)
    web = stack.start_pool("web", roles="web", workers=2)
    stack.redis_state.command("CONFIG", "SET", "rdbcompression", "no")
    stack.redis_state.command("CONFIG", "SET", "aof-use-rdb-preamble", "no")
    stack.redis_state.command("CONFIG", "SET", "appendonly", "yes")
    stack.redis_state.command("CONFIG", "SET", "slowlog-log-slower-than", "0")
    nginx = stack.nginx
    code, unspent = stack.codes.new(challenge=CHALLENGE), stack.codes.new()
    monitor = Monitor(stack.redis_state)
    tokens = tokens_of(exchange(nginx, code, code_verifier=VERIFIER))
    second = tokens_of(post(nginx, "/oauth/token", query=refresh_fields(tokens["refresh_token"])))
    browser = Browser(nginx)
    browser.log_in(browser.page("/oauth/authorize?" + encode(response_type="code", client_id=CLIENT, redirect_uri=URI)),
                   "olivia@acme.example")
    (session,) = browser.cookies.values()
    planted = "planted7secret7word"
    secrets = {SECRET, code, unspent, tokens["access_token"], tokens["refresh_token"], second["access_token"], planted,
               VERIFIER, PASSWORDS["olivia@acme.example"], session}
    secrets |= {token[:101] for token in secrets if token.startswith("svc")}  # without an access token's place
    secrets |= {token[37:] for token in secrets if token.startswith("svc") and len(token) == 101}
    secrets |= {base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()}
    headers = {"Referer": f"http://x.example/?{planted}", "User-Agent": planted, "Cookie": f"a={planted}"}
    everything = encode(client_id=CLIENT, client_secret=SECRET, code=unspent, access_token=tokens["access_token"],
                        refresh_token=tokens["refresh_token"], password=planted, code_verifier=VERIFIER)

    def through_all_doors():
        for path in (*ENDPOINTS, "/v1/medias/l4unchf1lm", "/v1/medias", "/oauth/authorize", "/oauth/tokens", "/login",
                     "/.well-known/oauth-authorization-server", f"/v1/medias/x?{planted}"):
            for method in ("GET", "POST", "PUT"):
                separator = "&" if "?" in path else "?"
                nginx.request(f"{path}{separator}{everything}", method=method, host=oauth.API, headers=headers)
                nginx.request(path, method=method, host=oauth.API, body=everything.encode(),
                              headers={**headers, **oauth.FORM, **basic()})
        for wrong in (SECRET, planted, code):
            refresh(nginx, wrong, client_secret=planted)
            revoke(nginx, wrong, client_id=OTHER, client_secret=OTHER_SECRET)
        media(nginx, tokens["access_token"])
        media(nginx, planted)
        # What nginx itself refuses: a head or a body that is too large, a request that is none, a wrong host.
        nginx.request(f"/oauth/token?{everything}&x={'x' * 9000}", method="POST", host=oauth.API)
        nginx.request("/oauth/token", method="POST", host=oauth.API, body=(everything + "x" * 20000).encode(),
                      headers=oauth.FORM)
        nginx.send(f"POST /oauth/token?{everything} HTTP/1.1\r\nHost: {oauth.API}\r\nContent-Length: x\r\n\r\n".encode())
        nginx.send(f"POST /oauth/token?{everything} HTTP/1.1\r\n\r\n".encode())
        nginx.send(f"GET /oauth/token?{everything} HTTP/9\r\n\r\n".encode())

    through_all_doors()
    assert "demo-client-0001" in monitor_text(monitor)
    stack.redis_state.command("SAVE")
    stack.redis_state.send_signal(signal.SIGSTOP)
    exchange(nginx, unspent)
    stack.redis_state.send_signal(signal.SIGCONT)
    slow = stack.redis_state.command("EVAL", "local out = {} for _, entry in ipairs(redis.call('SLOWLOG', 'GET', 1000)) "
                                     "do out[#out + 1] = table.concat(entry[4], ' ') end return table.concat(out, ' ')", 0)
    seen = monitor.stop() + slow.encode()
    stack.grant.stop()
    web.stop()
    through_all_doors()  # nobody answers
    nginx.stop()  # writes what it still holds
    files = [path for path in stack.directory.rglob("*") if path.is_file() and "svc/" not in str(path)]
    names = {path.name for path in files}
    assert {"nginx-svc-access.log", "grant.log", "dump.rdb", "nginx-error.log"} <= names, names
    assert any("aof" in name for name in names), names
    assert '"uri":"/oauth/token"' in (stack.directory / "nginx-svc-access.log").read_text()
    places = {path.name: path.read_bytes() for path in files} | {"what Redis was told": seen}
    for secret in secrets:
        for name, content in places.items():
            assert secret.encode() not in content, f"{secret[:12]}… is in {name}"


def monitor_text(monitor):
    return monitor.seen.decode(errors="replace")
