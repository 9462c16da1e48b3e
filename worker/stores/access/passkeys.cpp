#include "stores/access/passkeys.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/base64.h"
#include "redis/script.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "text/json_record.h"

namespace svc::stores {
namespace {

constexpr std::string_view kPasskeyField = "passkey:";
constexpr std::string_view kUsedField = "passkey_used:";
constexpr std::size_t kMaxKeyText = 2048;  // bytes; the longest RSA key has 700

// KEYS: the factor. ARGV: id, record, counter, maximum
const redis::Script kAddPasskey(R"(
local stored = redis.call('HMGET', KEYS[1], 'secret', 'passkey:' .. ARGV[1], 'passkeys')
if not stored[1] then return 0 end
if stored[2] then return stored[2] == ARGV[2] and 1 or 2 end
if (tonumber(stored[3] or '') or 0) >= tonumber(ARGV[4]) then return 3 end
redis.call('HINCRBY', KEYS[1], 'passkeys', 1)
redis.call('HSET', KEYS[1], 'passkey:' .. ARGV[1], ARGV[2], 'passkey_count:' .. ARGV[1], ARGV[3])
return 1)",
                                ":");

// KEYS: the factor. ARGV: id
const redis::Script kRemovePasskey(R"(
if redis.call('HDEL', KEYS[1], 'passkey:' .. ARGV[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'passkey_count:' .. ARGV[1], 'passkey_used:' .. ARGV[1],
  'passkey_turn:' .. ARGV[1])
redis.call('HINCRBY', KEYS[1], 'passkeys', -1)
return 1)",
                                   ":");

// KEYS: the factor. ARGV: id, counter, time, turn, 1 if the counter may fall to 0
const redis::Script kUsePasskey(R"(
local id = ARGV[1]
local stored = redis.call('HMGET', KEYS[1], 'passkey_count:' .. id, 'passkey_turn:' .. id)
if not stored[1] then return 0 end
if stored[2] == ARGV[4] then return 1 end
local before, count = tonumber(stored[1]), tonumber(ARGV[2])
local restarts = count == 0 and ARGV[5] == '1'
if (before > 0 or count > 0) and count <= before and not restarts then return 2 end
redis.call('HSET', KEYS[1], 'passkey_count:' .. id, ARGV[2], 'passkey_used:' .. id, ARGV[3],
  'passkey_turn:' .. id, ARGV[4])
return 1)",
                                ":");

// KEYS: the challenge. ARGV: turn, time to live
const redis::Script kSpendChallenge(R"(
local turn = redis.call('HMGET', KEYS[1], 'turn')[1]
if turn then return turn == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'turn', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1)",
                                    ":");

std::string record_of(const login::Passkey& passkey) {
  std::string out;
  text::json::ObjectWriter object(out);
  object.string("name", passkey.name)
      .string("key", base::base64url_encode(passkey.public_key))
      .strings("transports", passkey.transports)
      .integer("created", passkey.created)
      .end();
  return out;
}

// Returns a passkey without a key if the record is malformed: it can be removed, and opens nothing.
login::Passkey passkey_of(std::string_view id, std::string_view text) {
  login::Passkey passkey;
  passkey.id = id;
  text::json::Document document;
  const auto value = document.parse(text, text::json::Origin::Ours);
  if (!value || !value->is_object()) return passkey;
  text::JsonRecord record(*value);
  passkey.name = record.text("name", 4 * login::kMostPasskeyName);
  passkey.created = record.integer("created", 0, std::int64_t{1} << 40);
  const auto key = base::base64url_decode(record.text("key", kMaxKeyText));
  const auto transports = record.array("transports");
  if (!record.ok()) return passkey;
  passkey.public_key = key.value_or("");
  for (std::size_t i = 0; i < transports->size(); ++i)
    passkey.transports.emplace_back(transports->at(i).string().value_or(""));
  return passkey;
}

}  // namespace

loop::Task<std::vector<login::Passkey>> Passkeys::of(media::ContactId contact) {
  redis::Store::Call call = store_.read({"HGETALL", keys::login_factor(contact)});
  const redis::Reply fields = co_await call;
  std::vector<login::Passkey> found;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string_view name = field(fields, i);
    if (name.starts_with(kPasskeyField))
      found.push_back(passkey_of(name.substr(kPasskeyField.size()), field(fields, i + 1)));
  }
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string_view name = field(fields, i);
    if (!name.starts_with(kUsedField)) continue;
    const auto passkey =
        std::ranges::find(found, name.substr(kUsedField.size()), &login::Passkey::id);
    if (passkey != found.end()) passkey->used = to_number(field(fields, i + 1));
  }
  std::ranges::sort(found, {}, [](const login::Passkey& passkey) {
    return std::tuple(passkey.created, std::string_view(passkey.id));
  });
  co_return found;
}

loop::Task<Passkeys::Added> Passkeys::add(media::ContactId contact, const login::Passkey& passkey,
                                          std::uint32_t count) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{passkey.id, record_of(passkey), std::to_string(count),
                                     std::to_string(login::kMostPasskeys)};
  const redis::Reply added = co_await store_.eval(
      kAddPasskey, std::move(keys), std::move(arguments), redis::Durability::Replicated);
  switch (added.integer()) {
    case 0: co_return Added::NoFactor;
    case 1: co_return Added::Yes;
    case 2: co_return Added::Exists;
    default: co_return Added::TooMany;
  }
}

loop::Task<bool> Passkeys::remove(media::ContactId contact, std::string_view id) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{std::string(id)};
  const redis::Reply removed = co_await store_.eval(
      kRemovePasskey, std::move(keys), std::move(arguments), redis::Durability::Replicated);
  co_return removed.integer() == 1;
}

loop::Task<Passkeys::Used> Passkeys::use(media::ContactId contact, std::string_view id,
                                         const login::Assertion& assertion, std::int64_t now,
                                         std::string_view turn) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{std::string(id), std::to_string(assertion.count),
                                     std::to_string(now), std::string(turn),
                                     assertion.is_synced ? "1" : "0"};
  const redis::Reply used = co_await store_.eval(kUsePasskey, std::move(keys), std::move(arguments),
                                                 redis::Durability::Replicated);
  switch (used.integer()) {
    case 0: co_return Used::Gone;
    case 1: co_return Used::Yes;
    default: co_return Used::Behind;
  }
}

loop::Task<bool> Passkeys::spend(std::string_view challenge_digest, std::string_view turn) {
  std::vector<std::string> keys{keys::login_challenge(challenge_digest)};
  std::vector<std::string> arguments{std::string(turn), std::to_string(login::kChallengeSeconds)};
  const redis::Reply spent = co_await store_.eval(
      kSpendChallenge, std::move(keys), std::move(arguments), redis::Durability::Replicated);
  co_return spent.integer() == 1;
}

}  // namespace svc::stores
