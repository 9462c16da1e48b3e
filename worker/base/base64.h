// base64: RFC 4648. The decoder is strict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::base {

// §4. Returns nullopt unless the text consists of whole groups of four
// characters, with padding only at its end and no other characters. Bits left
// over must be zero.
std::optional<std::string> base64_decode(std::string_view text);

// The same without the padding.
std::optional<std::string> base64_decode_unpadded(std::string_view text);
std::string base64_encode_unpadded(std::string_view bytes);

// §5, without padding, as RFC 7636 §3 requires.
std::string base64url_encode(std::string_view bytes);
// Returns nullopt for other characters, padding, and bits left over that are not zero.
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace svc::base
