// status: `svcctl status`, what pools say of themselves, and `svcctl top`, the same all the time.
#pragma once

#include <string>
#include <vector>

#include "ctl/pools/pools.h"

namespace svc::ctl {

inline constexpr const char* kStatusUsage =
    "svcctl status [--socket PATH]... [--json]\n"
    "  Prints what pools and their workers do, for people or as a JSON array.\n"
    "svcctl top [--socket PATH]... [--interval SECONDS]\n"
    "  The same in the terminal, with rates, every 2 s; q or Ctrl-C ends it.\n";

// Return the exit status: 0, 2 the call was wrong, 3 a pool does not answer.
int status(const std::vector<std::string>& arguments, const PoolDefaults& defaults);
int top(const std::vector<std::string>& arguments, const PoolDefaults& defaults);

}  // namespace svc::ctl
