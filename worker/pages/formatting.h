// formatting: times, numbers and names in the form shown to users. pages-W5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pages/template.h"

namespace svc::pages {

// Times are seconds since 1970. Returns "just now", "5 minutes ago", "3 days
// ago"; from 30 days on, and for future times, the day: "3 March 2026".
std::string relative_time(std::int64_t then, std::int64_t now);

// Returns e.g. "3 March 2026, 09:05 UTC".
std::string full_time(std::int64_t time);

// Sets NAME (relative_time()), NAME_FULL and NAME_EXACT (RFC 3339), for a <time> element.
void set_time(Values& values, std::string_view name, std::int64_t then, std::int64_t now);

// Returns e.g. "512 bytes", "1.5 MB", "23 GB": units of thousands.
std::string size_text(std::int64_t bytes);

// Returns e.g. "1:02:03" or "2:03".
std::string duration_text(double seconds);

// As duration_text(), of milliseconds, which follow a point: "1:02.5".
std::string position_text(std::int64_t milliseconds);

// Returns the milliseconds of a position as a clock shows it, or of seconds: "1:02:03", "2:03.5",
// "42"; a comma is a point. nullopt: it is neither, or is longer than 1 000 000 seconds.
std::optional<std::int64_t> position_in(std::string_view text);

// Returns e.g. "1,234,567".
std::string with_separators(std::int64_t number);
// Returns e.g. "no users", "1 user", "1,234 users".
std::string counted(std::int64_t number, std::string_view one, std::string_view many);

// Returns the text of HTML that users wrote, as text: without tags, comments, scripts and styles,
// with the basic and the numeric character references decoded, and each run of spaces as one. It is
// not HTML: a template has to escape it.
std::string plain_text(std::string_view html);

// Returns a pasted text without whitespace at its ends, and with LF for CRLF.
std::string tidy(std::string_view text);

// Returns the first `characters` characters, with an ellipsis if there were
// more.
std::string clipped(std::string_view text, std::size_t characters);

// Returns the number of rows of a text box for that text, for browsers that do not size a box by
// its content. A row holds about 90 characters.
long rows_of(std::string_view text);

inline constexpr std::size_t kMaxShownName = 80;  // characters of a name chosen by other users
inline constexpr std::size_t kMaxShownText = 600;

}  // namespace svc::pages
