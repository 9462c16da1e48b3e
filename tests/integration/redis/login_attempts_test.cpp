#include "redis/login_attempts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "integration/trips.h"
#include "login/password_login.h"

namespace svc {
namespace {

using Why = login::LoginRefusal::Why;

constexpr std::string_view kOlivia = "olivia@acme.example";
constexpr std::string_view kHome = "192.0.2.1";

// Logins with a real store and fake password hashes.
class LoginAttempts : public testing::Test {
 protected:
  LoginAttempts() {
    for (int i = 0; i < 200; ++i) {
      media::Contact contact;
      contact.id = {501 + i};
      contact.email = i == 0 ? std::string(kOlivia) : "c" + std::to_string(i) + "@acme.example";
      contact.password_hash = "scrypt$14$8$5$right";
      people_.contacts.push_back(contact);
    }
  }
  // Returns "in", "wrong" or the seconds to wait.
  std::string try_login(std::string_view email, std::string_view password,
                        std::string_view address) {
    const auto result = store_.run(login_.check(email, password, {address}));
    if (result) return "in";
    return result.error().why == Why::Wrong ? "wrong" : std::to_string(result.error().retry_after);
  }
  // Fails `times` logins of an email, each from another address.
  void attack_from_everywhere(int times) {
    for (int i = 0; i < times; ++i) {
      const std::string address =
          "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250);
      if (try_login(kOlivia, "guess", address) == "wrong") continue;
      time_.advance(5);
      ASSERT_EQ(try_login(kOlivia, "guess", address), "wrong") << i;
    }
  }

  integration::RedisServer server_;
  fakes::ManualWallClock time_;
  integration::Store store_{server_};
  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  redis::LoginAttempts attempts_{store_.redis(), keys_, time_};
  fakes::MemoryPeople people_;
  fakes::CountedPasswords passwords_;
  fakes::CountedPermits permits_;
  fakes::MemoryAudit audit_;
  login::PasswordLogin login_{people_, attempts_, passwords_, permits_, audit_, time_};
};

TEST_F(LoginAttempts, OauthL4AreDelayedAfterFiveFailures) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(try_login(kOlivia, "guess", kHome), "wrong") << i;
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "1");
  time_.advance(1);
  EXPECT_EQ(try_login(kOlivia, "guess", kHome), "wrong");
  EXPECT_EQ(try_login(kOlivia, "guess", kHome), "2");
  time_.advance(1);
  EXPECT_EQ(try_login(kOlivia, "guess", kHome), "1") << "trying too early makes it no longer";
  time_.advance(1);
  EXPECT_EQ(try_login("OLIVIA@acme.example", "right", kHome), "in");
  EXPECT_EQ(try_login(kOlivia, "guess", kHome), "wrong");
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in") << "counted from the beginning again";
}

TEST_F(LoginAttempts, OauthL4AreDelayedForThatEmailAndAddressOnly) {
  for (int i = 0; i < 5; ++i) try_login(kOlivia, "guess", "203.0.113.9");
  EXPECT_EQ(try_login(kOlivia, "right", "203.0.113.9"), "1");
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in");
  EXPECT_EQ(try_login("c1@acme.example", "right", "203.0.113.9"), "in")
      << "and for that email only";
}

TEST_F(LoginAttempts, OauthL4LoginsOfOneAddressAreRefusedAfterAHundredFailures) {
  for (int i = 1; i <= 100; ++i) {
    ASSERT_EQ(try_login("c" + std::to_string(i) + "@acme.example", "guess", kHome), "wrong") << i;
  }
  const std::string wait = try_login(kOlivia, "right", kHome);
  EXPECT_NE(wait, "in");
  EXPECT_GT(std::stoi(wait), 590);
  EXPECT_LE(std::stoi(wait), 600);
  EXPECT_EQ(try_login(kOlivia, "right", "192.0.2.2"), "in") << "at another address";
  EXPECT_LE(server_.command({"TTL", "web:login_address:192.0.2.1"}).integer(), 600);
}

TEST_F(LoginAttempts, OauthL4BusyRefusalsCountForTheAddressAndItsNetwork) {
  permits_.free = 0;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(try_login(kOlivia, "right", kHome), "1");
  EXPECT_EQ(server_.text({"GET", "web:login_address:192.0.2.1"}), "3");
  EXPECT_EQ(server_.text({"GET", "web:login_network:192.0.2.0/24"}), "3");
  EXPECT_EQ(store_.run(attempts_.history(kOlivia, kHome)).email_failures, 0)
      << "a stranger is no failure of hers";
  permits_.free = 1;
  EXPECT_EQ(try_login(kOlivia, "guess", "2001:db8:1:a2b3::1"), "wrong");
  EXPECT_EQ(server_.text({"GET", "web:login_network:2001:db8:1:a200::/56"}), "1");
  EXPECT_EQ(server_.text({"GET", "web:login_network:2001:db8:1::/48"}), "1");
  EXPECT_EQ(try_login(kOlivia, "right", "2001:db8:1:a2b3::1"), "in");
  EXPECT_EQ(server_.text({"GET", "web:login_network:2001:db8:1::/48"}), "1")
      << "that of the right password is taken back";
}

TEST_F(LoginAttempts, OauthL4NetworksAreRefusedAfterAThousandFailuresExceptKnownUsers) {
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in");
  server_.command({"SET", "web:login_network:192.0.2.0/24", "1000", "EX", "600"});
  EXPECT_EQ(try_login("c1@acme.example", "right", "192.0.2.77"), "600");
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in") << "an attacker is in her network";
  EXPECT_EQ(try_login(kOlivia, "right", "198.51.100.1"), "in");
}

TEST_F(LoginAttempts, OauthL4ASuccessfulLoginKeepsTheFailuresOfItsAddress) {
  for (int i = 0; i < 10; ++i) {
    try_login("c" + std::to_string(i + 1) + "@acme.example", "guess", kHome);
    try_login(kOlivia, "right", kHome);
  }
  EXPECT_EQ(server_.text({"GET", "web:login_address:192.0.2.1"}), "10");
}

TEST_F(LoginAttempts, OauthL4LoginsOfAnAttackedEmailWaitFiveSecondsAtMost) {
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in");
  attack_from_everywhere(120);
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in") << "never where she has logged in before";
  EXPECT_EQ(try_login(kOlivia, "right", "192.0.2.77"), "5") << "a new address waits";
  EXPECT_EQ(try_login("c1@acme.example", "right", "192.0.2.77"), "in") << "with that email only";
}

// The attack continues while the user waits, and the user can still log in.
TEST_F(LoginAttempts, OauthL4AttacksDoNotLockTheUserOut) {
  attack_from_everywhere(150);
  EXPECT_EQ(try_login(kOlivia, "right", "192.0.2.77"), "5");
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 20; ++j) try_login(kOlivia, "guess", "203.0.113." + std::to_string(j));
    time_.advance(1);
  }
  EXPECT_EQ(try_login(kOlivia, "right", "192.0.2.77"), "in");
  EXPECT_EQ(try_login(kOlivia, "right", "192.0.2.77"), "in") << "and the address is known now";
}

TEST_F(LoginAttempts, OauthL4KnowAnAddressForThirtyDays) {
  EXPECT_EQ(try_login(kOlivia, "right", kHome), "in");
  time_.advance(30 * 86'400);
  EXPECT_TRUE(store_.run(attempts_.history(kOlivia, kHome)).email_knows_address);
  time_.advance(1);
  EXPECT_FALSE(store_.run(attempts_.history(kOlivia, kHome)).email_knows_address);
}

TEST_F(LoginAttempts, ReturnTheLastLoginAndForgetItsAddresses) {
  EXPECT_EQ(store_.run(attempts_.last_login(kOlivia)), std::nullopt);
  ASSERT_EQ(try_login(kOlivia, "right", kHome), "in");
  time_.advance(100);
  const auto rotated =
      *base::KeyRing::parse("k2:" + std::string(64, 'b') + "\nk1:" + std::string(64, 'a'));
  redis::LoginAttempts later(store_.redis(), rotated, time_);
  EXPECT_EQ(store_.run(later.last_login("Olivia@ACME.example")), time_.now() - 100)
      << "also under an older key";
  store_.run(later.succeeded(kOlivia, "192.0.2.2"));
  EXPECT_EQ(store_.run(later.last_login(kOlivia)), time_.now());
  store_.run(later.forget_addresses(kOlivia));
  EXPECT_EQ(store_.run(later.last_login(kOlivia)), std::nullopt);
  EXPECT_EQ(server_.command({"KEYS", "web:login_known:*"}).size(), 0u);
}

TEST_F(LoginAttempts, OauthL4ConcurrentAttemptsCannotBypassTheLimit) {
  for (int i = 0; i < 4; ++i) try_login(kOlivia, "guess", kHome);
  const auto seen = store_.run(attempts_.history(kOlivia, kHome));
  EXPECT_TRUE(store_.run(attempts_.begin(kOlivia, kHome, seen)));
  EXPECT_FALSE(store_.run(attempts_.begin(kOlivia, kHome, seen)))
      << "the fifth was counted, look again";
  EXPECT_TRUE(login::hold_up(store_.run(attempts_.history(kOlivia, kHome)), time_.now()));
}

TEST_F(LoginAttempts, TakeFourRoundTripsPerLogin) {
  integration::Trips trips;
  redis::ConnectionSettings settings = server_.settings();
  settings.observer = &trips;
  integration::Store store(std::move(settings));
  redis::LoginAttempts attempts(store.redis(), keys_, time_);
  const auto all = [&] {
    const auto seen = store.run(attempts.history(kOlivia, "2001:db8:1:2::1"));
    EXPECT_EQ(seen.networks.size(), 2u);
    const int history = std::exchange(trips.count, 0);
    EXPECT_TRUE(store.run(attempts.begin(kOlivia, "2001:db8:1:2::1", seen)));
    const int begin = std::exchange(trips.count, 0);
    store.run(attempts.succeeded(kOlivia, "2001:db8:1:2::1"));
    return std::vector<int>{history, begin, std::exchange(trips.count, 0)};
  };
  all();  // so that Redis knows the scripts
  EXPECT_EQ(all(), (std::vector<int>{1, 2, 1}));
}

TEST_F(LoginAttempts, OauthK4ExpireAndAreTrimmed) {
  try_login(kOlivia, "guess", kHome);
  try_login(kOlivia, "right", "192.0.2.2");
  try_login(kOlivia, "guess", "192.0.2.2");
  const redis::Reply keys = server_.command({"KEYS", "*"});
  ASSERT_EQ(keys.size(), 7u) << "two pairs, email, known, two addresses, a network";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(*keys.at(i).text());
    const std::int64_t ttl = server_.command({"TTL", key}).integer();
    EXPECT_GT(ttl, 0) << key;
    EXPECT_LE(ttl, key.starts_with("web:login_known:") ? 30 * 86'400 : 3600) << key;
  }
  for (int i = 0; i < 60; ++i) try_login(kOlivia, "right", "192.0.2." + std::to_string(100 + i));
  const redis::Reply known = server_.command({"KEYS", "web:login_known:*"});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(server_.command({"ZCARD", *known.at(0).text()}).integer(), 50);
}

TEST_F(LoginAttempts, OauthK1KeysContainNoEmail) {
  try_login(kOlivia, "guess", kHome);
  try_login(kOlivia, "right", kHome);
  const redis::Reply keys = server_.command({"KEYS", "*"});
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(keys.at(i).text()->find('@'), std::string_view::npos) << *keys.at(i).text();
}

TEST_F(LoginAttempts, OauthL4AreUnavailableWhileTheStoreIsStopped) {
  server_.stop();
  EXPECT_THROW(try_login(kOlivia, "right", kHome), base::Unavailable);
  EXPECT_EQ(passwords_.hashed, 0);
}

}  // namespace
}  // namespace svc
