// Recent: what a pool did in the last minute, computed from its totals now and a minute ago.
#pragma once

#include <chrono>
#include <deque>
#include <vector>

#include "ctl/pools/pool_status.h"

namespace svc::ctl {

// The numbers are differences over that many seconds; the rest is as it is now.
struct RecentWork {
  double seconds = 0;  // 0 if there was only one look: then all numbers are 0, too
  PoolStatus::Endpoint all;
  std::vector<PoolStatus::Endpoint> endpoints;
  std::vector<PoolStatus::Process> processes;
};

class Recent {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kSpan{60};

  // Adds a look at the pool, later than the ones before. If the pool was started anew, or was not
  // looked at for more than two of `interval` and kSpan, forgets the looks before.
  void add(PoolStatus status, Clock::time_point at, std::chrono::milliseconds interval);

  bool is_empty() const { return looks_.empty(); }
  // The newest look. Not to be called if there is none.
  const PoolStatus& now() const { return looks_.back().status; }
  // Since the newest look that is at least kSpan older than the last one; since the first look if
  // there is none. Not to be called if there is no look.
  RecentWork work() const;

 private:
  struct Look {
    Clock::time_point at;
    PoolStatus status;
  };
  std::deque<Look> looks_;
};

}  // namespace svc::ctl
