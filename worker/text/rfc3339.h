// rfc3339: date-times as RFC 3339 §5.6 writes them.
#pragma once

#include <string_view>

namespace svc::text {

// A full date-time with an offset, e.g. 2026-03-01T10:00:00Z, that exists in the calendar.
bool is_rfc3339(std::string_view text);

}  // namespace svc::text
