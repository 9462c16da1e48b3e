// pages.md: what holds for every page of the settings, its overview and the start page.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fakes/temporary_directory.h"
#include "login/visitors.h"
#include "oauth/scope_set.h"
#include "rules/settings/settings.h"

namespace svc::rules {
namespace {

const std::string kAcmeSettings = "/settings/accounts/1001";
const std::string kSchedulerOfAcme = kAcmeSettings + "/applications/demo-client-0001";
const std::string kAcmeMedia = kAcmeSettings + "/media/l4unchf1lm";

// Each form of the settings: the page that has it, and its action.
const std::pair<std::string, std::string> kSettingsForms[] = {
    {kAcmeSettings + "/new-application", kAcmeSettings + "/new-application"},
    {kSchedulerOfAcme + "/edit", kSchedulerOfAcme + "/edit"},
    {kSchedulerOfAcme, kSchedulerOfAcme + "/secret"},
    {kSchedulerOfAcme, kSchedulerOfAcme + "/new-secret"},
    {kSchedulerOfAcme + "/delete", kSchedulerOfAcme + "/delete"},
    {kAcmeSettings + "/tokens", kAcmeSettings + "/tokens"},
    {kAcmeMedia + "/edit", kAcmeMedia + "/edit"},
    {kAcmeMedia, kAcmeMedia + "/move"},
    {kAcmeMedia + "/delete", kAcmeMedia + "/delete"},
    {kAcmeMedia + "/look", kAcmeMedia + "/look"},
    {kAcmeMedia + "/chapters", kAcmeMedia + "/chapters"},
    {kAcmeMedia + "/poster", kAcmeMedia + "/poster"},
    {kAcmeMedia + "/replace", kAcmeMedia + "/replace"},
    {kAcmeMedia + "/links", kAcmeMedia + "/links"},
    {kAcmeMedia + "/links/end", kAcmeMedia + "/links/end"},
    {kAcmeMedia + "/captions", kAcmeMedia + "/captions"},
    {kAcmeSettings + "/projects", kAcmeSettings + "/projects"},
    {kAcmeSettings + "/projects/prj1launch", kAcmeSettings + "/projects/prj1launch"},
    {"/settings/second-factor", "/settings/second-factor"},
    {"/settings/security", "/settings/security/password"},
    {"/settings/security", "/settings/security/others"},
};
const std::string kSettingsPages[] = {"/settings",
                                      kAcmeSettings + "/applications",
                                      kAcmeSettings + "/new-application",
                                      kSchedulerOfAcme,
                                      kSchedulerOfAcme + "/edit",
                                      kSchedulerOfAcme + "/delete",
                                      kAcmeSettings + "/connected",
                                      kAcmeSettings + "/tokens",
                                      kAcmeSettings + "/media",
                                      kAcmeMedia,
                                      kAcmeMedia + "/edit",
                                      kAcmeMedia + "/delete",
                                      kAcmeMedia + "/links",
                                      kAcmeMedia + "/links/end",
                                      kAcmeMedia + "/captions",
                                      kAcmeMedia + "/look",
                                      kAcmeMedia + "/chapters",
                                      kAcmeMedia + "/poster",
                                      kAcmeMedia + "/replace",
                                      kAcmeMedia + "/stats",
                                      kAcmeSettings + "/stats",
                                      kAcmeSettings + "/projects",
                                      kAcmeSettings + "/projects/prj1launch",
                                      kAcmeSettings + "/projects/prj1launch/delete",
                                      "/settings/connected",
                                      "/settings/second-factor",
                                      "/settings/security"};

class SettingsPages : public WithSettings {
 protected:
  SettingsPages() {
    Browser elsewhere(site_);
    elsewhere.log_in(kOliviasId);  // so that the page has all forms
  }
  static std::string title(const Answer& page) {
    return page.body.substr(page.body.find("<h1"), page.body.find("</h1>") - page.body.find("<h1"));
  }
};

TEST_F(SettingsPages, OauthA6OauthA19ForbidCachingFramesAndForeignResources) {
  std::vector<Ask> asks{"PUT /settings", "POST /settings", "/settings/nothing", "/"};
  for (const std::string& page : kSettingsPages) asks.emplace_back(page);
  for (const Ask& ask : asks) {
    SCOPED_TRACE(ask.method + " " + ask.target);
    const Answer answer = browser_.ask(ask);
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    EXPECT_EQ(answer.header("X-Frame-Options"), "DENY");
    EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(answer.header("Cross-Origin-Opener-Policy"), "same-origin");
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "none");
    const std::string host = "https://embed.svc.example:8443";
    const bool has_script = ask.target.ends_with("/media") || ask.target == kAcmeMedia;
    const bool is_poster = ask.target.ends_with("/poster");
    const bool has_pictures = has_script || is_poster;
    const bool is_start = ask.target == "/";
    const bool has_look = ask.target.ends_with("/look");
    const bool has_player = has_look || is_start || is_poster || ask.target == kAcmeMedia ||
                            ask.target.ends_with("/chapters");
    EXPECT_EQ(answer.header("Content-Security-Policy"),
              "default-src 'none'; base-uri 'none'; form-action 'self'; style-src 'self'; "
              "script-src 'self'; img-src 'self' data:" +
                  (has_pictures ? " " + host : "") + (has_player ? "; frame-src " + host : "") +
                  "; frame-ancestors 'none'" +
                  (has_script || has_look ? "; connect-src 'self'" : ""));
    for (const char* foreign : {"action=\"http", "<style", " style=\""})
      EXPECT_FALSE(answer.has(foreign)) << answer.body;
    EXPECT_EQ(count(answer, "src=\"http"),
              (has_pictures ? count(answer, "<img src=\"" + host + "/") : 0u) +
                  (has_player ? count(answer, "<iframe src=\"" + host + "/") : 0u));
  }
}

TEST_F(SettingsPages, OauthL7AskForTheLoginAndReturn) {
  Browser visitor(site_);
  for (const std::string& page : kSettingsPages) {
    SCOPED_TRACE(page);
    visitor.cookies.clear();
    const Answer asked = visitor.ask(page + "?done=x");
    EXPECT_EQ(asked.status, 200);
    EXPECT_FALSE(asked.has("role=\"alert\""));
    EXPECT_EQ(
        visitor.submit(asked, "/login", {{"email", kOlivia}, {"password", password_of(kOlivia)}})
            .header("Location"),
        page);
    visitor.cookies.clear();
    EXPECT_TRUE(
        visitor.post(page, {{"csrf", "x"}}).has("You have been logged out, so nothing was saved."));
  }
}

TEST_F(SettingsPages, OauthL1PagesW49AForgedFormChangesNothingAndLinksToItsPage) {
  Browser other(site_);
  other.log_in(kManuelsId);
  for (const auto& [page, action] : kSettingsForms) {
    SCOPED_TRACE(action);
    const Answer shown = browser_.ask(page);
    const Ask right = browser_.form(shown, action, {{"name", "Changed"}});
    const auto with_token = [&](const std::string& token) {
      const std::size_t at = right.body.find("csrf=") + 5;
      return right.with_body(std::string(right.body).replace(at, 64, token));
    };
    const std::string logout = form_in(shown.body, "/logout").front().second;
    for (const Ask& forged :
         {with_token(""), with_token(std::string(64, '0')), with_token(logout),
          right.with("Origin", "https://evil.example"),
          right.with("Cookie",
                     other.form(other.ask("/settings"), "/logout").headers.at("Cookie"))}) {
      const Answer answer = browser_.ask(forged);
      EXPECT_EQ(answer.status, 403);
      EXPECT_TRUE(answer.has("This page is too old"));
      const std::string way_on = "<a class=\"button primary\" href=\"";
      EXPECT_EQ(count(answer, way_on), 1u) << answer.body;
      const std::size_t at = answer.body.find(way_on) + way_on.size();
      Answer there = browser_.ask(answer.body.substr(at, answer.body.find('"', at) - at));
      if (there.status == 303) there = browser_.follow(there);
      EXPECT_EQ(title(there), title(shown));
    }
  }
  // The token of one form is not that of another.
  const Answer security = browser_.ask("/settings/security");
  const std::string token = form_in(security.body, "/settings/security/password").front().second;
  EXPECT_EQ(browser_.post("/settings/security/others", {{"csrf", token}}).status, 403);
  EXPECT_EQ(stores().events(), Events{});
  EXPECT_FALSE(browser_.ask(kSchedulerOfAcme).has("Changed"));
}

TEST_F(SettingsPages, OauthK7AUserHasALimitOfForms) {
  const auto send = [](Browser& browser) {
    return browser.submit(browser.ask("/settings/security"), "/settings/security/password");
  };
  for (int i = 0; i < 120; ++i) ASSERT_EQ(send(browser_).status, 422) << i;
  const Answer told = send(browser_);
  EXPECT_EQ(told.status, 429);
  const int wait = std::stoi(told.header("Retry-After"));
  // The store's clock measures the minute, and continues during the test.
  EXPECT_TRUE(wait > 0 && wait <= 60) << wait;
  EXPECT_TRUE(told.has("Many forms were sent with your login in the last minute."));
  Browser manuel(site_);
  manuel.log_in(kManuelsId);
  EXPECT_EQ(send(manuel).status, 422);
  EXPECT_EQ(browser_.ask("/settings/security").status, 200);
  stores().command({"DEL", "web:settings_forms:501"});
  EXPECT_EQ(send(browser_).status, 422);
}

TEST_F(SettingsPages, PagesW49AddressesOfFormsLeadToTheirPages) {
  for (const auto& [page, action] : kSettingsForms) {
    const Answer answer = browser_.ask(action);
    if (answer.status == 303) {
      EXPECT_EQ(answer.header("Location"), page) << action;
    } else {
      EXPECT_EQ(answer.status, 200) << action;
    }
  }
  for (const char* path : {"/settings/security/elsewhere", "/settings/nothing",
                           "/settings/accounts/1001/nothing", "/settings/accounts/"}) {
    const Answer answer = browser_.ask(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_TRUE(answer.has("Page not found")) << path;
  }
}

// However many sessions, accounts and grants there are.
TEST_F(SettingsPages, EachTakesAFewRoundTrips) {
  import_paula();
  for (int i = 0; i < 20; ++i) Browser(site_).log_in(kPaulasId);
  browser_.log_in(kPaulasId);
  connect(browser_, kUploader, 1002);
  for (const std::string& page : kSettingsPages) {
    site_.trips.count = 0;
    EXPECT_LT(browser_.ask(page).status, 400) << page;
    EXPECT_LE(site_.trips.count, 10) << page;
  }
  const Answer security = browser_.ask("/settings/security");
  site_.trips.count = 0;
  browser_.submit(security, "/settings/security/others");
  EXPECT_LE(site_.trips.count, 10);
  Browser visitor(site_);
  for (int i = 0; i < 2; ++i) {  // Redis knows the scripts the second time
    const Answer login = visitor.ask("/login");
    site_.trips.count = 0;
    visitor.submit(login, "/login", {{"email", kOlivia}, {"password", password_of(kOlivia)}});
    visitor.cookies.clear();
  }
  EXPECT_LE(site_.trips.count, 10);
}

// No page has such a form, so its token is made here.
TEST_F(SettingsPages, AddressesThatHaveNoFormRefuseOne) {
  const std::string token = form_in(browser_.ask("/settings").body, "/logout").front().second;
  login::Visitor visitor;
  const redis::Reply sessions = stores().command({"KEYS", "web:session:*"});
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const std::string id(sessions.at(i).text()->substr(sizeof("web:session:") - 1));
    visitor.binding = id;
    if (login::form_token(stores().keys(), visitor, "logout") == token) break;
  }
  for (const std::string path :
       {"/settings", "/settings/connected", "/settings/security",
        "/settings/accounts/1001/applications", "/settings/accounts/1001/media"}) {
    const std::string right =
        login::form_token(stores().keys(), visitor, "settings " + std::string(path));
    const Answer answer = browser_.post(path, {{"csrf", right}});
    EXPECT_EQ(answer.status, 405) << path;
    EXPECT_TRUE(answer.has("This address only accepts forms of this site.")) << path;
  }
}

TEST_F(SettingsPages, PagesW7AMissingPageLeadsOn) {
  for (const char* method : {"GET", "HEAD", "POST"}) {
    const Answer answer = ask(std::string(method) + " /settings/nothing");
    EXPECT_EQ(answer.status, 404) << method;
    EXPECT_EQ(answer.header("Set-Cookie"), "none");
    if (method[0] == 'H') continue;
    for (const char* part :
         {"<title>Page not found · ", "There is no page at this address",
          "<a class=\"button primary\" href=\"/\">Start page</a>",
          "<a class=\"button enter\" href=\"/settings\">Settings</a>", "Request <code>request-"})
      EXPECT_TRUE(answer.has(part)) << part << answer.body;
    EXPECT_FALSE(answer.has("For developers"));
  }
}

TEST_F(SettingsPages, PagesW7StateThatTheStoreIsUnavailable) {
  stores().command({"SET", "catalog:contact:501", "{"});
  const Answer answer = browser_.ask("/settings");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.header("Retry-After"), "none");
  EXPECT_TRUE(answer.has("Request <code>request-"));
}

// --- the overview ---

TEST_F(SettingsPages, LinkToWhatEachRoleAllows) {
  import_paula();
  browser_.log_in(kPaulasId);
  const Answer page = browser_.ask("/settings");
  struct Case {
    std::string account, number;
    bool applications, connected;
    std::string barrier;
  };
  for (const Case& c : {
           Case{"Acme Films", "1001", true, true, ""},
           Case{"Binary &amp; Sons &lt;Studio&gt;", "1002", true, false, ""},
           Case{"Closed Doors", "1003", false, true, "OAuth is not enabled for this account."},
           Case{"Quiet", "1004", false, false, "You are a user of this account."},
       }) {
    SCOPED_TRACE(c.account);
    const std::string title = "<h2><bdi>" + c.account + "</bdi></h2>";
    const std::size_t at = page.body.find(title);
    ASSERT_NE(at, std::string::npos) << page.body;
    const std::string item = page.body.substr(at, page.body.find("</ul>", at) - at);
    const std::string folder = "<a href=\"/settings/accounts/" + c.number;
    const auto has = [&](const std::string& text) { return item.find(text) != std::string::npos; };
    EXPECT_EQ(has(folder + "/applications\""), c.applications) << item;
    for (const char* each : {"/media\"", "/stats\"", "/sites\""})
      EXPECT_EQ(has(folder + each), c.applications) << each << item;
    EXPECT_EQ(has(folder + "/connected\""), c.connected) << item;
    EXPECT_TRUE(has(c.barrier)) << item;
    EXPECT_EQ(has("account."), !c.barrier.empty()) << item;
  }
  EXPECT_TRUE(page.has("<summary><bdi>Paula &lt;b&gt;</bdi></summary>"));
  EXPECT_TRUE(page.has("<p><bdi>paula@acme.example</bdi></p>"));
  EXPECT_TRUE(page.has("<a href=\"/settings\" aria-current=\"page\">Settings</a>"));
}

TEST_F(SettingsPages, PagesW5ClipLongNamesAndStateThatAnAccountIsMissing) {
  stores().edit("catalog:account:1001", "Acme Films", std::string(81, 'n'));
  EXPECT_TRUE(browser_.ask("/settings").has("<bdi>" + std::string(80, 'n') + "…</bdi>"));
  EXPECT_FALSE(browser_.ask("/settings").has("You do not belong to an account yet."));
  stores().edit("catalog:contact:501", R"({"account_id":1001,"role":"owner"})", "");
  EXPECT_TRUE(browser_.ask("/settings")
                  .has("You do not belong to an account yet. The operator of this service can add "
                       "you to one."));
}

// --- the start page ---

using StartPage = WithSettings;

TEST_F(StartPage, PagesW8NamesTheWaysFromHere) {
  Browser visitor(site_);
  const Answer page = visitor.ask("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Set-Cookie"), "none");
  for (const char* part :
       {"<title>Videos for every page · ", "<a href=\"/embed-codes\">Embed codes</a>",
        "<a class=\"button\" href=\"/settings\">Log in</a>", "<svg class=\"sketch\"",
        "<a href=\"https://api.svc.example/.well-known/oauth-authorization-server\">",
        "<a href=\"https://oembed.svc.example/providers.json\">",
        "https://oembed.svc.example/"
        "oembed?url=https%3A%2F%2Fembed.svc.example%3A8443%2Fmedias%2FID",
        "https://api.svc.example/v1/medias/ID"})
    EXPECT_TRUE(page.has(part)) << part << page.body;
  EXPECT_FALSE(page.has(">Settings<"));
  EXPECT_FALSE(page.has("demonstration"));
  const Answer hers = browser_.ask("/");
  EXPECT_TRUE(hers.has("<a href=\"/settings\">Settings</a>"));
  EXPECT_TRUE(hers.has("<summary><bdi>Olivia Owner</bdi></summary>"));
  EXPECT_FALSE(hers.has("Log in"));
}

TEST_F(StartPage, PagesW8NeedsTheStoreForSessionsOnly) {
  stores().command({"SET", "catalog:contact:501", "{"});
  EXPECT_EQ(browser_.ask("/").status, 503);
  EXPECT_EQ(ask("/").status, 200);
}

TEST_F(StartPage, PagesW8IsOnTheHostOfTheApplication) {
  for (const char* method : {"GET ", "HEAD "}) {
    const Answer answer = ask(std::string(method) + "https://embed.svc.example/");
    EXPECT_EQ(answer.status, 303) << method;
    EXPECT_EQ(answer.header("Location"), "https://app.svc.example/");
  }
}

TEST_F(StartPage, PagesW60LeadsToThePageForDevelopersAsTheSettingsDo) {
  for (const char* page : {"/", "/settings", "/settings/accounts/1001/applications"})
    EXPECT_TRUE(browser_.ask(page).has("<a href=\"/developers\">")) << page;
}

class StartPageWithAFilm : public WithSettings {
 protected:
  StartPageWithAFilm() : WithSettings({"--example-media=l4unchf1lm"}) {}
};

TEST_F(StartPageWithAFilm, PagesW71HasItBesideItsCode) {
  const Answer page = browser_.ask("/");
  EXPECT_TRUE(page.has(
      "<iframe class=\"moving\" loading=\"lazy\" src=\"https://embed.svc.example:8443/embed/iframe/"
      "l4unchf1lm?autoPlay=true&amp;muted=true&amp;endVideoBehavior=loop\""))
      << page.body;
  EXPECT_TRUE(
      page.has("<iframe class=\"still\" loading=\"lazy\" "
               "src=\"https://embed.svc.example:8443/embed/iframe/l4unchf1lm\""));
  EXPECT_TRUE(page.has(
      "&lt;iframe src=&quot;https://embed.svc.example:8443/embed/iframe/l4unchf1lm&quot;"));
  EXPECT_FALSE(page.has("class=\"sketch\""));
  stores().command({"DEL", "catalog:media:l4unchf1lm"});
  EXPECT_TRUE(browser_.ask("/").has("class=\"sketch\"")) << "the media does not exist any more";
}

// --- the frame ---

TEST_F(SettingsPages, PagesW70HaveTheSameBarWithTheCurrentPlaceMarked) {
  struct Case {
    std::string page, marked;
  };
  const std::string in_media = kAcmeSettings + "/media\" aria-current=\"true\">Media";
  const std::string in_applications =
      kAcmeSettings + "/applications\" aria-current=\"true\">Applications";
  for (const Case& c : {
           Case{"/embed-codes", "/embed-codes\" aria-current=\"page\">Embed codes"},
           Case{"/developers", "/developers\" aria-current=\"page\">Developers"},
           Case{kAcmeSettings + "/media", kAcmeSettings + "/media\" aria-current=\"page\">Media"},
           Case{kAcmeMedia, in_media},
           Case{kAcmeSettings + "/projects", in_media},
           Case{kAcmeSettings + "/sites", in_media},
           Case{kAcmeSettings + "/stats", in_media},
           Case{kSchedulerOfAcme, in_applications},
           Case{kAcmeSettings + "/connected", in_applications},
           Case{kAcmeSettings + "/tokens", in_applications},
           Case{"/settings/security",
                "/settings/security\" aria-current=\"page\">Sessions and password"},
       }) {
    SCOPED_TRACE(c.page);
    const Answer page = browser_.ask(c.page);
    EXPECT_TRUE(page.has("<nav class=\"places\" aria-label=\"Main\">"));
    EXPECT_TRUE(page.has(c.marked)) << page.body;
  }
  // The flow pages have no way aside.
  Browser stranger(site_);
  EXPECT_FALSE(stranger.ask("/login").has("<nav"));
}

TEST_F(SettingsPages, PagesW72LeadToTheMediaAndApplicationsOfTheAccount) {
  EXPECT_EQ(browser_.ask("/settings/media").header("Location"), kAcmeSettings + "/media");
  EXPECT_EQ(browser_.ask("/settings/applications").header("Location"),
            kAcmeSettings + "/applications");
  import_paula();
  browser_.log_in(kPaulasId);
  const Answer choice = browser_.ask("/settings/media");
  EXPECT_EQ(choice.status, 200);
  EXPECT_TRUE(choice.has("<a href=\"" + kAcmeSettings + "/media\">"));
  EXPECT_TRUE(choice.has("uploads are not enabled for this account."));
}

class BrandedPages : public WithSettings {
 protected:
  BrandedPages()
      : WithSettings({"--accent-colour=FFD400", "--help-url=mailto:help@svc.example",
                      "--terms-url=https://svc.example/terms",
                      "--privacy-url=https://svc.example/privacy"}) {}
};

TEST_F(BrandedPages, PagesW73HaveTheOperatorsColourAndLinks) {
  for (const char* path : {"/login", "/settings", "/embed-codes"}) {
    SCOPED_TRACE(path);
    const Answer page = browser_.ask(path);
    if (page.status == 303) continue;
    EXPECT_TRUE(page.has("/brand.css\">"));
    EXPECT_TRUE(page.has("<a href=\"mailto:help@svc.example\">Help</a>"));
    EXPECT_TRUE(page.has("<a href=\"https://svc.example/terms\">Terms</a>"));
    EXPECT_TRUE(page.has("<a href=\"https://svc.example/privacy\">Privacy</a>"));
  }
  const Answer style = ask("/brand.css");
  EXPECT_EQ(style.type, "text/css; charset=utf-8");
  EXPECT_TRUE(style.has("--accent: #ffd400; --accent-text: #000000;")) << style.body;
  Browser stranger(site_);
  EXPECT_TRUE(
      stranger.ask("/login").has("Forgot your password? <a href=\"mailto:help@svc.example\">"));
}

const std::string kLogo = "\x89PNG\r\n\x1a\n and more";

struct LogoFile {
  fakes::TemporaryDirectory directory;
  std::string logo_path = directory.write("logo.png", kLogo);
};
class PagesWithALogo : private LogoFile, public WithSettings {
 protected:
  PagesWithALogo() : WithSettings({"--logo-file=" + logo_path}) {}
};

TEST_F(PagesWithALogo, PagesW73HaveTheOperatorsLogoInTheBar) {
  for (const char* page : {"/", "/login", "/embed-codes"})
    EXPECT_TRUE(ask(page).has("/favicon.ico\" alt=\"\" width=\"28\" height=\"28\">")) << page;
  const Answer logo = ask("/favicon.ico");
  EXPECT_EQ(logo.type, "image/png");
  EXPECT_EQ(logo.body, kLogo);
}

TEST_F(SettingsPages, PagesW73HaveTheServicesLogoWithoutOne) {
  const Answer icon = ask("/favicon.ico");
  EXPECT_EQ(icon.type, "image/svg+xml");
  EXPECT_TRUE(icon.has("#1456c4"));
  Browser stranger(site_);
  const Answer login = stranger.ask("/login");
  EXPECT_TRUE(login.has("<link rel=\"icon\" href=\"/favicon.ico\">"));
  EXPECT_FALSE(login.has("brand.css"));
  EXPECT_TRUE(login.has("Ask the operator of this service for a new one."));
}

TEST_F(SettingsPages, PagesW74TheDesignIsOnlyInADemonstration) {
  EXPECT_EQ(ask("/design").status, 404);
}

class Demonstration : public WithSettings {
 protected:
  Demonstration() : WithSettings({"--demo-gallery=http://127.0.0.1:9090"}) {}
};

TEST_F(Demonstration, PagesW74ShowsEveryPartOfTheDesign) {
  const Answer page = ask("/design");
  EXPECT_EQ(page.status, 200);
  for (const char* part :
       {"class=\"primary\"", "class=\"danger\"", "class=\"field-problem\"", "class=\"notice\"",
        "class=\"problem\"", "<table>", "class=\"cards\"", "class=\"list\"", "class=\"empty\""})
    EXPECT_TRUE(page.has(part)) << part;
  EXPECT_TRUE(ask("/").has("<a href=\"/design\">"));
}

class StartPageElsewhere : public Rules {
 protected:
  StartPageElsewhere()
      : Rules({"--app-url=https://App.Home.Example:8443",
               "--demo-gallery=http://gallery.localhost:8080",
               "--demo-users=olivia@acme.example  <secret> uma@acme.example b"}) {}
};

TEST_F(StartPageElsewhere, PagesW8InADemonstrationNamesItsUsersAndItsGallery) {
  // nginx passes the host in lower case.
  const Answer page = ask("https://app.home.example/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.has("<a href=\"http://gallery.localhost:8080/\">"));
  EXPECT_TRUE(
      page.has("<td><code>olivia@acme.example</code></td><td><code>&lt;secret&gt;</code></td>"));
  EXPECT_TRUE(page.has("<td><code>uma@acme.example</code></td><td><code>b</code></td>"));
}

}  // namespace
}  // namespace svc::rules
