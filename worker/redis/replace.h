// replace: a compare-and-set of one record.
#pragma once

#include <string>
#include <string_view>

#include "redis/channel.h"

namespace svc::redis {

// Sets the record to `after` if it is still `before`; an empty `before` means
// that the record must not exist. Returns false and writes nothing if the
// stored value is neither `before` nor already `after`. All arguments must
// outlive the task.
loop::Task<bool> replace(Channel& channel, const std::string& key, std::string_view before,
                         std::string_view after);

}  // namespace svc::redis
