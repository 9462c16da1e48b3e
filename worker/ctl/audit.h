// audit: `svcctl audit`, which account, user or application did what.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ctl/command.h"

namespace svc::ctl {

const Group& audit_commands();

// Seconds since 1970 of an RFC 3339 date-time, or of a number of s, m, h or d before `now`.
std::optional<std::int64_t> read_since(std::string_view text, std::int64_t now);

}  // namespace svc::ctl
