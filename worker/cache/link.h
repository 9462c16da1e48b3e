// Link: a worker's invalidation connection to the store, and until when it has received all of
// them.
//
// Declared here, where it is needed, and implemented in redis/tracking.
#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.h"

namespace svc::cache {

// Receives the invalidations of a Link, in their order.
class Changes {
 public:
  virtual ~Changes() = default;
  virtual void changed(std::string_view key) = 0;  // written, deleted or expired
  virtual void everything_changed() = 0;           // the store was emptied
  // From here on invalidations are received; earlier ones may have been missed.
  virtual void heard_from_now_on() = 0;
};

// The default for how long cached data counts as fresh without contact to the state Redis.
inline constexpr base::Duration kUnheard = std::chrono::seconds(5);

class Link {
 public:
  virtual ~Link() = default;

  virtual bool is_up() const = 0;
  // Every invalidation before that moment has been received, of what was read since the last
  // heard_from_now_on(). Stays as it is while the connection is down.
  virtual base::TimePoint heard_until() const = 0;
};

}  // namespace svc::cache
