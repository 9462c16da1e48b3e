// RespawnDelay: the delay before a dead worker is replaced.
//
// Occasional deaths, and some dozens in a row, cause no delay: the pool should
// stay full if an operator or a request kills workers. Continued deaths cause
// growing delays, by two rules; the longer delay applies:
//
//   at start  after workers that died within 200 ms (kYoung): none for the
//             first three in a row, then 50 ms (kFirst), doubling up to 5 s
//             (kLongest)
//   later     a budget of max(64, 4 per worker) deaths. A death uses 2 s of it
//             (kPrice); each worker restores 1 s per second. Once it is used
//             up: 50 ms, doubling up to 1 s (kLongestLater), because such
//             workers do serve requests; until half of the budget is restored
//
// Every kind of death counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace svc::pool {

class RespawnDelay {
 public:
  RespawnDelay(std::size_t workers, base::TimePoint now)
      : workers_(static_cast<int>(workers)),
        most_(std::max(kInAdvance, 4 * workers_) * kPrice),
        paid_(most_),
        paid_at_(now) {}

  // Returns the delay before the replacement of a worker that died after
  // `lived`.
  base::Duration after_death(base::Duration lived, base::TimePoint now) {
    return std::max(by_row(lived), by_number(now));
  }

 private:
  base::Duration by_row(base::Duration lived) {
    young_deaths_ = lived < kYoung ? young_deaths_ + 1 : 0;
    return doubled(young_deaths_ - kFree, kLongest);
  }

  base::Duration by_number(base::TimePoint now) {
    // Add at most the missing part: the product could overflow after years
    // without deaths.
    paid_ += std::min(now - paid_at_, (most_ - paid_) / workers_) * workers_;
    paid_at_ = now;
    if (paid_ >= most_ / 2) unpaid_deaths_ = 0;
    const bool paid = paid_ >= kPrice;
    if (paid) paid_ -= kPrice;
    if (!paid || unpaid_deaths_ > 0) ++unpaid_deaths_;
    return doubled(unpaid_deaths_, kLongestLater);
  }

  static base::Duration doubled(int times, base::Duration longest) {
    if (times <= 0) return {};
    return std::min<base::Duration>(kFirst * (1 << std::min(times - 1, 10)), longest);
  }

  static constexpr int kFree = 3;
  static constexpr base::Duration kYoung = std::chrono::milliseconds(200);
  static constexpr base::Duration kFirst = std::chrono::milliseconds(50);
  static constexpr base::Duration kLongest = std::chrono::seconds(5);
  static constexpr int kInAdvance = 64;
  static constexpr base::Duration kPrice = std::chrono::seconds(2);
  static constexpr base::Duration kLongestLater = std::chrono::seconds(1);

  int workers_;
  base::Duration most_;
  base::Duration paid_;  // the rest of the budget
  base::TimePoint paid_at_;
  int young_deaths_ = 0;   // in a row
  int unpaid_deaths_ = 0;  // since the budget was used up
};

}  // namespace svc::pool
