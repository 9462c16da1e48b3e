// base64: RFC 4648, strictly.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

// §4: nothing unless the text has whole groups of four, padding only at its end, no bits left over
// and no other characters.
std::optional<std::string> base64_decode(std::string_view text);

// §5, without padding, as RFC 7636 §3 wants it.
std::string base64url_encode(std::string_view bytes);

}  // namespace svc::text
