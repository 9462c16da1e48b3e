"""Which data survives a restart of the state Redis, with the shipped settings and users (operations-D6, oauth-K6)."""

import json
import shutil
import signal
import urllib.parse

import pytest

from oauth_store import CLIENT, URI, Codes, encode, error_of, exchange, lives, refresh, revoke, tokens_of
from stack import Redis
from user_agent import Browser, Page

OLIVIA = "olivia@acme.example"
APPLICATION = f"/settings/accounts/1001/applications/{CLIENT}"


@pytest.fixture
def site(stack):
    """The grant and web pools as deployed, and Olivia, who is logged in."""
    stack.import_catalog()
    stack.start_pool("grant", roles="grant")
    stack.start_pool("web", roles="web")
    stack.nginx = stack.start_shipped_nginx()
    stack.olivia = Browser(stack.nginx)
    assert stack.olivia.log_in(stack.olivia.page("/settings"), OLIVIA).status == 200
    return stack


def allow(site):
    """Returns a code, with consent if the page requires it."""
    answer = site.olivia.request("/oauth/authorize?" + encode(response_type="code", client_id=CLIENT, redirect_uri=URI))
    if answer.status == 200:
        answer = site.olivia.answer(Page(answer), "allow")
    return urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)["code"][0]


def submit(browser, path, action, **more):
    form = browser.page(path).form(action)
    answer = browser.request(action, fields={**form["fields"], **more})
    assert answer.status in (200, 303), (answer.status, answer.body[:2000])
    return Page(answer)


def new_secret(browser):
    submit(browser, APPLICATION, APPLICATION + "/new-secret")
    page = submit(browser, APPLICATION, APPLICATION + "/secret")
    newer, _ = [attributes["value"] for _, attributes in page.elements
                if attributes.get("id", "").startswith("secret-")]
    return newer


def is_logged_in(browser):
    return "/login" not in [form["action"] for form in browser.page("/settings").forms]


def test_operations_D6_oauth_K6_acknowledged_writes_survive_a_kill_and_a_restart(site):
    nginx = site.nginx
    ended = tokens_of(exchange(nginx, allow(site)))
    assert revoke(nginx, ended["access_token"]).status == 200
    code = allow(site)
    tokens = tokens_of(exchange(nginx, code))
    second = tokens_of(refresh(nginx, tokens["refresh_token"]))
    elsewhere, gone = Browser(nginx), Browser(nginx)
    for browser in (elsewhere, gone):
        browser.log_in(browser.page("/settings"), OLIVIA)
    submit(gone, "/settings", "/logout")
    secret = new_secret(site.olivia)
    unspent = allow(site)

    def holds():
        assert lives(nginx, tokens["access_token"]) and lives(nginx, second["access_token"])
        assert not lives(nginx, ended["access_token"]), "a revoked token stays revoked"
        assert error_of(refresh(nginx, ended["refresh_token"])) == (400, "invalid_grant")
        assert lives(nginx, tokens_of(refresh(nginx, tokens["refresh_token"], client_secret=secret))["access_token"])
        assert is_logged_in(site.olivia) and is_logged_in(elsewhere) and not is_logged_in(gone)
        audit = subjects(site)
        assert {"secret.rotated", "tokens.revoked"} <= set(audit), audit
        return audit

    before = holds()
    for number in (signal.SIGKILL, signal.SIGTERM):
        site.redis_state.stop(number)
        site.redis_state.start()
        assert holds() == before
    for word in ("CRITICAL", "NOPERM", "can't run this command", "ACL", "truncat"):
        assert word not in site.redis_state.log_text(), word
    # A second use of a spent code revokes its tokens; an unspent code is still valid.
    assert tokens_of(exchange(nginx, unspent))
    assert error_of(exchange(nginx, code)) == (400, "invalid_grant")
    assert not lives(nginx, tokens["access_token"])


def subjects(site):
    script = ("local out = {} for _, key in ipairs(redis.call('KEYS', 'audit*')) do "
              "for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do out[#out + 1] = entry[2][2] end end "
              "table.sort(out) return cjson.encode(out)")
    return json.loads(site.redis_state.command("EVAL", script, 0))


# --- a truncated file ----------------------------------------------------------------------------

EXEC = b"*1\r\n$4\r\nEXEC\r\n"
LAST = "appendonlydir/appendonly.aof.1.incr.aof"
DIGEST = """
local read = {string = {'GET'}, hash = {'HGETALL'}, set = {'SMEMBERS'}, zset = {'ZRANGE', 0, -1, 'WITHSCORES'},
              stream = {'XRANGE', '-', '+'}}
local all = redis.call('KEYS', '*')
table.sort(all)
for i, key in ipairs(all) do
  local kind = redis.call('TYPE', key).ok
  local words = read[kind]
  local value = redis.call(words[1], key, unpack(words, 2))
  if kind == 'hash' then
    local pairs = {}
    for k = 1, #value, 2 do pairs[#pairs + 1] = value[k] .. '=' .. value[k + 1] end
    value = pairs
  end
  if kind == 'hash' or kind == 'set' then table.sort(value) end
  all[i] = key .. cjson.encode(value) .. redis.call('PEXPIRETIME', key)
end
return #all .. ' ' .. redis.sha1hex(table.concat(all))"""


def whole_ends(content):
    """Returns the offsets at which the commands and transactions of an append-only file end."""
    ends, at, in_transaction = [0], 0, False
    while at < len(content):
        count, at = int(content[at + 1:content.index(b"\r\n", at)]), content.index(b"\r\n", at) + 2
        words = []
        for _ in range(count):
            size, at = int(content[at + 1:content.index(b"\r\n", at)]), content.index(b"\r\n", at) + 2
            words.append(content[at:at + size])
            at += size + 2
        in_transaction = words == [b"MULTI"] or (in_transaction and words != [b"EXEC"])
        if not in_transaction:
            ends.append(at)
    return ends


class Written:
    """The append-only file of a Redis that the shipped programs used, and a second Redis that is started with parts of
    it."""

    def __init__(self, stack):
        stack.import_catalog()
        stack.start_pool("grant", roles="grant", workers=1)
        nginx, codes = stack.start_shipped_nginx(), Codes(stack)
        refresh(nginx, tokens_of(exchange(nginx, codes.new()))["refresh_token"])
        first, second = tokens_of(exchange(nginx, codes.new())), tokens_of(exchange(nginx, codes.new()))
        for tokens in (first, second):
            assert revoke(nginx, tokens["access_token"]).status == 200
        stack.redis_state.stop(signal.SIGKILL)
        self.source = stack.redis_state.directory
        content = (self.source / LAST).read_bytes()
        # The content at the moment when the last revocation was acknowledged; later writes are cut off.
        self.content = content[:content.rindex(EXEC) + len(EXEC)]
        (stack.directory / "again").mkdir()
        self.redis = Redis(stack.directory / "again", "redis-state")
        stack.add(self.redis)

    def put(self, content):
        shutil.rmtree(self.redis.directory)
        shutil.copytree(self.source, self.redis.directory)
        (self.redis.directory / LAST).write_bytes(content)

    def digest(self):
        return self.redis.command("EVAL", DIGEST, 0)


@pytest.fixture(scope="module")
def written(module_stack):
    return Written(module_stack)


def test_operations_D6_a_truncated_file_loses_only_the_incomplete_write(written):
    redis, content = written.redis, written.content
    ends = whole_ends(content)
    assert ends[-1] == len(content)
    # At and around the beginning of the last transaction, in it, and before its last byte. Every byte:
    # unit/repair/append_only_file_test.cpp.
    cuts = sorted({*range(ends[-2] - 1, ends[-2] + 2), (ends[-2] + ends[-1]) // 2, len(content) - len(EXEC),
                   len(content) - 1})
    whole = {cut: max(end for end in ends if end <= cut) for cut in cuts}
    assert set(whole.values()) == set(ends[-3:-1]) and content[ends[-2]:].count(b"\r\n*") > 4
    digests = {}
    for end in set(whole.values()):
        written.put(content[:end])
        redis.start()
        digests[end] = written.digest()
        redis.stop(signal.SIGKILL)
    for cut in cuts:
        written.put(content[:cut])
        status, said = redis.repair()
        assert status == 0
        assert (f"removed the last {cut - whole[cut]} of {cut} bytes" in said) == (cut != whole[cut]), said
        redis.start()  # which repairs nothing further
        assert written.digest() == digests[whole[cut]], cut
        script = "redis.call('SET', KEYS[1], 'one') redis.call('SET', KEYS[2], 'more') return 1"
        assert redis.client("grant").command("EVAL", script, 2, "oauth:refresh:a", "oauth:refresh:b") == 1
        acknowledged = written.digest()
        redis.stop(signal.SIGKILL)
        redis.start()
        assert written.digest() == acknowledged, cut
        redis.stop(signal.SIGKILL)
        assert "CRITICAL" not in redis.log_text()


def test_operations_D6_redis_alone_refuses_an_unrepaired_file(written):
    """Otherwise Redis would leave the beginning of a transaction in the file."""
    written.put(written.content[:-1])
    redis = written.redis
    redis.launch()
    assert redis.wait() != 0
    assert "Unexpected end of file" in redis.log_text()
