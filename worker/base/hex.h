// hex: bytes to hexadecimal digits and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::base {

std::string to_hex(std::string_view bytes);
// Accepts upper and lower case. Returns nullopt if a character is not a
// hexadecimal digit or the length is odd.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace svc::base
