// media_link: `svcctl media link` and `svcctl media end-links`.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Command media_link_command();
Command media_end_links_command();

}  // namespace svc::ctl
