// oauth.md, "Second factor".
#include "rules/login/second_factor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "login/one_time_code.h"
#include "rules/oauth/application.h"

namespace svc::rules {
namespace {

class SecondFactor : public WithSecondFactor {};

TEST_F(SecondFactor, OauthF1ALoginTakesTwoSteps) {
  set_up();
  Browser browser(site_);
  const Answer asked = password_given(browser, "/settings/connected");
  EXPECT_EQ(asked.status, 200);
  EXPECT_TRUE(asked.has("Enter your code"));
  EXPECT_TRUE(asked.has("name=\"code\""));
  EXPECT_FALSE(asked.header("Set-Cookie").starts_with("__Host-svc_session=svcs_"));
  const Answer given = give(browser, asked, code());
  EXPECT_EQ(given.status, 303);
  EXPECT_EQ(given.header("Location"), "/settings/connected");
  EXPECT_TRUE(is_logged_in(browser));
  const std::vector<std::string> events = stores().events();
  EXPECT_EQ(std::ranges::count(events, "password.given 501 "), 1);
  EXPECT_EQ(std::ranges::count(events, "login 501 "), 1);
}

// Between the steps a session does not exist, so every page refuses.
TEST_F(SecondFactor, OauthF1BetweenTheStepsNothingIsOpen) {
  set_up();
  Browser browser(site_);
  password_given(browser);
  for (const std::string& path :
       {std::string("/settings"), std::string("/settings/security"), std::string(kFactor),
        std::string(kAcme) + "/applications", std::string(kAcme) + "/tokens",
        std::string(kAcme) + "/media", std::string("/login")}) {
    const Answer page = browser.ask(path);
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_TRUE(page.has("name=\"password\"")) << path;
    EXPECT_FALSE(page.has("Olivia")) << path;
  }
  const Answer authorize = browser.ask(
      "/oauth/authorize?response_type=code&client_id=demo-client-0001&redirect_uri="
      "http%3A%2F%2F127.0.0.1%3A9090%2Fcallback");
  EXPECT_TRUE(authorize.has("name=\"password\""));
  EXPECT_FALSE(browser.ask("/").has("Olivia"));
}

TEST_F(SecondFactor, OauthF1TheStepIsForOneBrowserPasswordAndTime) {
  set_up();
  Browser victim(site_);
  const Answer page = password_given(victim);
  Browser thief(site_);
  thief.ask("/login");
  Ask stolen = victim.form(page, "/login", {{"code", code()}});
  stolen.headers["Cookie"] = thief.form(thief.ask("/login"), "/login").headers.at("Cookie");
  EXPECT_NE(thief.ask(stolen).status, 303);
  EXPECT_FALSE(is_logged_in(thief));
  // Ten minutes.
  site_.pass(600);
  const Answer late = give(victim, page, code());
  EXPECT_EQ(late.status, 403);
  EXPECT_TRUE(late.has("This page was too old."));
  // A password that has changed since.
  Browser other(site_);
  const Answer again = password_given(other);
  stores().command({"SET", "catalog:password:501",
                    std::string(*stores().command({"GET", "catalog:password:502"}).text())});
  EXPECT_EQ(give(other, again, code()).status, 403);
  EXPECT_FALSE(is_logged_in(other));
}

TEST_F(SecondFactor, OauthF2EachCodeIsValidOnce) {
  set_up();
  Browser browser(site_);
  const std::string present = code();
  const Answer page = password_given(browser);
  EXPECT_EQ(give(browser, page, code(-2)).status, 403);
  EXPECT_EQ(give(browser, page, code(2)).status, 403);
  EXPECT_EQ(give(browser, page, " " + present.substr(0, 3) + " " + present.substr(3)).status, 303);
  Browser second(site_);
  const Answer asked = password_given(second);
  const Answer refused = give(second, asked, present);
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.has("This code is wrong, or was used before."));
  EXPECT_EQ(give(second, asked, code(-1)).status, 403) << "nor is an earlier one";
  EXPECT_EQ(give(second, asked, code(1)).status, 303) << "of a clock that is ahead";
}

TEST_F(SecondFactor, OauthF2OneOfManyUsesAtTheSameTimeIsTheLogin) {
  set_up();
  std::vector<Ask> asks;
  for (int i = 0; i < 4; ++i) {
    Browser browser(site_);
    asks.push_back(browser.form(password_given(browser), "/login", {{"code", code()}}));
  }
  int in = 0;
  for (const Answer& answer : site_.ask_at_once(asks)) in += answer.status == 303;
  EXPECT_EQ(in, 1);
}

TEST_F(SecondFactor, OauthF2FiveWrongCodesAMinuteFromAllAddressesTogether) {
  set_up();
  for (int i = 0; i < 5; ++i) {
    site_.address = "198.51.100." + std::to_string(i);
    Browser browser(site_);
    EXPECT_EQ(give(browser, password_given(browser), "000000").status, 403) << i;
  }
  site_.address = "203.0.113.9";
  Browser browser(site_);
  const Answer page = password_given(browser);
  const Answer held = give(browser, page, code());
  EXPECT_EQ(held.status, 429);
  EXPECT_GE(std::stoi(held.header("Retry-After")), 1);
  EXPECT_LE(std::stoi(held.header("Retry-After")), 60);
  EXPECT_TRUE(held.has("Too many wrong codes."));
  EXPECT_EQ(give(browser, page, recovery_.front()).status, 429);
  stores().command({"DEL", "web:login_codes:501"});  // Redis expires it after a minute
  EXPECT_EQ(give(browser, page, code()).status, 303);
  EXPECT_EQ(stores().events("login.failed 501 wrong code"), 5u);
}

TEST_F(SecondFactor, OauthF2TheCountExpires) {
  set_up();
  Browser browser(site_);
  give(browser, password_given(browser), "000000");
  const std::int64_t ttl = stores().command({"TTL", "web:login_codes:501"}).integer();
  EXPECT_GT(ttl, 0);
  EXPECT_LE(ttl, 60);
}

// The letters and digits as full-width ones, as of a Japanese keyboard.
std::string in_full_width(std::string_view code) {
  std::string wide;
  for (const char c : code) {
    const unsigned point = 0xff00U + static_cast<unsigned char>(c) - 0x20U;
    wide += {static_cast<char>(0xef), static_cast<char>(0x80U | (point >> 6U & 0x3fU)),
             static_cast<char>(0x80U | (point & 0x3fU))};
  }
  return wide;
}

TEST_F(SecondFactor, OauthF2ACodeMayBeTypedInEachForm) {
  set_up();
  for (const std::string& typed :
       {in_full_width(recovery_[0]), recovery_[1].substr(0, 5) + "\u00a0" + recovery_[1].substr(6),
        recovery_[2].substr(0, 5) + "\u2013" + recovery_[2].substr(6), "\u200b" + recovery_[3]}) {
    Browser browser(site_);
    EXPECT_EQ(give(browser, password_given(browser), typed).status, 303) << typed;
  }
}

TEST_F(SecondFactor, OauthF2EachRecoveryCodeReplacesOneCode) {
  set_up();
  EXPECT_EQ(recovery_.size(), 10u);
  for (const std::string& recovery : recovery_) {
    for (const int expected : {303, 403}) {
      Browser browser(site_);
      EXPECT_EQ(give(browser, password_given(browser), recovery).status, expected) << recovery;
    }
    stores().command({"DEL", "web:login_codes:501"});
  }
  EXPECT_TRUE(browser_.ask(kFactor).has("no recovery codes left"));
  EXPECT_EQ(stores().events("recovery_code.used 501"), 10u);
}

// oauth-K2
TEST_F(SecondFactor, OauthF2TheStoreHasNoSecretInClearText) {
  const Answer added = set_up();
  const redis::Reply stored = stores().command({"HGETALL", "web:login_factor:501"});
  std::string all;
  for (std::size_t i = 0; i < stored.size(); ++i) all += std::string(*stored.at(i).text()) + "\n";
  EXPECT_EQ(all.find(secret_), std::string::npos);
  EXPECT_EQ(all.find(login::base32(secret_)), std::string::npos);
  for (const std::string& recovery : recovery_) {
    EXPECT_EQ(all.find(recovery), std::string::npos);
    EXPECT_EQ(all.find(login::canonical_code(recovery)), std::string::npos);
  }
  // The record of one user is not valid for another.
  stores().command({"COPY", "web:login_factor:501", "web:login_factor:502"});
  Browser manuel(site_);
  const Answer page = log_in(manuel, kManuel);
  EXPECT_EQ(give(manuel, page, code()).status, 403);
  EXPECT_EQ(give(manuel, page, recovery_.front()).status, 403);
}

TEST_F(SecondFactor, OauthF3SettingItUpNeedsACodeAndEndsOtherSessions) {
  Browser elsewhere(site_);
  elsewhere.log_in(kOliviasId);
  const Answer page = browser_.ask(kFactor);
  EXPECT_TRUE(page.has("otpauth://totp/"));
  secret_ = secret_in(page);
  const Answer wrong = browser_.submit(page, kFactor, {{"code", "000000"}});
  EXPECT_EQ(wrong.status, 422);
  EXPECT_TRUE(wrong.has("This is not the present code."));
  EXPECT_EQ(secret_in(wrong), secret_) << "the key stays";
  EXPECT_TRUE(is_logged_in(elsewhere));
  const Answer added = browser_.submit(wrong, kFactor, {{"code", code()}});
  EXPECT_EQ(added.status, 200);
  EXPECT_TRUE(added.has(kSetUp));
  EXPECT_EQ(codes_in(added).size(), 10u);
  EXPECT_FALSE(is_logged_in(elsewhere));
  EXPECT_TRUE(is_logged_in(browser_));
  const Answer later = browser_.ask(kFactor);
  EXPECT_TRUE(later.has("10 recovery codes left"));
  EXPECT_TRUE(codes_in(later).empty()) << "they are shown once";
  EXPECT_FALSE(later.has("otpauth:"));
  EXPECT_EQ(browser_.submit(page, kFactor, {{"code", code()}}).status, 303) << "sent twice";
  EXPECT_EQ(stores().events("second_factor.added 501"), 1u);
}

// The factor is stored, and all sessions end, after each round trip of a login to the store.
TEST_F(SecondFactor, OauthF1OauthF3ALoginInProgressKeepsNoSession) {
  set_up();
  constexpr const char* kEnrol = R"(
redis.call('COPY', 'kept', 'web:login_factor:501')
for _, id in ipairs(redis.call('ZRANGE', 'web:contact_sessions:501', 0, -1)) do
  redis.call('DEL', 'web:session:' .. id)
end
return redis.call('DEL', 'web:contact_sessions:501'))";
  stores().command({"RENAME", "web:login_factor:501", "kept"});
  int trip = 0;
  for (bool has_enrolled = true; has_enrolled;) {
    ++trip;
    stores().command({"DEL", "web:login_factor:501"});
    Browser browser(site_);
    const Answer page = browser.ask("/login");
    has_enrolled = false;
    const int last = site_.trips.count + trip;
    site_.trips.then = [&] {
      if (has_enrolled || site_.trips.count < last) return;
      has_enrolled = true;
      stores().command({"EVAL", kEnrol, "0"});
    };
    browser.submit(page, "/login", {{"email", kOlivia}, {"password", password_of(kOlivia)}});
    site_.trips.then = nullptr;
    EXPECT_EQ(is_logged_in(browser), !has_enrolled) << "after trip " << trip;
  }
  EXPECT_GT(trip, 5);
}

TEST_F(SecondFactor, OauthF3ThePageOfAnotherUserSetsUpNothing) {
  const Answer page = browser_.ask(kFactor);
  secret_ = secret_in(page);
  Browser manuel(site_);
  manuel.log_in(kManuelsId);
  const Answer own = manuel.ask(kFactor);
  const std::string sealed = form_in(page.body, kFactor)[1].second;
  const Answer refused = manuel.submit(own, kFactor, {{"secret", sealed}, {"code", code()}});
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.has("This page was too old."));
}

TEST_F(SecondFactor, OauthF3ChangesNeedARecentPasswordCheck) {
  set_up();
  site_.pass(600);
  const std::string codes = std::string(kFactor) + "/codes";
  const std::string remove = std::string(kFactor) + "/remove";
  for (const std::string& form : {codes, remove}) {
    const Answer none = browser_.submit(browser_.ask(kFactor), form, {{"password", ""}});
    EXPECT_EQ(none.status, 422);
    EXPECT_TRUE(none.has("Enter your password."));
    EXPECT_EQ(browser_.submit(browser_.ask(kFactor), form, {{"password", "wrong"}}).status, 403);
  }
  const Answer renewed =
      browser_.submit(browser_.ask(kFactor), codes, {{"password", password_of(kOlivia)}});
  EXPECT_EQ(renewed.status, 200);
  const std::vector<std::string> fresh = codes_in(renewed);
  EXPECT_EQ(fresh.size(), 10u);
  Browser browser(site_);
  const Answer page = password_given(browser);
  EXPECT_EQ(give(browser, page, recovery_.front()).status, 403) << "the former ones ended";
  EXPECT_EQ(give(browser, page, fresh.front()).status, 303);
  EXPECT_TRUE(after(browser_, browser_.ask(kFactor), remove).has("The second factor is removed."));
  Browser next(site_);
  EXPECT_EQ(password_given(next).status, 303);
  EXPECT_EQ(stores().events("second_factor.removed 501"), 1u);
}

// --- an account that requires one ---

TEST_F(SecondFactor, OauthF5AnAccountThatRequiresOneIsClosedWithoutIt) {
  connect(browser_, kScheduler);
  stores().command({"HSET", "web:login_required:accounts", "1001", "1"});
  for (const std::string page : {"/applications", "/tokens", "/connected", "/media", "/projects"}) {
    const Answer closed = browser_.ask(kAcme + page);
    EXPECT_EQ(closed.status, 403) << page;
    EXPECT_TRUE(closed.has("href=\"/settings/second-factor\"")) << page;
  }
  EXPECT_EQ(browser_.ask("/settings").status, 200);
  const std::string link =
      "/oauth/authorize?response_type=code&client_id=demo-client-0001&redirect_uri="
      "http%3A%2F%2F127.0.0.1%3A9090%2Fcallback";
  const Answer barred = browser_.ask(link);
  EXPECT_EQ(barred.status, 200) << "though consent is remembered";
  EXPECT_TRUE(barred.has("This account requires a second factor, and you have none."));
  EXPECT_TRUE(barred.has("href=\"/settings/second-factor\""));
  const Answer denied = browser_.submit(barred, "/oauth/authorize", {{"answer", "deny"}});
  EXPECT_EQ(parameter_of(denied.header("Location"), "error"), "access_denied");
  set_up();
  EXPECT_EQ(browser_.ask(std::string(kAcme) + "/applications").status, 200);
  EXPECT_FALSE(parameter_of(browser_.ask(link).header("Location"), "code").empty());
}

TEST_F(SecondFactor, OauthF5GrantsAndTokensStay) {
  const Answer tokens = connect(browser_, kScheduler);
  stores().command({"HSET", "web:login_required:accounts", "1001", "1"});
  EXPECT_EQ(use(tokens), 200);
}

}  // namespace
}  // namespace svc::rules
