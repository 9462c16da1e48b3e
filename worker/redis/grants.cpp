#include "redis/grants.h"

#include <algorithm>
#include <array>
#include <cstdlib>

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

// Access tokens of a grant are a stream, an entry each, its fields a line each: one command adds an
// entry, drops the oldest beyond the number that may live, and says its place. A token of another
// generation than the grant's is none any more, so a refresh need not look again whether the grant
// has changed since it was read: what it adds behind a revocation is dead, and where the stream
// ended with the tokens in it (NOMKSTREAM), nothing is added. The stream outlives the token that
// was added last by so many seconds. That of a token that is added within the second number of
// seconds is no shorter than half of it; later ones go by a script, which renews all times.
constexpr std::int64_t kStreamOutlives = 120;
constexpr std::int64_t kRenewStream = 60;

// KEYS grant, code, access tokens, refresh token
// ARGV now, request id, access mac, its seconds, refresh mac, its seconds, live tokens at most,
//      refresh prefix, seconds to keep a spent code, seconds to keep a grant, seconds to keep the
//      access tokens, the moment up to which that is long enough
const Script kRedeem("local FOR_EVER = " + std::to_string(kForEver) + R"(
local grant = redis.call('HMGET', KEYS[1], 'consent', 'generation', 'refresh')
local code = redis.call('HMGET', KEYS[2], 'consent', 'request', 'access', 'generation',
                        'client', 'contact', 'account', 'scopes')
if not code[1] or code[1] ~= grant[1] then return {'gone'} end
if grant[3] then redis.call('UNLINK', ARGV[8] .. grant[3]) end
if code[2] then
  if ARGV[2] == '' or code[2] ~= ARGV[2] then
    redis.call('UNLINK', KEYS[3], KEYS[1])
    return {'used'}
  end
  if code[4] == grant[2] then redis.call('XDEL', KEYS[3], code[3]) end
end
local now = tonumber(ARGV[1])
local function lines(kind, expires)
  return table.concat({kind, string.match(KEYS[1], '{(.*)}'), grant[2], code[5], code[6], code[7],
                       code[8], now, expires}, '\n')
end
local id = redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[7], '0-*',
                      'token', lines('access', now + ARGV[4]) .. '\n' .. ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[11])
local idle = tonumber(ARGV[6])
redis.call('SET', KEYS[4], lines('refresh', idle > 0 and now + idle or 0),
           'EX', idle > 0 and idle or FOR_EVER)
redis.call('HSET', KEYS[1], 'refresh', ARGV[5], 'last_used', now, 'access_until', ARGV[12])
redis.call('EXPIRE', KEYS[1], ARGV[10])
redis.call('HSET', KEYS[2], 'request', ARGV[2], 'access', id, 'generation', grant[2])
redis.call('EXPIRE', KEYS[2], ARGV[9])
return {'redeemed', id})");

// KEYS grant, access tokens, refresh token
// ARGV generation, refresh mac, live tokens at most, the access token, seconds to keep the access
//      tokens, the moment up to which that is long enough, the refresh token, its seconds, now,
//      seconds to keep a grant
const Script kRefresh(R"(
local grant = redis.call('HMGET', KEYS[1], 'generation', 'refresh')
if grant[1] ~= ARGV[1] or grant[2] ~= ARGV[2] then return false end
if not redis.call('SET', KEYS[3], ARGV[7], 'XX', 'EX', ARGV[8]) then return false end
local id = redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[3], '0-*', 'token', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('HSET', KEYS[1], 'last_used', ARGV[9], 'access_until', ARGV[6])
redis.call('EXPIRE', KEYS[1], ARGV[10])
return id)");

// KEYS grant, access tokens, refresh token
// ARGV new generation, refresh prefix, the access token's entry ('' for a refresh token), its mac
const Script kRevokeTokens(R"(
local grant = redis.call('HMGET', KEYS[1], 'generation', 'refresh')
local kept
if ARGV[3] == '' then
  kept = redis.call('GET', KEYS[3]) or ''
else
  local entry = redis.call('XRANGE', KEYS[2], ARGV[3], ARGV[3])[1]
  kept = entry and entry[2][2] or ''
  if string.sub(kept, -#ARGV[4] - 1) ~= '\n' .. ARGV[4] then return 0 end
end
local generation = string.match(kept, '^[^\n]*\n[^\n]*\n([^\n]*)')
if not generation or generation ~= grant[1] then return 0 end
redis.call('UNLINK', KEYS[2])
if grant[2] then redis.call('UNLINK', ARGV[2] .. grant[2]) end
redis.call('HDEL', KEYS[1], 'refresh')
redis.call('HSET', KEYS[1], 'generation', ARGV[1])
return 1)");

// KEYS grant, access tokens, time of last use; ARGV refresh prefix
// Returns whether there was one, and in whose lists it may be.
const Script kEnd(R"(
local grant = redis.call('HMGET', KEYS[1], 'refresh', 'contact', 'client', 'account')
if grant[1] then redis.call('UNLINK', ARGV[1] .. grant[1]) end
redis.call('UNLINK', KEYS[2], KEYS[3])
return {redis.call('UNLINK', KEYS[1]), grant[2] or '', grant[3] or '', grant[4] or ''})");

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
local outcome = 'issued'
if ARGV[1] == '1' then
  local allowed = redis.call('HMGET', KEYS[1], 'scopes', 'permission_version')
  if consent and allowed[1] == ARGV[11] and allowed[2] == ARGV[12] then outcome = 'unchanged' end
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
return outcome)");

// KEYS list of grants; ARGV grant, the score that was seen: a grant that begins anew has another.
const Script kForget(R"(
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1)");

std::string text_of(std::int64_t number) { return std::to_string(number); }

std::string key_of(const oauth::GrantList& list) {
  if (const auto* contact = std::get_if<media::ContactId>(&list))
    return keys::contact_grants(*contact);
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) return keys::client_grants(*client);
  return keys::account_grants(std::get<media::AccountId>(list));
}

// A list may name a grant that is not of it only if somebody wrote into the store.
bool is_in(const oauth::GrantList& list, const oauth::Grant& grant) {
  if (const auto* contact = std::get_if<media::ContactId>(&list)) return grant.contact == *contact;
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) return grant.client == *client;
  return grant.account == std::get<media::AccountId>(list);
}

// The lists that a grant is in, by the reply of kEnd.
std::vector<std::string> lists_in(const ReplyView& ended) {
  if (field(ended, 1).empty()) return {};
  return {keys::contact_grants({to_number(field(ended, 1))}),
          keys::client_grants({std::string(field(ended, 2))}),
          keys::account_grants({to_number(field(ended, 3))})};
}

template <class Read>
auto read_state(Read read, const oauth::GrantId& grant) {
  return read({"HMGET", keys::grant(grant), "generation", "refresh", "consent", "access_until"});
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

void Grants::expect_code(const oauth::Token& code) { expect_kept(code); }

void Grants::expect_kept(const oauth::Token& token) {
  const auto expect = [this](Connection::Words words) { connection_.expect(words); };
  read_token(expect, token, key_of(token, macs_of(token).front()));
  read_state(expect, token.grant);
}

std::optional<oauth::AuthorizationCode> Grants::find_code(const oauth::Token& code) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  for (const std::string& mac : macs_of(code)) {
    const std::string key = key_of(code, mac);
    const KeptToken kept = KeptToken::in(read_token(fetch, code, key));
    if (!kept.is_of(code, mac)) continue;
    // A code of a grant that ended is no code any more; a spent one ends it only once.
    if (field(read_state(fetch, code.grant), 2) != kept.consent) return std::nullopt;
    oauth::AuthorizationCode record;
    record.issued = kept.read(key);
    record.redirect_uri = kept.redirect_uri;
    record.code_challenge = kept.challenge;
    record.consent = kept.consent;
    record.spent = kept.spent;
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
  step.started = step.script == nullptr
                     ? connection_.start(step.arguments)
                     : connection_.start(*step.script, step.keys, step.arguments);
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
    const std::string key = key_of(code, mac);
    if (!KeptToken::in(read_token(fetch, code, key)).is_of(code, mac)) continue;
    const std::int64_t now = clock_.now();
    const std::string refresh_mac = macs_of(refresh).front();
    return Step{
        access.text,
        &kRedeem,
        {keys::grant(code.grant), key, keys::access(code.grant),
         keys::refresh(code.grant, refresh_mac)},
        {text_of(now), std::string(request_id), macs_of(access).front(), text_of(lifetimes_.access),
         refresh_mac, text_of(lifetimes_.refresh_idle), text_of(lifetimes_.live_access_tokens),
         keys::refresh(code.grant, ""), text_of(kKeepSpentCode), text_of(keep_grant_),
         text_of(lifetimes_.access + kStreamOutlives),
         text_of(now + lifetimes_.access + kRenewStream)},
        std::nullopt};
  }
  return std::nullopt;
}

void Grants::start_redeem(const oauth::Token& code, std::string_view request_id,
                          const oauth::Token& access, const oauth::Token& refresh) {
  if (auto step = redeem_step(code, request_id, access, refresh)) start(std::move(*step));
}

oauth::Redemption Grants::redeem(const oauth::Token& code, const oauth::AuthorizationCode&,
                                 std::string_view request_id, oauth::Token& access,
                                 const oauth::Token& refresh) {
  auto step = take(access);
  if (!step) step = redeem_step(code, request_id, access, refresh);
  if (!step) return oauth::Redemption::Gone;
  const Reply reply = finish(*step);
  const std::string_view outcome = field(reply, 0);
  access.place = place_in(field(reply, 1));
  return outcome == "redeemed" ? oauth::Redemption::Redeemed
         : outcome == "used"   ? oauth::Redemption::AlreadyUsed
                               : oauth::Redemption::Gone;
}

void Grants::expect_token(const oauth::Token& token) {
  expect_kept(token);
  if (token.kind != TokenKind::Access) return;
  connection_.expect(keys::grant_used(token.grant));
  connection_.expect({"ZRANGE", keys::kEndingClients, "0", "-1"});
}

bool Grants::is_ending(const oauth::ClientId& client) {
  const ReplyView all = connection_.fetch({"ZRANGE", keys::kEndingClients, "0", "-1"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (field(all, i) == client.text) return true;
  }
  return false;
}

std::optional<oauth::Issued> Grants::find_token(const oauth::Token& token) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  for (const std::string& mac : macs_of(token)) {
    const std::string key = key_of(token, mac);
    const KeptToken kept = KeptToken::in(read_token(fetch, token, key));
    if (!kept.is_of(token, mac)) continue;
    const ReplyView state = read_state(fetch, token.grant);
    if (field(state, 0) != kept.generation) return std::nullopt;
    if (token.kind == TokenKind::Refresh && field(state, 1) != mac) return std::nullopt;
    oauth::Issued issued = kept.read(key);
    if (issued.expires != 0 && issued.expires <= clock_.now()) return std::nullopt;
    // Of a refresh token the application has to authenticate, and is not there any more.
    if (token.kind == TokenKind::Access && (is_ending(issued.client) || !note_use(token, issued)))
      return std::nullopt;
    return issued;
  }
  return std::nullopt;
}

// Once a minute is exact enough for people, and no write for each request. So is it for an
// application that is no more, whose grants were not all in the list of them when it was deleted:
// false then.
bool Grants::note_use(const oauth::Token& access, const oauth::Issued& issued) {
  const std::string key = keys::grant_used(access.grant);
  const std::int64_t now = clock_.now();
  const std::int64_t before = to_number(connection_.get(key).text().value_or("0"));
  if (now - before < kNoteUseEvery) return true;
  if (before != 0 && connection_.command({"EXISTS", keys::client(issued.client)}).integer() == 0)
    return false;
  connection_.send_and_forget({"SET", key, text_of(now), "EX", text_of(keep_grant_)});
  list(access.grant, issued, now);
  return true;
}

// The lists for people, by time of last use; what was not used for as long as a grant is kept is
// none any more.
void Grants::list(const oauth::GrantId& grant, const oauth::Issued& issued, std::int64_t now) {
  for (const std::string& index :
       {keys::contact_grants(issued.contact), keys::client_grants(issued.client),
        keys::account_grants(issued.account)}) {
    connection_.send_and_forget({"ZADD", index, text_of(now), grant.text});
    connection_.send_and_forget({"ZREMRANGEBYSCORE", index, "-inf", text_of(now - keep_grant_)});
    connection_.send_and_forget({"EXPIRE", index, text_of(keep_grant_)});
  }
}

// The refresh token's own state was read with it, so nothing has to be asked again.
std::optional<Grants::Step> Grants::refresh_step(Refresh how, const oauth::Token& refresh,
                                                 const oauth::Issued& record,
                                                 const oauth::ScopeSet& scopes,
                                                 const oauth::Token& access) {
  const auto fetch = [this](Connection::Words words) { return connection_.fetch(words); };
  const ReplyView state = read_state(fetch, refresh.grant);
  const std::string_view generation = field(state, 0);
  const std::string_view refresh_mac = field(state, 1);
  const auto macs = macs_of(refresh);
  if (generation.empty() || std::ranges::find(macs, refresh_mac) == macs.end()) return std::nullopt;
  const std::int64_t now = clock_.now();
  const std::int64_t idle = lifetimes_.refresh_idle;
  oauth::Issued issued = record;
  issued.expires = idle > 0 ? now + idle : 0;
  const std::int64_t until = now + lifetimes_.access + kRenewStream;
  // Written a thousandth late, or a minute, the times of last use are exact enough: a client that
  // refreshes all the time writes nothing but its new tokens.
  const std::int64_t due = until - to_number(field(state, 3));
  const bool plain = how == Refresh::Plain && due >= 0 && due <= kRenewStream &&
                     std::abs(issued.expires - record.expires) <= idle / 1000;
  const std::string refresh_lines =
      plain ? "" : to_lines(TokenKind::Refresh, refresh.grant, generation, issued);
  issued.scopes = scopes;
  issued.issued = now;
  issued.expires = now + lifetimes_.access;
  std::string lines =
      to_lines(TokenKind::Access, refresh.grant, generation, issued, macs_of(access).front());
  std::string most = text_of(lifetimes_.live_access_tokens);
  if (plain) {
    return Step{access.text,
                nullptr,
                {},
                {"XADD", keys::access(refresh.grant), "NOMKSTREAM", "MAXLEN", std::move(most),
                 "0-*", "token", std::move(lines)},
                std::nullopt};
  }
  return Step{access.text,
              &kRefresh,
              {keys::grant(refresh.grant), keys::access(refresh.grant),
               keys::refresh(refresh.grant, refresh_mac)},
              {std::string(generation), std::string(refresh_mac), std::move(most), std::move(lines),
               text_of(lifetimes_.access + kStreamOutlives), text_of(until), refresh_lines,
               text_of(idle > 0 ? idle : kForEver), text_of(now), text_of(keep_grant_)},
              std::nullopt};
}

void Grants::start_refresh(const oauth::Token& refresh, const oauth::Issued& record,
                           const oauth::ScopeSet& scopes, const oauth::Token& access) {
  if (auto step = refresh_step(Refresh::Plain, refresh, record, scopes, access))
    start(std::move(*step));
}

bool Grants::refresh(const oauth::Token& refresh, const oauth::Issued& record,
                     const oauth::ScopeSet& scopes, oauth::Token& access) {
  auto step = take(access);
  if (!step) step = refresh_step(Refresh::Plain, refresh, record, scopes, access);
  if (step && step->script == nullptr) {
    if (!step->started) step->started = connection_.start(step->arguments);
    const auto reply = connection_.finish(*step->started);
    access.place = reply ? place_in(reply->text().value_or("")) : 0;
    if (access.place != 0) return true;
    // Either its tokens were revoked in between, or they are so old that Redis has forgotten them,
    // or nothing is known of it: the script tells.
    step = refresh_step(Refresh::Renewing, refresh, record, scopes, access);
  }
  if (!step) return false;
  access.place = place_in(finish(*step).text().value_or(""));
  return access.place != 0;
}

void Grants::revoke_tokens(const oauth::Token& token) {
  for (const std::string& mac : macs_of(token)) {
    const std::vector<std::string> keys{keys::grant(token.grant), keys::access(token.grant),
                                        keys::refresh(token.grant, mac)};
    const std::vector<std::string> arguments{
        random_name(), keys::refresh(token.grant, ""),
        token.kind == TokenKind::Access ? entry_id(token.place) : "", mac};
    if (connection_.eval(kRevokeTokens, keys, arguments).integer() == 1) return;
  }
}

bool Grants::end(const oauth::GrantId& grant) {
  const std::vector<std::string> keys{keys::grant(grant), keys::access(grant),
                                      keys::grant_used(grant)};
  const std::vector<std::string> arguments{keys::refresh(grant, "")};
  const Reply ended = connection_.eval(kEnd, keys, arguments);
  for (const std::string& list : lists_in(ended))
    connection_.send_and_forget({"ZREM", list, grant.text});
  return ended.size() > 0 && ended.at(0).integer() == 1;
}

std::optional<oauth::Grant> Grants::find_grant(const oauth::GrantId& id) {
  send_find(id);
  return receive_found(id);
}

void Grants::send_find(const oauth::GrantId& id) {
  connection_.send({"HMGET", keys::grant(id), "contact", "account", "client", "scopes",
                    "permission_version", "consent", "created", "last_used"});
  connection_.send({"GET", keys::grant_used(id)});
}

std::optional<oauth::Grant> Grants::receive_found(const oauth::GrantId& id) {
  const std::string key = keys::grant(id);
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
    const std::vector<std::string> keys{keys::grant(code.grant),
                                        keys::code(code.grant, macs_of(code).front())};
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
    if (outcome == "before") {
      list(code.grant, issued, now);  // whoever issued it may have died before that
      return oauth::CodeIssue::IssuedBefore;
    }
    if (outcome == "issued" || outcome == "unchanged") {
      list(code.grant, issued, now);
      return outcome == "issued" ? oauth::CodeIssue::Issued : oauth::CodeIssue::IssuedUnchanged;
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

std::vector<Reply> Grants::run_all(const Script& script, const std::vector<Run>& runs) {
  std::vector<Reply> replies;
  if (runs.empty()) return replies;
  // The first by itself, so that Redis knows the script when the rest comes.
  replies.push_back(connection_.eval(script, runs.front().keys, runs.front().arguments));
  std::vector<Connection::Started> started;
  for (std::size_t i = 1; i < runs.size(); ++i)
    started.push_back(connection_.start(script, runs[i].keys, runs[i].arguments));
  for (std::size_t i = 1; i < runs.size(); ++i) {
    replies.push_back(connection_.finish(started[i - 1], script, runs[i].keys, runs[i].arguments));
  }
  return replies;
}

std::int64_t Grants::count_grants(const oauth::GrantList& list) {
  return connection_.read({"ZCARD", key_of(list)}).integer();
}

oauth::GrantPage Grants::grants_of(const oauth::GrantList& list, std::int64_t first,
                                   std::int64_t most) {
  const std::string index = key_of(list);
  connection_.send({"ZCARD", index});
  connection_.send(
      {"ZRANGE", index, text_of(first), text_of(first + most - 1), "REV", "WITHSCORES"});
  oauth::GrantPage page;
  page.total = connection_.receive().integer();
  const Reply entries = connection_.receive();
  const auto id_at = [&](std::size_t i) { return oauth::GrantId{std::string(field(entries, i))}; };
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) send_find(id_at(i));
  std::vector<Run> gone;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    auto grant = receive_found(id_at(i));
    if (grant && is_in(list, *grant)) {
      page.grants.push_back(std::move(*grant));
    } else {
      gone.push_back({{index}, {id_at(i).text, std::string(field(entries, i + 1))}});
    }
  }
  run_all(kForget, gone);
  page.total -= static_cast<std::int64_t>(gone.size());
  return page;
}

// In this order, so that a step that is interrupted can be done again: a list that names a grant
// that has ended costs nothing, a grant that no list names would stay.
std::int64_t Grants::end_some(const oauth::GrantList& list, std::int64_t most) {
  const std::string index = key_of(list);
  const Reply entries = connection_.read({"ZRANGE", index, "0", text_of(most - 1)});
  std::vector<Run> runs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const oauth::GrantId id{std::string(field(entries, i))};
    runs.push_back(
        {{keys::grant(id), keys::access(id), keys::grant_used(id)}, {keys::refresh(id, "")}});
  }
  const std::vector<Reply> ended = run_all(kEnd, runs);
  std::size_t sent = 0;
  const auto unlist = [&](const std::string& from, std::size_t i) {
    connection_.send({"ZREM", from, field(entries, i)});
    ++sent;
  };
  for (std::size_t i = 0; i < ended.size(); ++i) {
    for (const std::string& other : lists_in(ended[i])) {
      if (other != index) unlist(other, i);
    }
    unlist(index, i);
  }
  for (; sent > 0; --sent) connection_.receive();
  return static_cast<std::int64_t>(ended.size());
}

}  // namespace svc::redis
