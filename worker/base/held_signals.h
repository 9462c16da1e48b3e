// HeldSignals: blocks signals except while it waits, so that a signal that arrives just before a
// wait is not lost. The caller installs their handler, which sets `arrived`.
#pragma once

#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <span>

namespace svc::base {

class HeldSignals {
 public:
  // `arrived` must outlive the object.
  HeldSignals(std::span<const int> signals, const volatile sig_atomic_t& arrived)
      : arrived_(arrived) {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : signals) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Blocks until `fd` is readable, for at most this time if there is one. Returns false if a signal
  // has arrived. Without a file, -1.
  bool wait_for(int fd, const timespec* at_most = nullptr) const {
    pollfd waited{fd, POLLIN, 0};
    while (arrived_ == 0) {
      if (ppoll(&waited, 1, at_most, &before_) >= 0 || errno != EINTR) break;
    }
    return arrived_ == 0;
  }

 private:
  const volatile sig_atomic_t& arrived_;
  sigset_t before_{};
};

}  // namespace svc::base
