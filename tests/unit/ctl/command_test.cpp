#include "ctl/command.h"

#include <gtest/gtest.h>

#include "ctl/commands/groups.h"

namespace svc::ctl {
namespace {

using Words = std::vector<std::string>;

Outcome do_nothing(const Arguments&, Context&) { return kDone; }

const Group kApp{.section = Section::Access,
                 .name = "app",
                 .subjects = "Applications",
                 .commands = {{.name = "app create",
                               .summary = "Create one",
                               .syntax = {.flags = {{.name = "--name",
                                                     .takes = Takes::text("NAME"),
                                                     .help = "what it is called",
                                                     .required = true},
                                                    {.name = "--scopes",
                                                     .takes = Takes::text("SCOPES"),
                                                     .help = "what it may do",
                                                     .required = true}}},
                               .run = do_nothing},
                              {.name = "app list", .summary = "List them", .run = do_nothing}}};
const Group kUsage{
    .section = Section::Catalog,
    .name = "usage",
    .commands = {
        {.name = "usage",
         .summary = "Count",
         .syntax = {.operands = {{.takes = Takes::text("ACCOUNT"), .help = "the account's id"}}},
         .run = do_nothing}}};
const Commands kAll{&kApp, &kUsage, &help_commands()};

TEST(ReadCall, FindsTheCommandAndItsArguments) {
  const auto create = read_call(kAll, {"app", "create", "--name", "n", "--scopes=s"});
  ASSERT_TRUE(create) << create.error();
  EXPECT_EQ(create->command->name, "app create");
  EXPECT_EQ(create->arguments.value("--name"), "n");
  const auto usage = read_call(kAll, {"usage", "7"});
  ASSERT_TRUE(usage) << usage.error();
  EXPECT_EQ(usage->command->name, "usage");
  EXPECT_EQ(usage->arguments.operand(0), "7");
}

TEST(ReadCall, IsTheHelpOfACommandWithHelpAmongItsWords) {
  struct Case {
    Words words;
    Words of;
  };
  for (const Case& c : {Case{{"app", "create", "--name", "n", "--help"}, {"app", "create"}},
                        Case{{"app", "-h"}, {"app"}}, Case{{"usage", "--help"}, {"usage"}},
                        Case{{"usage", "7", "more", "--help"}, {"usage", "7"}},
                        Case{{"--help"}, {}}, Case{{"help", "--help"}, {"help"}}}) {
    const auto call = read_call(kAll, c.words);
    ASSERT_TRUE(call) << call.error();
    EXPECT_EQ(call->command->name, "help");
    Words of;
    for (std::size_t i = 0; i < call->arguments.operands(); ++i)
      of.push_back(call->arguments.operand(i));
    EXPECT_EQ(of, c.of);
  }
}

TEST(ReadCall, IsRefusedWithTheNearestNameOrAllOfThem) {
  struct Case {
    Words words;
    std::string begins;
  };
  for (const Case& c : {
           Case{{}, "svcctl: no command; usage: svcctl "},
           Case{{"ap"},
                "svcctl: unknown command: ap; did you mean app?\nsvcctl help lists the commands\n"},
           Case{{"\x1b[2J"}, "svcctl: unknown command: ?[2J\nsvcctl help lists the commands\n"},
           Case{{"app"}, "svcctl app: a command is missing: create, list\nsvcctl app create "},
           Case{{"app", "lits"},
                "svcctl app: unknown command: lits; did you mean list?\nsvcctl app create "},
           Case{{"app", "create"},
                "svcctl app create: --name and --scopes are missing\n"
                "svcctl app create --name NAME --scopes SCOPES\n"
                "svcctl help app create describes it\n"},
           Case{{"usage"},
                "svcctl usage: the account's id is missing\nsvcctl usage ACCOUNT\n"
                "svcctl help usage describes it\n"},
       }) {
    const auto call = read_call(kAll, c.words);
    ASSERT_FALSE(call);
    EXPECT_TRUE(call.error().starts_with(c.begins)) << call.error();
  }
}

}  // namespace
}  // namespace svc::ctl
