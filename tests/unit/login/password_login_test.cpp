#include "login/password_login.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/password_hash.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"

namespace svc::login {
namespace {

using Why = LoginRefusal::Why;

constexpr std::string_view kNow14 =
    "scrypt$14$8$5$00000000000000000000000000000000$"
    "1111111111111111111111111111111111111111111111111111111111111111";
constexpr std::string_view kStronger =
    "scrypt$15$8$3$00000000000000000000000000000000$"
    "1111111111111111111111111111111111111111111111111111111111111111";

// Accepts "right" for every stored hash except kHashOfNoPassword.
class OnePassword : public fakes::CountedPasswords {
 public:
  std::vector<std::string> checked;
  loop::Task<bool> matches(std::string password, std::string stored) override {
    ++hashed;
    checked.emplace_back(stored.substr(0, stored.find('$', 13)));
    co_return password == "right" && stored != base::kHashOfNoPassword;
  }
};

class PasswordLogins : public testing::Test {
 protected:
  PasswordLogins() {
    add(501, "olivia@acme.example", kNow14);
    add(502, "nologin@acme.example", "");
  }
  void add(std::int64_t id, std::string_view email, std::string_view hash) {
    media::Contact contact;
    contact.id = {id};
    contact.email = std::string(email);
    contact.password_hash = std::string(hash);
    people_.contacts.push_back(contact);
  }
  using Checked = base::Result<media::Contact, LoginRefusal>;
  Checked check(std::string_view email, std::string_view password, std::string_view address) {
    return fakes::now(login_.check(email, password, {address}));
  }
  Checked change(std::string_view present) {
    return fakes::now(login_.change(people_.contacts[0], present, "another one", {"192.0.2.1"}));
  }
  Why refused(std::string_view email, std::string_view password) {
    const auto result = check(email, password, "192.0.2.1");
    EXPECT_FALSE(result);
    return result ? Why::Wrong : result.error().why;
  }

  fakes::MemoryPeople people_;
  fakes::MemoryAttempts attempts_;
  OnePassword passwords_;
  fakes::CountedPermits permits_;
  fakes::MemoryAudit audit_;
  fakes::ManualWallClock clock_;
  PasswordLogin login_{people_, attempts_, passwords_, permits_, audit_, clock_};
};

TEST_F(PasswordLogins, OauthL3ReturnsTheContactForTheRightPassword) {
  const auto contact = check("Olivia@ACME.example", "right", "192.0.2.1");
  ASSERT_TRUE(contact);
  EXPECT_EQ(contact->id, media::ContactId{501});
  EXPECT_EQ(passwords_.hashed, 1);
  EXPECT_EQ(attempts_.successes, 1);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"login 501 "});
  EXPECT_EQ(permits_.free, 1);
}

// An earlier version could import such a hash.
TEST_F(PasswordLogins, LogsTheContactWhoseHashIsTooExpensive) {
  add(503, "costly@acme.example",
      "scrypt$17$8$16$00000000000000000000000000000000$"
      "1111111111111111111111111111111111111111111111111111111111111111");
  base::log::set_level(base::log::Level::Info);
  testing::internal::CaptureStderr();
  EXPECT_EQ(refused("costly@acme.example", "wrong"), Why::Wrong);
  EXPECT_EQ(refused("olivia@acme.example", "wrong"), Why::Wrong);
  const std::string said = testing::internal::GetCapturedStderr();
  base::log::set_level(base::log::Level::Off);
  EXPECT_NE(said.find(R"("event":"password.too-expensive")"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("contact":503)"), std::string::npos) << said;
  EXPECT_EQ(said.find(R"("contact":501)"), std::string::npos) << said;
}

// oauth-L23. A hash of an earlier version is of the password as it was typed.
TEST_F(PasswordLogins, OauthL23AcceptsBothFormsOfAPasswordAndKeepsTheComposedOne) {
  class Accents : public OnePassword {
   public:
    std::string stored_password;
    loop::Task<bool> matches(std::string password, std::string stored) override {
      ++hashed;
      co_return password == stored_password&& stored != base::kHashOfNoPassword;
    }
    loop::Task<std::string> hash(std::string password) override {
      stored_password = std::move(password);
      co_return std::string(kStronger);
    }
  };
  constexpr std::string_view kTyped = "cafe\u0301";
  constexpr std::string_view kComposed = "caf\u00e9";
  Accents passwords;
  PasswordLogin login(people_, attempts_, passwords, permits_, audit_, clock_);
  const auto logs_in = [&](std::string_view email, std::string_view password) {
    return bool{fakes::now(login.check(email, password, {"192.0.2.1"}))};
  };
  passwords.stored_password = kComposed;
  EXPECT_TRUE(logs_in("olivia@acme.example", kTyped));
  EXPECT_TRUE(logs_in("olivia@acme.example", kComposed));
  EXPECT_EQ(passwords.hashed, 2);
  EXPECT_EQ(people_.contacts[0].password_hash, kNow14) << "unchanged";

  passwords.stored_password = kTyped;
  EXPECT_FALSE(logs_in("olivia@acme.example", kComposed));
  EXPECT_TRUE(logs_in("olivia@acme.example", kTyped));
  EXPECT_EQ(passwords.stored_password, kComposed) << "hashed anew";
  EXPECT_TRUE(logs_in("olivia@acme.example", kComposed));

  passwords.hashed = 0;
  EXPECT_FALSE(logs_in("olivia@acme.example", "wrong e\u0301"));
  EXPECT_FALSE(logs_in("nobody@acme.example", "wrong e\u0301"));
  EXPECT_EQ(passwords.hashed, 4) << "the same work for both";
}

TEST_F(PasswordLogins, OauthL3DoesTheSameWorkForEveryRefusedLogin) {
  struct Case {
    std::string_view name, email, password;
  };
  for (const Case& c : {
           Case{"a wrong password", "olivia@acme.example", "wrong"},
           Case{"an unknown email", "nobody@acme.example", "right"},
           Case{"a contact that cannot log in", "nologin@acme.example", "right"},
           Case{"no email at all", "", "right"},
       }) {
    SCOPED_TRACE(c.name);
    const int before = passwords_.hashed;
    EXPECT_EQ(refused(c.email, c.password), Why::Wrong);
    EXPECT_EQ(passwords_.hashed, before + 1);
    EXPECT_EQ(passwords_.checked.back(), "scrypt$14$8$5") << "with the same parameters";
  }
  EXPECT_EQ(attempts_.begun, 4) << "all are counted";
  EXPECT_EQ(attempts_.successes, 0);
  EXPECT_EQ(permits_.taken, 4);
  EXPECT_EQ(permits_.free, 1);
  EXPECT_EQ(audit_.events, (std::vector<std::string>{
                               "login.failed 501 wrong password", "login.failed - unknown email",
                               "login.failed 502 wrong password", "login.failed - unknown email"}))
      << "and nobody's email is written down";
}

TEST_F(PasswordLogins, OauthL3RefusesADisabledContactAsAWrongPassword) {
  people_.contacts.front().disabled = true;
  for (const char* password : {"right", "wrong"}) {
    const int before = passwords_.hashed;
    EXPECT_EQ(refused("olivia@acme.example", password), Why::Wrong);
    EXPECT_EQ(passwords_.hashed, before + 1) << "after the same work";
  }
  EXPECT_EQ(attempts_.begun, 2);
  EXPECT_EQ(attempts_.successes, 0);
  EXPECT_EQ(audit_.events,
            (std::vector<std::string>{"login.failed 501 disabled", "login.failed 501 disabled"}));
  people_.contacts.front().disabled = false;
  EXPECT_TRUE(check("olivia@acme.example", "right", "192.0.2.1"));
}

TEST_F(PasswordLogins, OauthL3RehashesIfTheParametersChanged) {
  add(503, "old@acme.example", kStronger);
  ASSERT_TRUE(check("old@acme.example", "right", "192.0.2.1"));
  EXPECT_EQ(people_.contacts.back().password_hash, "new$right");
  EXPECT_EQ(passwords_.hashed, 2);
  ASSERT_TRUE(check("olivia@acme.example", "right", "192.0.2.1"));
  EXPECT_EQ(people_.contacts.front().password_hash, kNow14) << "not without a reason";
}

TEST_F(PasswordLogins, OauthL3RefusesPasswordsLongerThanAKilobyte) {
  EXPECT_EQ(refused("olivia@acme.example", "right" + std::string(1020, 'x')), Why::Wrong);
  EXPECT_EQ(passwords_.hashed, 1) << "a longer one is as much work";
}

TEST_F(PasswordLogins, OauthL3IsBusyIfNoPermitIsFree) {
  permits_.free = 0;
  EXPECT_EQ(refused("olivia@acme.example", "right"), Why::Busy);
  EXPECT_EQ(passwords_.hashed, 0);
  EXPECT_EQ(attempts_.begun, 0) << "which is no failure of the email";
  EXPECT_EQ(attempts_.busy, 1) << "but counts for the address";
  permits_.free = 1;
  EXPECT_TRUE(check("olivia@acme.example", "right", "192.0.2.1"));
}

TEST_F(PasswordLogins, OauthL4RequestsAPermitForTheAddress) {
  EXPECT_TRUE(check("olivia@acme.example", "right", "2001:db8:1:2:3::4:5"));
  EXPECT_EQ(permits_.address, "2001:db8:1:2:3::4:5");
  EXPECT_FALSE(permits_.known);
  attempts_.next.email_knows_address = true;
  EXPECT_TRUE(check("olivia@acme.example", "right", "192.0.2.1"));
  EXPECT_TRUE(permits_.known);
}

TEST_F(PasswordLogins, OauthL4ChangesNothingBeforeItHasAPermit) {
  int waits = 0;
  permits_.meanwhile = [&] {
    ++waits;
    EXPECT_EQ(attempts_.begun + attempts_.busy, 0);
    EXPECT_EQ(passwords_.hashed, 0);
    EXPECT_TRUE(audit_.events.empty());
  };
  EXPECT_TRUE(check("olivia@acme.example", "right", "192.0.2.1"));
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(permits_.taken, 1);
  EXPECT_EQ(permits_.free, 1);
}

TEST_F(PasswordLogins, OauthL4ChecksFailuresAgainAfterWaitingForAPermit) {
  permits_.meanwhile = [&] {
    attempts_.next.address_failures = 100;
    attempts_.next.address_ends_in = 60;
  };
  EXPECT_EQ(refused("olivia@acme.example", "right"), Why::HeldUp);
  EXPECT_EQ(attempts_.begun, 0);
  EXPECT_EQ(passwords_.hashed, 0);
  EXPECT_EQ(permits_.free, 1) << "its permit is given back";
}

// Hashing yields to all other work, so its request may take longer than others.
TEST_F(PasswordLogins, OauthL3ExtendsTheTimeOfTheRequestOnlyIfItHashes) {
  class Peer : public http::Peer {
   public:
    int longer = 0;
    bool has_left() const override { return false; }
    void takes_longer(base::Duration) override { ++longer; }
  } peer;
  attempts_.next.pair_failures = 8;
  attempts_.next.pair_last = clock_.now();
  EXPECT_FALSE(fakes::now(login_.check("olivia@acme.example", "right", {"192.0.2.1", &peer})));
  EXPECT_EQ(peer.longer, 0);
  clock_.advance(8);
  EXPECT_TRUE(fakes::now(login_.check("olivia@acme.example", "right", {"192.0.2.1", &peer})));
  EXPECT_EQ(peer.longer, 1);
}

TEST_F(PasswordLogins, OauthL4DoesNotHashForThrottledLogins) {
  attempts_.next.pair_failures = 8;
  attempts_.next.pair_last = clock_.now();
  const auto result = check("olivia@acme.example", "right", "192.0.2.1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().why, Why::HeldUp);
  EXPECT_EQ(result.error().retry_after, 8);
  EXPECT_EQ(passwords_.hashed, 0);
  EXPECT_EQ(permits_.taken, 0);
  EXPECT_EQ(attempts_.begun, 0) << "waiting begins with the last failure, not with the last try";
  clock_.advance(8);
  EXPECT_TRUE(check("olivia@acme.example", "right", "192.0.2.1"));
}

TEST_F(PasswordLogins, OauthL4RecordsOnceThatALoginWasToldToWait) {
  attempts_.next.email_failures = 100;
  EXPECT_EQ(refused("olivia@acme.example", "right"), Why::HeldUp);
  EXPECT_EQ(attempts_.told, 1);
  attempts_.next.pair_told = clock_.now();
  EXPECT_EQ(refused("olivia@acme.example", "right"), Why::HeldUp);
  EXPECT_EQ(attempts_.told, 1);
}

TEST_F(PasswordLogins, OauthL4RetriesIfAnotherAttemptInterferes) {
  attempts_.others = 1;
  EXPECT_TRUE(check("olivia@acme.example", "right", "192.0.2.1")) << "sent twice";
  attempts_.others = 100;
  EXPECT_EQ(refused("olivia@acme.example", "right"), Why::HeldUp) << "a flood";
  EXPECT_EQ(permits_.free, 1);
}

TEST_F(PasswordLogins, ChangesThePasswordIfTheCurrentPasswordIsRight) {
  const auto changed = change("right");
  ASSERT_TRUE(changed);
  EXPECT_EQ(people_.contacts[0].password_hash, "new$another one");
  EXPECT_EQ(changed->password_hash, "new$another one");
  EXPECT_EQ(audit_.events,
            (std::vector<std::string>{"password.given 501 ", "password.changed 501 "}));
  EXPECT_EQ(permits_.taken, 1) << "both hashes with one permit";
  EXPECT_EQ(permits_.free, 1);
}

TEST_F(PasswordLogins, RefusesAPasswordChangeWithAWrongPassword) {
  const auto changed = change("wrong");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().why, Why::Wrong);
  EXPECT_EQ(attempts_.begun, 1) << "counted as at the login";
  EXPECT_EQ(people_.contacts[0].password_hash, kNow14);
}

TEST_F(PasswordLogins, RefusesAPasswordChangeIfNoPermitIsFree) {
  permits_.free = 0;
  const auto changed = change("right");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().why, Why::Busy);
  EXPECT_EQ(people_.contacts[0].password_hash, kNow14);
}

}  // namespace
}  // namespace svc::login
