#include "redis/form_limit.h"

#include <algorithm>
#include <array>
#include <string>

#include "redis/keys.h"
#include "redis/script.h"

namespace svc::redis {
namespace {

// KEYS: the counter. ARGV: time to live.
const Script& count_script() {
  static const Script kScript(R"(
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('TTL', KEYS[1])})");
  return kScript;
}

}  // namespace

std::optional<std::int64_t> FormLimit::wait(media::ContactId contact) {
  const std::array<std::string, 1> keys{keys::settings_forms(contact)};
  const std::array<std::string, 1> keeps{std::to_string(kSeconds)};
  const Reply counted = connection_.eval(count_script(), keys, keeps);
  if (counted.at(0).integer() <= kMost) return std::nullopt;
  return std::max<std::int64_t>(counted.at(1).integer(), 1);
}

}  // namespace svc::redis
