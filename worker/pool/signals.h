// signals: which signal means what, and to whom.
//
//   parent  TERM, INT   stop: workers finish what they have in hand, then all ends
//           QUIT        drain: workers also wait until nginx lets go of its kept connections
//           HUP         reload: new workers with a new configuration, then the old ones drain
//           CHLD        a worker ended
//   worker  TERM        stop: finish the request in hand, close idle connections, end
//           QUIT        drain: answer on what is connected, accept nothing new, then end
//
// All of these are blocked but while a process waits, so none can interrupt a request: an answer
// whose sending is interrupted would end there. Workers ignore HUP.
#pragma once

#include <signal.h>

namespace svc::pool::signals {

// Blocks what is listed above, ignores PIPE, and notes the others when they arrive. The
// mask to wait with comes back.
sigset_t prepare();

// Whether such a signal arrived since the last call.
bool take_stop();
bool take_drain();
bool take_child();
bool take_reload();

// In a child after fork(): nothing has arrived yet, and HUP is not for it.
void forget();

}  // namespace svc::pool::signals
