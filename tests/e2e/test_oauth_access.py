"""Tokens on several workers, and metadata where nginx has it."""

import json
import urllib.parse

import pytest

from oauth_store import INTROSPECT, connections, exchange, refresh, revoke, start, token_fields, tokens_of
from stack import ended


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
def test_operations_P46_metadata_of_an_accepted_issuer_is_where_clients_look(stack, issuer):
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
