#include "ctl/pools/pools.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/unique_fd.h"
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

// A socket there, as of a pool.
void listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

TEST(PoolArguments, P9AreThePoolsBesideTheConfigurationThenThoseOfTheUnits) {
  const fakes::TemporaryDirectory served;
  const fakes::TemporaryDirectory run;
  const PoolDefaults defaults{"", "", served.path("svc.conf"), run.path("")};
  served.write("grant.sock", "no socket");
  listen_at(run.path("") + "/web.sock");
  const auto units = read_pool_arguments({}, {}, defaults);
  ASSERT_TRUE(units) << units.error();
  EXPECT_EQ(units->sockets, std::vector<std::string>{run.path("") + "/web.sock"});
  for (const char* name : {"embed.sock", "web.sock", "redis-state.sock"})
    listen_at(served.path(name));
  const auto beside = read_pool_arguments({}, {}, defaults);
  ASSERT_TRUE(beside) << beside.error();
  EXPECT_EQ(beside->sockets,
            (std::vector<std::string>{served.path("embed.sock"), served.path("web.sock")}));
}

TEST(PoolArguments, P9SayWhereNoPoolWasFound) {
  const fakes::TemporaryDirectory directory;
  const std::string run = directory.path("run");
  const auto none = read_pool_arguments({}, {}, {"", "", "", run});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), "no pool is known: no socket is found at " + run +
                              "/{embed,grant,web}.sock; start the pools, or name a socket with "
                              "--socket");
  const auto all = read_pool_arguments({}, {}, {"", "/there/a.pid", "svc-of-nobody.conf", run});
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().find(" at /there/a.sock, ./{embed,grant,web}.sock, " + run +
                             "/{embed,grant,web}.sock; "),
            std::string::npos)
      << all.error();
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
           Case{{"--config", "f"},
                "--config is not understood here; settings, --config among them, stand before the "
                "command"},
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

// As right after a reload: none of its workers has asked the store anything.
TEST(PoolStatus, P9SaysHowManyWorkersHaveNotAskedTheStore) {
  const auto status =
      parse_pool_status(R"({"pool":"p","store":{"up":1,"away":2,"not_asked":4,"failures":3}})");
  ASSERT_TRUE(status) << status.error();
  EXPECT_NE(to_text(*status).find(
                "store     up for 1 workers, away for 2, not asked yet by 4; 3 failures; ms"),
            std::string::npos)
      << to_text(*status);
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
