// top: `svcctl top`, what pools did in the last minute, drawn again and again.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& top_commands();

}  // namespace svc::ctl
