// oauth.md, Pages of the flow: sessions and their cookie.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/login/login.h"

namespace svc::rules {
namespace {

using Sessions = WithLogins;

TEST_F(Sessions, OauthL2BeginWithALogin) {
  const std::string visitor = browser_.ask("/login").header("Set-Cookie");
  const std::string attributes = "; Path=/; HttpOnly; SameSite=Lax; Secure";
  EXPECT_TRUE(visitor.starts_with("__Host-svc_session=svcv_"));
  EXPECT_EQ(visitor.substr(visitor.find(';')), attributes);
  EXPECT_EQ(browser_.ask("/login").header("Set-Cookie"), "none") << "it has one";
  const std::string session =
      browser_
          .submit(browser_.ask("/login"), "/login",
                  {{"email", " olivia@acme.example "}, {"password", password_of(kOlivia)}})
          .header("Set-Cookie");
  EXPECT_TRUE(session.starts_with("__Host-svc_session=svcs_"));
  EXPECT_EQ(session.size(), visitor.size());
  EXPECT_EQ(session.substr(session.find(';')), attributes);
  const Answer page = browser_.ask("/login");
  EXPECT_EQ(page.status, 303);
  EXPECT_EQ(page.header("Location"), "/settings");
  EXPECT_TRUE(browser_.follow(page).has("Olivia Owner"));
  EXPECT_EQ(page.header("Set-Cookie"), "none");
  // The prefix tells the two kinds of cookies.
  browser_.cookies["__Host-svc_session"].replace(0, 5, "svcv_");
  EXPECT_FALSE(is_logged_in(browser_));
}

TEST_F(Sessions, OauthL2AnInvalidCookieIsReplaced) {
  const std::string name = "__Host-svc_session";
  const std::string hex(64, 'a');
  const std::string ours = name + "=svcv_" + hex;
  for (const std::string& cookie :
       {name + "=", name + "=x", name + "=" + hex, name + "=svcx_" + hex, ours + "a",
        ours.substr(0, ours.size() - 1), name + "=svcv_" + std::string(64, 'A'),
        name + "=svcv_" + std::string(64, 'g'), name + "=svcs_" + hex, name + "=svcs_",
        name + "=svcv_" + std::string(63, 'a') + '"', "svc_session=svcv_" + hex, "X" + ours})
    EXPECT_NE(ask(Ask("/login").with("Cookie", cookie)).header("Set-Cookie"), "none") << cookie;
  for (const std::string& cookie : {ours, "a=b; " + ours, ours + "; a=b", "a=b;" + ours + ";c=d",
                                    name + "2=x; " + ours, "; ;" + ours})
    EXPECT_EQ(ask(Ask("/login").with("Cookie", cookie)).header("Set-Cookie"), "none") << cookie;
}

class SessionsOnPlainHttp : public WithLogins {
 protected:
  SessionsOnPlainHttp() : WithLogins({"--app-url=http://app.svc.example"}) {}
};

TEST_F(SessionsOnPlainHttp, OauthL2HaveACookieWithoutSecure) {
  const std::string cookie = log_in(browser_, kOlivia).header("Set-Cookie");
  EXPECT_TRUE(cookie.starts_with("svc_session=svcs_")) << cookie;
  EXPECT_TRUE(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax")) << cookie;
  EXPECT_TRUE(is_logged_in(browser_));
  const Ask form = browser_.form(browser_.ask("/settings"), "/logout");
  EXPECT_EQ(ask(form.with("Origin", "https://app.svc.example")).status, 403);
  EXPECT_EQ(ask(form.with("Origin", "http://app.svc.example")).status, 303);
}

TEST_F(Sessions, OauthL2EndWithTheLogout) {
  log_in(browser_, kOlivia);
  const Answer page = browser_.ask("/settings");
  const Ask form = browser_.form(page, "/logout");
  EXPECT_EQ(ask(form.with("Origin", "https://evil.example")).status, 403);
  EXPECT_EQ(ask(form.with_body("csrf=")).status, 403);
  EXPECT_TRUE(is_logged_in(browser_));
  const auto session = browser_.cookies;
  const Answer out = browser_.submit(page, "/logout");
  EXPECT_EQ(out.status, 303);
  EXPECT_EQ(out.header("Location"), "/login");
  EXPECT_EQ(out.header("Set-Cookie"),
            "__Host-svc_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
  Browser old(site_);
  old.cookies = session;
  EXPECT_FALSE(is_logged_in(old));
}

TEST_F(Sessions, PagesW49ALogoutAfterThatOfAnotherTabLeadsOn) {
  log_in(browser_, kOlivia);
  const Answer page = browser_.ask("/settings");
  browser_.follow(browser_.submit(page, "/logout"));
  const auto visitor = browser_.cookies;
  const Answer again = browser_.submit(page, "/logout");
  EXPECT_EQ(again.status, 303);
  EXPECT_EQ(again.header("Location"), "/login");
  EXPECT_EQ(browser_.cookies, visitor);
  // As in a form of another site, with SameSite=Lax.
  const Ask without = browser_.form(page, "/logout").with("Cookie", "");
  EXPECT_EQ(ask(without).header("Set-Cookie"), "none");
  EXPECT_EQ(ask(without.with("Origin", "https://evil.example")).status, 403);
}

class ShortSessions : public WithLogins {
 protected:
  ShortSessions() : WithLogins({"--session-idle=100", "--session-max=1000"}) {
    log_in(browser_, kOlivia);
  }
};

TEST_F(ShortSessions, OauthL2EndAfterTheIdleTimeout) {
  for (const int seconds : {99, 99}) {
    site_.pass(seconds);
    EXPECT_TRUE(is_logged_in(browser_));
  }
  site_.pass(100);
  EXPECT_FALSE(is_logged_in(browser_));
}

TEST_F(ShortSessions, OauthL2EndAfterTheMaximumLifetime) {
  for (int i = 0; i < 11; ++i) {
    site_.pass(90);
    EXPECT_TRUE(is_logged_in(browser_)) << i;
  }
  site_.pass(10);
  EXPECT_FALSE(is_logged_in(browser_));
}

TEST_F(Sessions, OauthL2AreInvalidWhileTheUserIsDisabledDeletedOrHasAnotherPassword) {
  log_in(browser_, kOlivia);
  const std::string key = "catalog:contact:501";
  const std::string of_password = "catalog:password:501";
  const std::string hash = PlainPasswords::hash_of(password_of(kOlivia));
  struct Case {
    std::string before, after;
    bool logged_in;
  };
  for (const Case& c : {Case{"Olivia Owner", "Olivia B", true},
                        Case{R"("memberships")", R"("disabled":true,"memberships")", false},
                        Case{R"("disabled":true,)", "", true},
                        Case{hash, PlainPasswords::hash_of("another"), false},
                        Case{PlainPasswords::hash_of("another"), hash, true}}) {
    stores().edit(c.before == hash || c.after == hash ? of_password : key, c.before, c.after);
    EXPECT_EQ(is_logged_in(browser_), c.logged_in) << c.after;
  }
  stores().command({"DEL", key});
  EXPECT_FALSE(is_logged_in(browser_));
}

}  // namespace
}  // namespace svc::rules
