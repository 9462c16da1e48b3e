// utf8: RFC 3629, without overlong forms, surrogates and code points past U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace svc::text {

// How many bytes the character that `text` begins with takes; 0 when it begins with none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace svc::text
