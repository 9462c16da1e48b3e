// app: `svcctl app …`, the applications registered for OAuth.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& app_commands();

}  // namespace svc::ctl
