// digest: SHA-256 and SHA-1 (FIPS 180-4) of a text.
#pragma once

#include <string>
#include <string_view>

namespace svc::base {

std::string sha256(std::string_view text);  // 32 bytes
// 20 bytes; only for names that others define so (Redis names scripts by it), never for security.
std::string sha1(std::string_view text);

// In constant time for texts of equal length.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace svc::base
