// reload: `svcctl reload`, which makes pools read their configuration again and waits for the
// outcome.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& reload_commands();

}  // namespace svc::ctl
