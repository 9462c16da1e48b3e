#include "ctl/commands/usage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace svc::ctl {
namespace {

TEST(UsageCall, IsExplainedWhenItIsWrong) {
  struct Case {
    std::string name;
    std::vector<std::string> arguments;
    std::string said;
  };
  const std::string days = "--days must be an integer from 1 to 400";
  const std::string account = "ACCOUNT must be an integer from 1 to 9007199254740991";
  for (const Case& c : {
           Case{"nothing", {}, "the account's id is missing"},
           Case{"only flags", {"--json", "--days", "3"}, "the account's id is missing"},
           Case{"a name", {"everybody"}, account},
           Case{"the account 0", {"0"}, account},
           Case{"a negative one", {"-5"}, "unknown option: -5"},
           Case{"one past all integers", {"9007199254740992"}, account},
           Case{"text after the number", {"5x"}, account},
           Case{"two accounts", {"5", "6"}, "unexpected argument: 6"},
           Case{"an unknown flag", {"5", "--weeks", "2"}, "unknown option: --weeks"},
           Case{"no days", {"5", "--days"}, "--days needs a value"},
           Case{"a setting", {"5", "-c", "f"}, "unknown option: -c; settings, --config"},
           Case{"0 days", {"5", "--days", "0"}, days},
           Case{"401 days", {"5", "--days", "401"}, days},
           Case{"days that are not a number", {"5", "--days", "many"}, days},
           Case{"half a day", {"5", "--days", "0.5"}, days},
       }) {
    SCOPED_TRACE(c.name);
    std::vector<std::string> words{"usage"};
    words.insert(words.end(), c.arguments.begin(), c.arguments.end());
    const auto call = read_call({&usage_commands()}, words);
    ASSERT_FALSE(call);
    EXPECT_TRUE(call.error().starts_with("svcctl usage: " + c.said)) << call.error();
  }
}

}  // namespace
}  // namespace svc::ctl
