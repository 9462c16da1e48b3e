#include "pages/login_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "fakes/examples.h"
#include "fakes/fixed_entropy.h"
#include "fakes/headers.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"
#include "fakes/tasks.h"
#include "pages/csrf.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

using fakes::header;

// The value of the hidden field `name`; empty if the field does not exist.
std::string field(const std::string& html, const std::string& name) {
  const std::string before = "name=\"" + name + "\" value=\"";
  const std::size_t begin = html.find(before);
  if (begin == std::string::npos) return "";
  return html.substr(begin + before.size(),
                     html.find('"', begin + before.size()) - begin - before.size());
}

class LoginPages : public testing::Test {
 protected:
  LoginPages() {
    media::Contact olivia;
    olivia.id = {501};
    olivia.name = "Olivia <b>Owner</b>";
    olivia.email = "olivia@acme.example";
    olivia.password_hash = "old$right";
    people_.contacts.push_back(olivia);
  }

  http::Response get(std::string_view cookie = "") {
    http::Request request;
    request.method = "GET";
    request.path = "/login";
    request.cookie = cookie;
    return keep_cookie(fakes::now(login_.answer(request)));
  }
  http::Response post(const std::string& body, std::string_view origin = "null",
                      http::Endpoint* page = nullptr) {
    http::Request request;
    request.method = "POST";
    request.host = "app.home.example";
    request.remote_address = "192.0.2.1";
    request.request_id = "0123456789abcdef";
    request.cookie = cookie_;
    request.origin = origin;
    request.body = body;
    return keep_cookie(fakes::now((page == nullptr ? login_ : *page).answer(request)));
  }
  // Stores the cookie, as a browser does.
  http::Response keep_cookie(http::Response response) {
    const std::string set = header(response, "Set-Cookie");
    if (set != "none") cookie_ = set.substr(0, set.find(';'));
    return response;
  }
  http::Response ask(std::string path, std::string origin = "", std::string application = "") {
    http::Request request;
    request.method = "GET";
    request.path = "/oauth/authorize";
    request.cookie = cookie_;
    return keep_cookie(login_.ask(request, fakes::now(visitors_.of(request)),
                                  {std::move(path), std::move(origin), std::move(application)},
                                  ""));
  }
  static std::string credentials(const std::string& html, std::string_view email,
                                 std::string_view password) {
    return "csrf=" + field(html, "csrf") + "&return=" + field(html, "return") +
           "&email=" + text::percent_encode(email) + "&password=" + text::percent_encode(password);
  }

  const embed::Site site_ = fakes::example_site();
  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  fakes::FixedEntropy entropy_;
  fakes::ManualWallClock clock_;
  fakes::MemorySessions sessions_;
  fakes::MemoryPeople people_;
  fakes::MemoryAttempts attempts_;
  fakes::CountedPasswords passwords_;
  fakes::CountedPermits permits_;
  fakes::MemoryAudit audit_;
  login::Visitors visitors_{sessions_, keys_, entropy_, true};
  login::PasswordLogin password_login_{people_, attempts_, passwords_, permits_, audit_, clock_};
  LoginPage login_{site_, visitors_, password_login_, people_, keys_, entropy_};
  LogoutPage logout_{site_, visitors_, keys_};
  std::string cookie_;
};

TEST_F(LoginPages, OauthL2LogsInWithANewSession) {
  const std::string html = get().body;
  const std::string before = cookie_;
  const http::Response response = post(credentials(html, " olivia@acme.example ", "right"));
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(header(response, "Location"), "/login");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_NE(cookie_, before);
  EXPECT_EQ(sessions_.alive.size(), 1u);
  EXPECT_NE(get(cookie_).body.find("Olivia &lt;b&gt;Owner"), std::string::npos);
}

TEST_F(LoginPages, OauthL3RespondsAlikeForUnknownEmailsAndWrongPasswords) {
  const std::string html = get().body;
  http::Response wrong = post(credentials(html, "olivia@acme.example", "wrong"));
  http::Response unknown = post(credentials(html, "nobody@acme.example", "wrong"));
  EXPECT_EQ(wrong.status, 403);
  EXPECT_EQ(unknown.status, 403);
  EXPECT_EQ(passwords_.hashed, 2);
  const std::size_t at = unknown.body.find("nobody@");
  ASSERT_NE(at, std::string::npos) << "what was entered stays";
  unknown.body.replace(at, 6, "olivia");
  EXPECT_EQ(wrong.body, unknown.body);
  EXPECT_EQ(wrong.body.find("wrong\""), std::string::npos) << "passwords do not";
  EXPECT_NE(wrong.body.find("role=\"alert\">The email address or the password is incorrect."),
            std::string::npos);
}

TEST_F(LoginPages, OauthL1RefusesForgedForms) {
  const std::string html = get().body;
  const std::string right = credentials(html, "olivia@acme.example", "right");
  struct Case {
    std::string name, body, origin, cookie;
  };
  const std::string own = cookie_;
  http::Request ours;
  ours.cookie = own;
  const login::Visitor visitor = fakes::now(visitors_.of(ours));
  for (const Case& c : {
           Case{"no token", "email=olivia@acme.example&password=right", "null", own},
           Case{"an empty token", "csrf=&" + right.substr(right.find("&email") + 1), "null", own},
           Case{"another purpose's",
                "csrf=" + login::form_token(keys_, visitor, kLogoutPurpose) +
                    right.substr(right.find("&email")),
                "null", own},
           Case{"another origin", right, "https://evil.example", own},
           Case{"our name on another port", right, "https://app.home.example:444", own},
           Case{"our name without https", right, "http://app.home.example", own},
           Case{"our name inside another", right, "https://app.home.example.evil.example", own},
           Case{"another browser", right, "null",
                "__Host-svc_session=svcv_" + std::string(64, 'e')},
           Case{"no cookie", right, "null", ""},
       }) {
    SCOPED_TRACE(c.name);
    cookie_ = c.cookie;
    const http::Response response = post(c.body, c.origin);
    EXPECT_EQ(response.status, 403);
    // A form of ours may be old: it is shown again.
    const bool may_be_ours = c.origin == "null";
    EXPECT_NE(response.body.find(may_be_ours ? "This page was too old" : "0123456789abcdef"),
              std::string::npos);
    EXPECT_EQ(response.body.find("name=\"password\"") != std::string::npos, may_be_ours);
  }
  EXPECT_EQ(sessions_.alive.size(), 0u);
  EXPECT_EQ(passwords_.hashed, 0);
  for (const std::string origin : {"null", "", "https://app.home.example"}) {
    cookie_ = own;
    EXPECT_EQ(post(right, origin).status, 303) << origin;
  }
}

TEST_F(LoginPages, OauthL7ReturnsToTheRequestedPath) {
  const std::string path = "/oauth/authorize?client_id=a&state=%2F%2Fevil.example";
  const http::Response prompt = ask(path, "https://client.example");
  EXPECT_EQ(prompt.status, 200);
  EXPECT_NE(
      header(prompt, "Content-Security-Policy").find("form-action 'self' https://client.example;"),
      std::string::npos);
  const http::Response failed = post(credentials(prompt.body, "olivia@acme.example", "wrong"));
  EXPECT_NE(header(failed, "Content-Security-Policy").find("https://client.example;"),
            std::string::npos);
  const http::Response response = post(credentials(failed.body, "olivia@acme.example", "right"));
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(header(response, "Location"), path);
}

TEST_F(LoginPages, OauthL5NamesTheApplicationThatSentTheUser) {
  const std::string words = "<bdi>Clips &lt;b&gt;</bdi></strong> sent you here.";
  const http::Response prompt = ask("/oauth/authorize", "https://client.example", "Clips <b>");
  EXPECT_NE(prompt.body.find(words), std::string::npos);
  const http::Response failed = post(credentials(prompt.body, "olivia@acme.example", "wrong"));
  EXPECT_NE(failed.body.find(words), std::string::npos) << "after a failure too";
  EXPECT_EQ(ask("/settings").body.find("sent you here"), std::string::npos);
}

TEST_F(LoginPages, OauthL7DoesNotRedirectToOtherTargets) {
  EXPECT_EQ(field(ask("//evil.example").body, "return"), "");
  const std::string html = ask("/oauth/authorize").body;
  for (const std::string back :
       {"//evil.example", "https://evil.example", "/\\evil.example", "%2Fsettings", "k1~AAAA"}) {
    const http::Response response = post("csrf=" + field(html, "csrf") + "&return=" + back +
                                         "&email=olivia@acme.example&password=right");
    EXPECT_EQ(response.status, 403) << back;
    EXPECT_EQ(header(response, "Location"), "none");
  }
  // Sealed for another browser.
  const std::string own = cookie_;
  cookie_.clear();
  const std::string other = field(ask("/elsewhere").body, "return");
  cookie_ = own;
  EXPECT_EQ(post("csrf=" + field(html, "csrf") + "&return=" + other +
                 "&email=olivia@acme.example&password=right")
                .status,
            403);
  EXPECT_EQ(sessions_.alive.size(), 0u);
}

TEST_F(LoginPages, OauthL4ShowsTheDelayOfAThrottledLogin) {
  const std::string html = get().body;
  attempts_.next.pair_failures = 13;
  attempts_.next.pair_last = clock_.now();
  const http::Response response = post(credentials(html, "olivia@acme.example", "right"));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(header(response, "Retry-After"), "256");
  EXPECT_NE(response.body.find("Try again in 5 minutes."), std::string::npos);
  attempts_.next.pair_failures = 5;
  EXPECT_NE(post(credentials(html, "olivia@acme.example", "right")).body.find("in 1 second."),
            std::string::npos);
}

TEST_F(LoginPages, OauthL3Answers429IfNoPermitIsFree) {
  const std::string html = get().body;
  permits_.free = 0;
  const http::Response response = post(credentials(html, "olivia@acme.example", "right"));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(header(response, "Retry-After"), "1");
  EXPECT_EQ(passwords_.hashed, 0);
  EXPECT_NE(response.body.find("value=\"olivia@acme.example\""), std::string::npos);
}

TEST_F(LoginPages, PagesW3MarksMissingFields) {
  const std::string html = get().body;
  struct Case {
    std::string email, password, said, absent;
  };
  for (const Case& c : {
           Case{"", "x", "id=\"email-problem\"", "id=\"password-problem\""},
           Case{"a@b.example", "", "id=\"password-problem\"", "id=\"email-problem\""},
           Case{"  ", "", "Enter your email address and your password.", "nothing"},
       }) {
    const http::Response response = post(credentials(html, c.email, c.password));
    EXPECT_EQ(response.status, 422);
    EXPECT_NE(response.body.find(c.said), std::string::npos) << c.said;
    EXPECT_EQ(response.body.find(c.absent), std::string::npos) << c.absent;
    // The summary leads to the first of them and takes the focus; no field does.
    const std::string first = c.email.find('@') == std::string::npos ? "email" : "password";
    EXPECT_NE(
        response.body.find("role=\"alert\" tabindex=\"-1\" autofocus><a href=\"#" + first + "\">"),
        std::string::npos);
    EXPECT_EQ(response.body.find("autofocus"), response.body.rfind("autofocus"));
  }
  EXPECT_EQ(passwords_.hashed, 0);
}

TEST_F(LoginPages, OauthL2LogsOut) {
  post(credentials(get().body, "olivia@acme.example", "right"));
  const std::string token = field(get(cookie_).body, "csrf");
  EXPECT_EQ(post("csrf=" + token, "https://evil.example", &logout_).status, 403);
  EXPECT_EQ(post("csrf=", "null", &logout_).status, 403);
  EXPECT_EQ(sessions_.alive.size(), 1u);
  const http::Response response = post("csrf=" + token, "null", &logout_);
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(header(response, "Location"), "/login");
  EXPECT_EQ(cookie_, "__Host-svc_session=");
  EXPECT_EQ(sessions_.alive.size(), 0u);
}

TEST_F(LoginPages, OauthL7RedirectsToTheReturnPathAfterLogout) {
  post(credentials(get().body, "olivia@acme.example", "right"));
  http::Request request;
  request.cookie = cookie_;
  const login::Visitor visitor = fakes::now(visitors_.of(request));
  const std::string token = login::form_token(keys_, visitor, kLogoutPurpose);
  const std::string back = login::seal({"/oauth/authorize?a=b", ""}, keys_, entropy_, visitor);
  EXPECT_EQ(header(post("csrf=" + token + "&return=" + back, "null", &logout_), "Location"),
            "/oauth/authorize?a=b");
}

TEST_F(LoginPages, EscapesUserInput) {
  const std::string html = get().body;
  const std::string said = post(credentials(html, "\"><script>alert(1)</script>", "wrong")).body;
  EXPECT_EQ(said.find("<script>alert"), std::string::npos);
  EXPECT_NE(said.find("&lt;script&gt;"), std::string::npos);
}

}  // namespace
}  // namespace svc::pages
