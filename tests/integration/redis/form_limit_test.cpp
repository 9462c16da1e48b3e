#include "redis/form_limit.h"

#include <gtest/gtest.h>

#include "base/unavailable.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

class FormLimit : public testing::Test {
 protected:
  std::optional<std::int64_t> wait(std::int64_t contact) {
    return store_.run(limit_.wait({contact}));
  }

  integration::RedisServer server_;
  integration::Store store_{server_};
  redis::FormLimit limit_{store_.redis()};
};

TEST_F(FormLimit, OauthK7ThrottlesAContactAfterTooManyForms) {
  for (int i = 0; i < login::FormLimit::kMost; ++i) ASSERT_FALSE(wait(501)) << i;
  const auto seconds = wait(501);
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 50);
  EXPECT_LE(*seconds, login::FormLimit::kSeconds);
  EXPECT_FALSE(wait(502)) << "nobody else";
  server_.command({"DEL", "web:settings_forms:501"});
  EXPECT_FALSE(wait(501)) << "and no longer than that";
}

TEST_F(FormLimit, OauthK4TheCounterExpires) {
  wait(501);
  const std::int64_t ttl = server_.command({"TTL", "web:settings_forms:501"}).integer();
  EXPECT_GT(ttl, 50);
  EXPECT_LE(ttl, login::FormLimit::kSeconds);
}

TEST_F(FormLimit, IsUnavailableWhileTheStoreIsStopped) {
  server_.stop();
  EXPECT_THROW(wait(501), base::Unavailable);
}

}  // namespace
}  // namespace svc
