// Recent: the work of a pool in the last minute, computed from its totals now and a minute ago.
#pragma once

#include <chrono>
#include <deque>
#include <vector>

#include "ctl/pools/pool_status.h"

namespace svc::ctl {

// The numbers are differences over `seconds`; all other fields are current.
struct RecentWork {
  double seconds = 0;  // 0 after a single status: then all numbers are 0, too
  PoolStatus::Endpoint all;
  std::vector<PoolStatus::Endpoint> endpoints;
  std::vector<PoolStatus::Process> processes;
};

class Recent {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kSpan{60};

  // Adds a status, which must be later than the previous ones. Forgets the previous ones if the
  // pool was restarted, or if the last is older than both kSpan and twice `interval`.
  void add(PoolStatus status, Clock::time_point at, std::chrono::milliseconds interval);

  bool is_empty() const { return looks_.empty(); }
  // Returns the newest status. Must not be called if is_empty().
  const PoolStatus& now() const { return looks_.back().status; }
  // Returns the work since the newest status that is at least kSpan older than the last status; if
  // none is so old, since the first. Must not be called if is_empty().
  RecentWork work() const;

 private:
  struct Look {
    Clock::time_point at;
    PoolStatus status;
  };
  std::deque<Look> looks_;
};

}  // namespace svc::ctl
