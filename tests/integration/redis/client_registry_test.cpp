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
  EXPECT_TRUE(registry_.remove({"app-1"}, 1000));
  EXPECT_FALSE(registry_.find({"app-1"}));
  EXPECT_EQ(server_.command({"EXISTS", "oauth:account_clients:1001"}).integer(), 0);
  EXPECT_FALSE(registry_.remove({"app-1"}, 1000));
}

TEST_F(ClientRegistry, KnowsWhichApplicationsAreEnding) {
  registry_.add(client("app-1"));
  registry_.add(client("app-2"));
  EXPECT_TRUE(registry_.ending().empty());
  registry_.remove({"app-1"}, 1000);
  const auto ending = registry_.ending();
  ASSERT_EQ(ending.size(), 1u);
  EXPECT_EQ(ending[0].id.text, "app-1");
  EXPECT_EQ(ending[0].since, 1000);
  registry_.has_ended({"app-1"});
  EXPECT_TRUE(registry_.ending().empty());
  EXPECT_TRUE(registry_.find({"app-2"}));
}

TEST_F(ClientRegistry, TakesARecordAwayWhoseRemovalWasInterrupted) {
  registry_.add(client("app-1"));
  server_.command({"SET", "oauth:deleted_client:app-1", "2"});
  server_.command({"ZADD", "oauth:ending_clients", "1000", "app-1"});
  const auto ending = registry_.ending();
  ASSERT_EQ(ending.size(), 1u);
  EXPECT_FALSE(ending[0].restored);
  EXPECT_FALSE(registry_.find({"app-1"}));
  EXPECT_EQ(ids_of(1001), Ids{});
  EXPECT_EQ(server_.text({"GET", "oauth:deleted_client:app-1"}), "2");
}

// An import deletes the tombstone of a restored application. The record was taken away again.
TEST_F(ClientRegistry, D5LeavesARecordThatWasRestored) {
  registry_.add(client("app-1"));
  registry_.remove({"app-1"}, 1000);
  registry_.add(client("app-1"));
  server_.command({"DEL", "oauth:deleted_client:app-1"});
  const auto ending = registry_.ending();
  ASSERT_EQ(ending.size(), 1u);
  EXPECT_TRUE(ending[0].restored);
  EXPECT_TRUE(registry_.find({"app-1"}));
  EXPECT_EQ(ids_of(1001), Ids{"app-1"});
}

// It was deleted with the record, and a grant that came between was then found by nobody.
TEST_F(ClientRegistry, LeavesTheListOfGrantsToWhoEndsThem) {
  registry_.add(client("app-1"));
  server_.command({"ZADD", "oauth:client_grants:app-1", "1", "a grant"});
  EXPECT_TRUE(registry_.remove({"app-1"}, 1000));
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
  EXPECT_THROW(registry_.find({"app-1"}), base::Unavailable);
}

TEST_F(ClientRegistry, D5ADamagedRecordHidesNoOtherAndCanBeRemoved) {
  registry_.add(client("app-1"));
  registry_.add(client("app-2"));
  server_.command({"SET", "oauth:client:app-1", "{"});
  EXPECT_EQ(ids_of(1001), Ids{"app-2"});
  ASSERT_EQ(registry_.find_all({{"app-1"}, {"app-2"}}).size(), 1u);
  Ids readable;
  Ids unreadable;
  registry_.for_each(
      [&](const oauth::Client& one) { readable.push_back(one.id.text); },
      [&](const std::string& key, const std::string&) { unreadable.push_back(key); });
  EXPECT_EQ(readable, Ids{"app-2"});
  EXPECT_EQ(unreadable, Ids{"oauth:client:app-1"});
  EXPECT_THROW(registry_.for_each([](const oauth::Client&) {}), base::Unavailable);
  EXPECT_TRUE(registry_.is_stored({"app-1"}));
  EXPECT_TRUE(registry_.remove({"app-1"}, 1000));
  EXPECT_FALSE(registry_.is_stored({"app-1"}));
  EXPECT_EQ(server_.text({"GET", "oauth:deleted_client:app-1"}), "1001");
  EXPECT_EQ(registry_.ending().size(), 1u);
}

TEST_F(ClientRegistry, D5ADamagedRecordWhoseRemovalWasInterruptedIsRemoved) {
  registry_.add(client("app-1"));
  registry_.remove({"app-1"}, 1000);
  server_.command({"SET", "oauth:client:app-1", "{"});
  EXPECT_EQ(registry_.ending().size(), 1u);
  EXPECT_FALSE(registry_.is_stored({"app-1"}));
}

}  // namespace
}  // namespace svc
