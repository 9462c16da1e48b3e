// RespawnDelay: how long to wait before a dead worker is replaced.
//
// A worker that lived a while is replaced at once, however often that happens: somebody kills
// workers, or a request does, and the pool should stay full. Workers that die young, one after the
// other, will die again: the first few are replaced at once, then the delay doubles up to a bound.
// Every kind of death counts.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace svc::pool {

class RespawnDelay {
 public:
  // A worker died that had lived that long; the answer is how long to wait before its replacement.
  base::Duration after_death(base::Duration lived) {
    using namespace std::chrono_literals;
    if (lived >= kYoung) {
      young_deaths_ = 0;
      return 0ms;
    }
    ++young_deaths_;
    if (young_deaths_ <= kFree) return 0ms;
    const int doublings = std::min(young_deaths_ - kFree - 1, 10);
    return std::min<base::Duration>(kFirst * (1 << doublings), kLongest);
  }

 private:
  static constexpr int kFree = 3;
  static constexpr base::Duration kYoung = std::chrono::milliseconds(200);
  static constexpr base::Duration kFirst = std::chrono::milliseconds(50);
  static constexpr base::Duration kLongest = std::chrono::seconds(5);

  int young_deaths_ = 0;
};

}  // namespace svc::pool
