// captions: `svcctl captions …`, the captions of media.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& captions_commands();

}  // namespace svc::ctl
