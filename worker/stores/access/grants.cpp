#include "stores/access/grants.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>

#include "base/hex.h"
#include "loop/all.h"
#include "oauth/redirect_uri.h"
#include "oauth/token_family.h"
#include "oauth/transaction.h"
#include "stores/access/stored_family.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

using oauth::TokenKind;

constexpr std::int64_t kKeepGrant = 400 * 86'400;
constexpr std::int64_t kRenewGrant = 86'400;  // rotations set a grant's time to live once a day
constexpr std::int64_t kForEver = 3'650 * 86'400;  // all records have a time to live
constexpr std::int64_t kKeepSpentCode = 600;
constexpr std::int64_t kNoteUseEvery = 60;
constexpr std::size_t kMostNoted = 4096;  // about 0.1 KB each
constexpr int kIssueTries = 5;
constexpr std::size_t kMostReopening = 1000;  // per worker
constexpr base::Duration kReopenAgain = std::chrono::milliseconds(100);
constexpr base::Duration kReopenSeldom = std::chrono::milliseconds(500);
// Per grant. More than any client has under way for one user.
constexpr std::int64_t kMostLiveCodes = 20;
// Per grant: installations of one application by one user.
constexpr std::int64_t kMostFamilies = 50;

// A grant's access tokens are one stream: one entry per token, one line per
// field. One XADD adds a token, trims the stream to the maximum number of live
// tokens and returns the entry's id, the token's place.
//
// A token is valid only if its generation is the grant's. So refresh() can XADD
// without reading the grant again: a token that is added after a revocation has
// the old generation, and if the revocation deleted the stream, NOMKSTREAM adds
// nothing.
//
// A script that adds a token sets the stream's time to live to the token's
// lifetime plus kStreamOutlives (s). For the next kRenewStream s, refresh()
// only uses XADD: the stream still outlives its newest token by kStreamOutlives
// - kRenewStream. Later, a script renews all times.
constexpr std::int64_t kStreamOutlives = 120;
constexpr std::int64_t kRenewStream = 60;

// KEYS grant, code, access tokens, refresh token
// ARGV now, request id, access mac, its seconds, refresh mac, its seconds,
//      maximum of live tokens, refresh prefix, seconds to keep a spent code,
//      seconds to keep a grant, seconds to keep the access tokens, time until
//      which that is long enough, scopes and resources of the access token ('': as the code)
const redis::Script kRedeem("local FOR_EVER = " + std::to_string(kForEver) + R"(
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
local function lines(kind, opens, expires)
  return table.concat({kind, string.match(KEYS[1], '{(.*)}'), grant[2], code[5], code[6], code[7],
                       opens, now, expires}, '\n')
end
local asked = ARGV[13] == '' and code[8] or ARGV[13]
local id = redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[7], '0-*',
                      'token', lines('access', asked, now + ARGV[4]) .. '\n' .. ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[11])
local idle = tonumber(ARGV[6])
redis.call('SET', KEYS[4], lines('refresh', code[8], idle > 0 and now + idle or 0),
           'EX', idle > 0 and idle or FOR_EVER)
redis.call('HSET', KEYS[1], 'refresh', ARGV[5], 'last_used', now, 'access_until', ARGV[12])
redis.call('EXPIRE', KEYS[1], ARGV[10])
redis.call('HSET', KEYS[2], 'request', ARGV[2], 'access', id, 'generation', grant[2])
redis.call('EXPIRE', KEYS[2], ARGV[9])
return {'redeemed', id})",
                            "[$][$$]");

// KEYS grant, code, access tokens; ARGV request id, access mac
// Makes a code that this request spent for that access token as before. If nginx has sent the
// request again since, the client has other tokens.
const redis::Script kReopen(R"(
local code = redis.call('HMGET', KEYS[2], 'request', 'access', 'generation')
if code[1] ~= ARGV[1] then return 0 end
local entry = redis.call('XRANGE', KEYS[3], code[2], code[2])[1]
if entry and string.sub(entry[2][2], -#ARGV[2]) ~= ARGV[2] then return 0 end
if code[3] == redis.call('HGET', KEYS[1], 'generation') then
  redis.call('XDEL', KEYS[3], code[2])
end
local family = redis.call('HGET', KEYS[2], 'family')
if family then redis.call('HDEL', KEYS[1], family) end
return redis.call('HDEL', KEYS[2], 'request', 'family'))",
                            ":");

// Lua functions for fields of a grant, KEYS[1]. ACCESS is the prefix of the keys of families'
// access tokens.
const std::string kFamilies = "local PATTERN = '" + std::string(kFamilyPattern) + R"('
local function family_of(field)
  return string.match(field, '^)" +
                              std::string(kFamilyField) +
                              R"((.*)$')
end
local function drop(field, access)
  redis.call('HDEL', KEYS[1], field)
  redis.call('UNLINK', access .. family_of(field))
end
local function value_of(position, used, id, began, turn, granted, asked)
  return table.concat({position, used, string.match(id, '%d+$'), began, turn, granted, asked}, '\n')
end
)";

// As kRedeem, for a public application: begins a family of tokens.
//
// KEYS grant, code, the family's access tokens
// ARGV now, request id, access mac, its seconds, the family's field, prefix of the families' access
//      tokens, idle seconds of a family, its lifetime, maximum of families, maximum of live tokens,
//      seconds to keep a spent code, seconds to keep a grant, seconds to keep the access tokens,
//      scopes and resources of the access token ('': as the code)
const redis::Script kRedeemFamily(kFamilies + R"(
local grant = redis.call('HMGET', KEYS[1], 'consent', 'generation')
local code = redis.call('HMGET', KEYS[2], 'consent', 'request', 'family',
                        'client', 'contact', 'account', 'scopes')
if not code[1] or code[1] ~= grant[1] then return {'gone'} end
local is_used = code[2] and (ARGV[2] == '' or code[2] ~= ARGV[2])
if code[2] and not is_used and code[3] then drop(code[3], ARGV[6]) end
local now = tonumber(ARGV[1])
local families = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if family_of(all[i]) then
    local _, used, _, began, turn = string.match(all[i + 1], PATTERN)
    if is_used or not used or used + ARGV[7] <= now or began + ARGV[8] <= now then
      drop(all[i], ARGV[6])
    else
      table.insert(families, {tonumber(turn), all[i]})
    end
  end
end
if is_used then
  redis.call('UNLINK', KEYS[1])
  return {'used'}
end
table.sort(families, function(a, b) return a[1] < b[1] end)
for i = 1, #families + 1 - ARGV[9] do drop(families[i][2], ARGV[6]) end
local asked = ARGV[14] == '' and code[7] or ARGV[14]
local token = table.concat({'access', string.match(KEYS[1], '{(.*)}'), grant[2], code[4], code[5],
                            code[6], asked, now, now + ARGV[4], ARGV[3]}, '\n')
local id = redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[10], '0-*', 'token', token)
redis.call('EXPIRE', KEYS[3], ARGV[13])
local turn = redis.call('HINCRBY', KEYS[1], 'turn', 1)
redis.call('HSET', KEYS[1], ARGV[5], value_of(0, now, id, now, turn, code[7], asked),
           'last_used', now)
redis.call('EXPIRE', KEYS[1], ARGV[12])
redis.call('HSET', KEYS[2], 'request', ARGV[2], 'access', id, 'generation', grant[2],
           'family', ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[11])
return {'redeemed', id})",
                                  "[$][$$]");

// KEYS grant, the family's access tokens
// ARGV generation, the family's field, position of the presented token, now, seconds for a
//      repetition, the access token's scopes and resources, maximum of live tokens, the access
//      token, seconds to keep the access tokens, seconds to keep a grant, seconds after which that
//      is set again
// Any position after the last is one that was issued: the token proves itself. If it is not the
// next, a failover has lost the last rotations.
const redis::Script kRotate("local PATTERN = '" + std::string(kFamilyPattern) + R"('
local grant = redis.call('HMGET', KEYS[1], 'generation', ARGV[2], 'turn')
if grant[1] ~= ARGV[1] or not grant[2] then return {'gone', '', ''} end
local position, used, place, began, _, granted, asked = string.match(grant[2], PATTERN)
local presented, now = tonumber(ARGV[3]), tonumber(ARGV[4])
if presented <= tonumber(position) then
  if presented == tonumber(position) and now - used <= tonumber(ARGV[5]) and asked == ARGV[6] then
    return {'again', '0-' .. place, used}
  end
  redis.call('HDEL', KEYS[1], ARGV[2])
  redis.call('UNLINK', KEYS[2])
  return {'reused', '', ''}
end
local id = redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[7], '0-*', 'token', ARGV[8])
redis.call('EXPIRE', KEYS[2], ARGV[9])
local turn = grant[3] + 1
redis.call('HSET', KEYS[1], 'turn', turn, 'last_used', ARGV[4], ARGV[2],
           ARGV[3] .. '\n' .. ARGV[4] .. '\n' .. string.sub(id, 3) .. '\n' .. began .. '\n' .. turn ..
               '\n' .. granted .. '\n' .. ARGV[6])
local function days(time) return math.floor((time - began) / ARGV[11]) end
if days(now) ~= days(used) then redis.call('EXPIRE', KEYS[1], ARGV[10]) end
return {'rotated', id, ARGV[4]})",
                            "[$$$]");

// KEYS grant, the family's access tokens
// ARGV the family's field, its record, the next record, maximum of live tokens, the access token's
//      entry, the access token
// The most frequent case of kRotate, in half of its time: nothing has happened since the record was
// read. Returns 0 if that is not so.
const redis::Script kRotateSoon(R"(
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if not redis.call('XADD', KEYS[2], 'NOMKSTREAM', 'MAXLEN', ARGV[4], ARGV[5], 'token', ARGV[6]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1)",
                                ":");

// KEYS grant, access tokens
// ARGV new generation, client, account, now, seconds to keep a grant, maximum of live tokens,
// scopes
//      and resources, time when the token expires, its mac, seconds to keep the access tokens
const redis::Script kIssueOwn(R"(
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then
  generation = ARGV[1]
  redis.call('HSET', KEYS[1], 'client', ARGV[2], 'contact', '0', 'account', ARGV[3],
             'generation', generation, 'created', ARGV[4])
end
redis.call('HSET', KEYS[1], 'last_used', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
local token = table.concat({'access', string.match(KEYS[1], '{(.*)}'), generation, ARGV[2], '0',
                            ARGV[3], ARGV[7], ARGV[4], ARGV[8], ARGV[9]}, '\n')
local id = redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[6], '0-*', 'token', token)
redis.call('EXPIRE', KEYS[2], ARGV[10])
return id)",
                              "$");

// KEYS access tokens; ARGV the entry of one, its mac
const redis::Script kEndOwn(R"(
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
local kept = entry and entry[2][2] or ''
if string.sub(kept, -#ARGV[2] - 1) ~= '\n' .. ARGV[2] then return 0 end
return redis.call('XDEL', KEYS[1], ARGV[1]))",
                            ":");

// KEYS grant, the family's access tokens
// ARGV the family's field, the access token's entry ('' for a refresh token), its mac
const redis::Script kEndFamily(R"(
if ARGV[2] ~= '' then
  local entry = redis.call('XRANGE', KEYS[2], ARGV[2], ARGV[2])[1]
  local kept = entry and entry[2][2] or ''
  if string.sub(kept, -#ARGV[3] - 1) ~= '\n' .. ARGV[3] then return 0 end
end
redis.call('UNLINK', KEYS[2])
return redis.call('HDEL', KEYS[1], ARGV[1]))",
                               ":");

// KEYS grant, access tokens, refresh token
// ARGV generation, refresh mac, maximum of live tokens, the access token,
//      seconds to keep the access tokens, time until which that is long
//      enough, the refresh token, its seconds, now, seconds to keep a grant
const redis::Script kRefresh(R"(
local grant = redis.call('HMGET', KEYS[1], 'generation', 'refresh')
if grant[1] ~= ARGV[1] or grant[2] ~= ARGV[2] then return false end
if not redis.call('SET', KEYS[3], ARGV[7], 'XX', 'EX', ARGV[8]) then return false end
local id = redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[3], '0-*', 'token', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('HSET', KEYS[1], 'last_used', ARGV[9], 'access_until', ARGV[6])
redis.call('EXPIRE', KEYS[1], ARGV[10])
return id)",
                             "?$");

// KEYS grant, access tokens, refresh token
// ARGV new generation, refresh prefix, the access token's entry ('' for a
//      refresh token), its mac
const redis::Script kRevokeTokens(R"(
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
return 1)",
                                  ":");

// KEYS grant, access tokens, time of last use; ARGV refresh prefix, prefix of the families' access
// tokens
// Returns 1 or 0 (whether there was a grant), contact, client, account.
const redis::Script kEnd(kFamilies + R"(
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if family_of(field) then redis.call('UNLINK', ARGV[2] .. family_of(field)) end
end
local grant = redis.call('HMGET', KEYS[1], 'refresh', 'contact', 'client', 'account')
if grant[1] then redis.call('UNLINK', ARGV[1] .. grant[1]) end
redis.call('UNLINK', KEYS[2], KEYS[3])
return {redis.call('UNLINK', KEYS[1]), grant[2] or '', grant[3] or '', grant[4] or ''})",
                         "[:$$$]");

// KEYS grant, code, list of codes
// ARGV consented?, expected consent ('' for no grant), new consent, new
//      generation, now, code's seconds, grant's seconds, client, contact,
//      account, the grant's scopes, permission version, the code's scopes,
//      redirect_uri, challenge, the code's mac, maximum of live codes, code
//      prefix, 'no' if its client takes no refresh token
const redis::Script kIssueCode(R"(
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
if ARGV[19] ~= '' then redis.call('HSET', KEYS[2], 'refreshes', ARGV[19]) end
redis.call('EXPIRE', KEYS[2], ARGV[6])
local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')
redis.call('ZADD', KEYS[3], (last[2] or 0) + 1, ARGV[16])
redis.call('EXPIRE', KEYS[3], ARGV[6])
if redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[17]) then
  local oldest = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  redis.call('ZREM', KEYS[3], oldest)
  -- A second use of a spent code must be recognised.
  local code = ARGV[18] .. oldest
  if not redis.call('HGET', code, 'request') then redis.call('UNLINK', code) end
end
return outcome)",
                               "$");

// KEYS list of grants; ARGV grant, the score that was read. A grant that was
// made again has another score and stays.
const redis::Script kForget(R"(
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1)",
                            ":");

std::string text_of(std::int64_t number) { return std::to_string(number); }

// Whether a script has set the times of this family's grant and stream less than kRenewStream ago:
// the first rotation in each such part of its life does.
bool is_soon(const StoredFamily& family, std::int64_t now) {
  const auto part = [&](std::int64_t time) { return (time - family.began) / kRenewStream; };
  return now >= family.used && part(now) == part(family.used);
}

std::string family_field(std::string_view family) {
  return std::string(kFamilyField) + std::string(family);
}
// The prefix of the keys of its families' access tokens.
std::string access_of_family(const oauth::GrantId& grant) { return keys::access(grant) + ":"; }

std::string key_of(const oauth::GrantList& list) {
  if (const auto* contact = std::get_if<media::ContactId>(&list))
    return keys::contact_grants(*contact);
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) return keys::client_grants(*client);
  return keys::account_grants(std::get<media::AccountId>(list));
}

// A list contains a grant of another contact, client or account only if the
// store was edited by other software.
bool is_in(const oauth::GrantList& list, const oauth::Grant& grant) {
  if (const auto* contact = std::get_if<media::ContactId>(&list)) return grant.contact == *contact;
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) return grant.client == *client;
  return grant.account == std::get<media::AccountId>(list);
}

// Returns the keys of the lists that may contain the grant, from the reply of
// kEnd; empty if the grant did not exist.
std::vector<std::string> lists_in(const redis::ReplyView& ended) {
  if (field(ended, 1).empty()) return {};
  return {keys::contact_grants({to_number(field(ended, 1))}),
          keys::client_grants({std::string(field(ended, 2))}),
          keys::account_grants({to_number(field(ended, 3))})};
}

redis::Store::Call read_state(redis::Store& store, const oauth::GrantId& grant) {
  return store.read(
      {"HMGET", keys::grant(grant), "generation", "refresh", "consent", "access_until"});
}

bool is_over(const oauth::Issued& issued, std::int64_t now) {
  return issued.expires != 0 && issued.expires <= now;
}

}  // namespace

Grants::Grants(redis::Store& state, redis::Store& catalog, const base::KeyRing& keys,
               const oauth::Limits& limits, const base::WallClock& clock, base::Entropy& entropy,
               loop::Loop* loop)
    : store_(state),
      catalog_(catalog),
      keys_(keys),
      limits_(limits),
      keep_grant_(limits.refresh_idle == 0 ? kForEver
                                           : std::max({kKeepGrant, limits.refresh_idle,
                                                       limits.public_refresh_idle + kRenewGrant})),
      clock_(clock),
      entropy_(entropy),
      loop_(loop) {
  if (loop_ != nullptr) later_.emplace(*loop_);
}

std::vector<std::string> Grants::macs_of(const oauth::Token& token) const {
  return keys_.macs(token.label(), token.text);
}

std::string Grants::random_name() {
  std::array<unsigned char, 16> bytes{};
  entropy_.fill(bytes);
  return base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

loop::Task<std::optional<oauth::AuthorizationCode>> Grants::find_code(const oauth::Token& code) {
  const auto macs = macs_of(code);
  redis::Store::Call call = read_token(store_, code, key_of(code, macs.front()));
  redis::Store::Call state_call = read_state(store_, code.grant);
  redis::Reply reply = co_await call;
  std::size_t at = 0;
  while (!StoredToken::in(reply).is_of(code, macs[at])) {
    if (++at == macs.size()) co_return std::nullopt;
    redis::Store::Call next = read_token(store_, code, key_of(code, macs[at]));
    reply = co_await next;
  }
  const StoredToken stored = StoredToken::in(reply);
  const redis::Reply state = co_await state_call;
  // A code of a grant that ended is not found. So repeated reuse of a spent
  // code does not end a later grant.
  if (field(state, 2) != stored.consent) co_return std::nullopt;
  oauth::AuthorizationCode record;
  record.issued = stored.read(key_of(code, macs[at]));
  record.issued.storage.mac = macs[at];
  record.redirect_uri = stored.redirect_uri;
  record.code_challenge = stored.challenge;
  record.consent = stored.consent;
  record.spent = stored.spent;
  record.refreshes = stored.refreshes;
  // Redis expires the code too. This check also holds if its clock lags.
  if (!stored.spent && record.issued.expires <= clock_.now()) co_return std::nullopt;
  co_return record;
}

loop::Task<oauth::Redemption> Grants::redeem(const oauth::Token& code,
                                             const oauth::AuthorizationCode& record,
                                             std::string_view request_id, oauth::Token& access,
                                             const oauth::Token& refresh) {
  const std::int64_t now = clock_.now();
  const std::string refresh_mac = macs_of(refresh).front();
  const bool is_family = refresh.is_of_family();
  const std::string asked =
      record.narrowed ? oauth::Access(record.issued.scopes, *record.narrowed).to_text() : "";
  std::vector<std::string> keys{keys::grant(code.grant),
                                keys::code(code.grant, record.issued.storage.mac),
                                keys::access(code.grant), keys::refresh(code.grant, refresh_mac)};
  std::vector<std::string> arguments{text_of(now),
                                     std::string(request_id),
                                     macs_of(access).front(),
                                     text_of(limits_.access),
                                     refresh_mac,
                                     text_of(limits_.refresh_idle),
                                     text_of(limits_.live_access_tokens),
                                     keys::refresh(code.grant, ""),
                                     text_of(kKeepSpentCode),
                                     text_of(keep_grant_),
                                     text_of(limits_.access + kStreamOutlives),
                                     text_of(now + limits_.access + kRenewStream),
                                     asked};
  if (is_family) {
    keys = {keys::grant(code.grant), keys::code(code.grant, record.issued.storage.mac),
            key_of(access, "")};
    arguments = {text_of(now),
                 std::string(request_id),
                 macs_of(access).front(),
                 text_of(limits_.access),
                 family_field(access.family),
                 access_of_family(code.grant),
                 text_of(limits_.public_refresh_idle),
                 text_of(limits_.public_refresh_lifetime),
                 text_of(kMostFamilies),
                 text_of(limits_.live_access_tokens),
                 text_of(kKeepSpentCode),
                 text_of(keep_grant_),
                 text_of(limits_.access + kStreamOutlives),
                 asked};
  }
  auto run = store_.eval(is_family ? kRedeemFamily : kRedeem, std::move(keys), std::move(arguments),
                         redis::Durability::Replicated);
  std::optional<redis::Reply> reply;
  std::exception_ptr failure;
  bool does_reply = true;
  try {
    reply = co_await run;
  } catch (const redis::ErrorReply&) {
    throw;
  } catch (const redis::NotReplicated&) {
    failure = std::current_exception();
  } catch (const base::Unavailable&) {
    failure = std::current_exception();
    does_reply = false;
  }
  if (failure) {
    // The client does not receive the tokens, so its next try must not count as a
    // second use. Without an id, another request could have spent the code.
    if (!request_id.empty()) {
      const Run again{{keys::grant(code.grant), keys::code(code.grant, record.issued.storage.mac),
                       key_of(access, "")},
                      {std::string(request_id), macs_of(access).front()}};
      bool is_open = false;
      if (does_reply) {
        is_open = co_await reopen(again);
      }
      if (!is_open && later_ && reopening_ < kMostReopening)
        later_->spawn(reopen_later(again, record.issued.expires));
    }
    std::rethrow_exception(failure);
  }
  const std::string_view outcome = field(*reply, 0);
  access.place = place_in(field(*reply, 1));
  if (outcome == "redeemed") co_return oauth::Redemption::Redeemed;
  if (outcome == "used") co_return oauth::Redemption::AlreadyUsed;
  co_return oauth::Redemption::Gone;
}

// Returns false if the store does not reply, or refuses.
loop::Task<bool> Grants::reopen(Run run) {
  auto opening = store_.eval(kReopen, std::move(run.keys), std::move(run.arguments));
  try {
    co_await opening;
  } catch (const base::Unavailable&) {
    co_return false;
  }
  co_return true;
}

// `until`: when the code expires.
loop::Task<> Grants::reopen_later(Run run, std::int64_t until) {
  ++reopening_;
  base::Duration wait = kReopenAgain;
  for (bool is_open = false; !is_open; wait = std::min(2 * wait, kReopenSeldom)) {
    loop::Sleep sleep(*loop_, loop_->clock().now() + wait);
    co_await sleep;
    if (clock_.now() >= until) break;
    is_open = co_await reopen(run);
  }
  --reopening_;
}

loop::Task<std::optional<oauth::Issued>> Grants::find_token(const oauth::Token& token) {
  if (token.kind == TokenKind::Access) return find_access_token(token);
  if (token.is_of_family()) return find_family_token(token);
  return find_refresh_token(token);
}

// A host that is taken off the list ends the tokens of its clients. oauth-M5
bool Grants::is_allowed(const oauth::ClientId& client) const {
  return !oauth::is_document_url(client.value()) ||
         !oauth::why_not_document_url(client.value(), limits_.documents);
}

// Does not check for ending applications: a refresh requires client
// authentication, which fails for them.
loop::Task<std::optional<oauth::Issued>> Grants::find_refresh_token(const oauth::Token& token) {
  const auto macs = macs_of(token);
  redis::Store::Call call = read_token(store_, token, key_of(token, macs.front()));
  redis::Store::Call state_call = read_state(store_, token.grant);
  redis::Reply reply = co_await call;
  std::size_t at = 0;
  while (!StoredToken::in(reply).is_of(token, macs[at])) {
    if (++at == macs.size()) co_return std::nullopt;
    redis::Store::Call next = read_token(store_, token, key_of(token, macs[at]));
    reply = co_await next;
  }
  const StoredToken stored = StoredToken::in(reply);
  const redis::Reply state = co_await state_call;
  if (field(state, 0) != stored.generation) co_return std::nullopt;
  if (field(state, 1) != macs[at]) co_return std::nullopt;
  oauth::Issued issued = stored.read(key_of(token, macs[at]));
  issued.storage = {macs[at], std::string(stored.generation), to_number(field(state, 3))};
  if (is_over(issued, clock_.now())) co_return std::nullopt;
  co_return issued;
}

// The token proves itself, so only its family is read. Ending applications: as above.
loop::Task<std::optional<oauth::Issued>> Grants::find_family_token(const oauth::Token& token) {
  auto family = oauth::family_of(token, keys_);
  if (!family) co_return std::nullopt;
  const std::string key = keys::grant(token.grant);
  redis::Store::Call call = store_.read({"HMGET", key, "generation", "client", "contact", "account",
                                         family_field(family->name), "turn"});
  const redis::Reply fields = co_await call;
  const auto stored = StoredFamily::in(field(fields, 4));
  if (!stored) co_return std::nullopt;
  oauth::Issued issued{{std::string(field(fields, 1))},
                       {to_number(field(fields, 2))},
                       {to_number(field(fields, 3))},
                       {},
                       stored->began,
                       stored->expires(limits_)};
  oauth::Access granted = read_access(key, stored->granted);
  issued.scopes = granted.scopes;
  issued.resources = std::move(granted.resources);
  issued.family = std::move(family);
  issued.used = token.place <= stored->position;
  issued.storage.generation = field(fields, 0);
  if (stored->turn == field(fields, 5)) issued.storage.family = field(fields, 4);
  if (!is_allowed(issued.client)) co_return std::nullopt;
  if (issued.holder() != token.holder || is_over(issued, clock_.now())) co_return std::nullopt;
  co_return issued;
}

loop::Task<std::optional<oauth::Issued>> Grants::find_access_token(const oauth::Token& token) {
  const std::string key = key_of(token, "");
  redis::Store::Call call = read_token(store_, token, key);
  redis::Store::Call generation_call =
      store_.read({"HGET", keys::grant(token.grant), "generation"});
  const bool is_noted = is_use_noted(token.grant);
  redis::Store::Calls used(store_);
  if (!is_noted) used.get(keys::grant_used(token.grant));
  redis::Store::Call ending_call = catalog_.read({"ZRANGE", keys::kEndingClients, "0", "-1"});
  const redis::Reply reply = co_await call;
  const StoredToken stored = StoredToken::in(reply);
  const auto macs = macs_of(token);
  if (std::ranges::none_of(macs, [&](const std::string& mac) { return stored.is_of(token, mac); }))
    co_return std::nullopt;
  const redis::Reply generation = co_await generation_call;
  if (generation.text() != stored.generation) co_return std::nullopt;
  oauth::Issued issued = stored.read(key);
  if (is_over(issued, clock_.now()) || !is_allowed(issued.client)) co_return std::nullopt;
  const redis::Reply ending = co_await ending_call;
  for (std::size_t i = 0; i < ending.size(); ++i) {
    if (field(ending, i) == issued.client.value()) co_return std::nullopt;
  }
  if (!is_noted) {
    const redis::Reply last = co_await used.next();
    const bool noted = co_await note_use(token.grant, issued, last.number());
    if (!noted) co_return std::nullopt;
  }
  co_return issued;
}

// Returns true if the store has the time of a recent use, as this worker knows.
bool Grants::is_use_noted(const oauth::GrantId& grant) const {
  const auto at = noted_.find(grant.value());
  return at != noted_.end() && clock_.now() - at->second < kNoteUseEvery;
}

// Records the time of last use at most once per kNoteUseEvery (60 s), instead
// of one write per request. Returns false if the application's record is
// deleted, which is checked at most as often: a grant that was in no list when
// its application was deleted ends here. A client with a document has no record.
loop::Task<bool> Grants::note_use(const oauth::GrantId& grant, const oauth::Issued& issued,
                                  std::int64_t before) {
  const std::int64_t now = clock_.now();
  if (noted_.size() >= kMostNoted) noted_.clear();
  noted_[grant.value()] = before;
  if (now - before < kNoteUseEvery) co_return true;
  if (before != 0 && !oauth::is_document_url(issued.client.value())) {
    redis::Store::Call call = catalog_.read({"EXISTS", keys::client(issued.client)});
    const redis::Reply exists = co_await call;
    if (exists.integer() == 0) co_return false;
  }
  store_.send_and_forget(
      {"SET", keys::grant_used(grant), text_of(now), "EX", text_of(keep_grant_)});
  list(grant, issued, now);
  noted_[grant.value()] = now;
  co_return true;
}

// The lists of grants, by time of last use. Removes entries that were not used
// for keep_grant_: their grants have expired.
void Grants::list(const oauth::GrantId& grant, const oauth::Issued& issued, std::int64_t now) {
  if (!issued.person()) return;  // what no contact granted no contact ends
  for (const std::string& index :
       {keys::contact_grants(issued.contact), keys::client_grants(issued.client),
        keys::account_grants(issued.account)}) {
    store_.send_and_forget({"ZADD", index, text_of(now), grant.value()});
    store_.send_and_forget({"ZREMRANGEBYSCORE", index, "-inf", text_of(now - keep_grant_)});
    store_.send_and_forget({"EXPIRE", index, text_of(keep_grant_)});
  }
}

// A rotation soon after another one writes only the access token and the family's record. The times
// of last use and to live may be kRenewStream (60 s) old, as in refresh().
loop::Task<oauth::Rotation> Grants::rotate(const oauth::Token& refresh, const oauth::Issued& record,
                                           const oauth::Access& asked, oauth::Token& access) {
  using Outcome = oauth::Rotation::Outcome;
  const oauth::StorageState& state = record.storage;
  const std::int64_t now = clock_.now();
  oauth::Issued issued{record.client, record.contact,      record.account, asked.scopes,
                       now,           now + limits_.access};
  issued.resources = asked.resources;
  const std::vector<std::string> keys{keys::grant(refresh.grant), key_of(access, "")};
  const std::string family = family_field(record.family->name);
  const std::string most = text_of(limits_.live_access_tokens);
  const std::string lines =
      to_lines(TokenKind::Access, refresh.grant, state.generation, issued, macs_of(access).front());
  const auto stored = StoredFamily::in(state.family);
  if (stored && refresh.place == stored->position + 1 && is_soon(*stored, now)) {
    const std::uint64_t place = stored->place + 1;
    std::vector<std::string> arguments{
        family, state.family,    stored->rotated(refresh.place, now, asked.to_text()),
        most,   entry_id(place), lines};
    const redis::Reply reply = co_await store_.eval(kRotateSoon, keys, std::move(arguments),
                                                    redis::Durability::Replicated);
    access.place = place;
    if (reply.integer() == 1) co_return oauth::Rotation{Outcome::Rotated, now};
  }
  std::vector<std::string> arguments{state.generation,
                                     family,
                                     text_of(static_cast<std::int64_t>(refresh.place)),
                                     text_of(now),
                                     text_of(oauth::kRepeatsRefresh),
                                     asked.to_text(),
                                     most,
                                     lines,
                                     text_of(limits_.access + kStreamOutlives),
                                     text_of(keep_grant_),
                                     text_of(kRenewGrant)};
  const redis::Reply reply =
      co_await store_.eval(kRotate, keys, std::move(arguments), redis::Durability::Replicated);
  access.place = place_in(field(reply, 1));
  const std::string_view outcome = field(reply, 0);
  co_return oauth::Rotation{outcome == "rotated"  ? Outcome::Rotated
                            : outcome == "again"  ? Outcome::Again
                            : outcome == "reused" ? Outcome::Reused
                                                  : Outcome::Gone,
                            to_number(field(reply, 2))};
}

// find_token() has read the state of the refresh token: `record` contains it.
loop::Task<bool> Grants::refresh(const oauth::Token& refresh, const oauth::Issued& record,
                                 const oauth::Access& asked, oauth::Token& access) {
  const oauth::StorageState& state = record.storage;
  const std::int64_t now = clock_.now();
  const std::int64_t idle = limits_.refresh_idle;
  const std::int64_t expires = idle > 0 ? now + idle : 0;
  oauth::Issued issued{record.client, record.contact,      record.account, asked.scopes,
                       now,           now + limits_.access};
  issued.resources = asked.resources;
  const std::string lines =
      to_lines(TokenKind::Access, refresh.grant, state.generation, issued, macs_of(access).front());
  const std::int64_t until = now + limits_.access + kRenewStream;
  // The stored last use may be kRenewStream (60 s) old, and the refresh token's
  // expiry wrong by a thousandth of the idle time. So a client that refreshes
  // often writes only its new tokens.
  const std::int64_t due = until - state.access_until;
  if (due >= 0 && due <= kRenewStream && std::abs(expires - record.expires) <= idle / 1000) {
    access.place = co_await add_access_token(refresh.grant, lines);
    if (access.place != 0) co_return true;
    // The tokens were revoked, the stream has expired, or no reply came. The
    // script checks the grant again.
  }
  oauth::Issued renewed = record;
  renewed.expires = expires;
  std::vector<std::string> keys{keys::grant(refresh.grant), keys::access(refresh.grant),
                                keys::refresh(refresh.grant, state.mac)};
  std::vector<std::string> arguments{
      state.generation,
      state.mac,
      text_of(limits_.live_access_tokens),
      lines,
      text_of(limits_.access + kStreamOutlives),
      text_of(until),
      to_lines(TokenKind::Refresh, refresh.grant, state.generation, renewed),
      text_of(idle > 0 ? idle : kForEver),
      text_of(now),
      text_of(keep_grant_)};
  const redis::Reply reply = co_await store_.eval(kRefresh, std::move(keys), std::move(arguments),
                                                  redis::Durability::Replicated);
  access.place = place_in(reply.text().value_or(""));
  co_return access.place != 0;
}

// Returns the token's place. Returns 0 if the stream does not exist, or if no
// reply came: then the token may have been added, once or twice. If refresh()
// adds it again, the last place is the token's.
loop::Task<std::uint64_t> Grants::add_access_token(const oauth::GrantId& grant,
                                                   const std::string& lines) {
  const std::string key = keys::access(grant);
  const std::string most = text_of(limits_.live_access_tokens);
  const std::array<std::string_view, 8> words{"XADD", key,   "NOMKSTREAM", "MAXLEN",
                                              most,   "0-*", "token",      lines};
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  try {
    const redis::Reply reply = co_await call;
    co_return place_in(reply.text().value_or(""));
  } catch (const redis::ErrorReply&) {
    throw;
  } catch (const redis::NotReplicated&) {
    throw;
  } catch (const base::Unavailable&) {
    co_return 0;
  }
}

loop::Task<> Grants::end_family(const oauth::Token& token) {
  std::string name = token.family;
  std::vector<std::string> macs{""};
  if (token.kind == TokenKind::Access) {
    macs = macs_of(token);
  } else {
    const auto family = oauth::family_of(token, keys_);
    if (!family) co_return;
    name = family->name;
  }
  for (const std::string& mac : macs) {
    std::vector<std::string> keys{keys::grant(token.grant), keys::access(token.grant, name)};
    std::vector<std::string> arguments{
        family_field(name), token.kind == TokenKind::Access ? entry_id(token.place) : "", mac};
    const redis::Reply reply = co_await store_.eval(
        kEndFamily, std::move(keys), std::move(arguments), redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
}

loop::Task<> Grants::issue_own(oauth::Token& access, const oauth::Issued& issued) {
  std::vector<std::string> keys{keys::grant(access.grant), keys::access(access.grant)};
  std::vector<std::string> arguments{random_name(),
                                     issued.client.value(),
                                     text_of(issued.account.value()),
                                     text_of(issued.issued),
                                     text_of(keep_grant_),
                                     text_of(limits_.live_access_tokens),
                                     issued.access().to_text(),
                                     text_of(issued.expires),
                                     macs_of(access).front(),
                                     text_of(limits_.access + kStreamOutlives)};
  const redis::Reply reply = co_await store_.eval(kIssueOwn, std::move(keys), std::move(arguments),
                                                  redis::Durability::Replicated);
  access.place = place_in(reply.text().value_or(""));
}

loop::Task<> Grants::end_own(const oauth::Token& token) {
  for (const std::string& mac : macs_of(token)) {
    std::vector<std::string> keys{keys::access(token.grant)};
    std::vector<std::string> arguments{entry_id(token.place), mac};
    const redis::Reply reply = co_await store_.eval(kEndOwn, std::move(keys), std::move(arguments),
                                                    redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
}

loop::Task<> Grants::revoke_tokens(const oauth::Token& token) {
  if (token.holder && !token.holder->has_contact()) {
    co_await end_own(token);
    co_return;
  }
  if (token.is_of_family()) {
    co_await end_family(token);
    co_return;
  }
  for (const std::string& mac : macs_of(token)) {
    std::vector<std::string> keys{keys::grant(token.grant), keys::access(token.grant),
                                  keys::refresh(token.grant, mac)};
    std::vector<std::string> arguments{random_name(), keys::refresh(token.grant, ""),
                                       token.kind == TokenKind::Access ? entry_id(token.place) : "",
                                       mac};
    const redis::Reply reply = co_await store_.eval(
        kRevokeTokens, std::move(keys), std::move(arguments), redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
}

// A WAIT is about everything that the primary executed before it, so a read is enough.
loop::Task<> Grants::confirm(const oauth::Token& token) {
  if (!store_.waits_for_replicas()) co_return;
  const std::string key = keys::grant(token.grant);
  const std::array<std::string_view, 3> words{"HGET", key, "generation"};
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  co_await call;
}

loop::Task<bool> Grants::end(const oauth::GrantId& grant) {
  std::vector<std::string> keys{keys::grant(grant), keys::access(grant), keys::grant_used(grant)};
  std::vector<std::string> arguments{keys::refresh(grant, ""), access_of_family(grant)};
  const redis::Reply ended = co_await store_.eval(kEnd, std::move(keys), std::move(arguments),
                                                  redis::Durability::Replicated);
  for (const std::string& list : lists_in(ended))
    store_.send_and_forget({"ZREM", list, grant.value()});
  co_return ended.at(0).integer() == 1;
}

loop::Task<std::optional<oauth::Grant>> Grants::find_grant(const oauth::GrantId& id) {
  const std::string key = keys::grant(id);
  redis::Store::Call fields_call =
      store_.read({"HMGET", key, "contact", "account", "client", "scopes", "permission_version",
                   "consent", "created", "last_used"});
  redis::Store::Call used_call = store_.get(keys::grant_used(id));
  const redis::Reply fields = co_await fields_call;
  const redis::Reply used = co_await used_call;
  if (field(fields, 5).empty()) co_return std::nullopt;
  oauth::Access allowed = listed_access(key, field(fields, 3));
  co_return oauth::Grant{id,
                         {to_number(field(fields, 0))},
                         {to_number(field(fields, 1))},
                         {std::string(field(fields, 2))},
                         allowed.scopes,
                         to_number(field(fields, 4)),
                         std::string(field(fields, 5)),
                         to_number(field(fields, 6)),
                         std::max(to_number(field(fields, 7)), used.number()),
                         std::move(allowed.resources)};
}

loop::Task<oauth::CodeIssue> Grants::issue_code(const oauth::Token& code,
                                                const oauth::AuthorizationCode& record,
                                                bool consented, std::int64_t permission_version) {
  const oauth::Issued& issued = record.issued;
  for (int tries = 0; tries < kIssueTries; ++tries) {
    std::string expected = record.consent;
    oauth::Access allowed = issued.access();
    if (consented) {
      // Keep what was allowed before, unless the application's permissions
      // have changed since.
      const auto grant = co_await find_grant(code.grant);
      expected = grant ? grant->consent : "";
      if (grant && grant->permission_version == permission_version) {
        allowed.scopes.add(grant->scopes);
        allowed.resources = oauth::joined(grant->resources, issued.resources);
      }
    }
    const std::int64_t now = clock_.now();
    const std::string mac = macs_of(code).front();
    std::vector<std::string> keys{keys::grant(code.grant), keys::code(code.grant, mac),
                                  keys::codes(code.grant)};
    std::vector<std::string> arguments{consented ? "1" : "0",
                                       expected,
                                       random_name(),
                                       random_name(),
                                       text_of(now),
                                       text_of(limits_.code),
                                       text_of(keep_grant_),
                                       issued.client.value(),
                                       text_of(issued.contact.value()),
                                       text_of(issued.account.value()),
                                       allowed.to_text(),
                                       text_of(permission_version),
                                       issued.access().to_text(),
                                       oauth::to_stored_redirect(record.redirect_uri),
                                       record.code_challenge,
                                       mac,
                                       text_of(kMostLiveCodes),
                                       keys::code(code.grant, ""),
                                       record.refreshes ? "" : "no"};
    const redis::Reply reply = co_await store_.eval(
        kIssueCode, std::move(keys), std::move(arguments), redis::Durability::Replicated);
    const std::string_view outcome = reply.text().value_or("");
    if (outcome == "spent") co_return oauth::CodeIssue::Spent;
    if (outcome == "before") {
      list(code.grant, issued, now);  // the worker that issued it may have died before this
      co_return oauth::CodeIssue::IssuedBefore;
    }
    if (outcome == "issued" || outcome == "unchanged") {
      list(code.grant, issued, now);
      co_return outcome == "issued" ? oauth::CodeIssue::Issued : oauth::CodeIssue::IssuedUnchanged;
    }
    if (!consented) break;  // the grant that the caller read has ended
  }
  co_return oauth::CodeIssue::Changed;
}

loop::Task<bool> Grants::is_first(std::string_view secret) {
  const std::string lifetime = std::to_string(oauth::Transaction::kLifetime);
  redis::Store::Call call = store_.command(
      {"SET", keys::once(keys_.mac("asked once", secret)), "1", "NX", "EX", lifetime});
  const redis::Reply reply = co_await call;
  co_return reply.text() == "OK";
}

loop::Task<std::vector<redis::Reply>> Grants::run_all(const redis::Script& script,
                                                      std::vector<Run> runs,
                                                      redis::Durability durability) {
  std::vector<loop::Task<redis::Reply>> tasks;
  for (Run& run : runs)
    tasks.push_back(store_.eval(script, std::move(run.keys), std::move(run.arguments), durability));
  return loop::all(std::move(tasks));
}

loop::Task<std::int64_t> Grants::count_grants(const oauth::GrantList& list) {
  redis::Store::Call call = store_.read({"ZCARD", key_of(list)});
  const redis::Reply reply = co_await call;
  co_return reply.integer();
}

loop::Task<oauth::GrantPage> Grants::grants_of(const oauth::GrantList& list, std::int64_t first,
                                               std::int64_t most) {
  const std::string index = key_of(list);
  redis::Store::Call total_call = store_.read({"ZCARD", index});
  redis::Store::Call entries_call = store_.read(
      {"ZRANGE", index, text_of(first), text_of(first + most - 1), "REV", "WITHSCORES"});
  oauth::GrantPage page;
  const redis::Reply total = co_await total_call;
  page.total = total.integer();
  const redis::Reply entries = co_await entries_call;
  std::vector<oauth::GrantId> ids;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
    ids.push_back({std::string(field(entries, i))});
  std::vector<loop::Task<std::optional<oauth::Grant>>> finds;
  for (const oauth::GrantId& id : ids) finds.push_back(find_grant(id));
  std::vector<std::optional<oauth::Grant>> grants = co_await loop::all(std::move(finds));
  std::vector<Run> gone;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (grants[i] && is_in(list, *grants[i])) {
      page.grants.push_back(std::move(*grants[i]));
    } else {
      gone.push_back({{index}, {ids[i].value(), std::string(field(entries, 2 * i + 1))}});
    }
  }
  page.total -= static_cast<std::int64_t>(gone.size());
  co_await run_all(kForget, std::move(gone), redis::Durability::Primary);
  co_return page;
}

// End the grants before removing list entries, so that an interrupted step can
// be repeated. An entry without a grant is harmless, but a grant must be in a
// list to be found.
loop::Task<std::int64_t> Grants::end_some(const oauth::GrantList& list, std::int64_t most) {
  const std::string index = key_of(list);
  redis::Store::Call call = store_.read({"ZRANGE", index, "0", text_of(most - 1)});
  const redis::Reply entries = co_await call;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const oauth::GrantId id{std::string(field(entries, i))};
    runs.push_back({{keys::grant(id), keys::access(id), keys::grant_used(id)},
                    {keys::refresh(id, ""), access_of_family(id)}});
  }
  const std::vector<redis::Reply> ended =
      co_await run_all(kEnd, std::move(runs), redis::Durability::Replicated);
  redis::Store::Calls unlist(store_);
  for (std::size_t i = 0; i < ended.size(); ++i) {
    for (const std::string& other : lists_in(ended[i])) {
      if (other != index) unlist.command({"ZREM", other, field(entries, i)});
    }
    unlist.command({"ZREM", index, field(entries, i)});
  }
  while (unlist.left() > 0) co_await unlist.next();
  co_return static_cast<std::int64_t>(ended.size());
}

}  // namespace svc::stores
