#include "ctl/pools.h"

#include <gtest/gtest.h>

#include <string>

#include "fakes/temporary_directory.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

TEST(PoolArguments, P9TakeSocketsFromTheCallThenFromTheConfiguration) {
  const PoolDefaults defaults{"/from/listen.sock", ""};
  const auto named = read_pool_arguments({"--socket", "/a", "--socket", "/b"}, {}, defaults);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->sockets, (std::vector<std::string>{"/a", "/b"}));
  const auto configured = read_pool_arguments({}, {}, defaults);
  ASSERT_TRUE(configured);
  EXPECT_EQ(configured->sockets, std::vector<std::string>{"/from/listen.sock"});
}

TEST(PoolArguments, P7RefuseWhatTheCommandDoesNotHave) {
  const PoolDefaults defaults{"/listen.sock", ""};
  struct Case {
    std::vector<std::string> arguments;
    const char* named;
  };
  for (const Case& c : {
           Case{{"--json"}, "--json is not understood"},
           Case{{"--timeout"}, "--timeout needs a value"},
           Case{{"--timeout", "0"}, "--timeout must be"},
           Case{{"--timeout", "nan"}, "--timeout must be"},
           Case{{"--timeout", "3601"}, "--timeout must be"},
           Case{{"--pid", "1"}, "--pid must be"},
           Case{{"--pid", "12x"}, "--pid must be"},
           Case{{"now"}, "now is not understood"},
       }) {
    const auto read = read_pool_arguments(c.arguments, {"--timeout", "--pid"}, defaults);
    ASSERT_FALSE(read) << c.named;
    EXPECT_NE(read.error().find(c.named), std::string::npos) << read.error();
  }
  const auto read =
      read_pool_arguments({"--timeout", "0.5", "--pid", "12"}, {"--timeout", "--pid"}, defaults);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->timeout, 500ms);
  EXPECT_EQ(read->pid, 12);
}

TEST(PoolStatus, P9FindsQuantilesInBuckets) {
  PoolStatus::Durations durations;
  EXPECT_EQ(durations.quantile(0.5), "-");
  durations.count = 100;
  durations.buckets = {{0.1, 50}, {1, 48}, {10, 1}, {std::nullopt, 1}};
  EXPECT_EQ(durations.quantile(0.5), "<=0.1");
  EXPECT_EQ(durations.quantile(0.51), "<=1");
  EXPECT_EQ(durations.quantile(0.99), "<=10");
  EXPECT_EQ(durations.quantile(1), ">10");
}

TEST(PoolStatus, P9RefusesWhatIsNoStatus) {
  for (const char* text : {"", "{", "[]", "{}", "\"pool\""}) EXPECT_FALSE(parse_pool_status(text));
}

TEST(PoolStatus, P9LetsNothingCommandTheTerminal) {
  const auto status = parse_pool_status(
      "{\"pool\":\"e\\u001b[2J\",\"endpoints\":[{\"endpoint\":\"\\u0007/\\u009b\"}],"
      "\"processes\":[{\"pid\":1,\"phase\":\"\\u001b\",\"path\":\"/\\u001b]0;x\\u0007\"}]}");
  ASSERT_TRUE(status) << status.error();
  for (const char c : to_text(*status)) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << int{c};
}

}  // namespace
}  // namespace svc::ctl
