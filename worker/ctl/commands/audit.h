// audit: `svcctl audit`, which prints the audit trail.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ctl/command.h"

namespace svc::ctl {

const Group& audit_commands();

// Returns seconds since 1970 from an RFC 3339 date-time, or from a number with
// s, m, h or d: that long before `now`. Returns nullopt for other text.
std::optional<std::int64_t> read_since(std::string_view text, std::int64_t now);

// Returns the seconds of a number with s, m, h or d: 0 to `most`. Returns nullopt for other text.
std::optional<std::int64_t> read_span(std::string_view text, std::int64_t most);

}  // namespace svc::ctl
