#include "stores/replace.h"

#include "stores/replace.lua.h"

namespace svc::stores {

loop::Task<bool> replace(redis::Store& store, const std::string& key, std::string_view before,
                         std::string_view after, redis::Durability durability) {
  functions::ReplaceRecord change{.record = key, .before = before, .after = after};
  const redis::Reply reply = co_await store.call(std::move(change), durability);
  co_return reply.integer() == 1;
}

loop::Task<bool> claim(redis::Store& store, const std::string& key, std::string_view value) {
  return replace(store, key, "", value);
}

}  // namespace svc::stores
