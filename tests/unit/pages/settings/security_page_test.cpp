#include "pages/settings/security_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/settings.h"

namespace svc::pages {
namespace {

using fakes::header;

constexpr std::string_view kFresh = "several words make one";
const std::string kPage = "/settings/security";
const std::string kPassword = "/settings/security/password";
const std::string kSession = "/settings/security/session";
const std::string kOthers = "/settings/security/others";

class SecurityPageTest : public fakes::SettingsTest {
 protected:
  http::Response change(std::string_view present, std::string_view fresh, std::string_view again) {
    return send(page_, get(page_, kPage), kPassword,
                {{"present", present}, {"fresh", fresh}, {"again", again}});
  }
  http::Response change() { return change("right", kFresh, kFresh); }
  std::string& id_of(const std::string& secret) { return sessions_.alive.at(secret).id; }

  SecurityPage page_{parts_};
};

TEST_F(SecurityPageTest, OauthL2ListsTheUsersSessionsWithTheCurrentFirst) {
  const std::string older = begin_session(501, "198.51.100.7");
  sessions_.alive.at(older).created = clock_.now() - 2 * 86'400;
  sessions_.alive.at(older).last_seen = clock_.now() - 300;
  begin_session(502, "203.0.113.9");
  log_in(501);
  const http::Response page = get(page_, kPage);
  EXPECT_EQ(page.status, 200);
  EXPECT_LT(
      page.body.find("<strong>This browser</strong> · Firefox on Linux · <bdi>192.0.2.1</bdi>"),
      page.body.find("<bdi>198.51.100.7</bdi>"));
  EXPECT_TRUE(has(page, "2 days ago"));
  EXPECT_TRUE(has(page, "5 minutes ago"));
  EXPECT_FALSE(has(page, "203.0.113.9")) << "another person's";
  EXPECT_TRUE(has(page, "Log out everywhere else"));
}

TEST_F(SecurityPageTest, OauthL2NamesTheBrowserOfEachSession) {
  const std::string other = begin_session(501, "198.51.100.7");
  sessions_.alive.at(other).browser = "Safari on iOS";
  EXPECT_TRUE(has(get(page_, kPage), "Safari on iOS · <bdi>198.51.100.7</bdi>"));
  // From before it was stored.
  sessions_.alive.at(other).browser = "";
  const http::Response page = get(page_, kPage);
  EXPECT_TRUE(has(page, "Unknown browser · <bdi>198.51.100.7</bdi>"));
  EXPECT_TRUE(has(page, "<span class=\"unseen\"> (Unknown browser, 198.51.100.7)</span>"));
}

TEST_F(SecurityPageTest, ShowsATextIfThereAreNoOtherSessions) {
  const http::Response page = get(page_, kPage);
  EXPECT_TRUE(has(page, "You are logged in nowhere else."));
  EXPECT_FALSE(has(page, "Log out everywhere else"));
}

TEST_F(SecurityPageTest, OauthL2EndsOneSession) {
  const std::string id = id_of(begin_session(501, "198.51.100.7"));
  const http::Response shown = get(page_, kPage);
  const http::Response page = follow(page_, send(page_, shown, kSession, {{"session", id}}));
  EXPECT_TRUE(has(page, "The session is ended."));
  EXPECT_FALSE(has(page, "198.51.100.7"));
  EXPECT_EQ(sessions_.alive.size(), 1U);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"session.ended 501 of 198.51.100.7"});
  // Sent twice: the session has already ended, as requested.
  EXPECT_TRUE(
      has(follow(page_, send(page_, shown, kSession, {{"session", id}})), "The session is ended."));
  EXPECT_EQ(audit_.events.size(), 1U);
}

TEST_F(SecurityPageTest, OauthL2EndsNeitherTheCurrentSessionNorThoseOfOtherUsers) {
  begin_session(501, "198.51.100.7");
  const std::string others = id_of(begin_session(502, "203.0.113.9"));
  const std::string own = sessions_.alive.begin()->second.id;
  const http::Response shown = get(page_, kPage);
  for (const std::string& id : {own, others, std::string()})
    send(page_, shown, kSession, {{"session", id}});
  EXPECT_EQ(sessions_.alive.size(), 3U);
  EXPECT_TRUE(audit_.events.empty());
}

TEST_F(SecurityPageTest, OauthL2EndsAllOtherSessions) {
  begin_session(501, "198.51.100.7");
  begin_session(501, "198.51.100.8");
  begin_session(502, "203.0.113.9");
  const http::Response shown = get(page_, kPage);
  EXPECT_TRUE(has(follow(page_, send(page_, shown, kOthers)), "The session is ended."));
  EXPECT_EQ(sessions_.alive.size(), 2U) << "this one, and another person's";
  EXPECT_EQ(audit_.events, std::vector<std::string>{"session.ended 501 all others"});
  send(page_, shown, kOthers);
  EXPECT_EQ(audit_.events.size(), 1U) << "what changes nothing is not an event";
}

TEST_F(SecurityPageTest, OauthL3ChangesThePasswordAndLogsOutEverywhereElse) {
  begin_session(501, "198.51.100.7");
  const std::string before = cookie_;
  const http::Response response = change();
  EXPECT_NE(cookie_, before) << "a session that nobody has seen";
  const http::Response page = follow(page_, response);
  EXPECT_TRUE(has(page, "Your password is changed. You are logged out everywhere else."));
  EXPECT_EQ(people_.contacts[0].password_hash, "new$" + std::string(kFresh));
  EXPECT_EQ(sessions_.alive.size(), 1U);
  EXPECT_EQ(std::ranges::count(audit_.events, "password.changed 501 "), 1);
}

TEST_F(SecurityPageTest, PagesW3ShowsPasswordErrorsAtTheirFields) {
  struct Case {
    std::string_view present, fresh, again, field, problem;
  };
  for (const Case& c : {
           Case{"", kFresh, kFresh, "present", "Enter your current password."},
           Case{"right", "", "", "fresh", "Enter a new password."},
           Case{
               "right", "short", "short", "fresh",
               "The new password must have at least 12 characters; several words make a good one."},
           Case{"right", "501@people.example", "501@people.example", "fresh",
                "The new password must not be the email address."},
           Case{kFresh, kFresh, kFresh, "fresh", "The new password must not be the current one."},
           Case{"right", kFresh, "another", "again",
                "The two new passwords differ. Enter the same one twice."},
       }) {
    SCOPED_TRACE(c.problem);
    const http::Response response = change(c.present, c.fresh, c.again);
    EXPECT_EQ(response.status, 422);
    EXPECT_TRUE(has(response, "id=\"" + std::string(c.field) + "-problem\">" +
                                  std::string(c.problem) + "</span>"));
    EXPECT_TRUE(has(response, "<li><a href=\"#" + std::string(c.field) + "\">" +
                                  std::string(c.problem) + "</a></li>"));
    EXPECT_TRUE(has(response, "role=\"alert\" tabindex=\"-1\" autofocus>"));
    EXPECT_TRUE(has(response, "<title>Not changed"));
    EXPECT_FALSE(has(response, kFresh)) << "passwords are not shown again";
  }
  EXPECT_EQ(passwords_.hashed, 0);
  EXPECT_EQ(people_.contacts[0].password_hash, "old$right");
}

TEST_F(SecurityPageTest, OauthL3ChangesNothingForAWrongCurrentPassword) {
  const std::string before = cookie_;
  const http::Response response = change("wrong", kFresh, kFresh);
  EXPECT_EQ(response.status, 403);
  EXPECT_TRUE(has(response, "id=\"present-problem\">The password is incorrect.</span>"));
  EXPECT_EQ(header(response, "Retry-After"), "none");
  EXPECT_EQ(cookie_, before);
  EXPECT_EQ(people_.contacts[0].password_hash, "old$right");
}

TEST_F(SecurityPageTest, OauthL4ShowsTheDelayAfterWrongPasswords) {
  attempts_.next.pair_failures = 13;
  attempts_.next.pair_last = clock_.now();
  const http::Response response = change();
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(header(response, "Retry-After"), "256");
  EXPECT_TRUE(has(response, "There were too many failed attempts. Try again in 5 minutes."));
  EXPECT_EQ(passwords_.hashed, 0);
}

TEST_F(SecurityPageTest, OauthL3Answers429IfNoPermitIsFree) {
  permits_.free = 0;
  const http::Response response = change();
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(header(response, "Retry-After"), "1");
  EXPECT_TRUE(has(response, "Many users are logging in at the moment. Try again shortly."));
}

TEST_F(SecurityPageTest, RedirectsAGetOfAFormsAddressToThePage) {
  for (const std::string& path : {kPassword, kSession, kOthers})
    EXPECT_EQ(header(get(page_, path), "Location"), kPage) << path;
  EXPECT_EQ(get(page_, kPage + "/elsewhere").status, 404);
}

TEST_F(SecurityPageTest, OauthL1AcceptsATokenForItsOwnFormOnly) {
  const std::string token = token_in(get(page_, kPage).body, kPassword);
  ASSERT_NE(token, "");
  begin_session(501, "198.51.100.7");
  EXPECT_EQ(ask(page_, "POST", kOthers, "csrf=" + token).status, 403);
  EXPECT_EQ(sessions_.alive.size(), 2U);
}

}  // namespace
}  // namespace svc::pages
