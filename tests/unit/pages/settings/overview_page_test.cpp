#include "pages/settings/overview_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "fakes/settings.h"

namespace svc::pages {
namespace {

using fakes::header;

class OverviewPageTest : public fakes::SettingsTest {
 protected:
  // The list entry of this account.
  std::string entry_of(const http::Response& page, std::string_view name) {
    const std::size_t begin = page.body.find("<li><bdi>" + std::string(name));
    if (begin == std::string::npos) return "";
    return page.body.substr(begin, page.body.find("</li>", begin) - begin);
  }

  OverviewPage page_{parts_};
};

TEST_F(OverviewPageTest, LinksToThePagesThatEachRoleAllows) {
  const http::Response page = get(page_, "/settings");
  EXPECT_EQ(page.status, 200);
  struct Case {
    std::string_view name;
    bool applications, connected;
    std::string_view barrier;
  };
  for (const Case& c : {
           Case{"Acme &amp; &lt;Films&gt;", true, true, ""},
           Case{"Binary", true, false, ""},
           Case{"Closed", false, true, "OAuth is not enabled for this account."},
           Case{"Quiet", false, false, "You are a user of this account."},
       }) {
    SCOPED_TRACE(c.name);
    const std::string entry = entry_of(page, c.name);
    ASSERT_NE(entry, "");
    EXPECT_EQ(entry.find("/applications\"") != std::string::npos, c.applications) << entry;
    EXPECT_EQ(entry.find("/connected\"") != std::string::npos, c.connected) << entry;
    EXPECT_NE(entry.find(c.barrier), std::string::npos) << entry;
    EXPECT_EQ(entry.find("account.") != std::string::npos, !c.barrier.empty()) << entry;
  }
  EXPECT_TRUE(has(page, "href=\"/settings/accounts/1001/applications\""));
  EXPECT_TRUE(has(page, "href=\"/settings/accounts/1001/connected\""));
}

TEST_F(OverviewPageTest, ShowsATextForUsersWithoutAnAccount) {
  log_in(505);
  EXPECT_TRUE(has(get(page_, "/settings"), "You do not belong to an account yet."));
  log_in(502);
  EXPECT_FALSE(has(get(page_, "/settings"), "You do not belong to an account yet."));
}

TEST_F(OverviewPageTest, ShowsTheUserAndTheCurrentPage) {
  const http::Response page = get(page_, "/settings");
  EXPECT_TRUE(has(page, "<bdi>Olivia &lt;b&gt;</bdi> (<bdi>501@people.example</bdi>)"));
  EXPECT_TRUE(has(page, "<title>My Settings · Svc &amp; Co</title>"));
  EXPECT_TRUE(has(page, "<a href=\"/settings\" aria-current=\"page\">My Settings</a>"));
  EXPECT_NE(token_in(page.body, "/logout"), "");
}

TEST_F(OverviewPageTest, ClipsLongNamesOfAccounts) {
  people_.accounts[0].name = std::string(81, 'n');
  const http::Response page = get(page_, "/settings");
  EXPECT_TRUE(has(page, "<bdi>" + std::string(80, 'n') + "…</bdi>"));
}

// The following tests apply to every page of the settings.

TEST_F(OverviewPageTest, OauthL7ShowsTheLoginPageAndReturnsAfterLogin) {
  cookie_.clear();
  EXPECT_EQ(get(page_, "/settings?done=x").body, "the login page");
  EXPECT_EQ(prompt_.return_path, "/settings");
  EXPECT_EQ(ask(page_, "POST", "/settings", "csrf=x").body, "the login page");
}

TEST_F(OverviewPageTest, OauthL3SessionsEndWhenThePasswordChanges) {
  people_.contacts[0].password_hash = "new$changed";
  EXPECT_EQ(get(page_, "/settings").body, "the login page");
}

TEST_F(OverviewPageTest, OauthA6EveryResponseHasTheSecurityHeaders) {
  for (const http::Response& response :
       {get(page_, "/settings"), ask(page_, "PUT", "/settings"), ask(page_, "POST", "/settings")}) {
    EXPECT_EQ(header(response, "Cache-Control"), "no-store");
    EXPECT_EQ(header(response, "X-Frame-Options"), "DENY");
    EXPECT_EQ(header(response, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header(response, "Content-Security-Policy"),
              "default-src 'none'; base-uri 'none'; form-action 'self'; style-src 'self'; "
              "script-src 'self'; img-src data:; frame-ancestors 'none'");
  }
}

TEST_F(OverviewPageTest, AnswersAHeadLikeAGet) {
  EXPECT_EQ(ask(page_, "HEAD", "/settings").body, get(page_, "/settings").body);
}

TEST_F(OverviewPageTest, OauthL1RefusesForgedForms) {
  http::Request request;
  request.cookie = cookie_;
  const login::Visitor visitor = fakes::now(visitors_.of(request));
  const std::string body = "csrf=" + login::form_token(keys_, visitor, "settings /settings");
  EXPECT_EQ(ask(page_, "POST", "/settings", "csrf=").status, 403);
  EXPECT_EQ(ask(page_, "POST", "/settings", body, "https://evil.example").status, 403);
  EXPECT_EQ(ask(page_, "POST", "/settings/elsewhere", body).status, 403);
  EXPECT_EQ(ask(page_, "POST", "/settings", body).status, 405) << "there is no form here";
}

TEST_F(OverviewPageTest, OauthK7ThrottlesContactsThatSendManyForms) {
  http::Request request;
  request.cookie = cookie_;
  const login::Visitor visitor = fakes::now(visitors_.of(request));
  form_limit_.seconds = 17;
  const http::Response response =
      ask(page_, "POST", "/settings",
          "csrf=" + login::form_token(keys_, visitor, "settings /settings"));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(header(response, "Retry-After"), "17");
  EXPECT_TRUE(has(response, "Many forms were sent with your login in the last minute."));
}

}  // namespace
}  // namespace svc::pages
