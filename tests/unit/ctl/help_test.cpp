#include "ctl/help.h"

#include <gtest/gtest.h>

#include "unit/ctl/help_group.h"

namespace svc::ctl {
namespace {

TEST(Help, OfACommandIsItsSynopsisFlagsAndDetails) {
  EXPECT_EQ(help_of(kHelpGroup.commands[0]),
            "svcctl app create FILE --redirect-uri URI [--account ID]...\n"
            "        [--scope-format array|string] [--a-flag-whose-name-is-very-long-indeed]\n"
            "        [--json]\n"
            "  Create an application.\n"
            "\n"
            "  FILE                         a file\n"
            "  --redirect-uri URI           where users return to\n"
            "  --account ID                 its account; may be given several times\n"
            "  --scope-format array|string  how responses list scopes\n"
            "  --a-flag-whose-name-is-very-long-indeed\n"
            "                               of no use\n"
            "  --json                       print one JSON object\n"
            "\n"
            "  A paragraph that is too long for one line of eighty columns, so that it is\n"
            "  wrapped.\n"
            "\n"
            "    1. lines\n"
            "    2. that stay\n");
}

TEST(Help, OfAGroupIsOneLinePerCommand) {
  EXPECT_EQ(help_of(kHelpGroup),
            "svcctl app create  Create an application\n"
            "svcctl app list    List applications\n"
            "svcctl help app COMMAND describes one of them\n");
}

}  // namespace
}  // namespace svc::ctl
