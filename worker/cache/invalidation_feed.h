// invalidation_feed: a worker's invalidation connection to the store, and the
// time up to which it has received all invalidations.
//
// The interface belongs to its user; redis/tracking implements it.
#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.h"

namespace svc::cache {

// Receives the invalidations of an InvalidationFeed, in their order.
class InvalidationListener {
 public:
  virtual ~InvalidationListener() = default;
  virtual void invalidated(std::string_view key) = 0;  // written, deleted or expired
  virtual void all_invalidated() = 0;                  // the store was emptied
  // The connection was established: invalidations are received from now on;
  // earlier ones may have been missed.
  virtual void feed_began() = 0;
};

// Default of how long cached data stays fresh without contact to the state
// Redis.
inline constexpr base::Duration kMaxSilence = std::chrono::seconds(5);

class InvalidationFeed {
 public:
  virtual ~InvalidationFeed() = default;

  virtual bool is_up() const = 0;
  // All invalidations before this time have been received, for data that was
  // read since the last feed_began(). Does not advance while the
  // connection is down.
  virtual base::TimePoint received_until() const = 0;
};

}  // namespace svc::cache
