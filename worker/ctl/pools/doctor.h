// doctor: `svcctl doctor`, which looks for what keeps this machine's services from working.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& doctor_commands();

}  // namespace svc::ctl
