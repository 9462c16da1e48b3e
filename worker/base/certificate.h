// certificate: when the certificate of a file expires.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace svc::base {

// Returns the seconds since 1970 at which the first certificate of a PEM file expires. The refusal
// is the reason why the file cannot be used.
Result<std::int64_t, std::string> expiry_of(const std::string& path);

}  // namespace svc::base
