// rfc3339: date-times as RFC 3339 §5.6 writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

// A full date-time with an offset, e.g. 2026-03-01T10:00:00Z, that exists in the calendar.
bool is_rfc3339(std::string_view text);

// Seconds since 1970, UTC, both ways; fractions of a second are cut off. Nothing for what is none.
std::string to_rfc3339(std::int64_t seconds);
std::optional<std::int64_t> seconds_of_rfc3339(std::string_view text);

}  // namespace svc::text
