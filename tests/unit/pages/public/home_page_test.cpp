#include "pages/public/home_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/paths.h"
#include "base/unavailable.h"
#include "fakes/settings.h"

namespace svc::pages {
namespace {

using fakes::header;

class HomePageTest : public fakes::SettingsTest {
 protected:
  http::Response home(std::string_view method = "GET", std::string_view host = "app.home.example") {
    http::Request request;
    request.method = method;
    request.path = base::paths::kHome.pattern;
    request.host = host;
    request.cookie = cookie_;
    HomePage page(own_, visitors_, people_);
    return fakes::now(page.answer(request));
  }

  embed::Site own_ = site_;
};

TEST_F(HomePageTest, PagesW8NamesTheWaysFromHere) {
  cookie_.clear();
  const http::Response page = home();
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(header(page, "Cache-Control"), "no-store");
  EXPECT_EQ(header(page, "Set-Cookie"), "none");
  for (const std::string_view part :
       {"<title>Start · Svc &amp; Co</title>", "<a href=\"/embed-codes\">Embed codes</a>",
        "<a href=\"/settings\">Log in</a>",
        "<a href=\"https://api.home.example:8443/.well-known/oauth-authorization-server\">",
        "<a href=\"https://oembed.home.example/providers.json\">",
        "https://oembed.home.example/oembed?url=https%3A%2F%2Fembed.host.example%2Fmedias%2FID",
        "https://api.home.example:8443/v1/medias/ID"}) {
    EXPECT_TRUE(has(page, part)) << part << page.body;
  }
  EXPECT_FALSE(has(page, "My Settings"));
  EXPECT_FALSE(has(page, "demonstration"));
}

TEST_F(HomePageTest, PagesW8LeadsALoggedInUserToTheSettings) {
  const http::Response page = home();
  EXPECT_TRUE(has(page, "<a href=\"/settings\">My Settings</a>"));
  EXPECT_TRUE(has(page, "You are logged in as <bdi>Olivia &lt;b&gt;</bdi>"));
  EXPECT_FALSE(has(page, "Log in"));
}

TEST_F(HomePageTest, PagesW8InADemonstrationNamesItsUsersAndItsGallery) {
  cookie_.clear();
  own_.demo_gallery = "http://gallery.localhost:8080";
  own_.demo_users = "olivia@acme.example  <secret> uma@acme.example b ";
  const http::Response page = home();
  EXPECT_TRUE(has(page, "<a href=\"http://gallery.localhost:8080/\">"));
  EXPECT_TRUE(
      has(page, "<td><code>olivia@acme.example</code></td><td><code>&lt;secret&gt;</code></td>"));
  EXPECT_TRUE(has(page, "<td><code>uma@acme.example</code></td><td><code>b</code></td>"));
}

TEST_F(HomePageTest, SendsRequestsToOtherHostsToTheHostOfTheApp) {
  for (const std::string_view method : {"GET", "HEAD"}) {
    const http::Response response = home(method, "embed.host.example");
    EXPECT_EQ(response.status, 303) << method;
    EXPECT_EQ(header(response, "Location"), "https://app.home.example/");
  }
}

// nginx passes the host in lower case, and an IPv6 address in brackets.
TEST_F(HomePageTest, AnswersAtTheHostOfTheAppHoweverItIsWritten) {
  for (const auto& [url, host] : {std::pair("https://App.Home.Example:8443", "app.home.example"),
                                  {"http://[::1]:8080", "[::1]"}}) {
    own_.app_url = url;
    EXPECT_EQ(home("GET", host).status, 200) << url;
  }
}

TEST_F(HomePageTest, IsUnavailableOnlyForSessionsIfTheStoreIsUnavailable) {
  sessions_.away = true;
  EXPECT_THROW(home(), base::Unavailable);
  cookie_.clear();
  EXPECT_EQ(home().status, 200);
}

}  // namespace
}  // namespace svc::pages
