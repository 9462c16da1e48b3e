// characters: what a single character does to those who read it. Each is one character of valid
// UTF-8.
#pragma once

#include <string_view>

namespace svc::text {

// Terminals and browsers obey it instead of showing it: C0 and C1 controls, line and paragraph
// separators, marks and overrides of direction (UAX #9), tags (U+E0000 to U+E007F).
bool is_obeyed(std::string_view character);

// RFC 3629 §3.
char32_t code_point(std::string_view character);

// Nothing is seen of it: spaces, joiners, fillers, and whatever is obeyed.
bool is_blank(std::string_view character);

}  // namespace svc::text
