#include "ctl/arguments.h"

#include <gtest/gtest.h>

namespace svc::ctl {
namespace {

using Words = std::vector<std::string>;
using std::chrono::milliseconds;

const Syntax kSyntax{
    .operands = {{.takes = Takes::text("ID"), .help = "the application's id"}},
    .flags = {{.name = "--name", .takes = Takes::text("NAME"), .required = true},
              {.name = "--account", .takes = Takes::text("ID"), .repeats = true},
              {.name = "--days", .takes = Takes::integer("N", 1, 400)},
              {.name = "--timeout", .takes = Takes::seconds()},
              {.name = "--format", .takes = Takes::choice("array|string", {"array", "string"})},
              {.name = "--yes"}},
    .json = kJsonObject};

TEST(Arguments, AreFlagsInAnyOrderAndOperands) {
  const auto arguments =
      Arguments::parse(kSyntax, {"--account=1", "--name", "-x", "--yes", "id", "--account", "2"});
  ASSERT_TRUE(arguments) << arguments.error();
  EXPECT_EQ(arguments->value("--name"), "-x");
  EXPECT_EQ(arguments->values("--account"), (Words{"1", "2"}));
  EXPECT_TRUE(arguments->has("--yes"));
  EXPECT_FALSE(arguments->json());
  EXPECT_EQ(arguments->operand(0), "id");
}

TEST(Arguments, MayBeginWithDashesAfterTwoOfThem) {
  const auto arguments = Arguments::parse(kSyntax, {"--name=--yes", "--json", "--", "--id"});
  ASSERT_TRUE(arguments) << arguments.error();
  EXPECT_EQ(arguments->value("--name"), "--yes");
  EXPECT_FALSE(arguments->has("--yes"));
  EXPECT_TRUE(arguments->json());
  EXPECT_EQ(arguments->operand(0), "--id");
}

TEST(Arguments, MayBeEmpty) {
  const auto arguments = Arguments::parse(kSyntax, {"--name", "", "--account=", "id"});
  ASSERT_TRUE(arguments) << arguments.error();
  EXPECT_EQ(arguments->value("--name"), "");
  EXPECT_EQ(arguments->values("--account"), Words{""});
}

TEST(Arguments, AreIntegersAndSecondsIfTheCommandDeclaresThem) {
  const auto arguments =
      Arguments::parse(kSyntax, {"id", "--name=n", "--days", "400", "--timeout", "0.25"});
  ASSERT_TRUE(arguments) << arguments.error();
  EXPECT_EQ(arguments->integer("--days"), 400);
  EXPECT_EQ(arguments->seconds("--timeout"), milliseconds(250));
  const auto without = Arguments::parse(kSyntax, {"id", "--name=n"});
  ASSERT_TRUE(without) << without.error();
  EXPECT_EQ(without->integer("--days"), std::nullopt);
  EXPECT_EQ(without->seconds("--timeout"), std::nullopt);
  const Syntax account{.operands = {{.takes = Takes::integer("ACCOUNT", 1, 9), .help = "an id"}}};
  EXPECT_EQ(Arguments::parse(account, {"9"})->integer_operand(0), 9);
}

TEST(Arguments, CountOperandsThatMayBeMissingOrMany) {
  using Count = Operand::Count;
  const Syntax any{.operands = {{.takes = Takes::text("WORD"), .count = Count::Any}}};
  EXPECT_EQ(Arguments::parse(any, {})->operands(), 0U);
  EXPECT_EQ(Arguments::parse(any, {"a", "b", "c"})->operand(2), "c");
  const Syntax optional{.operands = {{.takes = Takes::text("WORD"), .count = Count::Optional}}};
  EXPECT_EQ(Arguments::parse(optional, {})->operands(), 0U);
  EXPECT_EQ(Arguments::parse(optional, {"a"})->operands(), 1U);
  EXPECT_FALSE(Arguments::parse(optional, {"a", "b"}));
}

TEST(Arguments, AreRefusedWithTheMissingOrAllowedWords) {
  struct Case {
    std::string_view name;
    Words words;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"no operand", {"--name=n"}, "the application's id is missing"},
           Case{"one too many", {"--name=n", "a", "b"}, "unexpected argument: b"},
           Case{"a required flag is missing", {"a"}, "--name is missing"},
           Case{"all that is missing", {}, "the application's id and --name are missing"},
           Case{"wrong and missing",
                {"--days=0"},
                "--days must be an integer from 1 to 400; the application's id and --name are "
                "missing"},
           Case{"no value",
                {"a", "--name"},
                "--name needs a value; write a value that begins with dashes as --name=…"},
           Case{"a flag for a value",
                {"a", "--name", "--yes"},
                "--name needs a value; write a value that begins with dashes as --name=…"},
           Case{"twice", {"a", "--name=n", "--name=m"}, "--name is given twice"},
           Case{"a value for none", {"a", "--name=n", "--yes=1"}, "--yes takes no value"},
           Case{"a long time",
                {"a", "--name=n", "--timeout", "3601"},
                "--timeout must be a number of seconds from 0.1 to 3600"},
           Case{"a short time",
                {"a", "--name=n", "--timeout", "0.09"},
                "--timeout must be a number of seconds from 0.1 to 3600"},
           Case{"no number",
                {"a", "--name=n", "--timeout", "nan"},
                "--timeout must be a number of seconds from 0.1 to 3600"},
           Case{"no choice",
                {"a", "--name=n", "--format", "list"},
                "--format must be one of array, string"},
           Case{"nearly a choice",
                {"a", "--name=n", "--format", "sting"},
                "--format must be one of array, string; did you mean string?"},
           Case{"nearly a flag", {"--nmae", "n"}, "unknown option: --nmae; did you mean --name?"},
           Case{"unknown, and hostile",
                {"--\x1b[2J"},
                "unknown option: --?[2J; settings, --config among them, come before the command"},
       }) {
    SCOPED_TRACE(c.name);
    const auto arguments = Arguments::parse(kSyntax, c.words);
    ASSERT_FALSE(arguments);
    EXPECT_EQ(arguments.error(), c.error);
  }
}

TEST(Arguments, HaveJsonOnlyWhereTheCommandPrintsIt) {
  const auto arguments = Arguments::parse({}, {"--json"});
  ASSERT_FALSE(arguments);
  EXPECT_TRUE(arguments.error().starts_with("unknown option: --json"));
}

}  // namespace
}  // namespace svc::ctl
