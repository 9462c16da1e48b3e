#include "ctl/commands/manual.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/ctl/help_group.h"

namespace svc::ctl {
namespace {

TEST(Manual, EscapesWhatManWouldChange) {
  const std::string manual = manual_of({&kHelpGroup});
  EXPECT_TRUE(manual.starts_with(
      ".TP\n.B svcctl app create FILE \\-\\-redirect\\-uri URI [\\-\\-account ID]... "))
      << manual;
  EXPECT_NE(manual.find(".IP\n.nf\n  1. lines\n  2. that stay\n.fi\n"), std::string::npos);
}

}  // namespace
}  // namespace svc::ctl
