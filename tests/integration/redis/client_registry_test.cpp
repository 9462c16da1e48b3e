#include "redis/client_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"

namespace svc {
namespace {

class ClientRegistry : public testing::Test {
 protected:
  static oauth::Client client(const std::string& id, std::int64_t account = 1001) {
    oauth::Client one;
    one.id = {id};
    one.account = {account};
    one.name = "An app";
    one.redirect_uri = "https://app.example/cb";
    one.scopes.add("media:read");
    one.created = "2026-01-05T09:00:00Z";
    return one;
  }
  std::vector<std::string> ids_of(std::int64_t account) {
    std::vector<std::string> ids;
    for (const oauth::Client& one : registry_.of({account})) ids.push_back(one.id.text);
    std::ranges::sort(ids);
    return ids;
  }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
  redis::Connection connection_{server_.settings(), clock_};
  redis::ClientRegistry registry_{connection_};
};

using Ids = std::vector<std::string>;

TEST_F(ClientRegistry, ListsTheApplicationsOfAnAccount) {
  EXPECT_EQ(ids_of(1001), Ids{});
  EXPECT_TRUE(registry_.add(client("app-1")));
  EXPECT_TRUE(registry_.add(client("app-2")));
  EXPECT_TRUE(registry_.add(client("app-3", 1002)));
  EXPECT_EQ(ids_of(1001), (Ids{"app-1", "app-2"}));
  EXPECT_EQ(ids_of(1002), Ids{"app-3"});
}

TEST_F(ClientRegistry, ALaggingListNamesNoApplicationThatIsGoneOrOfAnotherAccount) {
  registry_.add(client("app-1"));
  registry_.add(client("app-2"));
  server_.command({"SET", "oauth:client:app-1", to_record(client("app-1", 1002))});
  server_.command({"DEL", "oauth:client:app-2"});
  EXPECT_EQ(ids_of(1001), Ids{});
}

TEST_F(ClientRegistry, RemovesAnApplicationOnce) {
  registry_.add(client("app-1"));
  EXPECT_TRUE(registry_.remove({"app-1"}));
  EXPECT_FALSE(registry_.find({"app-1"}));
  EXPECT_EQ(server_.command({"EXISTS", "oauth:account_clients:1001"}).integer(), 0);
  EXPECT_FALSE(registry_.remove({"app-1"}));
}

// It was deleted with the record, and a grant that came between was then found by nobody.
TEST_F(ClientRegistry, LeavesTheListOfGrantsToWhoEndsThem) {
  registry_.add(client("app-1"));
  server_.command({"ZADD", "oauth:client_grants:app-1", "1", "a grant"});
  EXPECT_TRUE(registry_.remove({"app-1"}));
  EXPECT_EQ(server_.command({"EXISTS", "oauth:client_grants:app-1"}).integer(), 1);
}

TEST_F(ClientRegistry, AddsNothingOverAnother) {
  EXPECT_TRUE(registry_.add(client("app-1")));
  oauth::Client other = client("app-1");
  other.name = "Another";
  EXPECT_FALSE(registry_.add(other));
  EXPECT_EQ(registry_.find({"app-1"})->name, "An app");
}

TEST_F(ClientRegistry, AChangeSeesWhatSomebodyElseWroteMeanwhile) {
  registry_.add(client("app-1"));
  Ids seen;
  const auto changed = registry_.change(
      {"app-1"}, [&](oauth::Client now) -> base::Result<oauth::Client, std::string> {
        seen.push_back(now.name);
        if (seen.size() == 1) {
          oauth::Client theirs = now;
          theirs.name = "Theirs";
          server_.command({"SET", "oauth:client:app-1", to_record(theirs)});
        }
        now.description = "Mine";
        return now;
      });
  ASSERT_TRUE(changed);
  EXPECT_EQ(seen, (Ids{"An app", "Theirs"}));
  EXPECT_EQ(registry_.find({"app-1"})->name, "Theirs");
  EXPECT_EQ(registry_.find({"app-1"})->description, "Mine");
}

TEST_F(ClientRegistry, ARefusedChangeWritesNothing) {
  registry_.add(client("app-1"));
  const auto changed =
      registry_.change({"app-1"}, [](oauth::Client) -> base::Result<oauth::Client, std::string> {
        return base::Refusal{std::string("overtaken")};
      });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error(), "overtaken");
  EXPECT_EQ(registry_.find({"app-1"})->name, "An app");
}

TEST_F(ClientRegistry, ADamagedRecordIsAnOutage) {
  registry_.add(client("app-1"));
  server_.command({"SET", "oauth:client:app-1", "{"});
  EXPECT_THROW(registry_.of({1001}), base::Unavailable);
}

}  // namespace
}  // namespace svc
