// scan: goes through the keys of a store without holding it up. Only for svcctl: workers may not.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/connection.h"

namespace svc::redis {

// Calls `see` with the keys that match, a batch at a time and each once: all that are there from
// beginning to end, and perhaps some that come or go meanwhile.
void scan(Connection& connection, std::string_view pattern,
          const std::function<void(const std::vector<std::string>& keys)>& see);

}  // namespace svc::redis
