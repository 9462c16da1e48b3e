// status: `svcctl status`, what pools say of themselves.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& status_commands();

}  // namespace svc::ctl
