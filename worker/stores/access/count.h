// count: events within a time that begins with the first one.
#pragma once

#include <cstdint>
#include <string>

#include "redis/store.h"

namespace svc::stores {

struct Count {
  std::int64_t events = 0;
  std::int64_t ends_in = 0;  // seconds
};

// Counts an event. The counter ends `seconds` after its first one.
loop::Task<Count> count_event(redis::Store& store, std::string counter, std::int64_t seconds);

}  // namespace svc::stores
