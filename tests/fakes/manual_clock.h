// ManualClock, ManualWallClock: clocks that only the test advances.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace svc::fakes {

class ManualClock : public base::Clock {
 public:
  base::TimePoint now() const override { return now_; }
  void advance(base::Duration duration) { now_ += duration; }

 private:
  base::TimePoint now_{std::chrono::hours(1)};
};

class ManualWallClock : public base::WallClock {
 public:
  std::int64_t now() const override { return now_; }
  void advance(std::int64_t seconds) { now_ += seconds; }

 private:
  std::int64_t now_ = 1'780'000'000;
};

}  // namespace svc::fakes
