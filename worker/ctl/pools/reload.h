// reload: `svcctl reload`, has pools read their configuration again, and waits for what becomes of
// it.
#pragma once

#include <string>
#include <vector>

#include "ctl/pools/pools.h"

namespace svc::ctl {

inline constexpr const char* kReloadUsage =
    "svcctl reload [--socket PATH]... [--pid-file FILE | --pid PID] [--timeout SECONDS]\n"
    "  Has pools read their configuration and secrets again, waits until the new workers serve, "
    "and\n"
    "  says so; a configuration that is wrong changes nothing. With --pid-file or --pid the pool "
    "must\n"
    "  be that process. At most 30 s each.\n";

// Returns the exit status: 0 all serve with the new configuration, 1 one refused it or could not
// start with it and goes on as before, 2 the call was wrong, 3 one does not answer.
int reload(const std::vector<std::string>& arguments, const PoolDefaults& defaults);

}  // namespace svc::ctl
