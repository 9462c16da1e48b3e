// Notifier: what the service manager is told of the pool, by the protocol of sd_notify(3).
//
// READY=1 once all workers are up, RELOADING=1 and READY=1 around a reload, STOPPING=1 at the end,
// a STATUS= with rates, and WATCHDOG=1 for as long as some worker looks up from its work. Says
// nothing where nobody asked to be told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "pool/metrics/scoreboard.h"

namespace svc::pool {

class Notifier {
 public:
  // Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment: they are the
  // parent's, and a worker that repeated them would speak for the pool.
  static Notifier from_environment();

  // `socket` is a path, or a name in the abstract namespace behind an @; anything else, and an
  // empty one, silences it. `watchdog` is how often it has to be said that all is well; 0: never.
  Notifier(std::string socket, base::Duration watchdog);

  // Never wait: what the manager cannot take now is said again at the next look().
  void ready();
  void stopping();
  void reloading(base::TimePoint now);
  // `remark` stands in every status until the next reload; empty when all went well. A pool that
  // was not ready before is not ready by this.
  void reloaded(const std::string& remark, bool ready);

  // Called by the parent's loop each time it comes round. A worker is well that looked up, or took
  // up a request, less than `patience` ago; one that has not come up yet is not. While none is, the
  // watchdog goes unfed, and the manager starts the whole pool anew.
  void look(std::span<const Slot> slots, base::TimePoint now, base::Duration patience);

 private:
  void say_owed();
  std::string status(std::span<const Slot> slots, base::TimePoint now);
  bool send(std::string_view message) const;

  std::string socket_;
  base::Duration watchdog_;
  std::string owed_;  // READY=1, RELOADING=1 or STOPPING=1, until it is said
  bool stopping_ = false;
  std::string remark_;
  base::TimePoint fed_{};
  base::TimePoint status_at_{};         // when the status was last made; at 0 it is due
  std::string status_;                  // and what it said
  std::vector<std::uint64_t> counted_;  // requests of each slot at that time
};

}  // namespace svc::pool
