"""oauth_store: authorization codes written directly to Redis, thousands of them without a login, and the requests that
applications make with them."""

import hashlib
import hmac
import itertools
import json
import secrets
import time
import urllib.parse

API = "api.svc.example"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
CLIENT, SECRET, URI = "demo-client-0001", "demo-secret-0001-not-for-production", "http://127.0.0.1:9090/callback"
EVERYTHING, EVERYTHING_SECRET = "demo-client-0003", "demo-secret-0003-not-for-production"
TOKEN, REVOKE, INTROSPECT = "/oauth/token", "/oauth/revoke", "/oauth/introspect"
# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


def contact_record(contact, account):
    return json.dumps({"id": contact, "name": "Somebody", "email": f"c{contact}@example.com",
                       "memberships": [{"account_id": account, "role": "manager"}]})


class Codes:
    """The records that worker/stores/access/grants.cpp stores for a code.

    Unless the test names a contact, each code has its own contact, a manager of the account, and so its own grant.
    Codes live longer than the service's, because a test may hold hundreds."""

    def __init__(self, stack, store=None):
        self.redis = store or stack.redis_state
        self.catalog = getattr(stack, "own_catalog", None) or self.redis
        self.key = bytes.fromhex(stack.key_file.read_text().splitlines()[0].partition(":")[2])
        self.contacts = itertools.count(100_000)

    def mac(self, label, text):
        return hmac.new(hmac.new(self.key, label.encode(), "sha256").digest(), text.encode(), "sha256").hexdigest()

    def new(self, *, client=CLIENT, account=1001, contact=None, scopes="media:read stats:read", uri=URI, seconds=600):
        contact = contact or next(self.contacts)
        self.catalog.command("SET", f"catalog:contact:{contact}", contact_record(contact, account), "NX")
        grant = hashlib.sha256(f"{contact}:{account}:{client}".encode()).hexdigest()[:32]
        code = f"svcc_{grant}{secrets.token_hex(32)}_{contact:x}_{account:x}"
        now = int(time.time())
        one = f"oauth:grant:{{{grant}}}"
        consent = self.redis.command("HGET", one, "consent") or secrets.token_hex(16)
        self.redis.command("HSETNX", one, "generation", secrets.token_hex(16))
        self.redis.command("HSET", one, "client", client, "contact", contact, "account", account, "scopes", scopes,
                           "permission_version", 1, "consent", consent, "created", now, "last_used", now)
        self.redis.command("EXPIRE", one, 86400)
        key = f"oauth:code:{{{grant}}}:{self.mac('authorization code', code)}"
        self.redis.command("HSET", key, "kind", "code", "grant", grant, "consent", consent, "client", client, "contact",
                           contact, "account", account, "scopes", scopes, "redirect_uri", uri, "challenge", "",
                           "issued", now, "expires", now + seconds)
        self.redis.command("EXPIRE", key, seconds)
        return code

    def spent(self, code):
        return self.redis.command("HEXISTS", f"oauth:code:{{{code[5:37]}}}:{self.mac('authorization code', code)}",
                                  "request") == 1


def encode(**fields):
    return urllib.parse.urlencode({name: value for name, value in fields.items() if value is not None})


def exchange_fields(code, **changed):
    return encode(**{"grant_type": "authorization_code", "client_id": CLIENT, "client_secret": SECRET,
                     "redirect_uri": URI, "code": code, **changed})


def refresh_fields(token, **changed):
    return encode(**{"grant_type": "refresh_token", "client_id": CLIENT, "client_secret": SECRET,
                     "refresh_token": token, **changed})


def token_fields(token, **changed):
    return encode(**{"client_id": CLIENT, "client_secret": SECRET, "token": token, **changed})


def post(nginx, path, body="", query="", headers=None):
    return nginx.request(path + (f"?{query}" if query else ""), method="POST", host=API, body=body.encode(),
                         headers={**(FORM if body else {}), **(headers or {})})


def tokens_of(answer):
    assert answer.status == 200, (answer.status, answer.body)
    return json.loads(answer.body)


def exchange(nginx, code, **changed):
    return post(nginx, TOKEN, exchange_fields(code, **changed))


def refresh(nginx, token, **changed):
    return post(nginx, TOKEN, refresh_fields(token, **changed))


def revoke(nginx, token, **changed):
    return post(nginx, REVOKE, token_fields(token, **changed))


def media(nginx, token, media_id="l4unchf1lm"):
    return nginx.request(f"/v1/medias/{media_id}", host=API, headers={"Authorization": f"Bearer {token}"})


def lives(nginx, token):
    """Returns true if the API accepts this access token."""
    answer = media(nginx, token)
    assert answer.status in (200, 401), (answer.status, answer.body)
    return answer.status == 200


def error_of(answer):
    """Returns the status and the error code."""
    return answer.status, json.loads(answer.body).get("error")


def start(stack, **options):
    """Starts everything that an application uses."""
    stack.import_catalog()
    stack.grant = stack.start_pool("grant", **{"roles": "grant", "workers": 4, **options})
    stack.nginx = stack.start_shipped_nginx()
    stack.codes = Codes(stack)
    return stack
