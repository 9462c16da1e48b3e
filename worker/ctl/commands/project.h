// project: the commands `svcctl project …`.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& project_commands();

}  // namespace svc::ctl
