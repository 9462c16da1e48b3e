#include "stores/access/factors.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "redis/scan.h"
#include "redis/script.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// KEYS: the factor. ARGV: secret and created, or "" and "" to keep those that are stored; number of
// codes; codes
const redis::Script kWriteFactor(R"(
local secret, created, step = ARGV[1], ARGV[2], ''
if secret == '' then
  local stored = redis.call('HMGET', KEYS[1], 'secret', 'created', 'step')
  if not stored[1] then return 0 end
  secret, created, step = stored[1], stored[2], stored[3] or ''
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    if fields[i]:sub(1, 5) == 'code:' then redis.call('HDEL', KEYS[1], fields[i]) end
  end
else
  redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], 'secret', secret, 'created', created, 'step', step, 'left', ARGV[3])
for i = 4, #ARGV do redis.call('HSET', KEYS[1], 'code:' .. ARGV[i], '') end
return 1)",
                                 ":");

// KEYS: the factor. ARGV: secret, new secret
const redis::Script kResealFactor(R"(
if redis.call('HGET', KEYS[1], 'secret') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'secret', ARGV[2])
return 1)",
                                  ":");

// KEYS: the factor. ARGV: secret, step
const redis::Script kSpendStep(R"(
local stored = redis.call('HMGET', KEYS[1], 'secret', 'step')
if stored[1] ~= ARGV[1] then return 0 end
if tonumber(stored[2] or '') and tonumber(stored[2]) >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'step', ARGV[2])
return 1)",
                               ":");

// KEYS: the factor. ARGV: macs of one code
const redis::Script kSpendCode(R"(
for _, mac in ipairs(ARGV) do
  if redis.call('HDEL', KEYS[1], 'code:' .. mac) == 1 then
    redis.call('HINCRBY', KEYS[1], 'left', -1)
    return 1
  end
end
return 0)",
                               ":");

// KEYS: the counter. ARGV: its seconds
const redis::Script kCountAttempt(R"(
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('TTL', KEYS[1])})",
                                  "[::]");

}  // namespace

loop::Task<std::optional<login::StoredFactor>> Factors::find(media::ContactId contact) {
  redis::Store::Call call =
      store_.read({"HMGET", keys::login_factor(contact), "secret", "created", "left", "passkeys"});
  const redis::Reply fields = co_await call;
  if (field(fields, 0).empty()) co_return std::nullopt;
  co_return login::StoredFactor{std::string(field(fields, 0)), to_number(field(fields, 1)),
                                to_number(field(fields, 2)), to_number(field(fields, 3))};
}

loop::Task<> Factors::write(media::ContactId contact, const login::StoredFactor& factor,
                            const std::vector<std::string>& codes) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{factor.sealed, std::to_string(factor.created),
                                     std::to_string(codes.size())};
  arguments.insert(arguments.end(), codes.begin(), codes.end());
  co_await store_.eval(kWriteFactor, std::move(keys), std::move(arguments),
                       redis::Durability::Replicated);
}

loop::Task<bool> Factors::write_codes(media::ContactId contact,
                                      const std::vector<std::string>& codes) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{"", "", std::to_string(codes.size())};
  arguments.insert(arguments.end(), codes.begin(), codes.end());
  const redis::Reply written = co_await store_.eval(
      kWriteFactor, std::move(keys), std::move(arguments), redis::Durability::Replicated);
  co_return written.integer() == 1;
}

loop::Task<bool> Factors::spend_step(media::ContactId contact, std::string_view sealed,
                                     std::int64_t step) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{std::string(sealed), std::to_string(step)};
  const redis::Reply spent = co_await store_.eval(kSpendStep, std::move(keys), std::move(arguments),
                                                  redis::Durability::Replicated);
  co_return spent.integer() == 1;
}

loop::Task<bool> Factors::spend_code(media::ContactId contact,
                                     const std::vector<std::string>& macs) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments = macs;
  const redis::Reply spent = co_await store_.eval(kSpendCode, std::move(keys), std::move(arguments),
                                                  redis::Durability::Replicated);
  co_return spent.integer() == 1;
}

loop::Task<bool> Factors::remove(media::ContactId contact) {
  redis::Store::Call call = store_.command({"DEL", keys::login_factor(contact)});
  redis::Store::Call attempts = store_.command({"DEL", keys::login_codes(contact)});
  const redis::Reply removed = co_await call;
  co_await attempts;
  co_return removed.integer() == 1;
}

loop::Task<std::vector<media::AccountId>> Factors::requiring(
    const std::vector<media::AccountId>& accounts) {
  std::vector<media::AccountId> found;
  if (accounts.empty()) co_return found;
  std::vector<std::string> names;
  for (const media::AccountId account : accounts) names.push_back(std::to_string(account.value()));
  std::vector<std::string_view> words{"HMGET", keys::kLoginRequired};
  words.insert(words.end(), names.begin(), names.end());
  redis::Store::Call call = store_.read(words);
  const redis::Reply fields = co_await call;
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    if (!field(fields, i).empty()) found.push_back(accounts[i]);
  }
  co_return found;
}

loop::Task<> Factors::require(media::AccountId account, bool is_required) {
  const std::string name = std::to_string(account.value());
  std::vector<std::string_view> words{is_required ? "HSET" : "HDEL", keys::kLoginRequired, name};
  if (is_required) words.emplace_back("1");
  redis::Store::Call call = store_.command(words);
  co_await call;
}

loop::Task<std::vector<media::ContactId>> Factors::contacts() {
  const std::string prefix = keys::login_factor({0}).substr(0, keys::login_factor({0}).size() - 1);
  std::vector<media::ContactId> found;
  redis::Scan scan(store_, prefix + "*");
  while (true) {
    const std::vector<std::string> some = co_await scan.next();
    if (some.empty()) co_return found;
    for (const std::string& key : some) {
      if (const auto id = base::parse_number<std::int64_t>(key.substr(prefix.size())))
        found.push_back({*id});
    }
  }
}

loop::Task<bool> Factors::reseal(media::ContactId contact, std::string_view before,
                                 std::string_view after) {
  std::vector<std::string> keys{keys::login_factor(contact)};
  std::vector<std::string> arguments{std::string(before), std::string(after)};
  const redis::Reply resealed = co_await store_.eval(
      kResealFactor, std::move(keys), std::move(arguments), redis::Durability::Replicated);
  co_return resealed.integer() == 1;
}

loop::Task<std::optional<std::int64_t>> Factors::begin_attempt(media::ContactId contact) {
  std::vector<std::string> keys{keys::login_codes(contact)};
  std::vector<std::string> arguments{std::to_string(login::kFactorSeconds)};
  const redis::Reply counted =
      co_await store_.eval(kCountAttempt, std::move(keys), std::move(arguments));
  if (counted.at(0).integer() <= login::kMostWrongCodes) co_return std::nullopt;
  co_return std::max<std::int64_t>(counted.at(1).integer(), 1);
}

loop::Task<> Factors::succeeded(media::ContactId contact) {
  redis::Store::Call call = store_.command({"DEL", keys::login_codes(contact)});
  co_await call;
}

}  // namespace svc::stores
