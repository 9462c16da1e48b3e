// stats: svcctl media stats, svcctl account stats, svcctl account export-stats: how often media
// were watched.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Command media_stats_command();
Command account_stats_command();
Command export_stats_command();

}  // namespace svc::ctl
