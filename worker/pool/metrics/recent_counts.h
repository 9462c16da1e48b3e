// RecentCounts: approximate numbers of recent events by name, in shared memory
// of a fixed size.
//
// A count-min sketch whose counts halve every minute. Never too low; too high
// only if two names share their cells in both rows. The cells depend on a
// random key per object, so no client can choose colliding names. All workers
// write it, without a lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/digest.h"
#include "base/entropy.h"

namespace svc::pool {

class RecentCounts {
 public:
  RecentCounts() { base::SystemEntropy().fill(key_); }

  // Counts one event. Returns the count before it.
  std::uint32_t add(std::string_view what, base::TimePoint now) {
    const auto minute = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::minutes>(now.time_since_epoch()).count());
    std::string keyed(key_.begin(), key_.end());
    keyed += what;
    std::uint64_t hash = 0;
    std::memcpy(&hash, base::sha256(keyed).data(), sizeof hash);
    std::uint32_t least = UINT32_MAX;
    for (auto& row : rows_) {
      least = std::min(least, add(row[hash % kCells], minute));
      hash = hash / kCells;
    }
    return least;
  }

 private:
  // A cell: the minute of its last count, and the count.
  static std::uint32_t add(std::atomic<std::uint64_t>& cell, std::uint32_t minute) {
    std::uint64_t seen = cell.load(std::memory_order_relaxed);
    while (true) {
      const std::uint32_t age = std::min(minute - static_cast<std::uint32_t>(seen >> 32U), 31U);
      const std::uint32_t count = static_cast<std::uint32_t>(seen) >> age;
      const std::uint64_t next = (std::uint64_t{minute} << 32U) | std::min(count + 1, kMost);
      if (cell.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return count;
    }
  }

  static constexpr std::uint32_t kMost = 1U << 20U;
  static constexpr std::size_t kCells = 8192;
  std::array<unsigned char, 32> key_{};
  std::array<std::array<std::atomic<std::uint64_t>, kCells>, 2> rows_{};
};

}  // namespace svc::pool
