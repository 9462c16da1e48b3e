#include "stores/functions.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "ctl/commands/groups.h"
#include "fakes/waiting.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

class FunctionsCommand : public integration::CommandFixture {
 protected:
  integration::Ran functions(const std::vector<std::string>& words) {
    return run(ctl::catalog_commands(), words);
  }
  bool are_there() { return server_.text({"FUNCTION", "DUMP"}).size() > 1000; }
};

TEST_F(FunctionsCommand, LoadsThemAgain) {
  server_.command({"FUNCTION", "FLUSH"});
  EXPECT_FALSE(are_there());
  for (int twice = 0; twice < 2; ++twice) {
    const integration::Ran ran = functions({"load-functions", "catalog"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, "redis-catalog: the functions of protocol 1\n");
    EXPECT_TRUE(are_there());
  }
}

TEST_F(FunctionsCommand, WaitsUntilAPrimaryHasItsReplicas) {
  server_.command({"FUNCTION", "FLUSH"});
  server_.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  std::jthread replicas([this] {
    fakes::wait_until([this] {
      return server_.text({"INFO", "errorstats"}).find("NOREPLICAS") != std::string::npos;
    });
    server_.command({"CONFIG", "SET", "min-replicas-to-write", "0"});
  });
  const integration::Ran ran = functions({"load-functions", "catalog"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(are_there());
}

TEST_F(FunctionsCommand, LeavesAReplicaToItsPrimary) {
  server_.command({"FUNCTION", "FLUSH"});
  server_.command({"REPLICAOF", "127.0.0.1", "1"});
  const integration::Ran ran = functions({"load-functions", "catalog"});
  server_.command({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "redis-catalog: a replica, which takes the functions of its primary\n");
  EXPECT_FALSE(are_there());
}

TEST_F(FunctionsCommand, PrintsTheLibraryAndWhoCallsWhat) {
  EXPECT_EQ(functions({"functions", "--lua"}).out, stores::functions::library());
  const std::string listed = functions({"functions"}).out;
  EXPECT_NE(listed.find(
                "end_account_token\n  users    web svcctl\n  keys     oauth:account_tokens zrem;"),
            std::string::npos)
      << listed;
}

}  // namespace
}  // namespace svc
