// Recent: the work of a pool in the last minute, computed from its totals now and a minute ago.
#pragma once

#include <chrono>
#include <deque>

#include "ctl/pools/pool_status.h"

namespace svc::ctl {

class Recent {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kSpan{60};

  // Adds a status, which must be later than the previous ones. Forgets these if the pool was
  // restarted, or if the last status is older than kSpan.
  void add(PoolStatus status, Clock::time_point at);

  // Returns the newest status with the requests, statuses and durations since the newest status
  // that is at least kSpan older; if all are newer, since the first status, so zeros after a single
  // status. Must not be called before add().
  PoolStatus work() const;
  // Returns the time between these two, in seconds.
  double seconds() const;

 private:
  struct Look {
    Clock::time_point at;
    PoolStatus status;
  };
  std::deque<Look> looks_;
};

}  // namespace svc::ctl
