// user: `svcctl user …`, contacts that can log in.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& user_commands();

}  // namespace svc::ctl
