#include "pool/signals.h"

#include <utility>

namespace svc::pool::signals {
namespace {

// The only variables that a handler writes. Handlers only run while the process
// waits.
volatile sig_atomic_t g_stop = 0;
volatile sig_atomic_t g_drain = 0;
volatile sig_atomic_t g_child = 0;
volatile sig_atomic_t g_reload = 0;

void note(int signal) {
  switch (signal) {
    case SIGTERM:
    case SIGINT: g_stop = 1; break;
    case SIGQUIT: g_drain = 1; break;
    case SIGCHLD: g_child = 1; break;
    case SIGHUP: g_reload = 1; break;
    default: break;
  }
}

bool take(volatile sig_atomic_t& flag) {
  const bool was = flag != 0;
  flag = 0;
  return was;
}

}  // namespace

sigset_t prepare() {
  sigset_t ours;
  sigemptyset(&ours);
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGCHLD, SIGHUP}) {
    sigaddset(&ours, signal);
    sigaction(signal, &action, nullptr);
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigset_t before;
  sigprocmask(SIG_BLOCK, &ours, &before);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGCHLD, SIGHUP}) sigdelset(&before, signal);
  return before;
}

bool take_stop() { return take(g_stop); }
bool take_drain() { return take(g_drain); }
bool take_child() { return take(g_child); }
bool take_reload() { return take(g_reload); }

void forget() {
  g_stop = 0;
  g_drain = 0;
  g_child = 0;
  g_reload = 0;
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, nullptr);
}

}  // namespace svc::pool::signals
