// app: `svcctl app …`, the applications registered for OAuth.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

inline constexpr const char* kAppUsage =
    "svcctl app create --account ID --name NAME --redirect-uri URI --scopes SCOPE,SCOPE\n"
    "           [--description TEXT] [--scope-format array|string] [--require-pkce]\n"
    "           [--exact-redirect] [--refuse-query-credentials] [--client-id ID] [--json]\n"
    "  Registers an application and prints its client_id, its client_secret and a link that asks\n"
    "  for authorization. Scopes: all:all, all:read, media:read, stats:read, media:upload.\n"
    "  A name has at most 100 characters, a description 2000; an account has at most 200\n"
    "  applications.\n"
    "svcctl app list [--account ID] [--json]\n"
    "svcctl app show ID [--secret] [--json]\n"
    "  The secret only with --secret, which goes into the audit trail.\n"
    "svcctl app rotate-secret ID [--retire-old] [--json]\n"
    "  Makes a second secret and prints it. Both are right until --retire-old ends the older one.\n"
    "svcctl app delete ID [--yes] [--json]\n"
    "  Ends all its grants and tokens. Says how many first, and asks, or wants --yes. The "
    "application\n"
    "  stops working at once; if the command is interrupted, the web pool or the next run ends "
    "the\n"
    "  rest.\n";

const Group& app_commands();

}  // namespace svc::ctl
