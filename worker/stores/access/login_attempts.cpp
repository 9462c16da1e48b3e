#include "stores/access/login_attempts.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/address_group.h"
#include "loop/all.h"
#include "media/email.h"
#include "redis/script.h"
#include "stores/keys.h"
#include "text/ascii.h"

namespace svc::stores {
namespace {

constexpr std::string_view kEmailLabel = "login email";
constexpr std::string_view kPairKeeps = "3600";    // s
constexpr std::string_view kEmailKeeps = "3600";   // s
constexpr std::string_view kAddressKeeps = "600";  // s
constexpr std::int64_t kKnownKeeps = 30 * 86'400;  // s

// KEYS: pair, email, known. ARGV: the address, the oldest login that counts.
const redis::Script& history_script() {
  static const redis::Script kScript(R"(
local pair = redis.call('HMGET', KEYS[1], 'failures', 'last', 'told')
local login = redis.call('ZSCORE', KEYS[3], ARGV[1])
local known = login and tonumber(login) >= tonumber(ARGV[2])
return {pair[1], pair[2], pair[3], redis.call('GET', KEYS[2]), known and '1' or '0'})",
                                     "[?$?$?$?$$]");
  return kScript;
}

// KEYS: a counter. Returns its value, and the seconds until it ends.
const redis::Script& attempt_history_script() {
  static const redis::Script kScript(
      "return {redis.call('GET', KEYS[1]), redis.call('TTL', KEYS[1])}", "[?$:]");
  return kScript;
}

// KEYS: pair. ARGV: now, time to live.
const redis::Script& told_script() {
  static const redis::Script kScript(R"(
redis.call('HSET', KEYS[1], 'told', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1)",
                                     ":");
  return kScript;
}

// KEYS: pair, email. ARGV: the expected failures, last and told; now; times to
// live of both. Returns 0 without counting if the pair has changed.
const redis::Script& begin_attempt_script() {
  static const redis::Script kScript(R"(
local pair = redis.call('HMGET', KEYS[1], 'failures', 'last', 'told')
for i = 1, 3 do
  if (tonumber(pair[i] or 0)) ~= tonumber(ARGV[i]) then return 0 end
end
redis.call('HINCRBY', KEYS[1], 'failures', 1)
redis.call('HSET', KEYS[1], 'last', ARGV[4])
redis.call('HDEL', KEYS[1], 'told')
redis.call('EXPIRE', KEYS[1], ARGV[5])
if redis.call('INCR', KEYS[2]) == 1 then redis.call('EXPIRE', KEYS[2], ARGV[6]) end
return 1)",
                                     ":");
  return kScript;
}

// KEYS: a counter. ARGV: time to live.
const redis::Script& count_attempt_script() {
  static const redis::Script kScript(R"(
if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return 1)",
                                     ":");
  return kScript;
}

// KEYS: pair, email, known. ARGV: the address, now, the oldest login that counts, time to live.
const redis::Script& succeeded_script() {
  static const redis::Script kScript(R"(
redis.call('DEL', KEYS[1])
if tonumber(redis.call('GET', KEYS[2]) or 0) > 0 then redis.call('INCRBY', KEYS[2], -1) end
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ARGV[3])
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -51)
redis.call('EXPIRE', KEYS[3], ARGV[4])
return 1)",
                                     ":");
  return kScript;
}

// KEYS: a counter. Subtracts 1 if it is above 0; never creates it.
const redis::Script& take_back_script() {
  static const redis::Script kScript(R"(
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('INCRBY', KEYS[1], -1) end
return 1)",
                                     ":");
  return kScript;
}

}  // namespace

std::string LoginAttempts::mac_of(std::string_view email) const {
  return keys_.mac(kEmailLabel, text::to_lower(media::canonical_email(email)));
}

std::vector<std::string> LoginAttempts::known_lists(std::string_view email) const {
  std::vector<std::string> lists;
  const std::string canonical = text::to_lower(media::canonical_email(email));
  for (const std::string& mac : keys_.macs(kEmailLabel, canonical))
    lists.push_back(keys::login_known(mac));
  return lists;
}

loop::Task<std::optional<std::int64_t>> LoginAttempts::last_login(std::string_view email) {
  std::optional<std::int64_t> last;
  for (const std::string& list : known_lists(email)) {
    redis::Store::Call call = store_.read({"ZRANGE", list, "-1", "-1", "WITHSCORES"});
    const redis::Reply newest = co_await call;
    if (newest.size() == 2) last = std::max(last.value_or(0), newest.at(1).number());
  }
  co_return last;
}

loop::Task<> LoginAttempts::forget_addresses(std::string_view email) {
  for (const std::string& list : known_lists(email)) {
    redis::Store::Call call = store_.command({"UNLINK", list});
    co_await call;
  }
}

loop::Task<> LoginAttempts::count(std::string key) {
  std::vector<std::string> keys{std::move(key)};
  std::vector<std::string> keeps{std::string(kAddressKeeps)};
  co_await store_.eval(count_attempt_script(), std::move(keys), std::move(keeps));
}

loop::Task<> LoginAttempts::take_back(std::string key) {
  std::vector<std::string> keys{std::move(key)};
  std::vector<std::string> none;
  co_await store_.eval(take_back_script(), std::move(keys), std::move(none));
}

loop::Task<login::AttemptHistory::Counted> LoginAttempts::look(std::string key) {
  std::vector<std::string> keys{std::move(key)};
  std::vector<std::string> none;
  const redis::Reply counted =
      co_await store_.eval(attempt_history_script(), std::move(keys), std::move(none));
  login::AttemptHistory::Counted found{counted.at(0).number(), counted.at(1).integer()};
  co_return found;
}

loop::Task<login::AttemptHistory> LoginAttempts::history(std::string_view email,
                                                         std::string_view address) {
  const std::string mac = mac_of(email);
  const std::string group = base::address_group(address);
  std::vector<std::string> keys{keys::login_pair(mac, group), keys::login_email(mac),
                                keys::login_known(mac)};
  std::vector<std::string> arguments{group, std::to_string(clock_.now() - kKnownKeeps)};
  std::vector<loop::Task<login::AttemptHistory::Counted>> looks;
  looks.push_back(look(keys::login_address(group)));
  for (const std::string& network : base::wider_networks(address))
    looks.push_back(look(keys::login_network(network)));
  auto both = loop::all(store_.eval(history_script(), std::move(keys), std::move(arguments)),
                        loop::all(std::move(looks)));
  const auto answers = co_await both;
  const auto& [reply, counted] = answers;
  login::AttemptHistory history;
  history.pair_failures = reply.at(0).number();
  history.pair_last = reply.at(1).number();
  history.pair_told = reply.at(2).number();
  history.email_failures = reply.at(3).number();
  history.email_knows_address = reply.at(4).text() == "1";
  history.address_failures = counted.front().failures;
  history.address_ends_in = counted.front().ends_in;
  history.networks.assign(counted.begin() + 1, counted.end());
  co_return history;
}

loop::Task<> LoginAttempts::told_to_wait(std::string_view email, std::string_view address) {
  std::vector<std::string> keys{keys::login_pair(mac_of(email), base::address_group(address))};
  std::vector<std::string> arguments{std::to_string(clock_.now()), std::string(kPairKeeps)};
  co_await store_.eval(told_script(), std::move(keys), std::move(arguments));
}

loop::Task<bool> LoginAttempts::begin(std::string_view email, std::string_view address,
                                      const login::AttemptHistory& seen) {
  const std::string mac = mac_of(email);
  std::vector<std::string> keys{keys::login_pair(mac, base::address_group(address)),
                                keys::login_email(mac)};
  std::vector<std::string> arguments{std::to_string(seen.pair_failures),
                                     std::to_string(seen.pair_last),
                                     std::to_string(seen.pair_told),
                                     std::to_string(clock_.now()),
                                     std::string(kPairKeeps),
                                     std::string(kEmailKeeps)};
  const redis::Reply begun =
      co_await store_.eval(begin_attempt_script(), std::move(keys), std::move(arguments));
  if (begun.integer() != 1) co_return false;
  co_await count_for(address);
  co_return true;
}

loop::Task<> LoginAttempts::was_busy(std::string_view address) { co_await count_for(address); }

loop::Task<> LoginAttempts::count_for(std::string_view address) {
  std::vector<loop::Task<>> counts;
  counts.push_back(count(keys::login_address(base::address_group(address))));
  for (const std::string& network : base::wider_networks(address))
    counts.push_back(count(keys::login_network(network)));
  co_await loop::all(std::move(counts));
}

loop::Task<> LoginAttempts::succeeded(std::string_view email, std::string_view address) {
  const std::string mac = mac_of(email);
  const std::string group = base::address_group(address);
  const std::int64_t now = clock_.now();
  std::vector<std::string> keys{keys::login_pair(mac, group), keys::login_email(mac),
                                keys::login_known(mac)};
  std::vector<std::string> arguments{group, std::to_string(now), std::to_string(now - kKnownKeeps),
                                     std::to_string(kKnownKeeps)};
  std::vector<loop::Task<>> counters;
  counters.push_back(take_back(keys::login_address(group)));
  for (const std::string& network : base::wider_networks(address))
    counters.push_back(take_back(keys::login_network(network)));
  auto both = loop::all(store_.eval(succeeded_script(), std::move(keys), std::move(arguments)),
                        loop::all(std::move(counters)));
  co_await both;
}

}  // namespace svc::stores
