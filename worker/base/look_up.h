// look_up: the addresses of a host, by the system's resolver.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace svc::base {

// Returns the literal addresses of a host, at least one, or the reason of the failure. May block
// for 30 s.
Result<std::vector<std::string>, std::string> look_up(const std::string& host);

}  // namespace svc::base
