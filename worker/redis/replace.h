// replace: writes a record if it still is what whoever changed it saw.
#pragma once

#include <string>
#include <string_view>

#include "redis/channel.h"

namespace svc::redis {

// `before` is empty for a record that must not be there yet. Returns false and writes nothing if
// the stored value is neither `before` nor already `after`. All of them outlive the task.
loop::Task<bool> replace(Channel& channel, const std::string& key, std::string_view before,
                         std::string_view after);

}  // namespace svc::redis
