// pool_client: sends a request to a pool's own socket, without nginx.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::ctl {

// Sends a GET request to a pool and blocks up to `patience` for the response. Returns the body of
// its 200, or an error message for the operator.
base::Result<std::string, std::string> ask_pool(const std::string& socket, std::string_view path,
                                                std::chrono::milliseconds patience);

}  // namespace svc::ctl
