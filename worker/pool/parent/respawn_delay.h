// RespawnDelay: how long to wait before a dead worker is replaced.
//
// A death now and then costs nothing, nor do some dozens in a row: somebody kills workers, or a
// request does, and the pool should stay full. What goes on costs more and more, by two rules, and
// the longer delay counts:
//
//   at start  workers that die young, one after the other, will die again: the first few are
//             replaced at once, then the delay doubles up to 5 s
//   later     each death is paid for with 2 s of a worker's life. 64 are paid in advance, four a
//             worker in a large pool. Once they are used up the delay doubles up to 1 s, no longer,
//             since such workers do answer while they live; until half of it is there again
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

  // A worker died that had lived that long; the answer is how long to wait before its replacement.
  base::Duration after_death(base::Duration lived, base::TimePoint now) {
    return std::max(by_row(lived), by_number(now));
  }

 private:
  base::Duration by_row(base::Duration lived) {
    young_deaths_ = lived < kYoung ? young_deaths_ + 1 : 0;
    return doubled(young_deaths_ - kFree, kLongest);
  }

  base::Duration by_number(base::TimePoint now) {
    // At most as much as is missing, so that a pool that rested for years does not overflow.
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
  base::Duration paid_;  // what the next deaths may use up
  base::TimePoint paid_at_;
  int young_deaths_ = 0;   // in a row
  int unpaid_deaths_ = 0;  // since nothing was left
};

}  // namespace svc::pool
