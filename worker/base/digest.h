// digest: SHA-256 (FIPS 180-4) of a text.
#pragma once

#include <string>
#include <string_view>

namespace svc::base {

std::string sha256(std::string_view text);  // 32 bytes

// In constant time for texts of equal length.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace svc::base
