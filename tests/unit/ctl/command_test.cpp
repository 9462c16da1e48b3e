#include "ctl/command.h"

#include <gtest/gtest.h>

namespace svc::ctl {
namespace {

TEST(UsageOf, IsThatOfOneCommandAlone) {
  constexpr std::string_view kUsage =
      "svcctl app create --name NAME\n"
      "           [--json]\n"
      "  Makes one.\n"
      "svcctl app list\n"
      "svcctl app list-all\n"
      "  1. svcctl app list first\n";
  struct Case {
    std::string command;
    std::string usage;
  };
  for (const Case& c : {
           Case{"app create", "svcctl app create --name NAME\n           [--json]\n  Makes one.\n"},
           Case{"app list", "svcctl app list\n"},
           Case{"app list-all", "svcctl app list-all\n  1. svcctl app list first\n"},
           Case{"app", std::string(kUsage)},
           Case{"app none", std::string(kUsage)},
       }) {
    EXPECT_EQ(usage_of(kUsage, c.command), c.usage) << c.command;
  }
}

}  // namespace
}  // namespace svc::ctl
