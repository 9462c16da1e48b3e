#include "pool/signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace svc::pool {
namespace {

// Runs in a child process, because handlers and masks apply to the whole
// process. Returns its exit status.
int in_child(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Waits like the pool, with a timeout of zero.
void look_up(const sigset_t& waiting) {
  const timespec none{};
  ppoll(nullptr, 0, &none, &waiting);
}

struct Taken {
  bool stop, drain, child;
  bool operator==(const Taken&) const = default;
};
Taken take() { return {signals::take_stop(), signals::take_drain(), signals::take_child()}; }
constexpr Taken kNothing{false, false, false};

TEST(Signals, EachSetsItsFlag) {
  struct Case {
    int signal;
    Taken means;
  };
  for (const Case& c : {Case{SIGTERM, {true, false, false}}, Case{SIGINT, {true, false, false}},
                        Case{SIGQUIT, {false, true, false}}, Case{SIGCHLD, {false, false, true}},
                        Case{SIGHUP, kNothing}, Case{SIGPIPE, kNothing}}) {
    EXPECT_EQ(in_child([&] {
                const sigset_t waiting = signals::prepare();
                if (take() != kNothing) return false;
                raise(c.signal);
                look_up(waiting);
                return take() == c.means && take() == kNothing;
              }),
              0)
        << c.signal;
  }
}

// operations-P6: if a signal interrupted the sending of a response, the response would be
// cut off.
TEST(Signals, AreDeliveredOnlyDuringAWait) {
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGCHLD}) {
    EXPECT_EQ(in_child([&] {
                const sigset_t waiting = signals::prepare();
                raise(signal);
                if (take() != kNothing) return false;
                sigset_t pending;
                sigpending(&pending);
                if (sigismember(&pending, signal) != 1) return false;
                look_up(waiting);
                return take() != kNothing;
              }),
              0)
        << signal;
  }
}

TEST(Signals, ForgetDropsReceivedSignals) {
  EXPECT_EQ(in_child([] {
              const sigset_t waiting = signals::prepare();
              for (const int signal : {SIGTERM, SIGQUIT, SIGCHLD}) raise(signal);
              look_up(waiting);
              signals::forget();
              return take() == kNothing;
            }),
            0);
}

TEST(Signals, LeaveTheRestOfTheMaskUnchanged) {
  EXPECT_EQ(in_child([] {
              sigset_t before;
              sigemptyset(&before);
              sigaddset(&before, SIGUSR1);
              sigaddset(&before, SIGTERM);
              sigprocmask(SIG_SETMASK, &before, nullptr);
              const sigset_t waiting = signals::prepare();
              return sigismember(&waiting, SIGUSR1) == 1 && sigismember(&waiting, SIGUSR2) == 0 &&
                     sigismember(&waiting, SIGTERM) == 0;
            }),
            0);
}

}  // namespace
}  // namespace svc::pool
