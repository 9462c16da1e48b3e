// help_commands: `svcctl help`, `svcctl version` and `svcctl completion`, which
// require neither a configuration nor a store.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& help_commands();
const Group& version_commands();
const Group& completion_commands();

}  // namespace svc::ctl
