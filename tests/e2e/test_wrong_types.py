"""Keys of an unexpected type: requests that need such a key fail, no request receives the reply to another one, and no
worker dies."""

import concurrent.futures
import json
import secrets

import oauth_store
from oauth_store import CLIENT, SECRET
from user_agent import Browser

OLIVIA, CONTACT = "olivia@acme.example", 501
APPLICATIONS, CONNECTED = "/settings/accounts/1001/applications", "/settings/connected"
ROUNDS = 12


def make_wrong(redis, key):
    redis.command("DEL", key)
    redis.command("RPUSH", key, "no store writes a list")


def test_operations_D1_a_request_never_receives_the_reply_to_another(stack):
    stack.import_catalog()
    stack.start_pool("embed", workers=1)
    stack.start_pool("web", roles="web", workers=1)
    stack.start_pool("grant", roles="grant", workers=1)
    nginx = stack.start_shipped_nginx(micro_cache=False)
    redis = stack.redis_state
    codes = oauth_store.Codes(stack)
    token = oauth_store.tokens_of(oauth_store.exchange(nginx, codes.new()))["access_token"]
    browser = Browser(nginx)
    assert browser.log_in(browser.page("/settings"), OLIVIA).status == 200
    # Some records that Olivia's pages list have a wrong type: applications of her account, and her grants.
    code = codes.new(contact=CONTACT)
    for number, grant in enumerate([code[5:37], *(secrets.token_hex(16) for _ in range(3))]):
        make_wrong(redis, f"oauth:grant:{{{grant}}}")
        redis.command("ZADD", f"oauth:contact_grants:{CONTACT}", number, grant)
    for number in range(5):
        make_wrong(redis, f"oauth:client:wrong-{number}")
        redis.command("SADD", "oauth:account_clients:1001", f"wrong-{number}")
    make_wrong(redis, "catalog:media:cinema2391")

    def olivias():
        own = Browser(nginx)
        own.cookies = dict(browser.cookies)
        for path in (CONNECTED, APPLICATIONS):
            answer = own.request(path)
            assert answer.status == 503, (path, answer.status, answer.body[:500])
        answer = own.request("/settings/security")
        assert answer.status == 200 and b"<h1>Sessions and password" in answer.body, (answer.status, answer.body[:500])

    def strangers():
        own = Browser(nginx)
        own.cookies = {name: "svcs_" + secrets.token_hex(32) for name in browser.cookies}
        answer = own.request("/settings/security")
        assert answer.status == 200 and b"<h1>Log in</h1>" in answer.body, (answer.status, answer.body)

    def applications():
        assert oauth_store.lives(nginx, token)
        made_up = f"svca_{secrets.token_hex(16)}{secrets.token_hex(32)}1"
        assert not oauth_store.lives(nginx, made_up)
        assert oauth_store.media(nginx, token, "cinema2391").status == 503
        introspected = oauth_store.introspect(nginx, made_up)
        assert json.loads(introspected.body) == {"active": False}, introspected.body
        refused = oauth_store.exchange(nginx, f"svcc_{secrets.token_hex(48)}", client_id=CLIENT, client_secret=SECRET)
        assert oauth_store.error_of(refused) == (400, "invalid_grant")

    def embeds():
        for path, title in (("medias/l4unchf1lm", "Launch film"), ("medias/p0rtrait99", "Portrait, 9:16"),
                            ("medias/cinema2391", None), ("embed/playlists/pl4yl1st01", None)):
            answer = nginx.request(f"/oembed?url=https://acme.svc.localhost/{path}&width={secrets.randbelow(900) + 1}")
            assert answer.status == (200 if title else 503), (path, answer.status, answer.body)
            assert not title or json.loads(answer.body)["title"] == title, answer.body

    kinds = [olivias, strangers, strangers, applications, embeds]
    with concurrent.futures.ThreadPoolExecutor(2 * len(kinds)) as clients:
        ran = [clients.submit(kind) for _ in range(ROUNDS) for kind in kinds]
        wrong = [f"{kinds[number % len(kinds)].__name__}: {one.exception()}"
                 for number, one in enumerate(ran) if one.exception()]
    assert not wrong, f"{len(wrong)} of {len(ran)}:\n" + "\n".join(each[:300] for each in wrong[:10])
    # At its end the stack fails if a worker has died.
