// oauth.md, Pages of the flow: guessing of passwords.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rules/login/login.h"

namespace svc::rules {
namespace {

class Guessing : public WithLogins {
 protected:
  std::size_t hashed() { return site_.passwords().checked.size(); }
  // Fails a login of Olivia's from each of `count` addresses of as many networks.
  void attack_from_everywhere(int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(tried(kOlivia, "guess", "198." + std::to_string(i) + ".100.7"), "wrong") << i;
  }
};

TEST_F(Guessing, OauthL4DelaysDoubleFromTheFifthFailureOn) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(tried(kOlivia, "guess"), "wrong");
  for (const int delay : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900}) {
    EXPECT_EQ(tried(kOlivia, "guess"), "wrong") << delay;
    const std::size_t before = hashed();
    EXPECT_EQ(tried(kOlivia, "right"), std::to_string(delay));
    site_.pass(-100);
    EXPECT_EQ(tried(kOlivia, "right"), std::to_string(delay)) << "a clock that was set back";
    site_.pass(100 + delay - 1);
    EXPECT_EQ(tried(kOlivia, "guess"), "1") << "to try too early makes it no longer";
    EXPECT_EQ(hashed(), before);
    site_.pass(1);
  }
  EXPECT_EQ(tried("OLIVIA@acme.example", password_of(kOlivia)), "in");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(tried(kOlivia, "guess"), "wrong") << "counted anew";
  EXPECT_EQ(tried(kOlivia, "right"), "in");
}

TEST_F(Guessing, OauthL4DelaysThatEmailAtThatAddressOnly) {
  for (int i = 0; i < 13; ++i) {
    tried(kOlivia, "guess", "203.0.113.9");
    site_.pass(900);
  }
  tried(kOlivia, "guess", "203.0.113.9");
  Browser browser(site_);
  const Answer held = log_in(browser, kOlivia);
  EXPECT_EQ(held.status, 429);
  EXPECT_TRUE(held.has("There were too many failed attempts. Try again in 9 minutes."))
      << held.body;
  EXPECT_EQ(tried(kOlivia, "right", kHome), "in");
  EXPECT_EQ(tried(kManuel, "right", "203.0.113.9"), "in");
}

TEST_F(Guessing, OauthL4AHundredFailuresOfAnAddressRefuseAllButItsKnownUsers) {
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  for (int i = 1; i <= 100; ++i) {
    ASSERT_EQ(tried("c" + std::to_string(i) + "@acme.example", "guess"), "wrong") << i;
    if (i % 10 == 0) {
      ASSERT_EQ(tried(kOlivia, "right"), "in") << "takes nothing back but its own";
    }
  }
  const std::size_t before = hashed();
  const std::string wait = tried(kManuel, "right");
  EXPECT_GT(std::stoi(wait), 500);
  EXPECT_LE(std::stoi(wait), 600);
  EXPECT_EQ(hashed(), before);
  EXPECT_EQ(tried(kManuel, "right", "192.0.2.2"), "in") << "at another address";
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(tried(kOlivia, "guess"), "wrong");
  EXPECT_EQ(tried(kOlivia, "right"), "1") << "guesses at a known user are delayed all the same";
}

TEST_F(Guessing, OauthL4NetworksHaveLargerLimitsAndSpareKnownUsers) {
  struct Case {
    std::string known, address, counter;
    int limit;
  };
  for (const Case& c : {
           Case{"192.0.2.1", "192.0.2.77", "network:192.0.2.0/24", 1000},
           Case{"2001:db8:1:2::1", "2001:db8:1:2::77", "address:2001:db8:1:2::/64", 100},
           Case{"2001:db8:1:a2b3::1", "2001:db8:1:a2ff::1", "network:2001:db8:1:a200::/56", 300},
           Case{"2001:db8:5:1::1", "2001:db8:5:ffff::1", "network:2001:db8:5::/48", 1000},
       }) {
    SCOPED_TRACE(c.counter);
    EXPECT_EQ(tried(kOlivia, "right", c.known), "in");
    stores().command({"SET", "web:login_" + c.counter, std::to_string(c.limit - 1), "EX", "600"});
    EXPECT_EQ(tried("clara@closed.example", "right", c.address), "in") << "takes its own back";
    EXPECT_EQ(tried("x@acme.example", "guess", c.address), "wrong");
    const std::string wait = tried(kManuel, "right", c.address);
    ASSERT_NE(wait, "in");
    EXPECT_GT(std::stoi(wait), 500);
    EXPECT_EQ(tried(kOlivia, "right", c.known), "in") << "an attacker is in her network";
  }
}

TEST_F(Guessing, OauthL4RefusalsForLackOfCapacityCountForTheAddressOnly) {
  site_.passwords().free = 0;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(tried(kOlivia, "right"), "1");
  site_.passwords().free = 1;
  EXPECT_GT(std::stoi(tried(kManuel, "right")), 500);
  EXPECT_EQ(tried(kOlivia, "right", "198.51.100.1"), "in") << "a stranger is no failure of hers";
}

TEST_F(Guessing, OauthL4AnEmailUnderAttackWaitsFiveSecondsAtMost) {
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  attack_from_everywhere(100);
  EXPECT_EQ(tried(kOlivia, "right"), "in") << "never where she has logged in before";
  const std::string there = "203.0.113.77";
  EXPECT_EQ(tried(kOlivia, "right", there), "5") << "a new address waits";
  EXPECT_EQ(tried(kManuel, "right", there), "in") << "with that email only";
  site_.pass(4);
  EXPECT_EQ(tried(kOlivia, "right", there), "1") << "to ask again makes it no longer";
  site_.pass(57);
  EXPECT_EQ(tried(kOlivia, "right", there), "5") << "told too long ago";
  for (int i = 0; i < 5; ++i) {  // the attack continues
    for (int j = 0; j < 20; ++j) tried(kOlivia, "guess", "203.0." + std::to_string(j) + ".1");
    site_.pass(1);
  }
  EXPECT_EQ(tried(kOlivia, "right", there), "in");
  EXPECT_EQ(tried(kOlivia, "right", there), "in") << "and the address is known now";
}

TEST_F(Guessing, OauthL4AnAddressIsKnownForThirtyDays) {
  constexpr std::int64_t kThirtyDays = 30 * 86'400;
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  attack_from_everywhere(100);
  site_.pass(kThirtyDays);
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  EXPECT_TRUE(site_.passwords().known);
  EXPECT_EQ(site_.passwords().address, kHome);
  site_.pass(kThirtyDays + 1);
  EXPECT_EQ(tried(kOlivia, "right"), "5");
  site_.pass(5);
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  EXPECT_FALSE(site_.passwords().known);
}

TEST_F(Guessing, OauthL4FailuresAreCheckedAgainAfterTheWaitForCapacity) {
  site_.passwords().meanwhile = [&] {
    EXPECT_EQ(hashed(), 0u);
    EXPECT_TRUE(stores().events().empty()) << "nothing has changed so far";
    stores().command({"SET", "web:login_address:192.0.2.1", "100", "EX", "60"});
  };
  EXPECT_EQ(tried(kOlivia, "right"), "60");
  EXPECT_EQ(hashed(), 0u);
  EXPECT_EQ(site_.passwords().free, 1) << "its turn is over";
  site_.passwords().meanwhile = [&] { stores().command({"DEL", "web:login_address:192.0.2.1"}); };
  stores().command({"DEL", "web:login_address:192.0.2.1"});
  EXPECT_EQ(tried(kOlivia, "right"), "in");
}

TEST_F(Guessing, OauthL4SimultaneousAttemptsCannotBypassTheLimit) {
  site_.passwords().free = 20;
  const Ask ask =
      browser_.form(browser_.ask("/login"), "/login", {{"email", kOlivia}, {"password", "guess"}});
  int guesses = 0;
  for (int round = 0; round < 5; ++round) {
    for (const Answer& answer : site_.ask_at_once(ask, 4)) {
      EXPECT_TRUE(answer.status == 403 || answer.status == 429) << answer.status;
      guesses += answer.status == 403 ? 1 : 0;
    }
  }
  EXPECT_EQ(guesses, 5);
  EXPECT_EQ(hashed(), 5u);
  EXPECT_EQ(site_.passwords().free, 20);
  const Ask manuel = browser_.form(browser_.ask("/login"), "/login",
                                   {{"email", kManuel}, {"password", password_of(kManuel)}});
  for (const Answer& answer : site_.ask_at_once(manuel, 2))
    EXPECT_EQ(answer.status, 303) << "a double click";
}

TEST_F(Guessing, OauthL4CountsPasswordsOfTheSettings) {
  browser_.log_in(501);
  const Answer page = browser_.ask("/settings/security");
  const auto change = [&](const std::string& present) {
    return browser_.submit(page, "/settings/security/password",
                           {{"present", present},
                            {"fresh", "several words make one"},
                            {"again", "several words make one"}});
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(change("guess").status, 403);
  const Answer held = change(password_of(kOlivia));
  EXPECT_EQ(held.status, 429);
  EXPECT_EQ(held.header("Retry-After"), "1");
  EXPECT_TRUE(held.has("There were too many failed attempts. Try again in 1 second."));
  const std::string secret = "/settings/accounts/1001/applications/demo-client-0001/secret";
  site_.pass(600);
  const Answer asked = browser_.submit(
      browser_.ask("/settings/accounts/1001/applications/demo-client-0001"), secret);
  EXPECT_EQ(browser_.submit(asked, secret, {{"password", "guess"}}).status, 403);
  const Answer told = browser_.submit(asked, secret, {{"password", password_of(kOlivia)}});
  EXPECT_EQ(told.status, 429);
  EXPECT_EQ(told.header("Retry-After"), "2");
  EXPECT_FALSE(told.has("demo-secret"));
  EXPECT_EQ(tried(kOlivia, "right"), "2");
  EXPECT_EQ(hashed(), 6u);
}

}  // namespace
}  // namespace svc::rules
