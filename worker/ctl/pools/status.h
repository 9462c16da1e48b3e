// status: `svcctl status`, which prints the status that pools report.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& status_commands();

}  // namespace svc::ctl
