#include "pages/settings/applications_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/application_settings.h"
#include "fakes/settings.h"
#include "text/markup.h"

namespace svc::pages {
namespace {

using fakes::header;

const std::string kAcmesApplications = "/settings/accounts/1001/applications";
const std::string kNewOfAcme = "/settings/accounts/1001/new-application";
const std::string kReels = kAcmesApplications + "/reels";

class ApplicationsPageTest : public fakes::SettingsTest {
 protected:
  // Acme has the application "reels", with one secret.
  ApplicationsPageTest() {
    const oauth::NewApplication reels{{"reels"}, account(1001, "Acme", true), right()};
    secret_ = fakes::now(service_.create(reels, oauth::Actor{}))->secret;
    audit_.events.clear();
  }

  static oauth::ApplicationSettings right() {
    oauth::ApplicationSettings settings;
    settings.name = "Reel Maker <b>";
    settings.description = "Makes <i>reels</i>";
    settings.redirect_uri = "https://reels.example/back";
    settings.scopes.add("media:read");
    return settings;
  }

  http::Response get(const std::string& target) { return SettingsTest::get(page_, target); }
  http::Response follow(const http::Response& response) {
    return SettingsTest::follow(page_, response);
  }
  // Opens the page `from` and sends its form for `action` with its hidden
  // fields and these fields.
  http::Response send_from(const std::string& from, const std::string& action,
                           const Fields& fields) {
    return send_form(get(from), action, fields);
  }
  http::Response send_form(const http::Response& shown, const std::string& action,
                           const Fields& fields) {
    std::string body = "csrf=" + token_in(shown.body, action);
    for (const std::string_view name : {"number", "proof", "edition"}) {
      const std::string value = hidden(shown.body, action, name);
      if (!value.empty()) body += "&" + std::string(name) + "=" + value;
    }
    for (const auto& [name, value] : fields)
      body += "&" + std::string(name) + "=" + text::percent_encode(value);
    return ask(page_, "POST", action, body);
  }
  static std::string hidden(const std::string& html, const std::string& action,
                            std::string_view name) {
    const std::size_t form = html.find("action=\"" + action + "\"");
    if (form == std::string::npos) return "";
    const std::string before = "name=\"" + std::string(name) + "\" value=\"";
    const std::size_t at = html.find(before, form);
    if (at == std::string::npos || at > html.find("</form>", form)) return "";
    const std::size_t begin = at + before.size();
    return html.substr(begin, html.find('"', begin) - begin);
  }
  http::Response create(const http::Response& form) {
    return send_form(form, kNewOfAcme,
                     {{"name", " Clip Maker\t"},
                      {"description", "One.\r\nTwo."},
                      {"redirect_uri", "https://clips.example/back"},
                      {"scope", "media:read"},
                      {"scope", "nonsense"},
                      {"require_pkce", "yes"}});
  }
  // What a browser sends for these settings.
  static Fields fields_of(const oauth::ApplicationSettings& settings) {
    Fields fields;
    base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
      for (const std::string_view text : fakes::texts_of(row.rule, settings.*row.member))
        fields.emplace_back(oauth::kIsScopes<decltype(Row::rule)> ? "scope" : row.name, text);
    });
    return fields;
  }
  const oauth::Client& reels() { return applications_.clients.at("reels"); }

  oauth::ApplicationService service_{applications_, grants_,  audit_, oauth::Limits{},
                                     keys_,         entropy_, clock_};
  ApplicationsPage page_{parts_, service_};
  std::string secret_;
};

TEST_F(ApplicationsPageTest, ListsTheApplicationsOfOneAccountByName) {
  oauth::Client other = reels();
  other.id = {"other"};
  other.name = "another";
  applications_.put(other);
  other.id = {"binarys"};
  other.account = {1002};
  other.name = "Of Binary";
  applications_.put(other);
  const http::Response page = get(kAcmesApplications);
  EXPECT_EQ(page.status, 200);
  EXPECT_LT(page.body.find("another"), page.body.find("Reel Maker &lt;b&gt;"));
  EXPECT_TRUE(has(page, "reels.example"));
  EXPECT_TRUE(has(page, "Makes &lt;i&gt;reels&lt;/i&gt;"));
  EXPECT_FALSE(has(page, "Of Binary"));
  EXPECT_TRUE(has(get("/settings/accounts/1002/applications"), "Of Binary"));
}

TEST_F(ApplicationsPageTest, ShowsOnlyApplicationsOfTheContactsAccounts) {
  struct Case {
    std::string_view name;
    std::int64_t contact;
    std::string path;
    int status;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"a manager", 502, kReels, 200, "Reel Maker"},
           Case{"a contact without an account", 505, kAcmesApplications, 404, "There is no page"},
           Case{"a user of the account", 501, "/settings/accounts/1004/applications", 403,
                "You are a user of this account."},
           Case{"an account without OAuth", 501, "/settings/accounts/1003/applications", 403,
                "OAuth is not enabled"},
           Case{"an application of another account", 501,
                "/settings/accounts/1002/applications/reels", 404, "There is no application"},
           Case{"an unknown application", 501, kAcmesApplications + "/unknown", 404,
                "There is no application"},
           Case{"no id of an application", 501, kAcmesApplications + "/a b", 404,
                "There is no application"},
           Case{"no number of an account", 501, "/settings/accounts/1001x/applications", 404,
                "There is no page"},
           Case{"a longer path", 501, kReels + "/edit/more", 404, "There is no page"},
           Case{"an unknown action", 501, kReels + "/unknown", 404, "There is no page"},
       }) {
    SCOPED_TRACE(c.name);
    log_in(c.contact);
    const http::Response page = get(c.path);
    EXPECT_EQ(page.status, c.status);
    EXPECT_TRUE(has(page, c.says)) << page.body;
    EXPECT_EQ(has(page, "Reel Maker"), c.status == 200);
  }
}

TEST_F(ApplicationsPageTest, RegistersAnApplicationOnceAlsoIfTheFormIsSentTwice) {
  const http::Response form = get(kNewOfAcme);
  const http::Response first = create(form);
  const http::Response second = create(form);
  EXPECT_EQ(header(first, "Location"), header(second, "Location"));
  const http::Response page = follow(first);
  EXPECT_TRUE(has(page, "The application is registered."));
  ASSERT_EQ(applications_.clients.size(), 2u);
  const std::string id = hidden(form.body, kNewOfAcme, "number");
  const oauth::Client& made = applications_.clients.at(id);
  EXPECT_EQ(made.name, "Clip Maker");
  EXPECT_EQ(made.description, "One.\nTwo.");
  EXPECT_EQ(made.scopes, *oauth::ScopeSet::parse("media:read"));
  EXPECT_TRUE(made.require_pkce);
  EXPECT_EQ(made.account.value(), 1001);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"client.created 501 "});
}

TEST_F(ApplicationsPageTest, RefusesAChosenId) {
  const http::Response form = get(kNewOfAcme);
  const std::string body = "csrf=" + token_in(form.body, kNewOfAcme) +
                           "&name=n&redirect_uri=https://a.example/&scope=media:read&proof=" +
                           hidden(form.body, kNewOfAcme, "proof") + "&number=a-name-that-i-like";
  EXPECT_EQ(ask(page_, "POST", kNewOfAcme, body).status, 403);
  EXPECT_EQ(applications_.clients.size(), 1u);
}

TEST_F(ApplicationsPageTest, PagesW3ShowsErrorsAtTheFieldsAndKeepsTheInput) {
  struct Case {
    std::string_view field;
    std::string value;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"name", "", "Enter a name. Users see it when they are asked for access."},
           Case{"name", std::string(101, 'n'),
                "The name must not have more than 100 characters; it has 101."},
           Case{"description", "\a", "The description must not have control characters."},
           Case{"redirect_uri", "", "Enter the address that users are sent back to."},
           Case{"redirect_uri", "https://r.example/#x",
                "The redirect URI must not have a fragment"},
           Case{"scope", "nonsense", "Choose at least one permission."},
       }) {
    SCOPED_TRACE(c.says);
    const auto value = [&](std::string_view field, std::string_view otherwise) {
      return c.field == field ? std::string_view(c.value) : otherwise;
    };
    const auto send_it = [&](const std::string& from, const std::string& action) {
      return send_from(from, action,
                       {{"name", value("name", "Entered name")},
                        {"description", value("description", "Entered description")},
                        {"redirect_uri", value("redirect_uri", "https://entered.example/")},
                        {"scope", value("scope", "stats:read")}});
    };
    for (const auto& page :
         {send_it(kNewOfAcme, kNewOfAcme), send_it(kReels + "/edit", kReels + "/edit")}) {
      EXPECT_EQ(page.status, 422);
      const std::size_t at = page.body.find(c.says);
      EXPECT_NE(at, std::string::npos) << page.body;
      EXPECT_NE(page.body.find(c.says, at + 1), std::string::npos) << "at the top and at the field";
      const std::string id(c.field == "scope" ? "scopes" : c.field);
      EXPECT_TRUE(has(page, "<li><a href=\"#" + id + "\">")) << "the summary leads to the field";
      EXPECT_TRUE(has(page, " id=\"" + id + "\""));
      EXPECT_TRUE(has(page, "role=\"alert\" tabindex=\"-1\" autofocus>"));
      EXPECT_EQ(has(page, "Entered name"), c.field != "name");
      EXPECT_EQ(has(page, "https://entered.example/"), c.field != "redirect_uri");
    }
  }
  EXPECT_EQ(applications_.clients.size(), 1u);
  EXPECT_EQ(oauth::differences_of(reels(), right()), "");
  EXPECT_TRUE(audit_.events.empty());
}

TEST_F(ApplicationsPageTest, PagesW11MarksFullAccess) {
  const std::string page = get(kNewOfAcme).body;
  const std::size_t mark = page.find("This is full access.");
  EXPECT_GT(mark, page.find("value=\"all:all\""));
  EXPECT_EQ(page.find("This is full access.", mark + 1), std::string::npos) << "only that one";
}

TEST_F(ApplicationsPageTest, RefusesMoreThan200ApplicationsPerAccount) {
  oauth::Client other = reels();
  for (int i = 1; i < 200; ++i) {
    other.id = {"other-" + std::to_string(i)};
    applications_.put(other);
  }
  const http::Response page = create(get(kNewOfAcme));
  EXPECT_EQ(page.status, 409);
  EXPECT_TRUE(has(page, "This account has as many applications as are allowed, 200."));
  EXPECT_TRUE(has(page, "Clip Maker")) << "what was entered stays";
  EXPECT_EQ(applications_.clients.size(), 200u);
}

TEST_F(ApplicationsPageTest, ShowsTheSecretOnlyAfterThePassword) {
  const std::string action = kReels + "/secret";
  const http::Response page = get(kReels);
  EXPECT_TRUE(has(page, "reels"));
  EXPECT_FALSE(has(page, secret_));
  const http::Response asked = send_form(page, action, {});
  EXPECT_EQ(asked.status, 200);
  EXPECT_TRUE(has(asked, "Confirm your password"));
  EXPECT_EQ(send_form(asked, action, {{"password", ""}}).status, 422);
  const http::Response wrong = send_form(asked, action, {{"password", "wrong"}});
  EXPECT_EQ(wrong.status, 403);
  EXPECT_TRUE(has(wrong, "The password is incorrect."));
  for (const auto* each : {&asked, &wrong}) EXPECT_FALSE(has(*each, secret_));
  const http::Response shown = send_form(asked, action, {{"password", "right"}});
  EXPECT_EQ(shown.status, 200);
  EXPECT_TRUE(has(shown, "value=\"" + secret_ + "\""));
  EXPECT_EQ(header(shown, "Cache-Control"), "no-store");
  EXPECT_EQ(audit_.events.back(), "secret.shown 501 ");
}

TEST_F(ApplicationsPageTest, ThrottlesWrongPasswords) {
  attempts_.next.pair_failures = 1000;
  attempts_.next.pair_last = clock_.now();
  const std::string action = kReels + "/secret";
  const http::Response held = send_from(kReels, action, {{"password", "right"}});
  EXPECT_EQ(held.status, 429);
  EXPECT_NE(header(held, "Retry-After"), "none");
  EXPECT_FALSE(has(held, secret_));
}

TEST_F(ApplicationsPageTest, ReportsASecretThatCannotBeShown) {
  for (auto& [secret, session] : sessions_.alive) session.password_given = clock_.now();
  applications_.clients.at("reels").secrets[0].sealed = "of a lost key";
  const http::Response page = send_from(kReels, kReels + "/secret", {});
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(has(page, "It is valid, but it can no longer be shown."));
}

TEST_F(ApplicationsPageTest, SavesTheEditOfEachSettingAndRecordsItsName) {
  const std::string action = kReels + "/edit";
  fakes::for_each_change(right(), [&](const auto& row, const oauth::ApplicationSettings& changed) {
    SCOPED_TRACE(row.name);
    applications_.put(with_settings(reels(), right()));
    audit_.events.clear();
    EXPECT_TRUE(
        has(follow(send_from(action, action, fields_of(changed))), "The changes are saved."));
    EXPECT_EQ(differences_of(reels(), changed), "");
    EXPECT_EQ(audit_.events,
              std::vector<std::string>{"client.changed 501 " + std::string(row.name)});
    // The form then has what was saved.
    const std::string form = get(action).body;
    for (const auto& [name, value] : fields_of(changed)) {
      std::string shown;
      text::append_html_escaped(shown, value);
      const bool is_text =
          value == changed.name || value == changed.description || value == changed.redirect_uri;
      EXPECT_NE(
          form.find(is_text ? shown
                            : "name=\"" + std::string(name) + "\" value=\"" + shown + "\" checked"),
          std::string::npos)
          << name;
    }
  });
}

TEST_F(ApplicationsPageTest, ShowsAConflictingChangeAndSavesOnTheSecondAttempt) {
  const std::string action = kReels + "/edit";
  oauth::ApplicationSettings mine = right();
  mine.name = "Mine";
  fakes::for_each_change(mine, [&](const auto& row, const oauth::ApplicationSettings& theirs) {
    SCOPED_TRACE(row.name);
    applications_.put(with_settings(reels(), right()));
    const http::Response form = get(action);
    applications_.put(with_settings(reels(), theirs));
    audit_.events.clear();
    const http::Response told = send_form(form, action, fields_of(mine));
    EXPECT_EQ(told.status, 409);
    EXPECT_TRUE(has(told, "Another user changed this application"));
    const std::string label = "<dt>" + std::string(row.rule.words.label) + "</dt>";
    EXPECT_TRUE(has(told, "<dl>\n" + label)) << told.body;
    EXPECT_EQ(told.body.find("<dt>"), told.body.rfind("<dt>")) << "only what differs";
    EXPECT_TRUE(has(told, "value=\"Mine\""));
    EXPECT_EQ(differences_of(reels(), theirs), "");
    EXPECT_TRUE(audit_.events.empty());
    EXPECT_TRUE(has(follow(send_form(told, action, fields_of(mine))), "The changes are saved."));
    EXPECT_EQ(differences_of(reels(), mine), "");
  });
}

TEST_F(ApplicationsPageTest, Answers404IfTheApplicationIsDeletedDuringAnEdit) {
  const std::string action = kReels + "/edit";
  const http::Response form = get(action);
  applications_.meanwhile = [this] { applications_.clients.clear(); };
  const http::Response told = send_form(
      form, action,
      {{"name", "Mine"}, {"redirect_uri", "https://reels.example/back"}, {"scope", "media:read"}});
  EXPECT_EQ(told.status, 404);
  EXPECT_TRUE(has(told, "There is no application at this address"));
}

TEST_F(ApplicationsPageTest, OauthK2RotatesAndRetiresSecretsStepByStep) {
  const http::Response before = get(kReels);
  const http::Response rotated = follow(send_form(before, kReels + "/new-secret", {}));
  EXPECT_TRUE(has(rotated, "There is a new secret, and the old one is still valid."));
  EXPECT_FALSE(has(rotated, "Create a new secret"));
  ASSERT_EQ(reels().secrets.size(), 2u);
  const http::Response late = send_form(before, kReels + "/new-secret", {});
  EXPECT_EQ(late.status, 409);
  EXPECT_TRUE(has(late, "the secrets have changed since you opened the page"));

  const http::Response asked = get(kReels + "/retire-secret");
  const http::Response retired = follow(send_form(asked, kReels + "/retire-secret", {}));
  EXPECT_TRUE(has(retired, "The old secret is retired."));
  ASSERT_EQ(reels().secrets.size(), 1u);
  EXPECT_FALSE(oauth::is_secret_of(keys_, reels(), secret_));
  EXPECT_EQ(send_form(asked, kReels + "/retire-secret", {}).status, 409);
  EXPECT_EQ(header(get(kReels + "/retire-secret"), "Location"), kReels) << "nothing to retire";
  EXPECT_EQ(audit_.events,
            (std::vector<std::string>{"secret.rotated 501 ", "secret.retired 501 "}));
}

TEST_F(ApplicationsPageTest, DeletesAnApplicationAndItsGrantsAfterConfirmation) {
  oauth::Grant grant{};
  grant.id = oauth::GrantId::of({502}, {1001}, {"reels"});
  grant.client = {"reels"};
  grants_.grants[grant.id.value()] = grant;
  const std::string action = kReels + "/delete";
  const http::Response asked = get(action);
  EXPECT_TRUE(has(asked, "It has 1 connection"));
  EXPECT_EQ(applications_.clients.size(), 1u);
  const http::Response sent = send_form(asked, action, {});
  EXPECT_TRUE(has(follow(sent), "The application is deleted."));
  EXPECT_TRUE(applications_.clients.empty());
  EXPECT_TRUE(grants_.grants.empty());
  EXPECT_EQ(audit_.events, std::vector<std::string>{"client.deleted 501 1 grants end with it"});
  EXPECT_EQ(header(send_form(asked, action, {}), "Location"), header(sent, "Location"))
      << "a form that is sent twice";
  EXPECT_EQ(audit_.events.size(), 1u);
}

TEST_F(ApplicationsPageTest, RunsActionsByTheirFormsOnly) {
  for (const std::string action : {"/new-secret", "/secret"}) {
    EXPECT_EQ(header(get(kReels + action), "Location"), kReels);
    EXPECT_EQ(ask(page_, "POST", kReels + action, "").status, 403);
  }
  EXPECT_EQ(reels().secrets.size(), 1u);
}

}  // namespace
}  // namespace svc::pages
