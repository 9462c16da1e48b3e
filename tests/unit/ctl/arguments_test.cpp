#include "ctl/arguments.h"

#include <gtest/gtest.h>

namespace svc::ctl {
namespace {

using Words = std::vector<std::string>;

const Syntax kSyntax{
    {{"--name", Flag::Takes::OneValue, true}, {"--account", Flag::Takes::Values}, {"--yes"}},
    {"the id"}};

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

TEST(Arguments, MayBeginWithDashesBehindTwoOfThem) {
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

TEST(Arguments, AreRefusedWithWhatIsKnown) {
  struct Case {
    std::string_view name;
    Words words;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"no operand", {"--name=n"}, "the id is missing"},
           Case{"one too many", {"--name=n", "a", "b"}, "b is one word too many"},
           Case{"a required flag is missing", {"a"}, "--name is missing"},
           Case{"no value",
                {"a", "--name"},
                "--name needs a value; one that begins with dashes is written --name=…"},
           Case{"a flag for a value",
                {"a", "--name", "--yes"},
                "--name needs a value; one that begins with dashes is written --name=…"},
           Case{"twice", {"a", "--name=n", "--name=m"}, "--name is there twice"},
           Case{"a value for none", {"a", "--name=n", "--yes=1"}, "--yes takes no value"},
           Case{"unknown, and hostile",
                {"--\x1b[2J"},
                "--?[2J is not known here; known are --name, --account, --yes, --json (settings, "
                "--config among them, stand before the command)"},
       }) {
    SCOPED_TRACE(c.name);
    const auto arguments = Arguments::parse(kSyntax, c.words);
    ASSERT_FALSE(arguments);
    EXPECT_EQ(arguments.error(), c.error);
  }
}

}  // namespace
}  // namespace svc::ctl
