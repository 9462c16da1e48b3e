// user: `svcctl user …`, contacts that can log in.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

inline constexpr const char* kUserUsage =
    "svcctl user create --name NAME --email EMAIL --account ID:ROLE [--account ID:ROLE …]\n"
    "            [--password-stdin] [--json]\n"
    "  Roles: owner, manager, user. The password is asked for at the terminal, or is the first "
    "line\n"
    "  of standard input with --password-stdin; never an argument, which every user of the "
    "machine\n"
    "  could see. It has at least 12 characters, as in the settings.\n"
    "svcctl user passwd EMAIL [--password-stdin] [--json]\n"
    "  Sets a new password, asked for or read as by user create, and ends the user's sessions.\n"
    "svcctl user revoke EMAIL|ID [--yes] [--json]\n"
    "  Ends all the user's grants, with their tokens and remembered consent, and all sessions.\n"
    "  Prints how many first, and asks, or needs --yes. The user can log in and authorize again,\n"
    "  unless an import removes the memberships or user passwd sets another password.\n";

const Group& user_commands();

}  // namespace svc::ctl
