#include "redis/grants.h"

#include <algorithm>
#include <array>

#include "base/hex.h"
#include "redis/kept_token.h"
#include "redis/keys.h"
#include "redis/record.h"

namespace svc::redis {
namespace {

using oauth::TokenKind;

constexpr std::int64_t kKeepGrant = 400 * 86'400;
constexpr std::int64_t kForEver = 3'650 * 86'400;  // since nothing is kept without an end
constexpr std::int64_t kKeepSpentCode = 600;
constexpr std::int64_t kNoteUseEvery = 60;
constexpr int kIssueTries = 5;
constexpr std::size_t kMaxSteps = 1024;

// Parts that several scripts have. An access token is one string, its fields a line each, since it
// is written with every answer and never changed; a refresh token is a hash. The list of live
// access tokens has the newest first: beyond the number that may live, the last one ends, which is
// the first that would have ended anyway.
const std::string kLuaKeep = "local FOR_EVER = " + std::to_string(kForEver) + R"(
local function keep_access(grant, generation, client, contact, account, scopes,
                           live, prefix, mac, now, ttl, most)
  redis.call('SET', prefix .. mac,
             table.concat({'access', string.match(grant, '{(.*)}'), generation, client, contact,
                           account, scopes, now, now + ttl}, '\n'), 'EX', ttl)
  local count = redis.call('LPUSH', live, mac)
  while count > most do
    redis.call('UNLINK', prefix .. redis.call('RPOP', live))
    count = count - 1
  end
  return count
end
)";
const std::string kLuaEnd = R"(
local function end_tokens(live, access_prefix, refresh_prefix, refresh)
  for _, mac in ipairs(redis.call('LRANGE', live, 0, -1)) do
    redis.call('UNLINK', access_prefix .. mac)
  end
  redis.call('UNLINK', live)
  if refresh then redis.call('UNLINK', refresh_prefix .. refresh) end
end
)";

// KEYS grant, code, live access tokens
// ARGV now, request id, access mac, its seconds, refresh mac, its seconds, live tokens at most,
//      access prefix, refresh prefix, seconds to keep a spent code, seconds to keep a grant
const Script kRedeem(kLuaKeep + kLuaEnd + R"(
local grant = redis.call('HMGET', KEYS[1], 'consent', 'generation', 'refresh')
local code = redis.call('HMGET', KEYS[2], 'consent', 'request', 'access', 'refresh',
                        'client', 'contact', 'account', 'scopes')
if not code[1] or code[1] ~= grant[1] then return 'gone' end
if code[2] then
  if ARGV[2] == '' or code[2] ~= ARGV[2] then
    end_tokens(KEYS[3], ARGV[8], ARGV[9], grant[3])
    redis.call('UNLINK', KEYS[1])
    return 'used'
  end
  redis.call('UNLINK', ARGV[8] .. code[3])
  redis.call('LREM', KEYS[3], 1, code[3])
end
if grant[3] then redis.call('UNLINK', ARGV[9] .. grant[3]) end
local now = tonumber(ARGV[1])
local ttl = tonumber(ARGV[4])
keep_access(KEYS[1], grant[2], code[5], code[6], code[7], code[8],
            KEYS[3], ARGV[8], ARGV[3], now, ttl, tonumber(ARGV[7]))
redis.call('EXPIRE', KEYS[3], ttl + 3600)
local idle = tonumber(ARGV[6])
redis.call('HSET', ARGV[9] .. ARGV[5], 'kind', 'refresh', 'grant', string.match(KEYS[1], '{(.*)}'),
           'generation', grant[2], 'client', code[5], 'contact', code[6], 'account', code[7],
           'scopes', code[8], 'issued', now, 'expires', idle > 0 and now + idle or 0)
redis.call('EXPIRE', ARGV[9] .. ARGV[5], idle > 0 and idle or FOR_EVER)
redis.call('HSET', KEYS[1], 'refresh', ARGV[5], 'last_used', now)
redis.call('EXPIRE', KEYS[1], ARGV[11])
redis.call('HSET', KEYS[2], 'request', ARGV[2], 'access', ARGV[3], 'refresh', ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[10])
return 'redeemed')");

// KEYS grant, refresh token, live access tokens
// ARGV now, refresh mac, its seconds, access mac, its seconds, live tokens at most, access prefix,
//      client, contact, account, scopes, seconds to keep a grant
// A time of last use is written when it is a thousandth of what it counts for old, or a minute: a
// client that refreshes all the time writes little more than its new token.
const Script kRefresh(kLuaKeep + R"(
local grant = redis.call('HMGET', KEYS[1], 'generation', 'refresh', 'last_used')
local token = redis.call('HMGET', KEYS[2], 'generation', 'expires')
if not token[1] or token[1] ~= grant[1] or grant[2] ~= ARGV[2] then return 0 end
local now = tonumber(ARGV[1])
local ttl = tonumber(ARGV[5])
local count = keep_access(KEYS[1], token[1], ARGV[8], ARGV[9], ARGV[10], ARGV[11],
                          KEYS[3], ARGV[7], ARGV[4], now, ttl, tonumber(ARGV[6]))
local idle = tonumber(ARGV[3])
local expires = idle > 0 and now + idle or 0
if math.abs(expires - tonumber(token[2])) > idle / 1000 then
  redis.call('HSET', KEYS[2], 'expires', expires)
  redis.call('EXPIRE', KEYS[2], idle > 0 and idle or FOR_EVER)
end
local unused = now - tonumber(grant[3])
if unused >= 60 or unused < 0 then
  redis.call('HSET', KEYS[1], 'last_used', now)
  redis.call('EXPIRE', KEYS[1], ARGV[12])
end
-- The list outlives the tokens in it by up to an hour, and is renewed in time.
if count == 1 or redis.call('TTL', KEYS[3]) < ttl + 1800 then
  redis.call('EXPIRE', KEYS[3], ttl + 3600)
end
return 1)");

// KEYS grant, token, live access tokens
// ARGV new generation, access prefix, refresh prefix, kind of the token
const Script kRevokeTokens(kLuaEnd + R"(
local grant = redis.call('HMGET', KEYS[1], 'generation', 'refresh')
local generation
if ARGV[4] == 'access' then
  generation = string.match(redis.call('GET', KEYS[2]) or '', '^[^\n]*\n[^\n]*\n([^\n]*)')
else
  generation = redis.call('HGET', KEYS[2], 'generation')
end
if not generation or generation ~= grant[1] then return 0 end
end_tokens(KEYS[3], ARGV[2], ARGV[3], grant[2])
redis.call('UNLINK', KEYS[2])
redis.call('HDEL', KEYS[1], 'refresh')
redis.call('HSET', KEYS[1], 'generation', ARGV[1])
return 1)");

// KEYS grant, live access tokens, time of last use; ARGV access prefix, refresh prefix
const Script kEnd(kLuaEnd + R"(
end_tokens(KEYS[2], ARGV[1], ARGV[2], redis.call('HGET', KEYS[1], 'refresh'))
redis.call('UNLINK', KEYS[3])
return redis.call('UNLINK', KEYS[1]))");

// KEYS grant, code
// ARGV consented?, consent that is expected ('' for no grant), new consent, new generation, now,
//      code's seconds, grant's seconds, client, contact, account, the grant's scopes, permission
//      version, the code's scopes, redirect_uri, challenge
const Script kIssueCode(R"(
local consent = redis.call('HGET', KEYS[1], 'consent')
if (consent or '') ~= ARGV[2] then return 'changed' end
local code = redis.call('HMGET', KEYS[2], 'consent', 'request')
if code[2] then return 'spent' end
if code[1] and code[1] == consent then return 'before' end
if ARGV[1] == '1' then
  if not consent then
    consent = ARGV[3]
    redis.call('HSET', KEYS[1], 'client', ARGV[8], 'contact', ARGV[9], 'account', ARGV[10],
               'consent', consent, 'generation', ARGV[4], 'created', ARGV[5])
  end
  redis.call('HSET', KEYS[1], 'scopes', ARGV[11], 'permission_version', ARGV[12])
elseif not consent then
  return 'changed'
end
redis.call('HSET', KEYS[1], 'last_used', ARGV[5])
redis.call('EXPIRE', KEYS[1], ARGV[7])
redis.call('HSET', KEYS[2], 'kind', 'code', 'grant', string.match(KEYS[1], '{(.*)}'),
           'consent', consent, 'client', ARGV[8], 'contact', ARGV[9], 'account', ARGV[10],
           'scopes', ARGV[13], 'redirect_uri', ARGV[14], 'challenge', ARGV[15], 'issued', ARGV[5],
           'expires', ARGV[5] + ARGV[6])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return 'issued')");

// KEYS list of grants; ARGV grant, the score that was seen: a grant that begins anew has another.
const Script kForget(R"(
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1)");

std::string text_of(std::int64_t number) { return std::to_string(number); }

template <class Read>
auto read_state(Read read, const std::string& key) {
  return read({"HMGET", key, "generation", "refresh", "consent"});
}

}  // namespace

Grants::Grants(Connection& connection, const base::KeyRing& keys, const oauth::Lifetimes& lifetimes,
               const base::WallClock& clock, base::Entropy& entropy)
    : connection_(connection),
      keys_(keys),
      lifetimes_(lifetimes),
      keep_grant_(lifetimes.refresh_idle == 0 ? kForEver
                                              : std::max(kKeepGrant, lifetimes.refresh_idle)),
      clock_(clock),
      entropy_(entropy) {}

std::vector<std::string> Grants::macs_of(const oauth::Token& token) const {
  return keys_.macs(token.label(), token.text);
}

std::string Grants::random_name() {
  std::array<unsigned char, 16> bytes{};
  entropy_.fill(bytes);
  return base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void Grants::expect_code(const oauth::Token& code) {
  const auto expect = [this](Connection::Words words) { connection_.expect(words); };
  read_token(expect, code.kind, keys::tokens(code.kind, code.grant) + macs_of(code).front());
  read_state(expect, keys::grant(code.grant));
}

std::optional<oauth::AuthorizationCode> Grants::find_code(const oauth::Token& code) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  for (const std::string& mac : macs_of(code)) {
    const std::string key = keys::tokens(TokenKind::Code, code.grant) + mac;
    const KeptToken kept = KeptToken::in(read_token(fetch, code.kind, key));
    if (!kept.is_of(code)) continue;
    // A code of a grant that ended is no code any more; a spent one ends it only once.
    if (field(read_state(fetch, keys::grant(code.grant)), 2) != kept.consent) return std::nullopt;
    oauth::AuthorizationCode record;
    record.issued = kept.read(key);
    record.redirect_uri = kept.redirect_uri;
    record.code_challenge = kept.challenge;
    record.consent = kept.consent;
    // The store's own clock deletes it too; this one holds also where that lags.
    if (!kept.spent && record.issued.expires <= clock_.now()) return std::nullopt;
    return record;
  }
  return std::nullopt;
}

// The step that was begun for that access token, or nothing when none was.
std::optional<Grants::Step> Grants::take(const oauth::Token& access) {
  for (Step& step : steps_) {
    if (step.access != access.text) continue;
    Step taken = std::move(step);
    step = std::move(steps_.back());
    steps_.pop_back();
    return taken;
  }
  return std::nullopt;
}

void Grants::start(Step step) {
  // What was begun and never asked for is of requests that failed.
  if (steps_.size() >= kMaxSteps) steps_.clear();
  step.started = connection_.start(*step.script, step.keys, step.arguments);
  steps_.push_back(std::move(step));
}

Reply Grants::finish(const Step& step) {
  return step.started ? connection_.finish(*step.started, *step.script, step.keys, step.arguments)
                      : connection_.eval(*step.script, step.keys, step.arguments);
}

std::optional<Grants::Step> Grants::redeem_step(const oauth::Token& code,
                                                std::string_view request_id,
                                                const oauth::Token& access,
                                                const oauth::Token& refresh) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  for (const std::string& mac : macs_of(code)) {
    const std::string key = keys::tokens(TokenKind::Code, code.grant) + mac;
    if (!KeptToken::in(read_token(fetch, code.kind, key)).is_of(code)) continue;
    return Step{
        access.text,
        &kRedeem,
        {keys::grant(code.grant), key, keys::grant_access(code.grant)},
        {text_of(clock_.now()), std::string(request_id), macs_of(access).front(),
         text_of(lifetimes_.access), macs_of(refresh).front(), text_of(lifetimes_.refresh_idle),
         text_of(lifetimes_.live_access_tokens), keys::tokens(TokenKind::Access, code.grant),
         keys::tokens(TokenKind::Refresh, code.grant), text_of(kKeepSpentCode),
         text_of(keep_grant_)},
        std::nullopt};
  }
  return std::nullopt;
}

void Grants::start_redeem(const oauth::Token& code, std::string_view request_id,
                          const oauth::Token& access, const oauth::Token& refresh) {
  if (auto step = redeem_step(code, request_id, access, refresh)) start(std::move(*step));
}

oauth::Redemption Grants::redeem(const oauth::Token& code, const oauth::AuthorizationCode&,
                                 std::string_view request_id, const oauth::Token& access,
                                 const oauth::Token& refresh) {
  auto step = take(access);
  if (!step) step = redeem_step(code, request_id, access, refresh);
  if (!step) return oauth::Redemption::Gone;
  const Reply reply = finish(*step);
  const std::string_view outcome = reply.text().value_or("");
  return outcome == "redeemed" ? oauth::Redemption::Redeemed
         : outcome == "used"   ? oauth::Redemption::AlreadyUsed
                               : oauth::Redemption::Gone;
}

void Grants::expect_token(const oauth::Token& token) {
  const auto expect = [this](Connection::Words words) { connection_.expect(words); };
  read_token(expect, token.kind, keys::tokens(token.kind, token.grant) + macs_of(token).front());
  read_state(expect, keys::grant(token.grant));
  if (token.kind == TokenKind::Access) connection_.expect(keys::grant_used(token.grant));
}

std::optional<oauth::Issued> Grants::find_token(const oauth::Token& token) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  for (const std::string& mac : macs_of(token)) {
    const std::string key = keys::tokens(token.kind, token.grant) + mac;
    const KeptToken kept = KeptToken::in(read_token(fetch, token.kind, key));
    if (!kept.is_of(token)) continue;
    const ReplyView state = read_state(fetch, keys::grant(token.grant));
    if (field(state, 0) != kept.generation) return std::nullopt;
    if (token.kind == TokenKind::Refresh && field(state, 1) != mac) return std::nullopt;
    oauth::Issued issued = kept.read(key);
    if (issued.expires != 0 && issued.expires <= clock_.now()) return std::nullopt;
    if (token.kind == TokenKind::Access) note_use(token, issued);
    return issued;
  }
  return std::nullopt;
}

// Once a minute is exact enough for people, and no write for each request.
void Grants::note_use(const oauth::Token& access, const oauth::Issued& issued) {
  const std::string key = keys::grant_used(access.grant);
  const std::int64_t now = clock_.now();
  if (now - to_number(connection_.get(key).text().value_or("0")) < kNoteUseEvery) return;
  connection_.send_and_forget({"SET", key, text_of(now), "EX", text_of(keep_grant_)});
  list(access.grant, issued, now);
}

// The lists for people, by time of last use; what was not used for as long as a grant is kept is
// none any more.
void Grants::list(const oauth::GrantId& grant, const oauth::Issued& issued, std::int64_t now) {
  for (const std::string& index :
       {keys::contact_grants(issued.contact), keys::client_grants(issued.client)}) {
    connection_.send_and_forget({"ZADD", index, text_of(now), grant.text});
    connection_.send_and_forget({"ZREMRANGEBYSCORE", index, "-inf", text_of(now - keep_grant_)});
    connection_.send_and_forget({"EXPIRE", index, text_of(keep_grant_)});
  }
}

std::optional<Grants::Step> Grants::refresh_step(const oauth::Token& refresh,
                                                 const oauth::Issued& record,
                                                 const oauth::ScopeSet& scopes,
                                                 const oauth::Token& access) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  for (const std::string& mac : macs_of(refresh)) {
    const std::string key = keys::tokens(TokenKind::Refresh, refresh.grant) + mac;
    if (!KeptToken::in(read_token(fetch, refresh.kind, key)).is_of(refresh)) continue;
    return Step{
        access.text,
        &kRefresh,
        {keys::grant(refresh.grant), key, keys::grant_access(refresh.grant)},
        {text_of(clock_.now()), mac, text_of(lifetimes_.refresh_idle), macs_of(access).front(),
         text_of(lifetimes_.access), text_of(lifetimes_.live_access_tokens),
         keys::tokens(TokenKind::Access, refresh.grant), record.client.text,
         text_of(record.contact.number), text_of(record.account.number), scopes.to_text(),
         text_of(keep_grant_)},
        std::nullopt};
  }
  return std::nullopt;
}

void Grants::start_refresh(const oauth::Token& refresh, const oauth::Issued& record,
                           const oauth::ScopeSet& scopes, const oauth::Token& access) {
  if (auto step = refresh_step(refresh, record, scopes, access)) start(std::move(*step));
}

bool Grants::refresh(const oauth::Token& refresh, const oauth::Issued& record,
                     const oauth::ScopeSet& scopes, const oauth::Token& access) {
  auto step = take(access);
  if (!step) step = refresh_step(refresh, record, scopes, access);
  return step && finish(*step).integer() == 1;
}

void Grants::revoke_tokens(const oauth::Token& token) {
  for (const std::string& mac : macs_of(token)) {
    const std::vector<std::string> keys{keys::grant(token.grant),
                                        keys::tokens(token.kind, token.grant) + mac,
                                        keys::grant_access(token.grant)};
    const std::vector<std::string> arguments{
        random_name(), keys::tokens(TokenKind::Access, token.grant),
        keys::tokens(TokenKind::Refresh, token.grant), std::string(name_of(token.kind))};
    if (connection_.eval(kRevokeTokens, keys, arguments).integer() == 1) return;
  }
}

bool Grants::end(const oauth::GrantId& grant) {
  const std::vector<std::string> keys{keys::grant(grant), keys::grant_access(grant),
                                      keys::grant_used(grant)};
  const std::vector<std::string> arguments{keys::tokens(TokenKind::Access, grant),
                                           keys::tokens(TokenKind::Refresh, grant)};
  return connection_.eval(kEnd, keys, arguments).integer() == 1;
}

std::optional<oauth::Grant> Grants::find_grant(const oauth::GrantId& id) {
  const std::string key = keys::grant(id);
  connection_.send({"HMGET", key, "contact", "account", "client", "scopes", "permission_version",
                    "consent", "created", "last_used"});
  connection_.send({"GET", keys::grant_used(id)});
  const Reply fields = connection_.receive();
  const Reply used = connection_.receive();
  if (field(fields, 5).empty()) return std::nullopt;
  return oauth::Grant{id,
                      {to_number(field(fields, 0))},
                      {to_number(field(fields, 1))},
                      {std::string(field(fields, 2))},
                      read_scopes(key, field(fields, 3)),
                      to_number(field(fields, 4)),
                      std::string(field(fields, 5)),
                      to_number(field(fields, 6)),
                      std::max(to_number(field(fields, 7)), to_number(used.text().value_or("0")))};
}

oauth::CodeIssue Grants::issue_code(const oauth::Token& code,
                                    const oauth::AuthorizationCode& record, bool consented,
                                    std::int64_t permission_version) {
  const oauth::Issued& issued = record.issued;
  for (int tries = 0; tries < kIssueTries; ++tries) {
    std::string expected = record.consent;
    oauth::ScopeSet scopes = issued.scopes;
    if (consented) {
      // What was allowed before stays allowed, unless the application's permissions changed since.
      const auto grant = find_grant(code.grant);
      expected = grant ? grant->consent : "";
      if (grant && grant->permission_version == permission_version) scopes.add(grant->scopes);
    }
    const std::int64_t now = clock_.now();
    const std::vector<std::string> keys{
        keys::grant(code.grant), keys::tokens(TokenKind::Code, code.grant) + macs_of(code).front()};
    const std::vector<std::string> arguments{consented ? "1" : "0",
                                             expected,
                                             random_name(),
                                             random_name(),
                                             text_of(now),
                                             text_of(lifetimes_.code),
                                             text_of(keep_grant_),
                                             issued.client.text,
                                             text_of(issued.contact.number),
                                             text_of(issued.account.number),
                                             scopes.to_text(),
                                             text_of(permission_version),
                                             issued.scopes.to_text(),
                                             record.redirect_uri,
                                             record.code_challenge};
    const Reply reply = connection_.eval(kIssueCode, keys, arguments);
    const std::string_view outcome = reply.text().value_or("");
    if (outcome == "spent") return oauth::CodeIssue::Spent;
    if (outcome == "before") return oauth::CodeIssue::IssuedBefore;
    if (outcome == "issued") {
      list(code.grant, issued, now);
      return oauth::CodeIssue::Issued;
    }
    if (!consented) break;  // Changed: the caller saw a grant that is no more
  }
  return oauth::CodeIssue::Changed;
}

bool Grants::is_first(std::string_view secret) {
  const Reply reply = connection_.command(
      {"SET", keys::once(keys_.mac("asked once", secret)), "1", "NX", "EX", "600"});
  return reply.text() == "OK";
}

std::vector<oauth::Grant> Grants::grants_in(const std::string& index) {
  const Reply entries = connection_.read({"ZRANGE", index, "0", "-1", "WITHSCORES"});
  std::vector<oauth::Grant> grants;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    const std::string id(entries.at(i).text().value_or(""));
    if (auto grant = find_grant({id})) {
      grants.push_back(std::move(*grant));
    } else {
      const std::vector<std::string> arguments{id, std::string(field(entries, i + 1))};
      connection_.eval(kForget, {&index, 1}, arguments);
    }
  }
  std::ranges::sort(grants, std::ranges::greater(), &oauth::Grant::created);
  return grants;
}

std::vector<oauth::Grant> Grants::grants_of(media::ContactId contact) {
  return grants_in(keys::contact_grants(contact));
}
std::vector<oauth::Grant> Grants::grants_of(const oauth::ClientId& client) {
  return grants_in(keys::client_grants(client));
}

}  // namespace svc::redis
