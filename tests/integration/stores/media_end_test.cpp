#include "stores/catalog/media_end.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "integration/every_store.h"
#include "integration/redis_server.h"
#include "media/id.h"

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

}  // namespace
}  // namespace svc
