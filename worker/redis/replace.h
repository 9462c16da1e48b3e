// replace: writes a record if it still is what whoever changed it saw.
#pragma once

#include <string>
#include <string_view>

#include "redis/connection.h"

namespace svc::redis {

// `before` is empty for a record that must not be there yet. False, and nothing is written, when
// somebody else was faster.
bool replace(Connection& connection, const std::string& key, std::string_view before,
             std::string_view after);

}  // namespace svc::redis
