// utf8: RFC 3629, without overlong forms, surrogates and code points above
// U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::text {

// Returns the length in bytes of the character at the beginning of `text`, or 0
// if it is not valid UTF-8.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// `character` is at most U+10FFFF and not a surrogate.
void append_utf8(std::string& out, char32_t character);

}  // namespace svc::text
