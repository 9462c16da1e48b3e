// keys: `svcctl keys rotate`, which adds a new key to a key file, and `svcctl keys nginx`. At any
// time, each running worker can read the data that other workers encrypted.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& keys_commands();

}  // namespace svc::ctl
