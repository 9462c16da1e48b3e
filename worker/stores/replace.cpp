#include "stores/replace.h"

#include <vector>

namespace svc::stores {
namespace {

// KEYS: the record. ARGV: text before, text after. Safe to repeat.
const redis::Script& replace_script() {
  static const redis::Script kScript(R"(
local now = redis.call('GET', KEYS[1]) or ''
if now == ARGV[2] then return 1 end
if now ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1)",
                                     ":");
  return kScript;
}

// KEYS: the record. ARGV: its value. Safe to repeat.
const redis::Script& release_script() {
  static const redis::Script kScript(R"(
local now = redis.call('GET', KEYS[1])
if now and now ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1)",
                                     ":");
  return kScript;
}

}  // namespace

loop::Task<bool> replace(redis::Store& store, const std::string& key, std::string_view before,
                         std::string_view after, redis::Durability durability) {
  std::vector<std::string> keys{key};
  std::vector<std::string> values{std::string(before), std::string(after)};
  const redis::Reply reply =
      co_await store.eval(replace_script(), std::move(keys), std::move(values), durability);
  co_return reply.integer() == 1;
}

loop::Task<bool> claim(redis::Store& store, const std::string& key, std::string_view value) {
  return replace(store, key, "", value);
}

loop::Task<bool> release(redis::Store& store, const std::string& key, std::string_view value) {
  std::vector<std::string> keys{key};
  std::vector<std::string> values{std::string(value)};
  const redis::Reply reply =
      co_await store.eval(release_script(), std::move(keys), std::move(values));
  co_return reply.integer() == 1;
}

}  // namespace svc::stores
