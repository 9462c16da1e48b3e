// replace: changes of one record that depend on its value.
#pragma once

#include <string>
#include <string_view>

#include "redis/store.h"

namespace svc::stores {

// Sets the record to `after` if it is still `before`; an empty `before` means
// that the record must not exist. Returns false without writing if the stored
// value is neither `before` nor already `after`. All arguments must outlive the
// task.
loop::Task<bool> replace(redis::Store& store, const std::string& key, std::string_view before,
                         std::string_view after,
                         redis::Durability durability = redis::Durability::Primary);

// Sets the record to `value` if it does not exist. Returns false if it has
// another value.
loop::Task<bool> claim(redis::Store& store, const std::string& key, std::string_view value);

}  // namespace svc::stores
