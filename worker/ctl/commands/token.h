// token: `svcctl token …`, inspects and revokes tokens.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& token_commands();

}  // namespace svc::ctl
