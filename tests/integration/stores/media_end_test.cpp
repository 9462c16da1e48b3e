#include "stores/catalog/media_end.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "integration/every_store.h"
#include "integration/redis_server.h"
#include "media/id.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/catalog_registry.h"

namespace svc {
namespace {

TEST(MediaEnd, LeavesNoKeyOfTheMediaThatDoesNotEndByItself) {
  const std::string name = "l4unchf1lm";
  const std::set<std::string> of_others{"catalog:files:" + name};  // its folder has another owner
  integration::RedisServer server;
  integration::EveryStore stores(server);
  stores.write();
  stores.run(
      stores::end_media(stores.state(), *media::HashedId::parse(name), media::AccountId{1001}));
  const auto keys = server.command({"KEYS", "*" + name + "*"});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(keys.at(i).text().value_or(""));
    EXPECT_TRUE(of_others.contains(key) || server.command({"TTL", key}).integer() > 0) << key;
  }
}

// Of the kinds of redis-catalog. Sessions and grants end by their own stores.
TEST(UserEnd, LeavesNoKeyOfTheUserThatDoesNotEndByItself) {
  const std::set<std::string> elsewhere{
      "oauth:contact_grants:501",  // redis-state
      "web:contact_sessions:501",
      "oauth:contact_account_tokens:501",  // until its tokens have ended
  };
  integration::RedisServer server;
  integration::EveryStore stores(server);
  stores.write();
  server.command({"SET", "web:login_codes:501", "1"});
  const std::size_t emails = server.command({"KEYS", "catalog:contact_email:*"}).size();
  stores::CatalogRegistry registry(stores.state());
  stores.run(registry.end_contact({501}));
  EXPECT_EQ(server.command({"KEYS", "catalog:contact_email:*"}).size(), emails - 1);
  const auto keys = server.command({"KEYS", "*:501"});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(keys.at(i).text().value_or(""));
    EXPECT_TRUE(elsewhere.contains(key) || server.command({"TTL", key}).integer() > 0) << key;
  }
}

TEST(AccountEnd, LeavesNoKeyOfTheAccount) {
  const std::set<std::string> elsewhere{"oauth:account_grants:1001"};  // redis-state
  integration::RedisServer server;
  integration::EveryStore stores(server);
  stores.write();
  stores.run(stores::end_account(stores.state(), {1001}));
  for (const std::string pattern : {"*:1001", "*:1001:*", "*{1001}*"}) {
    const auto keys = server.command({"KEYS", pattern});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string key(keys.at(i).text().value_or(""));
      EXPECT_TRUE(elsewhere.contains(key) || server.command({"TTL", key}).integer() > 0) << key;
    }
  }
}

}  // namespace
}  // namespace svc
