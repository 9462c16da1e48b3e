// usage: `svcctl usage ACCOUNT [--days N] [--json]`, how many manifests were answered for an
// account.
#pragma once

#include <string>
#include <vector>

#include "ctl/store.h"

namespace svc::ctl {

inline constexpr const char* kUsageUsage =
    "svcctl usage ACCOUNT [--days N] [--json]\n"
    "  Prints how many HLS manifests were answered for the account, for each of the last N days "
    "(30,\n"
    "  at most 400; UTC), and their sum.\n";

// Returns the exit status: 0, 1 there is no such account, 2 the call was wrong, 3 the store is
// away.
int usage(const std::vector<std::string>& arguments, const Store& store);

}  // namespace svc::ctl
