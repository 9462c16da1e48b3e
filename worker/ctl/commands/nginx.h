// nginx: `svcctl nginx`, the site file of nginx for this configuration.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& nginx_commands();

}  // namespace svc::ctl
