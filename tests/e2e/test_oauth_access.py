"""Tokens on several workers, metadata where nginx has it, and a search for secrets in all files."""

import base64
import json
import signal
import urllib.parse

import pytest

import oauth_store as oauth
from oauth_store import (CHALLENGE, CLIENT, ENDPOINTS, INTROSPECT, OTHER, OTHER_SECRET, SECRET, URI, VERIFIER, basic,
                         connections, encode, exchange, media, post, refresh, refresh_fields, revoke, start,
                         token_fields, tokens_of)
from processes import wait_until
from stack import ended
from user_agent import PASSWORDS, Browser, Page


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_oauth_V2_a_revocation_applies_to_every_worker(stack, kind):
    nginx = start(stack).nginx
    first = tokens_of(exchange(nginx, stack.codes.new()))
    second = tokens_of(refresh(nginx, first["refresh_token"]))
    with connections(nginx, 8) as many:  # so that all workers have used the token
        for one in many:
            one.send(INTROSPECT, token_fields(second["access_token"]))
        assert all(json.loads(one.receive().body)["active"] for one in many)
        assert revoke(nginx, first[kind]).status == 200
        for token in (first["access_token"], second["access_token"], first["refresh_token"]):
            for one in many:
                one.send(INTROSPECT, token_fields(token))
            assert [json.loads(one.receive().body) for one in many] == [{"active": False}] * 8


@pytest.mark.parametrize("issuer", ["https://api.svc.example", "http://api.svc.example:8080",
                                    "https://api.svc.example/", "https://api.svc.example/tenant"])
def test_oauth_D1_operations_P46_metadata_of_an_accepted_issuer_is_where_clients_look(stack, issuer):
    """RFC 8414 §3.1: the well-known path is between the issuer's host and its path."""
    stack.write_config(issuer=issuer)
    checked = ended("svc-worker", "--config", stack.config, "--check-config")
    if checked.returncode == 2:
        assert urllib.parse.urlsplit(issuer).path and "issuer" in checked.stderr
        return
    stack.start_redis()
    stack.start_pool("grant", roles="grant")
    place = urllib.parse.urlsplit(issuer)
    answer = stack.start_shipped_nginx().request(
        f"/.well-known/oauth-authorization-server{place.path.rstrip('/')}", host=place.netloc)
    assert (answer.status, json.loads(answer.body)["issuer"]) == (200, issuer)


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
