#include "stores/access/login_attempts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

constexpr std::string_view kOlivia = "olivia@acme.example";
constexpr std::string_view kHome = "192.0.2.1";

class LoginAttempts : public testing::Test {
 protected:
  void begin(std::string_view email, std::string_view address) {
    EXPECT_TRUE(
        store_.run(attempts_.begin(email, address, store_.run(attempts_.history(email, address)))));
  }
  void succeed(std::string_view email, std::string_view address) {
    begin(email, address);
    store_.run(attempts_.succeeded(email, address));
  }

  integration::RedisServer server_;
  fakes::ManualWallClock time_;
  integration::Store store_{server_};
  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  stores::LoginAttempts attempts_{store_.redis(), keys_, time_};
};

TEST_F(LoginAttempts, ReturnTheLastLoginAndForgetItsAddresses) {
  EXPECT_EQ(store_.run(attempts_.last_login(kOlivia)), std::nullopt);
  succeed(kOlivia, kHome);
  time_.advance(100);
  const auto rotated =
      *base::KeyRing::parse("k2:" + std::string(64, 'b') + "\nk1:" + std::string(64, 'a'));
  stores::LoginAttempts later(store_.redis(), rotated, time_);
  EXPECT_EQ(store_.run(later.last_login("Olivia@ACME.example")), time_.now() - 100)
      << "also under an older key";
  store_.run(later.succeeded(kOlivia, "192.0.2.2"));
  EXPECT_EQ(store_.run(later.last_login(kOlivia)), time_.now());
  store_.run(later.forget_addresses(kOlivia));
  EXPECT_EQ(store_.run(later.last_login(kOlivia)), std::nullopt);
  EXPECT_EQ(server_.command({"KEYS", "web:login_known:*"}).size(), 0u);
}

TEST_F(LoginAttempts, ExpireAreTrimmedAndHaveNoEmail) {
  begin(kOlivia, kHome);
  succeed(kOlivia, "192.0.2.2");
  begin(kOlivia, "192.0.2.2");
  const redis::Reply keys = server_.command({"KEYS", "*"});
  ASSERT_EQ(keys.size(), 7u) << "two pairs, email, known, two addresses, a network";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(*keys.at(i).text());
    const std::int64_t ttl = server_.command({"TTL", key}).integer();
    EXPECT_GT(ttl, 0) << key;
    EXPECT_EQ(key.find('@'), std::string::npos) << key;
    EXPECT_LE(ttl, key.starts_with("web:login_known:") ? 30 * 86'400 : 3600) << key;
  }
  for (int i = 0; i < 60; ++i) succeed(kOlivia, "192.0.2." + std::to_string(100 + i));
  const redis::Reply known = server_.command({"KEYS", "web:login_known:*"});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(server_.command({"ZCARD", *known.at(0).text()}).integer(), 50);
}

}  // namespace
}  // namespace svc
