// Notifier: reports the pool's state to the service manager with sd_notify(3).
//
// Sends READY=1 once all workers have started, RELOADING=1 and READY=1 around a
// reload, STOPPING=1 at the end, STATUS= with rates, and WATCHDOG=1 while at
// least one worker has a recent heartbeat. Sends nothing without NOTIFY_SOCKET.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/service_manager.h"
#include "pool/metrics/scoreboard.h"

namespace svc::pool {

class Notifier {
 public:
  explicit Notifier(base::ServiceManager manager) : manager_(std::move(manager)) {}

  // None of these waits. A message that cannot be sent now is sent again at the
  // next look().
  void ready();
  void stopping();
  void reloading(base::TimePoint now);
  // Every status until the next reload contains `remark`; it is empty after a
  // successful reload. Sends READY=1 only if `ready`.
  void reloaded(const std::string& remark, bool ready);

  // Called in every turn of the parent's loop. A worker is well if its
  // heartbeat or its current request is at most `patience` old; a starting
  // worker is not. While no worker is well, WATCHDOG=1 is not sent, and the
  // manager restarts the whole pool.
  void look(std::span<const Slot> slots, base::TimePoint now, base::Duration patience);

 private:
  void say_owed();
  std::string status(std::span<const Slot> slots, base::TimePoint now);

  base::ServiceManager manager_;
  std::string owed_;  // READY=1, RELOADING=1 or STOPPING=1, until it is sent
  bool stopping_ = false;
  std::string remark_;
  base::TimePoint fed_{};
  base::TimePoint status_at_{};         // when the last status was built; 0: it is due
  std::string status_;                  // the last status
  std::vector<std::uint64_t> counted_;  // requests of each slot at that time
};

}  // namespace svc::pool
