// top: `svcctl top`, which keeps showing the work of pools in the last minute.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& top_commands();

}  // namespace svc::ctl
