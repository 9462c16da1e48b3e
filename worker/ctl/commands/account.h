// account: `svcctl account …`, the accounts of the catalog.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& account_commands();

}  // namespace svc::ctl
