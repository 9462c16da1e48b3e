#include "ctl/usage.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "loop/loop.h"
#include "redis/channel.h"

namespace svc::ctl {
namespace {

// A call whose store is at a path where nobody listens: what is right comes as far as that.
class UsageCall : public testing::Test {
 protected:
  int run(const std::vector<std::string>& arguments) {
    redis::ConnectionSettings settings;
    settings.address.path = directory_.path("nobody.sock");
    loop::Loop loop(clock_);
    redis::Channel store(settings, loop);
    std::ostringstream out;
    std::ostringstream err;
    std::streambuf* const before_out = std::cout.rdbuf(out.rdbuf());
    std::streambuf* const before_err = std::cerr.rdbuf(err.rdbuf());
    const int status = usage(arguments, {loop, store});
    std::cout.rdbuf(before_out);
    std::cerr.rdbuf(before_err);
    EXPECT_EQ(out.str(), "");
    err_ = err.str();
    return status;
  }

  fakes::TemporaryDirectory directory_;
  fakes::ManualClock clock_;
  std::string err_;
};

TEST_F(UsageCall, IsExplainedWhenItIsWrong) {
  struct Case {
    std::string name;
    std::vector<std::string> arguments;
    std::string said;
  };
  const std::string days = "--days must be an integer from 1 to 400";
  for (const Case& c : {
           Case{"nothing", {}, "the account's id is missing"},
           Case{"only flags", {"--json", "--days", "3"}, "the account's id is missing"},
           Case{"a name", {"everybody"}, "everybody is not understood"},
           Case{"the account 0", {"0"}, "0 is not understood"},
           Case{"a negative one", {"-5"}, "-5 is not understood"},
           Case{"one past all integers", {"9007199254740992"}, "9007199254740992 is not"},
           Case{"something behind the number", {"5x"}, "5x is not understood"},
           Case{"two accounts", {"5", "6"}, "6 is not understood"},
           Case{"an unknown flag", {"5", "--weeks", "2"}, "--weeks is not understood"},
           Case{"no days", {"5", "--days"}, "--days needs a value"},
           Case{"a setting", {"5", "-c", "f"}, "-c is not understood here; settings, --config"},
           Case{"0 days", {"5", "--days", "0"}, days},
           Case{"401 days", {"5", "--days", "401"}, days},
           Case{"days that are none", {"5", "--days", "many"}, days},
           Case{"half a day", {"5", "--days", "0.5"}, days},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(run(c.arguments), 2);
    EXPECT_TRUE(err_.starts_with("svcctl usage: " + c.said)) << err_;
  }
}

TEST_F(UsageCall, SaysWhenTheStoreIsAway) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"5"}, {"9007199254740991"}, {"--json", "5", "--days", "400"}}) {
    EXPECT_EQ(run(arguments), 3);
    EXPECT_TRUE(err_.starts_with("svcctl usage: the store is away: ")) << err_;
  }
}

}  // namespace
}  // namespace svc::ctl
