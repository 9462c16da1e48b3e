// character_reference: HTML's character references (HTML §13.5), such as "&amp;" and "&#8217;".
#pragma once

#include <string>
#include <string_view>

namespace svc::text {

// Removes the reference at the beginning of `text`, appends its character to `out`, and returns
// true. Returns false and leaves both unchanged if `text` does not begin with a reference that ends
// in a semicolon. Knows the names of HTML 4 and "apos".
bool take_character_reference(std::string_view& text, std::string& out);

}  // namespace svc::text
