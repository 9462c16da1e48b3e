// pages.md and oauth.md: Settings, sessions and password.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/settings/settings.h"

namespace svc::rules {
namespace {

class SecurityPage : public WithSettings {
 protected:
  static constexpr const char* kFresh = "several words make one";

  Answer page() { return browser_.ask(kSecurity); }
  // A session of that contact in another browser.
  Browser elsewhere(const std::string& address, std::int64_t contact = kOliviasId) {
    Browser other(site_);
    other.log_in(contact, address);
    return other;
  }
  Answer change(const std::string& present, const std::string& fresh, const std::string& again) {
    return browser_.submit(page(), "/settings/security/password",
                           {{"present", present}, {"fresh", fresh}, {"again", again}});
  }
};

TEST_F(SecurityPage, OauthL2ListsSessionsWithTheCurrentFirst) {
  const Browser other = elsewhere("198.51.100.7");
  const Browser manuel = elsewhere("203.0.113.9", kManuelsId);
  site_.pass(2 * 3600);
  browser_.log_in(kOliviasId);
  Browser(other).ask("/settings");
  site_.pass(300);
  const Answer shown = page();
  EXPECT_LT(shown.body.find("<strong>This browser</strong> · Firefox on Linux · "
                            "<bdi>192.0.2.1</bdi>"),
            shown.body.find("Firefox on Linux · <bdi>198.51.100.7</bdi>"));
  const std::string item = entry(shown, "<bdi>198.51.100.7</bdi>");
  EXPECT_NE(item.find("2 hours ago"), std::string::npos) << item;
  EXPECT_NE(item.find("5 minutes ago"), std::string::npos) << item;
  EXPECT_NE(item.find("<span class=\"unseen\"> (Firefox on Linux, 198.51.100.7)</span>"),
            std::string::npos);
  EXPECT_FALSE(shown.has("203.0.113.9")) << "another person's";
  EXPECT_TRUE(shown.has("Log out everywhere else"));
  EXPECT_FALSE(shown.has("You are logged in nowhere else."));
}

// As an earlier version stored it.
TEST_F(SecurityPage, OauthL2ASessionWithoutABrowserHasAnUnknownOne) {
  const Browser other = elsewhere("198.51.100.7");
  stores().command({"EVAL",
                    "for _, key in ipairs(redis.call('KEYS', 'web:session:*')) do "
                    "redis.call('HDEL', key, 'browser') end return 1",
                    "0"});
  EXPECT_TRUE(page().has("Unknown browser · <bdi>198.51.100.7</bdi>"));
}

TEST_F(SecurityPage, OauthL2EndsOneSession) {
  Browser other = elsewhere("198.51.100.7");
  Browser manuel = elsewhere("203.0.113.9", kManuelsId);
  const std::string action = "/settings/security/session";
  const Answer shown = page();
  const Answer ended = after(browser_, shown, action);
  EXPECT_TRUE(ended.has("The session is ended."));
  EXPECT_FALSE(ended.has("198.51.100.7"));
  EXPECT_TRUE(ended.has("You are logged in nowhere else."));
  EXPECT_FALSE(ended.has("Log out everywhere else"));
  EXPECT_FALSE(is_logged_in(other));
  EXPECT_EQ(stores().events(), Events{"session.ended 501 of 198.51.100.7"});
  // Sent twice, and for sessions that are not another one of hers.
  const std::string others =
      form_in(manuel.ask(kSecurity).body, "/settings/security/password").front().second;
  const redis::Reply keys = stores().command({"KEYS", "web:session:*"});
  Ask::Fields ids{{"session", ""}, {"session", others}};
  for (std::size_t i = 0; i < keys.size(); ++i)
    ids.emplace_back("session", keys.at(i).text()->substr(sizeof("web:session:") - 1));
  EXPECT_TRUE(after(browser_, shown, action).has("The session is ended."));
  for (const auto& id : ids) after(browser_, shown, action, {id});
  EXPECT_TRUE(is_logged_in(manuel));
  EXPECT_TRUE(is_logged_in(browser_));
  EXPECT_EQ(stores().events().size(), 1u);
}

TEST_F(SecurityPage, OauthL2EndsAllOtherSessions) {
  Browser one = elsewhere("198.51.100.7");
  Browser two = elsewhere("198.51.100.8");
  Browser manuel = elsewhere("203.0.113.9", kManuelsId);
  const Answer shown = page();
  EXPECT_TRUE(after(browser_, shown, "/settings/security/others").has("The session is ended."));
  EXPECT_FALSE(is_logged_in(one));
  EXPECT_FALSE(is_logged_in(two));
  EXPECT_TRUE(is_logged_in(manuel));
  after(browser_, shown, "/settings/security/others");
  EXPECT_EQ(stores().events(), Events{"session.ended 501 all others"})
      << "what changes nothing is no event";
}

TEST_F(SecurityPage, OauthL3ChangesThePasswordAndLogsOutEverywhereElse) {
  Browser other = elsewhere("198.51.100.7");
  const auto before = browser_.cookies;
  const Answer changed = change(password_of(kOlivia), kFresh, kFresh);
  EXPECT_EQ(changed.status, 303) << changed.body;
  EXPECT_NE(browser_.cookies, before) << "a session that nobody has seen";
  EXPECT_TRUE(browser_.follow(changed).has("Your password is changed."));
  EXPECT_FALSE(is_logged_in(other));
  Browser old(site_);
  old.cookies = before;
  EXPECT_FALSE(is_logged_in(old));
  EXPECT_EQ(sorted(stores().events()), sorted({"password.given 501 ", "password.changed 501 "}));
  EXPECT_EQ(site_.passwords().taken, 1) << "both hashes in one turn";
  EXPECT_EQ(tried(kOlivia, "right"), "wrong");
  EXPECT_EQ(tried(kOlivia, kFresh), "in");
}

TEST_F(SecurityPage, PagesW133LeadsPasswordManagersToTheForm) {
  Browser stranger(site_);
  const Answer answer = stranger.ask("/.well-known/change-password");
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.header("Location"), "https://app.svc.example/settings/security#password-title");
  EXPECT_TRUE(page().has("id=\"password-title\""));
  EXPECT_EQ(
      ask("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200").status,
      404)
      << "otherwise managers distrust the other answer";
}

TEST_F(SecurityPage, PagesW3NamesTheProblemOfEachField) {
  const std::string right = password_of(kOlivia);
  struct Case {
    std::string name, present, fresh, again, field, says;
  };
  for (const Case& c : {
           Case{"no current one", "", kFresh, kFresh, "present", "Enter your current password."},
           Case{"no new one", right, "", "", "fresh", "Enter a new password."},
           Case{"a short one", right, "elevenlette", "elevenlette", "fresh",
                "The new password must have at least 12 characters"},
           Case{"the email address", right, kOlivia, kOlivia, "fresh",
                "The new password must not be the email address."},
           Case{"the same", right, right, right, "fresh",
                "The new password must not be the current one."},
           Case{"two that differ", right, kFresh, "several words make two", "again",
                "The two new passwords differ."},
       }) {
    SCOPED_TRACE(c.name);
    const Answer told = change(c.present, c.fresh, c.again);
    EXPECT_EQ(told.status, 422);
    EXPECT_TRUE(told.has("<li><a href=\"#" + c.field + "\">" + c.says));
    EXPECT_TRUE(told.has("id=\"" + c.field + "-problem\">" + c.says));
    EXPECT_TRUE(told.has("role=\"alert\" tabindex=\"-1\" autofocus>"));
    EXPECT_TRUE(told.has("<title>Not changed"));
    EXPECT_FALSE(told.has(kFresh)) << "passwords are not shown again";
  }
  EXPECT_TRUE(site_.passwords().checked.empty());
  const auto cookies = browser_.cookies;
  const Answer wrong = change("wrong", kFresh, kFresh);
  EXPECT_EQ(wrong.status, 403);
  EXPECT_TRUE(wrong.has("id=\"present-problem\">The password is incorrect.</span>"));
  EXPECT_EQ(wrong.header("Retry-After"), "none");
  site_.passwords().free = 0;
  const Answer busy = change(right, kFresh, kFresh);
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("Retry-After"), "1");
  EXPECT_TRUE(busy.has("Many users are logging in at the moment. Try again shortly."));
  EXPECT_EQ(browser_.cookies, cookies);
  site_.passwords().free = 1;
  EXPECT_EQ(tried(kOlivia, "right"), "in") << "unchanged";
}

TEST_F(SecurityPage, OauthK7APasswordThatCannotBeRecordedStays) {
  stores().command({"SET", "audit:secret", "no stream"});
  EXPECT_EQ(change(password_of(kOlivia), kFresh, kFresh).status, 503);
  EXPECT_EQ(tried(kOlivia, "right"), "in");
}

}  // namespace
}  // namespace svc::rules
