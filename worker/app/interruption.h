// interruption: the signals of a program that works until one arrives. TERM and INT end it; HUP
// makes it read its settings and work again.
#pragma once

#include <functional>

#include "app/options.h"
#include "base/clock.h"

namespace svc::app {

// Whether one of them has arrived.
bool is_interrupted();
// Waits until one arrives, at most this time.
void pause(base::Duration at_most);

// Calls `work`, which returns 0 once is_interrupted(), also again after HUP, then with the present
// settings if they can be used. Returns its last status.
int work_until_stopped(Program program, Options options, int argc, char** argv,
                       const std::function<int(const Options&)>& work);

}  // namespace svc::app
