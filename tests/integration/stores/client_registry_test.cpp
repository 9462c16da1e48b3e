#include "stores/access/client_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "loop/all.h"
#include "stores/access/public_applications.h"

namespace svc {
namespace {

using Ids = std::vector<std::string>;

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

TEST_F(ClientRegistry, OperationsD70TheLimitIsExactForSimultaneousWriters) {
  constexpr std::int64_t kMost = 3;
  EXPECT_TRUE(add(client("app-0")));
  // Neither counts.
  server_.command({"SADD", "oauth:account_clients:1001", "gone", "moved"});
  server_.command({"SET", "oauth:client:moved", to_record(client("moved", 1002))});
  std::vector<loop::Task<std::optional<oauth::ApplicationRefusal>>> tasks;
  std::vector<oauth::Client> many;
  for (int i = 1; i <= 64; ++i) many.push_back(client("app-" + std::to_string(i)));
  for (const oauth::Client& one : many) tasks.push_back(registry_.add(one, kMost));
  const auto outcomes = store_.run(loop::all(std::move(tasks)));
  EXPECT_EQ(std::ranges::count(outcomes, oauth::ApplicationRefusal::TooManyApplications), 62);
  EXPECT_EQ(std::ssize(ids_of(1001)), kMost);
  for (std::size_t i = 0; i < many.size(); ++i)
    EXPECT_EQ(is_stored(many[i].id), !outcomes[i].has_value());
}

// Record, list and indexes change together, or nothing does.
TEST_F(ClientRegistry, OperationsD70AForeignIndexStopsAllOfAChange) {
  oauth::Client one = client("app-1");
  one.type = oauth::ClientType::Public;
  oauth::settle(one);
  server_.command({"SET", "oauth:public_clients", "x"});
  EXPECT_THROW(add(one), base::Unavailable);
  EXPECT_FALSE(is_stored({"app-1"}));
  EXPECT_EQ(server_.command({"EXISTS", "oauth:account_clients:1001"}).integer(), 0);
  server_.command({"DEL", "oauth:public_clients"});
  EXPECT_TRUE(add(one));
  server_.command({"SET", "oauth:public_clients", "x"});
  EXPECT_THROW(remove({"app-1"}), base::Unavailable);
  EXPECT_TRUE(is_stored({"app-1"}));
  EXPECT_EQ(ids_of(1001), Ids{"app-1"});
  EXPECT_EQ(server_.command({"EXISTS", "oauth:deleted_client:app-1"}).integer(), 0);
}

TEST_F(ClientRegistry, OperationsD70OneOfSimultaneousWritersGetsAResource) {
  std::vector<oauth::Client> many;
  for (int i = 0; i < 64; ++i) {
    many.push_back(client("server-" + std::to_string(i)));
    many.back().resource_server = true;
    many.back().resources = {"https://mcp.example/mcp"};
  }
  std::vector<loop::Task<std::optional<oauth::ApplicationRefusal>>> tasks;
  for (const oauth::Client& one : many) tasks.push_back(registry_.add(one, 100));
  const auto outcomes = store_.run(loop::all(std::move(tasks)));
  EXPECT_EQ(std::ranges::count(outcomes, oauth::ApplicationRefusal::ResourceTaken), 63);
  EXPECT_EQ(server_.command({"ZCARD", "oauth:resources"}).integer(), 1);
  EXPECT_EQ(ids_of(1001).size(), 1u);
}

TEST_F(ClientRegistry, OperationsD70IsRemovedWhileTheStoreIsFull) {
  add(client("app-1"));
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(remove({"app-1"}));
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_FALSE(is_stored({"app-1"}));
  EXPECT_EQ(ending().size(), 1u);
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

// --- the index of public applications ---

class PublicApplications : public ClientRegistry {
 protected:
  static oauth::Client in_browsers(const std::string& id, std::vector<std::string> uris) {
    oauth::Client one = client(id);
    one.type = oauth::ClientType::Public;
    one.redirect_uris = std::move(uris);
    oauth::settle(one);
    return one;
  }
  bool exist() { return store_.run(index_.exist()); }
  bool have(std::string_view origin) { return store_.run(index_.have_origin(origin)); }
  void move(const std::string& id, const std::string& uri) {
    const auto moved = change(
        {id}, [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
          now.redirect_uris = {uri};
          return now;
        });
    EXPECT_TRUE(moved);
  }
  bool is_indexed(const std::string& entry) {
    return server_.command({"ZSCORE", "oauth:public_clients", entry}).text().has_value();
  }

  stores::PublicApplications index_{store_.redis()};
};

TEST_F(PublicApplications, AreFoundByTheOriginsOfTheirRedirectUris) {
  add(client("server"));
  EXPECT_FALSE(exist());
  EXPECT_FALSE(have("https://app.example"));
  add(in_browsers("a", {"https://app.example/cb", "https://app.example/2", "http://[::1]:5/cb"}));
  add(in_browsers("b", {"https://app.example/cb"}));
  add(in_browsers("device", {"com.example.app:/cb"}));
  EXPECT_TRUE(have("https://app.example"));
  for (const char* port : {":5", ":6", ""}) EXPECT_TRUE(have(std::string("http://[::1]") + port));
  for (const char* other : {"", "https://app.exampl", "https://app.example:1",
                            "https://app.example ", "https://app.example a", "com.example.app:"})
    EXPECT_FALSE(have(other)) << other;
  move("a", "https://moved.example/cb");
  EXPECT_TRUE(have("https://moved.example"));
  EXPECT_FALSE(have("http://[::1]:5"));
  EXPECT_TRUE(have("https://app.example")) << "of b";
  remove({"b"});
  EXPECT_FALSE(have("https://app.example"));
  remove({"a"});
  EXPECT_TRUE(exist()) << "without an origin";
  remove({"device"});
  EXPECT_FALSE(exist());
}

TEST_F(PublicApplications, ThatAreRefusedLeaveTheIndexAsItWas) {
  add(in_browsers("a", {"https://a.example/cb"}));
  EXPECT_FALSE(add(in_browsers("a", {"https://taken.example/cb"})));
  EXPECT_FALSE(have("https://taken.example"));
  EXPECT_TRUE(have("https://a.example"));
  EXPECT_EQ(store_.run(registry_.add(in_browsers("b", {"https://b.example/cb"}), 1)),
            oauth::ApplicationRefusal::TooManyApplications);
  EXPECT_FALSE(have("https://b.example"));
}

// Two writers at the same time: the index is that of the record that stays.
TEST_F(PublicApplications, ConcurrentChangesLeaveTheEntriesOfTheLastRecord) {
  add(in_browsers("a", {"https://0.example/cb"}));
  std::vector<std::string> uris;
  for (int i = 1; i <= 8; ++i) uris.push_back("https://" + std::to_string(i % 3) + ".example/cb");
  std::vector<oauth::Applications::Change> changes;
  for (const std::string& uri : uris) {
    changes.emplace_back(
        [&uri](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
          now.redirect_uris = {uri};
          return now;
        });
  }
  const oauth::ClientId id{"a"};
  std::vector<loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>>> tasks;
  for (const auto& change : changes) tasks.push_back(registry_.change(id, change));
  store_.run(loop::all(std::move(tasks)));
  const std::string last = find(id)->redirect_uris.front();
  for (int i = 0; i < 3; ++i) {
    const std::string origin = "https://" + std::to_string(i) + ".example";
    EXPECT_EQ(have(origin), last == origin + "/cb") << origin << " of " << last;
  }
}

TEST_F(PublicApplications, ADamagedRecordLeavesNoEntry) {
  add(in_browsers("a", {"https://a.example/cb"}));
  add(in_browsers("b", {"https://b.example/cb"}));
  server_.command({"SET", "oauth:client:b", "{"});
  EXPECT_TRUE(remove({"b"}));
  EXPECT_FALSE(is_indexed("https://b.example b"));
  EXPECT_TRUE(is_indexed("https://a.example a"));
}

}  // namespace
}  // namespace svc
