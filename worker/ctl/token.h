// token: `svcctl token …`, what a code or token stands for, and its end.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

inline constexpr const char* kTokenUsage =
    "svcctl token inspect [--json]\n"
    "  Says what an authorization code, access token or refresh token is for, and whether it is\n"
    "  alive. It is the first line of standard input, never an argument, which every user of the\n"
    "  machine could see.\n"
    "svcctl token revoke [--consent] [--json]\n"
    "  Ends all tokens of its grant; with --consent the grant itself, so that the contact is "
    "asked\n"
    "  again.\n";

const Group& token_commands();

}  // namespace svc::ctl
