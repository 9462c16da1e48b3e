// oauth.md, "Second factor": passkeys.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/base64.h"
#include "fakes/authenticator.h"
#include "rules/login/second_factor.h"

namespace svc::rules {
namespace {

using fakes::Authenticator;
using Ceremony = fakes::Authenticator::Ceremony;

class PasskeyLogin : public WithSecondFactor {
 protected:
  static constexpr const char* kAdd = "/settings/second-factor/passkey";
  static constexpr const char* kRemovePasskey = "/settings/second-factor/remove-passkey";
  static constexpr const char* kCreate = "data-passkey=\"create\"";
  static constexpr const char* kGet = "data-passkey=\"get\"";

  explicit PasskeyLogin(std::vector<std::string> settings = {})
      : WithSecondFactor(std::move(settings)) {}

  // The options of the form with that mark; "" if the page has none.
  static std::string options_in(const Answer& page, const std::string& mark) {
    const std::size_t form = page.body.find(mark);
    if (form == std::string::npos) return "";
    const std::string begin = "data-options=\"";
    const std::size_t at = page.body.find(begin, form) + begin.size();
    return unescaped(std::string_view(page.body).substr(at, page.body.find('"', at) - at));
  }
  static std::string text_in(const std::string& json, const std::string& name) {
    const std::string begin = "\"" + name + "\":\"";
    const std::size_t at = json.find(begin) + begin.size();
    return json.substr(at, json.find('"', at) - at);
  }
  Ceremony ceremony_of(const Answer& page, const std::string& mark) const {
    Ceremony ceremony;
    ceremony.challenge = text_in(options_in(page, mark), "challenge");
    ceremony.origin = site_.names().app_url;
    return ceremony;
  }
  Answer add(Browser& browser, const Authenticator& authenticator,
             const std::string& name = "Phone") {
    const Answer page = browser.ask(kFactor);
    return browser.submit(
        page, kAdd,
        {{"name", name}, {"credential", authenticator.registration(ceremony_of(page, kCreate))}});
  }
  // Sends an assertion in place of a code.
  static Answer use(Browser& browser, const Answer& page, const std::string& assertion) {
    return browser.submit(page, "/login", {{"code", ""}, {"credential", assertion}});
  }
  std::size_t failed(const std::string& why) { return stores().events("login.failed 501 " + why); }

  Authenticator key_;
};

TEST_F(PasskeyLogin, OauthF6APasskeyReplacesTheCode) {
  set_up();
  const Answer added = browser_.follow(add(browser_, key_, "Olivia's <phone>"));
  EXPECT_TRUE(added.has("The passkey is added."));
  EXPECT_TRUE(added.has("<bdi>Olivia&#39;s &lt;phone&gt;</bdi>")) << added.body;
  EXPECT_TRUE(added.has("not used yet"));
  EXPECT_EQ(stores().events("passkey.added 501 Olivia's <phone>"), 1u);
  Browser browser(site_);
  const Answer asked = password_given(browser, "/settings/connected");
  const std::string options = options_in(asked, kGet);
  EXPECT_EQ(text_in(options, "rpId"), "app.svc.example");
  EXPECT_NE(options.find(R"({"type":"public-key","id":")" + key_.id() +
                         R"(","transports":["usb","nfc"]})"),
            std::string::npos)
      << options;
  EXPECT_NE(options.find(R"("userVerification":"preferred")"), std::string::npos);
  const Answer given = use(browser, asked, key_.assertion(ceremony_of(asked, kGet)));
  EXPECT_EQ(given.status, 303) << given.body;
  EXPECT_EQ(given.header("Location"), "/settings/connected");
  EXPECT_TRUE(is_logged_in(browser));
  EXPECT_EQ(stores().events("login 501 passkey"), 1u);
  EXPECT_TRUE(browser_.ask(kFactor).has("last used"));
  // Codes still work.
  for (const std::string& typed : {code(), recovery_.front()}) {
    Browser another(site_);
    EXPECT_EQ(give(another, password_given(another), typed).status, 303) << typed;
  }
}

TEST_F(PasskeyLogin, OauthF6TheOptionsAreThoseOfTheStandard) {
  set_up();
  add(browser_, key_);
  const std::string options = options_in(browser_.ask(kFactor), kCreate);
  const std::string challenge = text_in(options, "challenge");
  EXPECT_GE(base::base64url_decode(challenge).value_or("").size(), 16u);
  EXPECT_EQ(options,
            R"({"rp":{"id":"app.svc.example","name":")" + site_.names().provider_name +
                R"("},"user":{"id":"NTAx","name":"olivia@acme.example","displayName":)"
                R"("Olivia Owner"},"challenge":")" +
                challenge +
                R"(","pubKeyCredParams":[{"type":"public-key","alg":-8},{"type":"public-key",)"
                R"("alg":-7},{"type":"public-key","alg":-257}],"timeout":600000,)"
                R"("excludeCredentials":[{"type":"public-key","id":")" +
                key_.id() +
                R"(","transports":["usb","nfc"]}],"authenticatorSelection":{"residentKey":)"
                R"("preferred","requireResidentKey":false,"userVerification":"preferred"},)"
                R"("attestation":"none"})");
}

TEST_F(PasskeyLogin, OauthF6AUserHasSeveralAndRemovesThem) {
  set_up();
  const Authenticator second(base::SignatureKind::Ed25519, "second");
  EXPECT_EQ(add(browser_, key_, "Phone").status, 303);
  EXPECT_EQ(add(browser_, second, "Laptop").status, 303);
  const Answer again = add(browser_, key_, "Phone");
  EXPECT_EQ(again.status, 422);
  EXPECT_TRUE(again.has("You have this passkey already."));
  const Answer unnamed = add(browser_, Authenticator(base::SignatureKind::Es256, "third"), " ");
  EXPECT_EQ(unnamed.status, 422);
  EXPECT_TRUE(unnamed.has("Enter a name."));
  Browser browser(site_);
  const Answer asked = password_given(browser);
  EXPECT_EQ(use(browser, asked, second.assertion(ceremony_of(asked, kGet))).status, 303);
  const Answer removed =
      after(browser_, browser_.ask(kFactor), kRemovePasskey, {{"passkey", second.id()}});
  EXPECT_TRUE(removed.has("The passkey is removed."));
  EXPECT_TRUE(removed.has("<bdi>Phone</bdi>"));
  EXPECT_FALSE(removed.has("<bdi>Laptop</bdi>"));
  EXPECT_EQ(stores().events("passkey.removed 501 Laptop"), 1u);
  Browser late(site_);
  const Answer page = password_given(late);
  EXPECT_EQ(use(late, page, second.assertion(ceremony_of(page, kGet))).status, 403);
  EXPECT_EQ(failed("unknown passkey"), 1u);
}

TEST_F(PasskeyLogin, OauthF6AUserHasAtMostTen) {
  set_up();
  for (int i = 0; i < 10; ++i) {
    const Authenticator one(base::SignatureKind::Ed25519, "key " + std::to_string(i));
    EXPECT_EQ(add(browser_, one).status, 303) << i;
  }
  const Answer full = browser_.ask(kFactor);
  EXPECT_TRUE(full.has("A user may have 10 passkeys."));
  EXPECT_FALSE(full.has(kCreate));
}

TEST_F(PasskeyLogin, OauthF6NewRecoveryCodesKeepThem) {
  set_up();
  add(browser_, key_);
  browser_.submit(browser_.ask(kFactor), std::string(kFactor) + "/codes");
  EXPECT_TRUE(browser_.ask(kFactor).has("<bdi>Phone</bdi>"));
  Browser browser(site_);
  const Answer page = password_given(browser);
  EXPECT_EQ(use(browser, page, key_.assertion(ceremony_of(page, kGet))).status, 303);
}

TEST_F(PasskeyLogin, OauthF6TheyEndWithTheSecondFactor) {
  set_up();
  add(browser_, key_);
  Browser waiting(site_);
  const Answer page = password_given(waiting);
  browser_.submit(browser_.ask(kFactor), std::string(kFactor) + "/remove");
  EXPECT_EQ(use(waiting, page, key_.assertion(ceremony_of(page, kGet))).status, 403);
  set_up();
  EXPECT_FALSE(browser_.ask(kFactor).has("<bdi>Phone</bdi>"));
}

TEST_F(PasskeyLogin, OauthF6ChangesNeedARecentPasswordCheck) {
  set_up();
  add(browser_, key_);
  site_.pass(600);
  const Answer page = browser_.ask(kFactor);
  const std::string fresh =
      Authenticator(base::SignatureKind::Es256, "thief").registration(ceremony_of(page, kCreate));
  const Answer added = browser_.submit(
      page, kAdd, {{"name", "Thief"}, {"credential", fresh}, {"password", "wrong"}});
  EXPECT_EQ(added.status, 403);
  const Answer removed =
      browser_.submit(page, kRemovePasskey, {{"passkey", key_.id()}, {"password", ""}});
  EXPECT_EQ(removed.status, 422);
  EXPECT_EQ(
      browser_
          .submit(page, kAdd,
                  {{"name", "Second"}, {"credential", fresh}, {"password", password_of(kOlivia)}})
          .status,
      303);
  EXPECT_TRUE(browser_.ask(kFactor).has("<bdi>Phone</bdi>"));
}

TEST_F(PasskeyLogin, OauthF6AUserWithoutASecondFactorHasNone) {
  EXPECT_FALSE(browser_.ask(kFactor).has("data-passkey"));
  set_up();
  const Answer page = browser_.ask(kFactor);
  const std::string made = key_.registration(ceremony_of(page, kCreate));
  browser_.submit(page, std::string(kFactor) + "/remove");
  EXPECT_EQ(
      browser_.submit(page, kAdd, {{"name", "Phone"}, {"credential", made}}).header("Location"),
      kFactor);
  EXPECT_EQ(stores().command({"EXISTS", "web:login_factor:501"}).integer(), 0);
}

TEST_F(PasskeyLogin, OauthF6CodesThatAreHeldUpHoldUpNoPasskey) {
  set_up();
  add(browser_, key_);
  Browser browser(site_);
  Answer page = password_given(browser);
  for (int i = 0; i < 6; ++i) page = give(browser, page, "000000");
  EXPECT_EQ(page.status, 429);
  EXPECT_EQ(use(browser, page, key_.assertion(ceremony_of(page, kGet))).status, 303);
}

class PasskeysOfAnAddress : public PasskeyLogin {
 protected:
  PasskeysOfAnAddress() : PasskeyLogin({"--app-url=https://192.0.2.7:8443"}) {}
};

TEST_F(PasskeysOfAnAddress, OauthF6AnAddressHasNone) {
  set_up();
  const Answer page = browser_.ask(kFactor);
  EXPECT_TRUE(page.has("Browsers keep passkeys for services with a name."));
  EXPECT_FALSE(page.has("data-passkey"));
}

// --- challenges ---

TEST_F(PasskeyLogin, OauthF7AChallengeWorksOnce) {
  set_up();
  add(browser_, key_);
  Browser browser(site_);
  const Answer page = password_given(browser);
  const std::string assertion = key_.assertion(ceremony_of(page, kGet));
  std::vector<Ask> asks(3, browser.form(page, "/login", {{"code", ""}, {"credential", assertion}}));
  int in = 0;
  for (const Answer& answer : site_.ask_at_once(asks)) in += answer.status == 303;
  EXPECT_EQ(in, 1);
  EXPECT_EQ(failed("passkey for a challenge that was used before"), 2u);
  // Redis forgets it when it is too old anyway.
  const redis::Reply keys = stores().command({"KEYS", "web:login_challenge:*"});
  ASSERT_EQ(keys.size(), 2u) << "the registration, too";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::int64_t ttl = stores().command({"TTL", std::string(*keys.at(i).text())}).integer();
    EXPECT_GT(ttl, 0);
    EXPECT_LE(ttl, 600);
  }
}

TEST_F(PasskeyLogin, OauthF7AChallengeIsForOneBrowserUserPurposeAndTime) {
  set_up();
  add(browser_, key_);
  Browser browser(site_);
  const Answer page = password_given(browser);
  const Ceremony own = ceremony_of(page, kGet);
  // The challenge of another browser, whose page an attacker has.
  Browser thief(site_);
  const Answer elsewhere = password_given(thief);
  EXPECT_EQ(use(thief, elsewhere, key_.assertion(own)).status, 403);
  // The challenge of a registration, and an invented challenge.
  Ceremony other = ceremony_of(browser_.ask(kFactor), kCreate);
  EXPECT_EQ(use(browser, page, key_.assertion(other)).status, 403);
  other.challenge = base::base64url_encode("k1:0011");
  EXPECT_EQ(use(browser, page, key_.assertion(other)).status, 403);
  EXPECT_EQ(failed("passkey for another challenge"), 3u);
  // The password's step is as old as the page, but a page that is shown again has a new one.
  site_.pass(300);
  const Answer again = give(browser, page, "000000");
  site_.pass(299);
  EXPECT_EQ(use(browser, again, key_.assertion(own)).status, 303);
}

TEST_F(PasskeyLogin, OauthF7AnOldChallengeRegistersNothing) {
  set_up();
  const Answer page = browser_.ask(kFactor);
  const std::string made = key_.registration(ceremony_of(page, kCreate));
  site_.pass(600);
  const Answer late = browser_.submit(
      page, kAdd, {{"name", "Phone"}, {"credential", made}, {"password", password_of(kOlivia)}});
  EXPECT_EQ(late.status, 422);
  EXPECT_TRUE(late.has("This passkey was not accepted."));
}

TEST_F(PasskeyLogin, OauthF7RefusesHostileAssertions) {
  set_up();
  add(browser_, key_);
  const Authenticator stranger;  // has the same id
  struct Case {
    std::string why;
    std::function<std::string(Ceremony)> assertion;
  };
  for (const Case& c : std::vector<Case>{
           {"passkey of another origin",
            [&](Ceremony made) {
              made.origin = "https://evil.example";
              return key_.assertion(made);
            }},
           {"passkey of another service",
            [&](Ceremony made) {
              made.rp_id = "svc.example";
              return key_.assertion(made);
            }},
           {"passkey without its user",
            [&](Ceremony made) {
              made.flags = 0;
              return key_.assertion(made);
            }},
           {"passkey in a foreign frame",
            [&](Ceremony made) {
              made.more = R"(,"crossOrigin":true,"topOrigin":"https://evil.example")";
              return key_.assertion(made);
            }},
           {"passkey of another user",
            [&](Ceremony made) {
              made.user_handle = base::base64url_encode("502");
              return key_.assertion(made);
            }},
           {"passkey of another ceremony",
            [&](Ceremony made) {
              made.type = "webauthn.create";
              return key_.assertion(made);
            }},
           {"wrong signature of a passkey",
            [&](const Ceremony& made) { return stranger.assertion(made); }},
           {"unknown passkey",
            [&](Ceremony made) {
              made.id = base::base64url_encode("another");
              return key_.assertion(made);
            }},
           {"malformed passkey",
            [&](Ceremony made) {
              made.tail = "\xff";
              return key_.assertion(made);
            }},
           {"unknown passkey", [](const Ceremony&) { return std::string(20'000, '{'); }},
       }) {
    SCOPED_TRACE(c.why);
    Browser browser(site_);
    const Answer page = password_given(browser);
    const std::size_t before = failed(c.why);
    const Answer refused = use(browser, page, c.assertion(ceremony_of(page, kGet)));
    EXPECT_EQ(refused.status, 403);
    EXPECT_TRUE(refused.has("This passkey was not accepted. Try again, or enter a code."));
    EXPECT_FALSE(is_logged_in(browser));
    EXPECT_EQ(failed(c.why), before + 1);
  }
}

TEST_F(PasskeyLogin, OauthF7ThePasskeyOfOneUserIsNotThatOfAnother) {
  set_up();
  add(browser_, key_);
  // Manuel has a second factor, too, and Olivia's passkey.
  Browser settings(site_);
  settings.log_in(kManuelsId);
  const Answer page = settings.ask(kFactor);
  secret_ = secret_in(page);
  settings.submit(page, kFactor, {{"code", code()}});
  const Authenticator own(base::SignatureKind::Es256, "of manuel");
  add(settings, own);
  Browser manuel(site_);
  const Answer asked = log_in(manuel, kManuel);
  EXPECT_EQ(options_in(asked, kGet).find(key_.id()), std::string::npos);
  EXPECT_EQ(use(manuel, asked, key_.assertion(ceremony_of(asked, kGet))).status, 403);
  EXPECT_EQ(stores().events("login.failed 502 unknown passkey"), 1u);
}

TEST_F(PasskeyLogin, OauthF7TheCounterOfAPasskeyOnlyRises) {
  set_up();
  add(browser_, key_);
  struct Case {
    std::uint32_t count;
    int status;
  };
  for (const Case& c : {Case{0, 303}, Case{0, 303}, Case{5, 303}, Case{5, 403}, Case{4, 403},
                        Case{0, 403}, Case{4294967295U, 303}, Case{1, 403}}) {
    Browser browser(site_);
    const Answer page = password_given(browser);
    Ceremony made = ceremony_of(page, kGet);
    made.count = c.count;
    EXPECT_EQ(use(browser, page, key_.assertion(made)).status, c.status) << c.count;
  }
  EXPECT_EQ(failed("counter of a passkey went back"), 4u);
}

// As when a program that counts hands the passkey over to a program without a counter.
TEST_F(PasskeyLogin, OauthF7TheCounterOfASyncedPasskeyMayFallToZero) {
  set_up();
  add(browser_, key_);
  constexpr unsigned kBackupEligible = 0x08;
  struct Case {
    std::uint32_t count;
    unsigned more;
    int status;
  };
  for (const Case& c : {Case{7, kBackupEligible, 303}, Case{6, kBackupEligible, 403},
                        Case{0, 0, 403}, Case{0, kBackupEligible, 303},
                        Case{0, kBackupEligible, 303}, Case{0, 0, 303}, Case{3, 0, 303}}) {
    Browser browser(site_);
    const Answer page = password_given(browser);
    Ceremony made = ceremony_of(page, kGet);
    made.count = c.count;
    made.flags |= c.more;
    EXPECT_EQ(use(browser, page, key_.assertion(made)).status, c.status) << c.count;
  }
  EXPECT_EQ(failed("counter of a passkey went back"), 2u);
}

TEST_F(PasskeyLogin, OauthF7RefusesHostileRegistrations) {
  set_up();
  const auto refused = [&](const std::string& credential, const Answer& page) {
    const Answer answer =
        browser_.submit(page, kAdd, {{"name", "Phone"}, {"credential", credential}});
    EXPECT_EQ(answer.status, 422);
    EXPECT_TRUE(answer.has("This passkey was not accepted."));
  };
  const auto changed = [&](const std::function<void(Ceremony&)>& change) {
    const Answer page = browser_.ask(kFactor);
    Ceremony made = ceremony_of(page, kCreate);
    change(made);
    refused(key_.registration(made), page);
  };
  changed([](Ceremony& made) { made.origin = "https://evil.example"; });
  changed([](Ceremony& made) { made.rp_id = "evil.example"; });
  changed([](Ceremony& made) { made.flags = 0x04; });
  changed([](Ceremony& made) { made.key = fakes::cbor_head(5, 0); });
  changed([](Ceremony& made) { made.challenge = base::base64url_encode("mine"); });
  const Answer page = browser_.ask(kFactor);
  const Ceremony made = ceremony_of(page, kCreate);
  const std::string object = key_.attestation_object(made);
  refused(key_.registration_of(made, object.substr(0, object.size() / 2)), page);
  refused(std::string(20'000, 'x'), page);
  refused("", page);
  EXPECT_EQ(stores().events("passkey.added 501"), 0u);
  EXPECT_FALSE(browser_.ask(kFactor).has("Your passkeys"));
  // The refused registrations did not spend the challenge.
  EXPECT_EQ(
      browser_.submit(page, kAdd, {{"name", "Phone"}, {"credential", key_.registration(made)}})
          .status,
      303);
  const Answer twice = browser_.submit(
      page, kAdd,
      {{"name", "Phone"},
       {"credential", Authenticator(base::SignatureKind::Es256, "second").registration(made)}});
  EXPECT_EQ(twice.status, 422) << "it is now";
}

}  // namespace
}  // namespace svc::rules
