// characters: how a character is displayed. Each argument is one character of
// valid UTF-8, unless stated otherwise.
#pragma once

#include <string>
#include <string_view>

namespace svc::text {

// Returns true if terminals and browsers act on the character instead of
// displaying it: C0 and C1 controls, line and paragraph separators, direction
// marks and overrides (UAX #9), tags (U+E0000 to U+E007F).
bool is_obeyed(std::string_view character);

// RFC 3629 §3.
char32_t code_point(std::string_view character);

// Returns true if the character is invisible: spaces, joiners, fillers, and
// everything that is_obeyed().
bool is_blank(std::string_view character);

// Returns true if the text, of any length, is UTF-8 with a character that is
// not blank.
bool has_visible(std::string_view text);

// Returns the text without characters that are blank, and without dashes. Bytes that are not UTF-8
// stay.
std::string without_blanks_and_dashes(std::string_view text);

// Returns the text without the white space at both ends: that of ASCII, and
// blank characters such as U+00A0 and U+FEFF. Characters that are obeyed stay,
// and bytes that are not UTF-8.
std::string_view without_white_space(std::string_view text);

}  // namespace svc::text
