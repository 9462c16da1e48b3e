#include "stores/access/form_limit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "redis/script.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// KEYS: the counter. ARGV: time to live.
const redis::Script& count_form_script() {
  static const redis::Script kScript(R"(
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('TTL', KEYS[1])})",
                                     "[::]");
  return kScript;
}

}  // namespace

loop::Task<std::optional<std::int64_t>> FormLimit::wait(media::ContactId contact) {
  std::vector<std::string> keys{keys::settings_forms(contact)};
  std::vector<std::string> keeps{std::to_string(kSeconds)};
  const redis::Reply counted =
      co_await store_.eval(count_form_script(), std::move(keys), std::move(keeps));
  if (counted.at(0).integer() <= kMost) co_return std::nullopt;
  co_return std::max<std::int64_t>(counted.at(1).integer(), 1);
}

}  // namespace svc::stores
