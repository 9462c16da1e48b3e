// RespawnDelay: how long to wait before a dead worker is replaced.
//
// The first deaths cost nothing: replaced at once. Then the delay doubles up to a bound, and it is
// forgotten when no worker has died for a while. Every kind of death counts.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace svc::pool {

class RespawnDelay {
 public:
  // A worker died; the answer is how long to wait before its replacement.
  base::Duration after_death(base::TimePoint now) {
    using namespace std::chrono_literals;
    if (deaths_ > 0 && now - last_death_ > kForget) deaths_ = 0;
    last_death_ = now;
    ++deaths_;
    if (deaths_ <= kFree) return 0ms;
    const int doublings = std::min(deaths_ - kFree - 1, 10);
    return std::min<base::Duration>(kFirst * (1 << doublings), kLongest);
  }

 private:
  static constexpr int kFree = 5;
  static constexpr base::Duration kFirst = std::chrono::milliseconds(50);
  static constexpr base::Duration kLongest = std::chrono::seconds(5);
  static constexpr base::Duration kForget = std::chrono::seconds(10);

  int deaths_ = 0;
  base::TimePoint last_death_{};
};

}  // namespace svc::pool
