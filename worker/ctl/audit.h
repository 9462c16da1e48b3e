// audit: `svcctl audit …`, who did what.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ctl/command.h"

namespace svc::ctl {

inline constexpr const char* kAuditUsage =
    "svcctl audit [--since TIME] [--count N] [--follow] [--json]\n"
    "  Prints who authorized, denied, revoked, logged in or failed to, saw or rotated a secret: "
    "the\n"
    "  newest 50, or the newest N, or all since TIME (2026-03-01T10:00:00Z, or 15m, 2h, 7d ago).\n"
    "  With --follow it goes on with what comes, until Ctrl-C.\n";

const Group& audit_commands();

// Seconds since 1970 of an RFC 3339 date-time, or of so many s, m, h or d before `now`.
std::optional<std::int64_t> read_since(std::string_view text, std::int64_t now);

}  // namespace svc::ctl
