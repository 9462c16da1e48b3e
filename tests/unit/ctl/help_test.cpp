#include "ctl/help.h"

#include <gtest/gtest.h>

#include "ctl/commands/completion.h"
#include "ctl/commands/manual.h"

namespace svc::ctl {
namespace {

const Group kHelpGroup{
    .section = Section::Access,
    .name = "app",
    .subjects = "Applications",
    .commands = {
        {.name = "app create",
         .summary = "Create an application",
         .syntax = {.operands = {{.takes = Takes::file(), .help = "a file"}},
                    .flags = {{.name = "--redirect-uri",
                               .takes = Takes::text("URI"),
                               .help = "where users return to",
                               .required = true},
                              {.name = "--account",
                               .takes = Takes::integer("ID", 1, 9),
                               .help = "its account",
                               .repeats = true},
                              {.name = "--scope-format",
                               .takes = Takes::choice("array|string", {"array", "string"}),
                               .help = "how responses list scopes"},
                              {.name = "--a-flag-whose-name-is-very-long-indeed",
                               .help = "of no use"}},
                    .json = kJsonObject},
         .details = {"A paragraph that is too long for one line of eighty columns, so that it is "
                     "wrapped.",
                     "  1. lines\n  2. that stay"}},
        {.name = "app list", .summary = "List applications"}}};

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

TEST(Manual, EscapesWhatManWouldChange) {
  const std::string manual = manual_of({&kHelpGroup});
  EXPECT_TRUE(manual.starts_with(
      ".TP\n.B svcctl app create FILE \\-\\-redirect\\-uri URI [\\-\\-account ID]... "))
      << manual;
  EXPECT_NE(manual.find(".IP\n.nf\n  1. lines\n  2. that stay\n.fi\n"), std::string::npos);
}

TEST(Completion, HasTheWordsOfTheTable) {
  const std::string script = bash_completion({&kHelpGroup}, {"--workers"});
  for (const char* part :
       {"_svcctl_groups=\"app\"\n", "\"app\") echo \"create list\" ;;\n", " --workers\"\n",
        "\"app create --scope-format\") echo \"one of array string\" ;;\n",
        "\"app create --account\") echo \"value\" ;;\n", "\"app create 0\") echo \"file\" ;;\n",
        "\"app list\") echo \"--help\" ;;\n"}) {
    EXPECT_NE(script.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace svc::ctl
