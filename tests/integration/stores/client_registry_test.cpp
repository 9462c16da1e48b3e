#include "stores/client_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"

namespace svc {
namespace {

class ClientRegistry : public testing::Test {
 protected:
  static oauth::Client client(const std::string& id, std::int64_t account = 1001) {
    oauth::Client one;
    one.id = {id};
    one.account = {account};
    one.name = "An app";
    one.redirect_uris = {"https://app.example/cb"};
    one.scopes.add("media:read");
    one.created = "2026-01-05T09:00:00Z";
    return one;
  }
  std::vector<std::string> ids_of(std::int64_t account) {
    std::vector<std::string> ids;
    for (const oauth::Client& one : store_.run(registry_.of({account})))
      ids.push_back(one.id.value());
    std::ranges::sort(ids);
    return ids;
  }

  bool add(const oauth::Client& one) { return !store_.run(registry_.add(one, 100)); }
  std::optional<oauth::Client> find(const oauth::ClientId& id) {
    return store_.run(registry_.find(id));
  }
  bool remove(const oauth::ClientId& id) { return store_.run(registry_.remove(id, 1000)); }
  std::vector<oauth::Applications::Ending> ending() { return store_.run(registry_.ending()); }
  bool is_stored(const oauth::ClientId& id) { return store_.run(registry_.is_stored(id)); }
  base::Result<oauth::Client, oauth::ApplicationRefusal> change(
      const oauth::ClientId& id, const oauth::Applications::Change& made) {
    return store_.run(registry_.change(id, made));
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  stores::ClientRegistry registry_{store_.redis()};
};

using Ids = std::vector<std::string>;

TEST_F(ClientRegistry, KeepsToTheLimitAlsoIfSeveralAreAddedSimultaneously) {
  constexpr std::int64_t kMost = 3;
  EXPECT_TRUE(add(client("app-0")));
  std::vector<loop::Task<std::optional<oauth::ApplicationRefusal>>> tasks;
  std::vector<oauth::Client> many;
  for (int i = 1; i <= 8; ++i) many.push_back(client("app-" + std::to_string(i)));
  for (const oauth::Client& one : many) tasks.push_back(registry_.add(one, kMost));
  const auto outcomes = store_.run(loop::all(std::move(tasks)));
  EXPECT_EQ(std::ranges::count(outcomes, oauth::ApplicationRefusal::TooManyApplications), 6);
  EXPECT_EQ(std::ssize(ids_of(1001)), kMost);
  for (std::size_t i = 0; i < many.size(); ++i)
    EXPECT_EQ(is_stored(many[i].id), !outcomes[i].has_value());
}

TEST_F(ClientRegistry, IgnoresStaleEntriesInTheListOfAnAccount) {
  add(client("app-1"));
  add(client("app-2"));
  server_.command({"SET", "oauth:client:app-1", to_record(client("app-1", 1002))});
  server_.command({"DEL", "oauth:client:app-2"});
  EXPECT_EQ(ids_of(1001), Ids{});
}

TEST_F(ClientRegistry, CompletesAnInterruptedRemoval) {
  add(client("app-1"));
  server_.command({"SET", "oauth:deleted_client:app-1", "2"});
  server_.command({"ZADD", "oauth:ending_clients", "1000", "app-1"});
  const auto all = ending();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].restored);
  EXPECT_FALSE(find({"app-1"}));
  EXPECT_EQ(ids_of(1001), Ids{});
  EXPECT_EQ(server_.text({"GET", "oauth:deleted_client:app-1"}), "2");
}

// An import deletes the tombstone of a restored application. Regression: the
// record was removed again.
TEST_F(ClientRegistry, OperationsD5KeepsARestoredRecord) {
  add(client("app-1"));
  remove({"app-1"});
  add(client("app-1"));
  server_.command({"DEL", "oauth:deleted_client:app-1"});
  const auto all = ending();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].restored);
  EXPECT_TRUE(find({"app-1"}));
  EXPECT_EQ(ids_of(1001), Ids{"app-1"});
}

// Regression: the list was deleted with the record, so a grant issued in
// between was never found.
TEST_F(ClientRegistry, OperationsD5AnApplicationWhoseRemovalCannotBeRecordedStays) {
  add(client("app-1"));
  server_.command({"SET", "oauth:ending_clients", "no sorted set"});
  EXPECT_THROW(remove({"app-1"}), base::Unavailable);
  EXPECT_TRUE(find({"app-1"}));
  EXPECT_EQ(ids_of(1001), Ids{"app-1"});
}

TEST_F(ClientRegistry, AChangeSeesAConcurrentWrite) {
  add(client("app-1"));
  Ids seen;
  const auto changed = change(
      {"app-1"}, [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
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
  EXPECT_EQ(find({"app-1"})->name, "Theirs");
  EXPECT_EQ(find({"app-1"})->description, "Mine");
}

TEST_F(ClientRegistry, OperationsD5ADamagedRecordHidesNoOtherAndCanBeRemoved) {
  add(client("app-1"));
  add(client("app-2"));
  server_.command({"SET", "oauth:client:app-1", "{"});
  EXPECT_EQ(ids_of(1001), Ids{"app-2"});
  ASSERT_EQ(store_.run(registry_.find_all({{"app-1"}, {"app-2"}})).size(), 1u);
  Ids readable;
  Ids unreadable;
  store_.run(registry_.for_each(
      [&](const oauth::Client& one) { readable.push_back(one.id.value()); },
      [&](const std::string& key, const std::string&) { unreadable.push_back(key); }));
  EXPECT_EQ(readable, Ids{"app-2"});
  EXPECT_EQ(unreadable, Ids{"oauth:client:app-1"});
  EXPECT_THROW(store_.run(registry_.for_each([](const oauth::Client&) {})), base::Unreadable);
  EXPECT_TRUE(is_stored({"app-1"}));
  EXPECT_TRUE(remove({"app-1"}));
  EXPECT_FALSE(is_stored({"app-1"}));
  EXPECT_EQ(server_.text({"GET", "oauth:deleted_client:app-1"}), "1001");
  EXPECT_EQ(ending().size(), 1u);
}

TEST_F(ClientRegistry, OperationsD5ADamagedRecordIsRemovedByAnInterruptedRemoval) {
  add(client("app-1"));
  remove({"app-1"});
  server_.command({"SET", "oauth:client:app-1", "{"});
  EXPECT_EQ(ending().size(), 1u);
  EXPECT_FALSE(is_stored({"app-1"}));
}

}  // namespace
}  // namespace svc
