// signals: the meaning of each signal, for the parent and for workers.
//
//   parent  TERM, INT   stop: workers complete current requests, then all exit
//           QUIT        drain: workers also wait until nginx closes its
//                       keep-alive connections
//           HUP         reload: start workers with a new configuration, then
//                       drain the old ones
//           CHLD        a worker exited
//   worker  TERM        stop: complete current requests, close idle
//                       connections, exit
//           QUIT        drain: serve the open connections, accept none, exit
//
// These signals are blocked except while a process waits, so that none
// interrupts sending a response. Workers ignore HUP.
#pragma once

#include <signal.h>

namespace svc::pool::signals {

// Blocks the signals above and installs their handlers; ignores PIPE. Returns
// the mask to wait with.
sigset_t prepare();

// Return true if that signal arrived since the last call.
bool take_stop();
bool take_drain();
bool take_child();
bool take_reload();

// In a child after fork(): clears signals that the parent received, and ignores
// HUP.
void forget();

}  // namespace svc::pool::signals
