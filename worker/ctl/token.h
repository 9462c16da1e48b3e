// token: `svcctl token …`, what a code or token is for, and how to end it.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& token_commands();

}  // namespace svc::ctl
