// media_link: `svcctl media link`, `svcctl media links` and `svcctl media end-links`.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Command media_link_command();
Command media_links_command();
Command media_end_links_command();

}  // namespace svc::ctl
