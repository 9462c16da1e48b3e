// oauth.md, Pages of the flow: the login form, its passwords and return paths.
#include "rules/login/login.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace svc::rules {
namespace {

using Login = WithLogins;

TEST_F(Login, OauthL1IsByAFormOfThisBrowserAndSite) {
  const Answer page = browser_.ask("/login");
  const Ask right =
      browser_.form(page, "/login", {{"email", kOlivia}, {"password", password_of(kOlivia)}});
  const std::string token = form_in(page.body, "/login").front().second;
  const auto without = [&](const std::string& part, const std::string& other = "") {
    std::string body = right.body;
    return right.with_body(body.replace(body.find(part), part.size(), other));
  };
  Browser other(site_);
  other.log_in(501);
  const std::string foreign = form_in(other.ask("/settings").body, "/logout").front().second;
  struct Case {
    std::string name;
    Ask ask;
    bool shown_again = true;  // a form of ours may be old
  };
  for (const Case& c : {
           Case{"no token", without("csrf=" + token + "&")},
           Case{"an empty token", without(token)},
           Case{"a part of the token", without(token, token.substr(1))},
           Case{"a longer token", without(token, token + "0")},
           Case{"a token for another purpose", without(token, foreign)},
           Case{"no cookie", right.with("Cookie", "")},
           Case{"another browser",
                right.with("Cookie", "__Host-svc_session=svcv_" + std::string(64, 'e'))},
           Case{"another site", right.with("Origin", "https://evil.example"), false},
           Case{"a scheme", right.with("Origin", "https://"), false},
           Case{"two", right.with("Origin", "null, https://app.svc.example"), false},
           Case{"our name on another port", right.with("Origin", "https://app.svc.example:444"),
                false},
           Case{"our name without https", right.with("Origin", "http://app.svc.example"), false},
           Case{"our name inside another",
                right.with("Origin", "https://app.svc.example.evil.example"), false},
       }) {
    SCOPED_TRACE(c.name);
    const Answer answer = ask(c.ask);
    EXPECT_EQ(answer.status, 403);
    EXPECT_TRUE(answer.has(c.shown_again ? "This page was too old" : "Request <code>request-"));
    EXPECT_EQ(answer.has("name=\"password\""), c.shown_again);
  }
  EXPECT_TRUE(site_.passwords().checked.empty());
  for (const char* origin : {"null", "", "https://app.svc.example", "https://APP.svc.example"})
    EXPECT_EQ(ask(right.with("Origin", origin)).status, 303) << origin;
}

TEST_F(Login, PagesW3MarksMissingFields) {
  struct Case {
    std::string email, password, said, absent;
  };
  for (const Case& c : {
           Case{"", "x", "id=\"email-problem\"", "id=\"password-problem\""},
           Case{"a@b.example", "", "id=\"password-problem\"", "id=\"email-problem\""},
           Case{"  ", "", "Enter your email address and your password.", "nothing"},
       }) {
    SCOPED_TRACE(c.said);
    const Answer answer = log_in(browser_, c.email, c.password);
    EXPECT_EQ(answer.status, 422);
    EXPECT_TRUE(answer.has(c.said));
    EXPECT_FALSE(answer.has(c.absent));
    // The summary leads to the first of them and takes the focus; no field does.
    const std::string first = c.email.find('@') == std::string::npos ? "email" : "password";
    EXPECT_TRUE(answer.has("role=\"alert\" tabindex=\"-1\" autofocus><a href=\"#" + first + "\">"));
    EXPECT_EQ(answer.body.find("autofocus"), answer.body.rfind("autofocus"));
  }
  EXPECT_TRUE(site_.passwords().checked.empty());
}

TEST_F(Login, PagesW3KeepsTheEmailAsTextAndForgetsThePassword) {
  const Answer answer = log_in(browser_, "\"><script>alert(1)</script>", "wrong");
  EXPECT_TRUE(answer.has("role=\"alert\">The email address or the password is incorrect."));
  EXPECT_TRUE(answer.has("value=\"&quot;&gt;&lt;script&gt;alert(1)"));
  EXPECT_FALSE(answer.has("<script>alert"));
  for (const char* field : {"current-password\" required autofocus", "required"})
    EXPECT_TRUE(
        answer.has(field + std::string(" aria-invalid=\"true\" aria-describedby=\"problem\">")));
  EXPECT_FALSE(answer.has("wrong"));
}

TEST_F(Login, OauthL3TreatsEveryRefusalAlike) {
  stores().import(R"({"kind": "user", "id": 590, "name": "N", "email": "nologin@acme.example", )"
                  R"("memberships": []})"
                  "\n");
  stores().edit("catalog:contact:504", R"("memberships")", R"("disabled":true,"memberships")");
  const std::string expected = log_in(browser_, kOlivia, "wrong").body;
  Events events{"login.failed 501 wrong password"};
  site_.passwords().checked.clear();
  struct Case {
    std::string name, email, password, event;
  };
  for (const Case& c : {
           Case{"a wrong password", kManuel, "wrong", "login.failed 502 wrong password"},
           Case{"a password of more than a kilobyte", kManuel,
                password_of(kManuel) + std::string(1020, 'x'), "login.failed 502 wrong password"},
           Case{"an unknown email", "nobody@acme.example", "right", "login.failed  unknown email"},
           Case{"no email at all", "x", "wrong", "login.failed  unknown email"},
           Case{"a user without a password", "nologin@acme.example", "right",
                "login.failed 590 wrong password"},
           Case{"a disabled user", "clara@closed.example", "right", "login.failed 504 disabled"},
           Case{"a disabled user, wrong", "clara@closed.example", "no",
                "login.failed 504 disabled"},
       }) {
    SCOPED_TRACE(c.name);
    const Answer answer = log_in(browser_, c.email, c.password);
    EXPECT_EQ(answer.status, 403);
    std::string body = answer.body;
    const std::size_t at = body.find("value=\"" + c.email + "\"");
    ASSERT_NE(at, std::string::npos) << "what was entered stays";
    EXPECT_EQ(body.replace(at + 7, c.email.size(), kOlivia), expected);
    events.push_back(c.event);
    EXPECT_EQ(sorted(stores().events()), sorted(events)) << "without the email";
  }
  EXPECT_EQ(site_.passwords().checked.size(), 7u) << "one hash each";
  EXPECT_EQ(site_.passwords().held_back, 8);
  EXPECT_EQ(site_.passwords().free, 1);
  stores().edit("catalog:contact:504", R"("disabled":true,)", "");
  EXPECT_EQ(tried("clara@closed.example", "right"), "in");
  EXPECT_EQ(stores().events("login 504 "), 1u);
  EXPECT_EQ(site_.passwords().held_back, 8) << "no success is";
}

TEST_F(Login, OauthL3HashesAgainIfTheParametersHaveChanged) {
  const auto stored = [&] {
    return std::string(stores().command({"GET", "catalog:password:501"}).text().value_or(""));
  };
  const std::string before = stored();
  EXPECT_EQ(tried(kOlivia, "right"), "in");
  EXPECT_EQ(stored(), before) << "not without a reason";
  const std::string salt = std::string(16, '0') + "$";
  for (const std::string& other :
       {"$argon2id$v=19$m=65536,t=3,p=4$" + salt, "scrypt$14$8$5$" + salt}) {
    stores().edit("catalog:password:501", "$argon2id$v=19$m=19456,t=2,p=1$" + salt, other);
    EXPECT_EQ(tried(kOlivia, "wrong"), "wrong");
    EXPECT_NE(stored(), before);
    EXPECT_EQ(tried(kOlivia, "right"), "in");
    EXPECT_EQ(stored(), before) << other;
  }
  EXPECT_EQ(tried(kOlivia, "right"), "in");
}

TEST_F(Login, OauthL3IsRefusedWhileAllCapacityIsInUse) {
  site_.passwords().free = 0;
  const Answer answer = log_in(browser_, kOlivia);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.has("Many users are logging in at the moment. Try again shortly."));
  EXPECT_TRUE(answer.has("value=\"olivia@acme.example\""));
  EXPECT_TRUE(site_.passwords().checked.empty());
}

// An earlier version could import such a hash.
TEST_F(Login, OauthL3LogsTheUserWhoseHashIsTooExpensive) {
  stores().edit("catalog:password:502", "m=19456,t=2", "m=65536,t=99");
  base::log::set_level(base::log::Level::Info);
  testing::internal::CaptureStderr();
  tried(kManuel, "wrong");
  tried(kOlivia, "wrong");
  const std::string said = testing::internal::GetCapturedStderr();
  base::log::set_level(base::log::Level::Off);
  EXPECT_NE(said.find(R"("event":"password.too-expensive")"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("contact":502)"), std::string::npos) << said;
  EXPECT_EQ(said.find(R"("contact":501)"), std::string::npos) << said;
}

// A request that waits for its turn to hash may take longer than others.
TEST_F(Login, OauthL3HasMoreTimeOnlyIfItHashes) {
  struct Peer : http::Peer {
    int longer = 0;
    bool has_left() const override { return false; }
    void takes_longer(base::Duration) override { ++longer; }
  } peer;
  site_.peer = &peer;
  for (int i = 0; i < 5; ++i) tried(kOlivia, "guess");
  EXPECT_EQ(peer.longer, 5);
  EXPECT_EQ(tried(kOlivia, "right"), "1");
  EXPECT_EQ(peer.longer, 5);
}

TEST_F(Login, OauthL23TakesEachSpellingOfEmailAndPassword) {
  const std::string composed = "mot de passe trouv\u00e9";
  const std::string decomposed = "mot de passe trouve\u0301";
  const auto user = [](int id, const std::string& email, const std::string& password) {
    return R"({"kind": "user", "id": )" + std::to_string(id) + R"(, "name": "Jo", "email": ")" +
           email + R"(", "memberships": [], "password_hash": ")" +
           PlainPasswords::hash_of(password) + "\"}\n";
  };
  stores().import(user(590, "Jo@ex\u00e4mple.de", composed) +
                  user(591, "anna@acme.example", composed) +
                  user(592, "earlier@acme.example", decomposed));  // hashed as it was typed
  // As an earlier version stored them.
  stores().edit("catalog:contact:591", "anna@acme.example", "anna@m\u00fcnchen.example");
  stores().command({"SET", "catalog:contact_email:anna@m\u00fcnchen.example", "591"});
  struct Case {
    std::string email, password, result;
  };
  for (const Case& c : {
           Case{"jo@xn--exmple-cua.de", composed, "in"},
           Case{"JO@EXA\u0308MPLE.de", decomposed, "in"},
           Case{"Jo@ex\u00e4mple.de", composed, "in"},
           Case{"j\u00f6@ex\u00e4mple.de", composed, "wrong"},
           Case{"jo@example.de", composed, "wrong"},
           Case{"ANNA@M\u00dcNCHEN.example", decomposed, "in"},
           Case{"anna@xn--mnchen-3ya.example", composed, "in"},
           Case{"anna@acme.example", composed, "wrong"},  // a former one, whose index is left
           Case{"earlier@acme.example", composed, "wrong"},
           Case{"earlier@acme.example", decomposed, "in"},
           Case{"earlier@acme.example", composed, "in"},  // replaced
       })
    EXPECT_EQ(tried(c.email, c.password), c.result) << c.email << " " << c.password;
  Browser browser(site_);
  log_in(browser, "jo@ex\u00e4mple.de", composed);
  EXPECT_TRUE(browser.ask("/settings").has("Jo@xn--exmple-cua.de"));
  site_.passwords().checked.clear();
  for (const char* email : {"earlier@acme.example", "nobody@acme.example"})
    EXPECT_EQ(tried(email, "wrong e\u0301"), "wrong");
  EXPECT_EQ(site_.passwords().checked.size(), 4u) << "the same work for both";
}

TEST_F(Login, OauthL5OauthL7ReturnsToTheRequestThatAnApplicationSent) {
  const std::string path =
      "/oauth/authorize?response_type=code&client_id=demo-client-0002&redirect_uri="
      "https%3A%2F%2Fclient.example%2Foauth%2Fcallback%3Ftenant%3D42&state=%2F%2Fevil.example";
  const std::string words = "<bdi>Uploader &lt;Pro&gt; &amp; Co</bdi></strong> sent you here.";
  Answer page = browser_.ask(path);
  for (const char* password : {"wrong", "manuel-demo-password"}) {
    EXPECT_TRUE(page.has(words)) << page.body;
    EXPECT_NE(
        page.header("Content-Security-Policy").find("form-action 'self' https://client.example;"),
        std::string::npos);
    page = browser_.submit(page, "/login", {{"email", kManuel}, {"password", password}});
  }
  EXPECT_EQ(page.status, 303) << page.body;
  EXPECT_EQ(page.header("Location"), path);
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  // Also after a logout on the consent page.
  const Answer consent = browser_.ask(path);
  EXPECT_EQ(browser_.submit(consent, "/logout").header("Location"), path);
  EXPECT_FALSE(browser_.ask("/settings").has("sent you here"));
}

TEST_F(Login, OauthL7RefusesOtherReturnPaths) {
  const Answer page = browser_.ask("/settings/security");
  const std::string sealed = form_in(page.body, "/login").at(1).second;
  Browser other(site_);
  const std::string others = form_in(other.ask("/settings").body, "/login").at(1).second;
  for (const std::string& back :
       {std::string("//evil.example"), std::string("https://evil.example"),
        std::string("/\\evil.example"), std::string("/settings"), std::string("k1"),
        std::string("k1~="), std::string("k1~AAAA"), sealed + "A", sealed.substr(1), others}) {
    const Answer answer = browser_.submit(
        page, "/login", {{"return", back}, {"email", kOlivia}, {"password", password_of(kOlivia)}});
    EXPECT_EQ(answer.status, 403) << back;
    EXPECT_EQ(answer.header("Location"), "none");
  }
  EXPECT_TRUE(site_.passwords().checked.empty());
}

// --- several tabs ---

using LoginForms = WithLogins;

TEST_F(LoginForms, PagesW49ThatOfASecondTabLeadsOn) {
  const Ask::Fields right{{"email", kOlivia}, {"password", password_of(kOlivia)}};
  const Ask::Fields wrong{{"email", kOlivia}, {"password", "wrong"}};
  const Answer first = browser_.ask("/settings/connected");
  const Answer second = browser_.ask("/settings/security");
  EXPECT_EQ(browser_.submit(first, "/login", right).header("Location"), "/settings/connected");
  const auto session = browser_.cookies;
  struct Case {
    const Answer& page;
    const Ask::Fields& fields;
    std::string leads_to;
  };
  for (const Case& c :
       {Case{second, right, "/settings/security"}, Case{second, wrong, "/settings/security"},
        Case{first, right, "/settings/connected"}}) {  // a double click
    const Answer answer = browser_.submit(c.page, "/login", c.fields);
    EXPECT_EQ(answer.status, 303);
    EXPECT_EQ(answer.header("Location"), c.leads_to);
  }
  EXPECT_EQ(browser_.cookies, session);
  EXPECT_TRUE(is_logged_in(browser_));
}

TEST_F(LoginForms, PagesW49AnOldFormIsShownAgainWithItsEmailAndDestination) {
  const Ask::Fields fields{{"email", kOlivia}, {"password", password_of(kOlivia)}};
  const Answer first = browser_.ask("/settings/connected");
  const Answer second = browser_.ask("/settings/security");
  browser_.submit(first, "/login", fields);
  browser_.follow(browser_.submit(browser_.ask("/settings"), "/logout"));
  const Answer again = browser_.submit(second, "/login", fields);
  EXPECT_EQ(again.status, 403);
  EXPECT_TRUE(again.has("role=\"alert\">This page was too old"));
  EXPECT_TRUE(again.has("value=\"olivia@acme.example\""));
  EXPECT_EQ(browser_.submit(again, "/login", fields).header("Location"), "/settings/security");
}

TEST_F(LoginForms, PagesW49AnOldFormLeadsOnOnlyAsItsOwnUser) {
  const Answer first = browser_.ask("/login");
  const Answer second = browser_.ask("/settings/security");
  browser_.submit(first, "/login", {{"email", kOlivia}, {"password", password_of(kOlivia)}});
  const auto session = browser_.cookies;
  const Ask::Fields manuel{{"email", kManuel}, {"password", password_of(kManuel)}};
  for (const char* email : {kOlivia, " OLIVIA@ACME.EXAMPLE ", ""})
    EXPECT_EQ(browser_.submit(second, "/login", {{"email", email}, manuel[1]}).header("Location"),
              "/settings/security");
  const Answer told = browser_.submit(second, "/login", manuel);
  EXPECT_EQ(told.status, 403);
  EXPECT_EQ(browser_.cookies, session);
  EXPECT_TRUE(told.has("You are logged in as olivia@acme.example already"));
  EXPECT_TRUE(told.has("<a href=\"/settings/security\">"));
  EXPECT_EQ(browser_.submit(told, "/login", manuel).header("Location"), "/settings/security");
  Browser old(site_);
  old.cookies = session;
  EXPECT_FALSE(is_logged_in(old)) << "the new session replaced it";
}

}  // namespace
}  // namespace svc::rules
