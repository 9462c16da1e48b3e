// ManualClock: stands still until the test moves it.
#pragma once

#include "base/clock.h"

namespace svc::fakes {

class ManualClock : public base::Clock {
 public:
  base::TimePoint now() const override { return now_; }
  void advance(base::Duration duration) { now_ += duration; }

 private:
  base::TimePoint now_{std::chrono::hours(1)};
};

}  // namespace svc::fakes
