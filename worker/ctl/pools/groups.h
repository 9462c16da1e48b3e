// groups: the commands of svcctl about the pools and the services of a machine.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

// Looks for what keeps this machine's services from working.
const Group& doctor_commands();
// Makes pools read their configuration again, and waits for the outcome.
const Group& reload_commands();
// Prints the status that pools report.
const Group& status_commands();

}  // namespace svc::ctl
