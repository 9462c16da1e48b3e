#include "login/throttle.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::login {
namespace {

constexpr std::int64_t kNow = 1'780'000'000;

// The seconds to wait; 0 if the login is not throttled.
std::int64_t wait(const AttemptHistory& history, std::int64_t now = kNow) {
  const auto held_up = hold_up(history, now);
  return held_up ? held_up->seconds : 0;
}

TEST(Throttle, OauthL4DoublesTheDelayFromTheFifthFailureOn) {
  AttemptHistory history;
  history.pair_last = kNow;
  const std::int64_t expected[] = {0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900};
  for (const std::int64_t seconds : expected) {
    EXPECT_EQ(wait(history), seconds) << history.pair_failures;
    ++history.pair_failures;
  }
  history.pair_failures = 1'000'000'000'000;
  EXPECT_EQ(wait(history), 900);
}

TEST(Throttle, OauthL4AllowsTheLoginAfterTheDelay) {
  AttemptHistory history;
  history.pair_failures = 10;  // 32 s
  history.pair_last = kNow;
  EXPECT_EQ(wait(history, kNow + 1), 31);
  EXPECT_EQ(wait(history, kNow + 31), 1);
  EXPECT_EQ(wait(history, kNow + 32), 0);
  EXPECT_EQ(wait(history, kNow - 100), 32) << "a clock that was set back";
}

TEST(Throttle, OauthL4RefusesAnAddressAfterAHundredFailures) {
  AttemptHistory history;
  history.address_ends_in = 431;
  history.address_failures = 99;
  EXPECT_EQ(wait(history), 0);
  history.address_failures = 100;
  EXPECT_EQ(wait(history), 431);
  history.address_ends_in = 0;
  EXPECT_EQ(wait(history), 1);
}

TEST(Throttle, OauthL4KnownUsersIgnoreFailuresOfOthersAtTheAddress) {
  AttemptHistory history;
  history.address_failures = 1000;
  history.address_ends_in = 431;
  history.networks = {{1000, 431}};
  history.email_knows_address = true;
  EXPECT_EQ(wait(history), 0);
  history.pair_failures = 10;
  history.pair_last = kNow;
  EXPECT_EQ(wait(history), 32) << "guesses at that user are delayed all the same";
}

TEST(Throttle, OauthL4NetworksHaveHigherLimitsAndSpareKnownUsers) {
  AttemptHistory history;
  history.networks = {{299, 100}, {999, 200}};
  EXPECT_EQ(wait(history), 0);
  history.networks = {{300, 100}, {999, 200}};
  EXPECT_EQ(wait(history), 100) << "a /56";
  history.networks = {{299, 100}, {1000, 200}};
  EXPECT_EQ(wait(history), 200) << "a /48";
  history.networks = {{999, 200}};
  EXPECT_EQ(wait(history), 0);
  history.networks = {{1000, 0}};
  EXPECT_EQ(wait(history), 1) << "a /24";
  history.email_knows_address = true;
  EXPECT_EQ(wait(history), 0);
}

TEST(Throttle, OauthL4DelaysByFiveSecondsIfAnEmailIsUnderAttack) {
  AttemptHistory history;
  history.email_failures = 99;
  EXPECT_EQ(wait(history), 0);
  history.email_failures = 1'000'000;
  ASSERT_TRUE(hold_up(history, kNow));
  EXPECT_EQ(hold_up(history, kNow)->seconds, 5);
  EXPECT_TRUE(hold_up(history, kNow)->remember);
  // The client was told to wait, and comes back.
  history.pair_told = kNow;
  EXPECT_EQ(wait(history, kNow + 4), 1);
  EXPECT_FALSE(hold_up(history, kNow + 4)->remember) << "asking again makes it no longer";
  EXPECT_EQ(wait(history, kNow + 5), 0);
  EXPECT_EQ(wait(history, kNow + 60), 0);
  EXPECT_EQ(wait(history, kNow + 61), 5) << "told too long ago";
}

TEST(Throttle, OauthL4DoesNotDelayAddressesKnownToTheEmail) {
  AttemptHistory history;
  history.email_failures = 1'000'000;
  history.email_knows_address = true;
  EXPECT_EQ(wait(history), 0);
  history.pair_failures = 6;
  history.pair_last = kNow;
  EXPECT_EQ(wait(history), 2) << "but for its own failures";
}

// Whatever an attacker does from other addresses, a user waits no longer than
// this.
TEST(Throttle, OauthL4AttackersCannotLockUsersOut) {
  AttemptHistory history;
  history.email_failures = 1'000'000'000;
  std::int64_t now = kNow;
  const auto first = hold_up(history, now);
  ASSERT_TRUE(first);
  if (first->remember) history.pair_told = now;
  now += first->seconds;
  EXPECT_FALSE(hold_up(history, now));
  EXPECT_LE(first->seconds, 5);
}

}  // namespace
}  // namespace svc::login
