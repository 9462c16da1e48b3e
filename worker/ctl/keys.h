// keys: `svcctl keys rotate`, a new key for the server's key file. At any moment a running worker
// can read what another one wrote.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& keys_commands();

}  // namespace svc::ctl
