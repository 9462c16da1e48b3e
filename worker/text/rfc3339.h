// rfc3339: dates and date-times in the formats of RFC 3339 §5.6.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

// Returns true for a full date-time with an offset, such as
// 2026-03-01T10:00:00Z, if the date exists. At most 35 characters.
bool is_rfc3339(std::string_view text);

// Converts seconds since 1970, UTC, to text and back. Drops fractions of a
// second. Returns nullopt if not is_rfc3339().
std::string to_rfc3339(std::int64_t seconds);
std::optional<std::int64_t> seconds_of_rfc3339(std::string_view text);

// A day as yyyy-mm-dd. Returns nullopt for another form, or a date that does not exist.
std::string to_full_date(std::chrono::sys_days day);
std::optional<std::chrono::sys_days> day_of_full_date(std::string_view text);

}  // namespace svc::text
