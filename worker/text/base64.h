// base64: RFC 4648. The decoder is strict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

// §4. Returns nullopt unless the text consists of whole groups of four
// characters, with padding only at its end and no other characters. Bits left
// over must be zero.
std::optional<std::string> base64_decode(std::string_view text);

// §5, without padding, as RFC 7636 §3 requires.
std::string base64url_encode(std::string_view bytes);

}  // namespace svc::text
