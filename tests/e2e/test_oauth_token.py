"""The token endpoint through the shipped nginx, and a search for secrets in all files."""

import base64
import json
import signal
import urllib.parse

import oauth_store as oauth
from oauth_site import code, nginx, site
from user_agent import PASSWORDS, Browser, Page
from oauth_store import (CHALLENGE, CLIENT, ENDPOINTS, EVERYTHING, EVERYTHING_SECRET, INTROSPECT,
                         OTHER, OTHER_SECRET, SECRET, URI, VERIFIER, basic, connections, encode, error_of,
                         exchange, exchange_fields, introspect, lives, media, post, refresh, refresh_fields,
                         revoke, start, token_fields, tokens_of)
from processes import wait_until


# --- responses ---------------------------------------------------------------------------------


def test_oauth_T4_a_response_is_complete_and_its_scope_has_the_application_s_format(site, nginx):
    document = tokens_of(exchange(nginx, site.codes.new()))
    assert list(document) == ["access_token", "token_type", "expires_in", "refresh_token", "scope"]
    assert document["token_type"] == "bearer"
    assert document["expires_in"] == 21600 and isinstance(document["expires_in"], int)  # oauth-T11
    assert document["scope"] == ["media:read", "stats:read"]
    document = tokens_of(exchange(
        nginx, site.codes.new(client=EVERYTHING, scopes="all:all media:upload", uri="http://127.0.0.1:9090/all"),
        client_id=EVERYTHING, client_secret=EVERYTHING_SECRET, redirect_uri="http://127.0.0.1:9090/all"))
    assert document["scope"] == "all:all media:upload"


def test_oauth_T5_every_response_is_json_and_forbids_caching(site, nginx, code):
    answers = [exchange(nginx, code, client_secret="x"), exchange(nginx, code), exchange(nginx, "x"),
               post(nginx, "/oauth/token"),
               post(nginx, "/oauth/token", "{}", headers={"Content-Type": "application/json"}),
               revoke(nginx, "x"), post(nginx, "/oauth/revoke"), introspect(nginx, "x"),
               post(nginx, INTROSPECT), nginx.request("/oauth/token", host=oauth.API)]
    assert {answer.status for answer in answers} == {200, 400, 401, 405, 415}
    for answer in answers:
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store" and answer.headers["pragma"] == "no-cache"
        assert "access-control-allow-origin" not in answer.headers
        json.loads(answer.body)


# --- guessing, outages -------------------------------------------------------------------------


def test_oauth_T6_throttles_guesses_per_client_and_address(nginx, code):
    wrong = refresh_fields("x", client_secret="guess")
    for _ in range(20):
        assert post(nginx, "/oauth/token", wrong).status == 401
    for path in ENDPOINTS:
        answer = post(nginx, path, token_fields("x", grant_type="refresh_token", client_secret="guess"))
        assert error_of(answer) == (429, "invalid_client")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert exchange(nginx, code).status == 429, "otherwise a right guess would be recognisable"
    # Another client from this address, and this client from another address, are not throttled.
    assert revoke(nginx, "x", client_id=OTHER, client_secret=OTHER_SECRET).status == 200
    with connections(nginx, 1, source="127.0.0.2") as (elsewhere,):
        assert elsewhere.post("/oauth/token", exchange_fields(code)).status == 200


def test_oauth_T6_an_unavailable_store_is_a_503_and_never_invalid_grant(stack):
    start(stack, redis_timeout=500)
    code = stack.codes.new()
    tokens = tokens_of(exchange(stack.nginx, stack.codes.new()))
    asked = [lambda: exchange(stack.nginx, code), lambda: refresh(stack.nginx, tokens["refresh_token"]),
             lambda: revoke(stack.nginx, tokens["access_token"]),
             lambda: introspect(stack.nginx, tokens["access_token"]),
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


def test_oauth_T8_oauth_L6_after_a_replay_the_contact_is_asked_for_consent_again(stack):
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
    second = code_in(browser.request(target))  # consent is remembered
    assert error_of(exchange(stack.nginx, code, code_verifier=VERIFIER)) == (400, "invalid_grant")
    assert error_of(exchange(stack.nginx, second, code_verifier=VERIFIER)) == (400, "invalid_grant")
    assert not lives(stack.nginx, first["access_token"])
    again = browser.page(target)
    assert ("answer", "allow") in again.form("/oauth/authorize")["buttons"]
    anew = tokens_of(exchange(stack.nginx, code_in(browser.answer(again, "allow")), code_verifier=VERIFIER))
    assert lives(stack.nginx, anew["access_token"])


# --- secrets -----------------------------------------------------------------------------------


def test_oauth_K1_oauth_K3_logs_and_stores_contain_no_secret(stack):
    """Sends valid and invalid secrets to all endpoints, then searches every file."""
    start(stack, deaths_expected=True)
    web = stack.start_pool("web", roles="web", workers=2)
    stack.redis_state.command("CONFIG", "SET", "rdbcompression", "no")
    stack.redis_state.command("CONFIG", "SET", "aof-use-rdb-preamble", "no")
    stack.redis_state.command("CONFIG", "SET", "appendonly", "yes")
    stack.redis_state.command("CONFIG", "SET", "slowlog-log-slower-than", "0")
    nginx = stack.nginx
    code, unspent = stack.codes.new(challenge=CHALLENGE), stack.codes.new()
    monitor = stack.add(stack.redis_state.monitor())
    tokens = tokens_of(exchange(nginx, code, code_verifier=VERIFIER))
    second = tokens_of(post(nginx, "/oauth/token", query=refresh_fields(tokens["refresh_token"])))
    browser = Browser(nginx)
    planted = "planted7secret7word"
    asked = encode(response_type="code", client_id=CLIENT, redirect_uri=URI, state=planted)
    consent = Page(browser.log_in(browser.page("/oauth/authorize?" + asked), "olivia@acme.example"))
    sent = browser.answer(consent, "allow").headers["location"]
    (session,) = browser.cookies.values()
    secrets = {SECRET, code, unspent, tokens["access_token"], tokens["refresh_token"], second["access_token"], planted,
               VERIFIER, PASSWORDS["olivia@acme.example"], session,
               dict(urllib.parse.parse_qsl(sent.partition("?")[2]))["code"]}
    secrets |= {token[:101] for token in secrets if token.startswith("svc")}  # without an access token's suffix
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
        # Requests that nginx itself refuses: too large a head or body, a malformed request, a wrong host.
        nginx.request(f"/oauth/token?{everything}&x={'x' * 9000}", method="POST", host=oauth.API)
        nginx.request("/oauth/token", method="POST", host=oauth.API, body=(everything + "x" * 20000).encode(),
                      headers=oauth.FORM)
        nginx.send(f"POST /oauth/token?{everything} HTTP/1.1\r\nHost: {oauth.API}\r\n"
                   "Content-Length: x\r\n\r\n".encode())
        nginx.send(f"POST /oauth/token?{everything} HTTP/1.1\r\n\r\n".encode())
        nginx.send(f"GET /oauth/token?{everything} HTTP/9\r\n\r\n".encode())

    through_all_doors()
    wait_until(lambda: "demo-client-0001" in monitor.log_text(), "Redis reports its commands")
    stack.redis_state.command("SAVE")
    stack.redis_state.send_signal(signal.SIGSTOP)
    exchange(nginx, unspent)
    stack.redis_state.send_signal(signal.SIGCONT)
    slow = stack.redis_state.command("SLOWLOG", "GET", 1000)
    monitor.stop()
    stack.grant.stop()
    web.stop()
    through_all_doors()  # no pool answers
    nginx.stop()  # writes its buffered log lines
    files = [path for path in stack.directory.rglob("*") if path.is_file() and "svc/" not in str(path)]
    names = {path.name for path in files}
    assert {"svc-access.log", "grant.log", "dump.rdb", "nginx-error.log", "redis-state.monitor"} <= names, names
    assert any("aof" in name for name in names), names
    assert '"uri":"/oauth/token"' in (stack.directory / "svc-access.log").read_text()
    places = {path.name: path.read_bytes() for path in files} | {"the slow log": str(slow).encode()}
    for secret in secrets:
        for name, content in places.items():
            assert secret.encode() not in content, f"{secret[:12]}… is in {name}"
