// catalog: `svcctl catalog …`, the index of media and projects.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& catalog_commands();

}  // namespace svc::ctl
