// Link: how a worker hears what has changed in the store, and how it knows that it hears.
//
// Declared here because the store lies elsewhere: redis/tracking.
#pragma once

#include <string_view>

#include "base/clock.h"

namespace svc::cache {

// Told what a Link hears, in the order in which it happened.
class Changes {
 public:
  virtual ~Changes() = default;
  virtual void changed(std::string_view key) = 0;  // written, deleted or expired
  virtual void everything_changed() = 0;           // the store was emptied
  // From here on changes are heard; what happened before may have been missed.
  virtual void heard_from_now_on() = 0;
};

class Link {
 public:
  virtual ~Link() = default;

  virtual bool is_up() const = 0;
  // All changes before that moment have been heard, of what was read since the last
  // heard_from_now_on(). Stays when the link is lost.
  virtual base::TimePoint heard_until() const = 0;
};

}  // namespace svc::cache
