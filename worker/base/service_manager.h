// ServiceManager: sends notifications to the process that started this process. sd_notify(3).
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace svc::base {

class ServiceManager {
 public:
  // Removes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the environment,
  // so that no child notifies on behalf of this process.
  static ServiceManager from_environment();

  // `socket` is a path, or @ and a name in the abstract namespace; with any
  // other value, nothing is sent. `watchdog` is the watchdog timeout; 0: no
  // watchdog.
  ServiceManager(std::string socket, Duration watchdog);

  bool exists() const { return !socket_.empty(); }
  Duration watchdog() const { return watchdog_; }
  // Never waits. Returns false if the message cannot be sent now.
  bool send(std::string_view message) const;

 private:
  std::string socket_;
  Duration watchdog_;
};

}  // namespace svc::base
