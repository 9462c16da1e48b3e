// media: `svcctl media …`, the videos and other media of the catalog.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& media_commands();

}  // namespace svc::ctl
