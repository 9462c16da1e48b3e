// usage: `svcctl usage`, how many manifests were served for an account.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& usage_commands();

}  // namespace svc::ctl
