// operate: `svcctl backup`, `restore`, `setup` and `demo`, which run the package's script
// svc-operate: they are about files, units and nginx, not about records.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& backup_commands();
const Group& restore_commands();
const Group& setup_commands();
const Group& demo_commands();

}  // namespace svc::ctl
