#include "redis/login_attempts.h"

#include <array>
#include <charconv>

#include "base/address_group.h"
#include "redis/keys.h"
#include "redis/script.h"
#include "text/ascii.h"

namespace svc::redis {
namespace {

constexpr std::string_view kPairKeeps = "3600";    // s
constexpr std::string_view kEmailKeeps = "3600";   // s
constexpr std::string_view kAddressKeeps = "600";  // s
constexpr std::int64_t kKnownKeeps = 30 * 86'400;  // s

std::int64_t number_of(std::optional<std::string_view> text) {
  std::int64_t value = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

// KEYS: pair, email, known. ARGV: the address, the oldest login that counts.
const Script& history_script() {
  static const Script kScript(R"(
local pair = redis.call('HMGET', KEYS[1], 'failures', 'last', 'told')
local login = redis.call('ZSCORE', KEYS[3], ARGV[1])
local known = login and tonumber(login) >= tonumber(ARGV[2])
return {pair[1], pair[2], pair[3], redis.call('GET', KEYS[2]), known and '1' or '0'})");
  return kScript;
}

// KEYS: a counter. The value, and seconds until it ends.
const Script& look_script() {
  static const Script kScript("return {redis.call('GET', KEYS[1]), redis.call('TTL', KEYS[1])}");
  return kScript;
}

// KEYS: pair. ARGV: now, time to live.
const Script& told_script() {
  static const Script kScript(R"(
redis.call('HSET', KEYS[1], 'told', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1)");
  return kScript;
}

// KEYS: pair, email. ARGV: failures, last and told as they were seen, now, times to live of both.
const Script& begin_script() {
  static const Script kScript(R"(
local pair = redis.call('HMGET', KEYS[1], 'failures', 'last', 'told')
for i = 1, 3 do
  if (tonumber(pair[i] or 0)) ~= tonumber(ARGV[i]) then return 0 end
end
redis.call('HINCRBY', KEYS[1], 'failures', 1)
redis.call('HSET', KEYS[1], 'last', ARGV[4])
redis.call('HDEL', KEYS[1], 'told')
redis.call('EXPIRE', KEYS[1], ARGV[5])
if redis.call('INCR', KEYS[2]) == 1 then redis.call('EXPIRE', KEYS[2], ARGV[6]) end
return 1)");
  return kScript;
}

// KEYS: a counter. ARGV: time to live.
const Script& count_script() {
  static const Script kScript(R"(
if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return 1)");
  return kScript;
}

// KEYS: pair, email, known. ARGV: the address, now, the oldest login that counts, time to live.
const Script& succeeded_script() {
  static const Script kScript(R"(
redis.call('DEL', KEYS[1])
if tonumber(redis.call('GET', KEYS[2]) or 0) > 0 then redis.call('INCRBY', KEYS[2], -1) end
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ARGV[3])
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -51)
redis.call('EXPIRE', KEYS[3], ARGV[4])
return 1)");
  return kScript;
}

// KEYS: a counter. Never makes one.
const Script& take_back_script() {
  static const Script kScript(R"(
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('INCRBY', KEYS[1], -1) end
return 1)");
  return kScript;
}

}  // namespace

std::string LoginAttempts::mac_of(std::string_view email) const {
  return keys_.mac("login email", text::to_lower(email));
}

void LoginAttempts::count(const std::string& key) {
  const std::array<std::string, 1> keys{key};
  const std::array<std::string, 1> keeps{std::string(kAddressKeeps)};
  connection_.eval(count_script(), keys, keeps);
}

void LoginAttempts::take_back(const std::string& key) {
  const std::array<std::string, 1> keys{key};
  connection_.eval(take_back_script(), keys, {});
}

login::AttemptHistory LoginAttempts::history(std::string_view email, std::string_view address) {
  const std::string mac = mac_of(email);
  const std::string group = base::address_group(address);
  const std::array<std::string, 3> keys{keys::login_pair(mac, group), keys::login_email(mac),
                                        keys::login_known(mac)};
  const std::array<std::string, 2> arguments{group, std::to_string(clock_.now() - kKnownKeeps)};
  const Reply reply = connection_.eval(history_script(), keys, arguments);
  login::AttemptHistory history;
  history.pair_failures = number_of(reply.at(0).text());
  history.pair_last = number_of(reply.at(1).text());
  history.pair_told = number_of(reply.at(2).text());
  history.email_failures = number_of(reply.at(3).text());
  history.email_knows_address = reply.at(4).text() == "1";
  const auto look = [&](const std::string& key) {
    const std::array<std::string, 1> counter{key};
    const Reply counted = connection_.eval(look_script(), counter, {});
    return login::AttemptHistory::Counted{number_of(counted.at(0).text()), counted.at(1).integer()};
  };
  const login::AttemptHistory::Counted own = look(keys::login_address(group));
  history.address_failures = own.failures;
  history.address_ends_in = own.ends_in;
  for (const std::string& network : base::wider_networks(address))
    history.networks.push_back(look(keys::login_network(network)));
  return history;
}

void LoginAttempts::told_to_wait(std::string_view email, std::string_view address) {
  const std::array<std::string, 1> keys{
      keys::login_pair(mac_of(email), base::address_group(address))};
  const std::array<std::string, 2> arguments{std::to_string(clock_.now()), std::string(kPairKeeps)};
  connection_.eval(told_script(), keys, arguments);
}

bool LoginAttempts::begin(std::string_view email, std::string_view address,
                          const login::AttemptHistory& seen) {
  const std::string mac = mac_of(email);
  const std::array<std::string, 2> keys{keys::login_pair(mac, base::address_group(address)),
                                        keys::login_email(mac)};
  const std::array<std::string, 6> arguments{std::to_string(seen.pair_failures),
                                             std::to_string(seen.pair_last),
                                             std::to_string(seen.pair_told),
                                             std::to_string(clock_.now()),
                                             std::string(kPairKeeps),
                                             std::string(kEmailKeeps)};
  if (connection_.eval(begin_script(), keys, arguments).integer() != 1) return false;
  count_for(address);
  return true;
}

void LoginAttempts::was_busy(std::string_view address) { count_for(address); }

void LoginAttempts::count_for(std::string_view address) {
  count(keys::login_address(base::address_group(address)));
  for (const std::string& network : base::wider_networks(address))
    count(keys::login_network(network));
}

void LoginAttempts::succeeded(std::string_view email, std::string_view address) {
  const std::string mac = mac_of(email);
  const std::string group = base::address_group(address);
  const std::int64_t now = clock_.now();
  const std::array<std::string, 3> keys{keys::login_pair(mac, group), keys::login_email(mac),
                                        keys::login_known(mac)};
  const std::array<std::string, 4> arguments{group, std::to_string(now),
                                             std::to_string(now - kKnownKeeps),
                                             std::to_string(kKnownKeeps)};
  connection_.eval(succeeded_script(), keys, arguments);
  take_back(keys::login_address(group));
  for (const std::string& network : base::wider_networks(address))
    take_back(keys::login_network(network));
}

}  // namespace svc::redis
