// stats: `svcctl stats`, how often media were watched.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& stats_commands();

}  // namespace svc::ctl
