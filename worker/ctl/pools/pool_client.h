// pool_client: asks a pool at its own socket, without nginx in between.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace svc::ctl {

// The body of the pool's answer 200 to a GET of that path; else what went wrong, for people. Takes
// at most `patience`.
base::Result<std::string, std::string> ask_pool(const std::string& socket, const std::string& path,
                                                std::chrono::milliseconds patience);

}  // namespace svc::ctl
