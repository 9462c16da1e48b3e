#include "redis/standings.h"

#include <gtest/gtest.h>

#include "base/unavailable.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

class Standings : public testing::Test {
 protected:
  void contact(std::string_view memberships) {
    server_.command({"SET", "catalog:contact:7",
                     R"({"id":7,"name":"N","email":"n@example.com","memberships":[)" +
                         std::string(memberships) + "]}"});
  }
  void account(std::string_view enabled) {
    server_.command({"SET", "catalog:account:1001",
                     R"({"id":1001,"name":"A","host":"a.example","url":"https://a.example",)"
                     R"("oauth_enabled":)" +
                         std::string(enabled) + "}"});
  }
  oauth::Standing found() { return store_.run(standings_.find_standing({{7}, {1001}})); }

  integration::RedisServer server_;
  integration::Store store_{server_};
  redis::Standings standings_{store_.redis()};
};

TEST_F(Standings, OauthB3AreReadFromTheStoreEachTime) {
  EXPECT_EQ(found().role, std::nullopt);
  EXPECT_FALSE(found().oauth_enabled);
  account("true");
  for (int times = 0; times < 2; ++times) {
    contact(R"({"account_id":1002,"role":"user"},{"account_id":1001,"role":"manager"})");
    EXPECT_EQ(found().role, media::Role::Manager);
    EXPECT_TRUE(found().oauth_enabled);
    contact(R"({"account_id":1001,"role":"user"})");
    EXPECT_EQ(found().role, media::Role::User);
    contact(R"({"account_id":1002,"role":"owner"})");
    EXPECT_EQ(found().role, std::nullopt);
  }
  account("false");
  EXPECT_FALSE(found().oauth_enabled);
  server_.command({"DEL", "catalog:contact:7", "catalog:account:1001"});
  EXPECT_EQ(found().role, std::nullopt);
}

TEST_F(Standings, OauthB3AContactIsDisabledAsSoonAsItsRecordIs) {
  account("true");
  const auto store = [this](std::string_view more) {
    server_.command({"SET", "catalog:contact:7",
                     R"({"id":7,"name":"N","email":"n@example.com","memberships":)"
                     R"([{"account_id":1001,"role":"manager"}])" +
                         std::string(more) + "}"});
  };
  store("");
  EXPECT_EQ(oauth::barrier_of(found()), std::nullopt);
  store(R"(,"disabled":true)");
  EXPECT_EQ(oauth::barrier_of(found()), oauth::Barrier::ContactDisabled);
  store("");
  EXPECT_EQ(oauth::barrier_of(found()), std::nullopt);
}

TEST_F(Standings, OauthB3UnreadableRecordsAreAnOutage) {
  contact(R"({"account_id":1001,"role":"manager"})");
  account("true");
  EXPECT_EQ(found().role, media::Role::Manager);
  server_.command({"SET", "catalog:contact:7", "{"});
  EXPECT_THROW(found(), base::Unavailable);
  contact(R"({"account_id":1001,"role":"manager"})");
  server_.command({"DEL", "catalog:account:1001"});
  server_.command({"HSET", "catalog:account:1001", "a", "b"});
  EXPECT_THROW(found(), base::Unavailable);
}

}  // namespace
}  // namespace svc
