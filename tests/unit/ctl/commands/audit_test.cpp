#include "ctl/commands/audit.h"

#include <gtest/gtest.h>

namespace svc::ctl {
namespace {

TEST(AuditSince, IsATimeOrADurationBeforeNow) {
  constexpr std::int64_t kNow = 1'780'000'000;
  struct Case {
    std::string_view text;
    std::optional<std::int64_t> since;
  };
  for (const Case& c : {
           Case{"2026-05-28T20:26:40Z", kNow},
           Case{"2026-05-28T22:26:40+02:00", kNow},
           Case{"90s", kNow - 90},
           Case{"15m", kNow - 900},
           Case{"2h", kNow - 7'200},
           Case{"7d", kNow - 604'800},
           Case{"", std::nullopt},
           Case{"h", std::nullopt},
           Case{"-1h", std::nullopt},
           Case{"1.5h", std::nullopt},
           Case{"1w", std::nullopt},
           Case{"99999999999d", std::nullopt},
           Case{"2026-05-28", std::nullopt},
       }) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(read_since(c.text, kNow), c.since);
  }
}

}  // namespace
}  // namespace svc::ctl
