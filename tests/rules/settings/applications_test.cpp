// oauth.md, Settings: the OAuth applications of an account.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "fakes/application_settings.h"
#include "rules/settings/settings.h"

namespace svc::rules {
namespace {

const std::string kApplications = "/settings/accounts/1001/applications";
const std::string kNewApplication = "/settings/accounts/1001/new-application";
const std::string kSchedulerPage = kApplications + "/demo-client-0001";
const std::string kSchedulerSecret = "demo-secret-0001-not-for-production";

const Ask::Fields kReelMaker{{"name", "Reel Maker"},
                             {"description", "Makes reels.\nOf clips."},
                             {"redirect_uri", "https://reels.example/back"},
                             {"scope", "media:read"}};

// kReelMaker with another value of one field.
Ask::Fields reel_maker_with(const std::string& name, const std::string& value) {
  Ask::Fields fields = kReelMaker;
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  fields.emplace_back(name, value);
  return fields;
}

class ApplicationPages : public WithSettings {
 protected:
  explicit ApplicationPages(std::vector<std::string> settings = {})
      : WithSettings(std::move(settings)) {
    manuel_.log_in(kManuelsId);
  }

  // Returns the value of the input with that id, or "" without such an input.
  static std::string value_of(const Answer& page, const std::string& id) {
    const std::size_t input = page.body.find("<input id=\"" + id + "\"");
    if (input == std::string::npos) return "";
    const std::size_t at = page.body.find("value=\"", input) + 7;
    return unescaped(page.body.substr(at, page.body.find('"', at) - at));
  }
  static std::string text_of(const Answer& page, const std::string& id) {
    const std::size_t at = page.body.find('>', page.body.find("<textarea id=\"" + id + "\"")) + 1;
    return unescaped(page.body.substr(at, page.body.find("</textarea>", at) - at));
  }
  Answer registered(const Ask::Fields& fields = kReelMaker) {
    return after(browser_, browser_.ask(kNewApplication), kNewApplication, fields);
  }
  static std::string path_of(const Answer& page) {
    return kApplications + "/" + value_of(page, "client-id");
  }
  std::vector<std::string> secrets(const std::string& path = kSchedulerPage) {
    const Answer page = browser_.submit(browser_.ask(path), path + "/secret");
    EXPECT_EQ(page.status, 200);
    std::vector<std::string> found;
    for (int i = 0; page.has("id=\"secret-" + std::to_string(i) + "\""); ++i)
      found.push_back(value_of(page, "secret-" + std::to_string(i)));
    return found;
  }
  // Whether the token endpoint accepts the secret.
  bool is_right(const std::string& secret, const std::string& client = kScheduler) {
    const Answer answer = ask(Ask("POST /oauth/token")
                                  .with_form({{"grant_type", "refresh_token"},
                                              {"client_id", client},
                                              {"client_secret", secret},
                                              {"refresh_token", "svcr_" + std::string(96, '0')}}));
    return member_of(answer, "error") == "invalid_grant";
  }
  std::string record(const std::string& client = kScheduler) {
    return std::string(stores().command({"GET", "oauth:client:" + client}).text().value_or(""));
  }
  // Returns the fields that a browser sends for these settings.
  static Ask::Fields fields_of(const oauth::ApplicationSettings& settings) {
    Ask::Fields fields;
    base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
      if (row.name == "type") return;  // not in the form that edits
      if constexpr (oauth::kIsUris<decltype(Row::rule)>) {
        std::string lines;
        for (const std::string_view uri : fakes::texts_of(row.rule, settings.*row.member))
          (lines += lines.empty() ? "" : "\n") += uri;
        fields.emplace_back(row.name, lines);
        return;
      }
      for (const std::string_view text : fakes::texts_of(row.rule, settings.*row.member))
        fields.emplace_back(oauth::kIsScopes<decltype(Row::rule)> ? "scope" : row.name, text);
    });
    return fields;
  }
  static oauth::ApplicationSettings demo() {
    oauth::ApplicationSettings settings;
    settings.name = "Clip Scheduler";
    settings.description = "Schedules your clips across channels.";
    settings.redirect_uris = {"http://127.0.0.1:9090/callback"};
    settings.scopes.add("media:read");
    settings.scopes.add("stats:read");
    return settings;
  }
  // Sends the form, opened as `page`, with these settings and no others.
  Answer save(Browser& browser, const Answer& page, const oauth::ApplicationSettings& settings,
              const std::string& action = kSchedulerPage + "/edit") {
    Ask::Fields fields = fields_of(settings);
    for (const auto& [name, value] : form_in(page.body, action)) {
      if (name == "csrf" || name == "edition") fields.emplace_back(name, value);
    }
    return browser.post(action, fields);
  }

  Browser manuel_{site_};
};

// --- types ---

TEST_F(ApplicationPages, OauthP1TheTypeIsChosenInWordsAndStays) {
  const Answer form = browser_.ask(kNewApplication);
  for (const char* words : {"A program on a server", "A browser application",
                            "A desktop, phone or command-line program"})
    EXPECT_TRUE(form.has(words)) << words;
  for (const char* type : {"browser", "native"}) {
    Ask::Fields fields = reel_maker_with("type", type);
    std::erase_if(fields, [](const auto& field) { return field.first == "redirect_uri"; });
    fields.emplace_back("redirect_uri", "http://localhost/cb\r\n\r\n com.example.app:/cb \r\n");
    const Answer page = registered(fields);
    const std::string path = path_of(page);
    for (const char* part : {"It has no secret", "<code>http://localhost/cb</code>",
                             "<code>com.example.app:/cb</code>", "It works once"})
      EXPECT_TRUE(page.has(part)) << part;
    for (const char* part :
         {"authorization-link", "CLIENT_SECRET", "client secret", "Create a new secret"})
      EXPECT_FALSE(page.has(part)) << part;
    // Nothing of the form makes it confidential, and it stays settled.
    const Answer edit = browser_.ask(path + "/edit");
    EXPECT_FALSE(edit.has("A program on a server"));
    EXPECT_EQ(
        browser_.submit(edit, path + "/edit", {{"type", "confidential"}, {"name", "Other"}}).status,
        303);
    const std::string stored = record(value_of(page, "client-id"));
    for (const char* part : {R"("type":"public")", R"("name":"Other")", R"("require_pkce":true)",
                             R"("exact_redirect":true)", R"("scope_format":"string")"})
      EXPECT_NE(stored.find(part), std::string::npos) << stored;
  }
  EXPECT_TRUE(registered(reel_maker_with("type", "confidential")).has("Create a new secret"));
}

// --- lists and access ---

TEST_F(ApplicationPages, AnAccountListsItsApplicationsByName) {
  registered(reel_maker_with("name", "a <b>"));
  const Answer page = browser_.ask(kApplications);
  EXPECT_LT(page.body.find("<bdi>a &lt;b&gt;</bdi>"), page.body.find("Clip Scheduler"));
  EXPECT_LT(page.body.find("Clip Scheduler"), page.body.find("Everything App"));
  EXPECT_TRUE(page.has("127.0.0.1:9090"));
  EXPECT_TRUE(page.has("Schedules your clips"));
  EXPECT_TRUE(page.has("<time datetime=\"2026-04-01T10:00:00Z\""));
  EXPECT_FALSE(page.has("Uploader")) << "belongs to another account";
  EXPECT_TRUE(manuel_.ask("/settings/accounts/1002/applications").has("Uploader &lt;Pro&gt;"));
}

TEST_F(ApplicationPages, AreForOwnersAndManagersOfTheAccount) {
  import_paula();
  struct Case {
    std::string name;
    std::int64_t contact;
    std::string path;
    int status;
    std::string says;
  };
  for (const Case& c : {
           Case{"a manager", kManuelsId, kSchedulerPage, 200, "Clip Scheduler"},
           Case{"no member", 504, kApplications, 404, "There is no page"},
           Case{"a user", kUmasId, kApplications, 403,
                "Only its owners and managers see and change its applications"},
           Case{"an account without OAuth", kPaulasId, "/settings/accounts/1003/applications", 403,
                "OAuth is not enabled for this account"},
           Case{"an account without an application", kPaulasId,
                "/settings/accounts/1004/applications", 403, "You are a user of this account."},
           Case{"an application of another account", kManuelsId,
                "/settings/accounts/1002/applications/demo-client-0001", 404,
                "It may have been deleted."},
           Case{"an unknown application", kOliviasId, kApplications + "/unknown", 404,
                "There is no application"},
           Case{"no id of an application", kOliviasId, kApplications + "/a b", 404,
                "There is no application"},
           Case{"no number of an account", kOliviasId, "/settings/accounts/1001x/applications", 404,
                "There is no page"},
           Case{"a longer path", kOliviasId, kSchedulerPage + "/edit/more", 404,
                "There is no page"},
           Case{"an unknown action", kOliviasId, kSchedulerPage + "/unknown", 404,
                "There is no page"},
       }) {
    SCOPED_TRACE(c.name);
    Browser browser(site_);
    browser.log_in(c.contact);
    const Answer page = browser.ask(c.path);
    EXPECT_EQ(page.status, c.status);
    EXPECT_TRUE(page.has(c.says)) << page.body;
    EXPECT_EQ(page.has("Clip Scheduler"), c.status == 200);
  }
  for (const char* key : {"oauth:client:demo-client-0001", "oauth:client:demo-client-0003",
                          "oauth:client:demo-client-0004"})
    stores().command({"DEL", key});
  EXPECT_TRUE(browser_.ask(kApplications).has("There is no application yet."));
}

// --- registration ---

TEST_F(ApplicationPages, AFormThatIsSentTwiceRegistersOneApplication) {
  const Answer form = browser_.ask(kNewApplication);
  const Ask::Fields fields{{"name", " Clip Maker\t"},
                           {"description", "One.\r\nTwo."},
                           {"redirect_uri", "https://clips.example/back"},
                           {"scope", "media:read"},
                           {"scope", "nonsense"},
                           {"require_pkce", "yes"}};
  const Answer first = browser_.submit(form, kNewApplication, fields);
  for (const Answer& again : site_.ask_at_once(browser_.form(form, kNewApplication, fields), 3)) {
    EXPECT_EQ(again.status, 303);
    EXPECT_EQ(again.header("Location"), first.header("Location"));
  }
  const Answer page = browser_.follow(first);
  EXPECT_TRUE(page.has("The application is registered."));
  EXPECT_TRUE(page.has("no connections"));
  EXPECT_EQ(count(browser_.ask(kApplications), "<bdi>Clip Maker</bdi>"), 1u);
  const std::string stored = record(value_of(page, "client-id"));
  for (const char* part :
       {R"("account_id":1001)", R"("name":"Clip Maker")", R"("description":"One.\nTwo.")",
        R"("scopes":["media:read"])", R"("require_pkce":true)", R"("permission_version":1)"})
    EXPECT_NE(stored.find(part), std::string::npos) << part << stored;
  EXPECT_EQ(stores().events(), Events{"client.created 501 "});
  const std::string secret = secrets(path_of(page)).at(0);
  EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(secret.size(), 64u);
  EXPECT_EQ(stored.find(secret), std::string::npos) << "sealed";
  EXPECT_TRUE(is_right(secret, value_of(page, "client-id")));
}

TEST_F(ApplicationPages, OauthL1AClientIdCannotBeChosen) {
  Ask::Fields fields = kReelMaker;
  fields.emplace_back("number", "a-name-that-i-like");
  EXPECT_EQ(browser_.submit(browser_.ask(kNewApplication), kNewApplication, fields).status, 403);
  EXPECT_FALSE(browser_.ask(kApplications).has("Reel Maker"));
}

TEST_F(ApplicationPages, PagesW52PermissionsAreListedFromTheLeastToTheMostPowerful) {
  const Answer page = browser_.ask(kNewApplication);
  std::size_t last = 0;
  for (const char* scope :
       {"Statistics</strong> <code>stats:read<", "See media</strong> <code>media:read<",
        "Upload media</strong> <code>media:upload<", "Read access</strong> <code>all:read<",
        "Full access</strong> <code>all:all</code><br>Upload files, see a single media by its id, "
        "list all media and projects, read how often media are watched, and change and delete "
        "media, projects, captions and customizations<"}) {
    const std::size_t at = page.body.find(scope, last);
    ASSERT_NE(at, std::string::npos) << scope;
    last = at;
  }
  EXPECT_EQ(count(page, "name=\"scope\""), std::size(oauth::ScopeSet::kNames));
}

TEST_F(ApplicationPages, PagesW11MarksFullAccess) {
  const Answer page = browser_.ask(kNewApplication);
  EXPECT_GT(page.body.find("This is full access."), page.body.find("value=\"all:all\""));
  EXPECT_EQ(count(page, "This is full access."), 1u);
}

TEST_F(ApplicationPages, PagesW3ShowsErrorsAtTheFieldsAndKeepsTheInput) {
  struct Case {
    std::string field, value, says;
  };
  const std::string no_character = "must not have control characters or line breaks";
  for (const Case& c : {
           Case{"name", "", "Enter a name. Users see it when they are asked for access."},
           Case{"name", " \t ", "Enter a name."},
           Case{"name", std::string(101, 'n'),
                "The name must not have more than 100 characters; it has 101."},
           Case{"name", "two\nlines", no_character},
           Case{"name", "two\u2028lines", no_character},
           Case{"name", "\u202egnp.exe", no_character},
           Case{"name", "Svc\U000e0041", no_character},
           Case{"name", "Caf\xe9", "UTF-8"},
           Case{"name", "\u200b\u3164", "must have something to see"},
           Case{"description", std::string(2001, 'd'),
                "must not have more than 2000 characters; it has 2001"},
           Case{"description", "a\abell", "The description must not have control characters."},
           Case{"redirect_uri", "", "Enter the address that users are sent back to."},
           Case{"redirect_uri", "reels.example/back",
                "must be an absolute URI, such as https://app.example/callback"},
           Case{"redirect_uri", "http://localhost:3000/back",
                "register http://127.0.0.1:3000/back instead"},
           Case{"redirect_uri", "https://reels.example/back?code=1",
                "must not have a parameter called code"},
           Case{"scope", "nonsense", "Choose at least one permission."},
       }) {
    SCOPED_TRACE(c.field + ": " + c.says);
    const std::string id = c.field == "scope" ? "scopes" : c.field;
    for (const std::string& action : {kNewApplication, kSchedulerPage + "/edit"}) {
      const Answer page =
          browser_.submit(browser_.ask(action), action, reel_maker_with(c.field, c.value));
      EXPECT_EQ(page.status, 422);
      Answer plain;
      plain.body = unescaped(page.body);
      EXPECT_EQ(count(plain, c.says), 2u) << "at the top and at the field";
      EXPECT_EQ(count(page, "role=\"alert\""), 1u);
      EXPECT_TRUE(page.has("role=\"alert\" tabindex=\"-1\" autofocus>"));
      EXPECT_TRUE(page.has("<li><a href=\"#" + id + "\">")) << "leads to the field";
      EXPECT_TRUE(page.has("aria-describedby=\"" + id + "-hint " + id + "-problem\""));
      EXPECT_TRUE(page.has("class=\"field-problem\" id=\"" + id + "-problem\""));
      EXPECT_EQ(page.has("value=\"Reel Maker\""), c.field != "name");
      EXPECT_EQ(page.has(">https://reels.example/back</textarea>"), c.field != "redirect_uri");
      if (action == kNewApplication) {
        EXPECT_EQ(browser_.submit(page, action, kReelMaker).status, 303) << "once it is corrected";
      }
    }
  }
  EXPECT_TRUE(browser_.ask(kSchedulerPage).has("<h1><bdi>Clip Scheduler</bdi></h1>"));
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "約";
  EXPECT_EQ(
      browser_
          .submit(browser_.ask(kNewApplication), kNewApplication, reel_maker_with("name", longest))
          .status,
      303)
      << "characters count, not bytes";
}

TEST_F(ApplicationPages, OauthA50TheAdviceForAnInternationalRedirectUriIsAccepted) {
  const std::string ascii = "https://xn--bcher-kva.example/zur%C3%BCck";
  for (const std::string host :
       {"b\u00fccher.example", "b%C3%BCcher.example", "B\u00dcCHER.example"}) {
    const Answer page =
        browser_.submit(browser_.ask(kNewApplication), kNewApplication,
                        reel_maker_with("redirect_uri", "https://" + host + "/zur\u00fcck"));
    EXPECT_EQ(page.status, 422);
    EXPECT_TRUE(page.has("register " + ascii + " instead")) << host << page.body;
    EXPECT_EQ(browser_.submit(page, kNewApplication, reel_maker_with("redirect_uri", ascii)).status,
              303);
  }
}

class FewApplications : public ApplicationPages {
 protected:
  FewApplications() : ApplicationPages({"--applications-per-account=4"}) {}
};

TEST_F(FewApplications, OauthK10AnAccountHasALimitOfApplications) {
  const std::string path = path_of(registered());
  const Answer page = browser_.submit(browser_.ask(kNewApplication), kNewApplication,
                                      reel_maker_with("name", "Clip Maker"));
  EXPECT_EQ(page.status, 409);
  EXPECT_TRUE(page.has("This account has as many applications as are allowed, 4."));
  EXPECT_TRUE(page.has("value=\"Clip Maker\"")) << "what was entered stays";
  after(browser_, browser_.ask(path + "/delete"), path + "/delete");
  EXPECT_EQ(browser_.submit(page, kNewApplication).status, 303);
}

// --- the page of an application ---

TEST_F(ApplicationPages, PagesW5NamesAndDescriptionsAreTextEverywhere) {
  const std::string text = R"("><script>alert(1)</script><img src=x></title>{{NAME}} &lt; שלום)";
  const std::string escaped = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x&gt;";
  stores().edit("oauth:client:demo-client-0001", R"("name":"Clip Scheduler")",
                R"("name":"\"><script>alert(1)</script><img src=x></title>{{NAME}} &lt; שלום")");
  stores().edit("oauth:client:demo-client-0001", "Schedules your clips across channels.",
                R"(\"><script>alert(1)</script><img src=x></title>{{NAME}} &lt; שלום)");
  connect(browser_, kScheduler);
  const Answer connected = browser_.ask(kConnected);
  const std::size_t at = connected.body.find("href=\"/settings/connected/") + 6;
  const std::string grant = connected.body.substr(at, connected.body.find('"', at) - at);
  for (const std::string& path :
       {kSchedulerPage, kSchedulerPage + "/edit", kSchedulerPage + "/delete", kApplications,
        std::string(kConnected), grant}) {
    const Answer page = browser_.ask(path);
    EXPECT_TRUE(page.has(escaped)) << path << page.body;
    EXPECT_FALSE(page.has("<img src=x")) << path;
    EXPECT_FALSE(page.has("<script>")) << path;
  }
  const Ask::Fields fields =
      form_in(browser_.ask(kSchedulerPage + "/edit").body, kSchedulerPage + "/edit");
  EXPECT_EQ(fields.at(2), (std::pair<std::string, std::string>("name", text)));
  EXPECT_EQ(fields.at(3), (std::pair<std::string, std::string>("description", text)));
}

TEST_F(ApplicationPages, TheStepsHaveCommandsThatWorkAndExplainTheirVariables) {
  Ask::Fields fields = reel_maker_with("redirect_uri", "https://reels.example/it's?a=b");
  fields.emplace_back("require_pkce", "yes");
  const Answer page = registered(fields);
  const std::string id = value_of(page, "client-id");
  EXPECT_EQ(text_of(page, "exchange"),
            "curl https://api.svc.example/oauth/token -u \"" + id +
                ":$CLIENT_SECRET\" \\\n  -d grant_type=authorization_code -d code=\"$CODE\" \\\n  "
                "-d code_verifier=\"$CODE_VERIFIER\" \\\n  "
                R"(--data-urlencode redirect_uri='https://reels.example/it'\''s?a=b')");
  EXPECT_EQ(text_of(page, "use"),
            "curl https://api.svc.example/v1/medias/MEDIA_ID \\\n  "
            "-H \"Authorization: Bearer $ACCESS_TOKEN\"");
  EXPECT_EQ(text_of(page, "renew"), "curl https://api.svc.example/oauth/token -u \"" + id +
                                        ":$CLIENT_SECRET\" \\\n  -d grant_type=refresh_token "
                                        "-d refresh_token=\"$REFRESH_TOKEN\"");
  EXPECT_EQ(text_of(page, "authorization-link"),
            "https://app.svc.example/oauth/authorize?client_id=" + id +
                "&response_type=code&redirect_uri=https%3A%2F%2Freels.example%2Fit%27s%3Fa%3Db"
                "&scope=media%3Aread");
  for (const char* variable :
       {"CLIENT_SECRET", "CODE", "CODE_VERIFIER", "ACCESS_TOKEN", "REFRESH_TOKEN", "MEDIA_ID"})
    EXPECT_TRUE(page.has("<code>" + std::string(variable) + "</code>")) << variable;
  for (const char* part :
       {"PKCE is required.", "https://embed.svc.example:8443/medias/MEDIA_ID",
        "It is valid for 60 seconds and works once", "the browser shows that it cannot connect",
        "Settings → Connected applications", "https://api.svc.example/oauth/revoke"})
    EXPECT_TRUE(page.has(part)) << part;
  // Open during the setup.
  const std::string path = path_of(page);
  EXPECT_TRUE(page.has("<details open>"));
  EXPECT_FALSE(browser_.ask(path).has("<details open>"));
  EXPECT_TRUE(browser_.submit(browser_.ask(path), path + "/secret").has("<details open>"));
  EXPECT_TRUE(after(browser_, browser_.ask(path), path + "/new-secret").has("<details open>"));
}

// --- edits ---

TEST_F(ApplicationPages, OauthK7EachSettingIsSavedAndRecordedByItsName) {
  const std::string action = kSchedulerPage + "/edit";
  const auto version = [&] {
    const std::string stored = record();
    const std::size_t at = stored.find("\"permission_version\":");
    return stored.substr(at, stored.find(',', at) - at);
  };
  fakes::for_each_change(demo(), [&](const auto& row, const oauth::ApplicationSettings& changed) {
    SCOPED_TRACE(row.name);
    save(browser_, browser_.ask(action), demo());
    stores().command({"DEL", "audit:change"});
    const std::string before = version();
    const Answer saved = save(browser_, browser_.ask(action), changed);
    EXPECT_TRUE(browser_.follow(saved).has("The changes are saved."));
    EXPECT_EQ(stores().events(), Events{"client.changed 501 " + std::string(row.name)});
    const bool asks_again = version() != before;
    EXPECT_EQ(asks_again, std::string_view(row.name) == "scopes") << "new permissions only";
    // The form then has the saved values.
    Ask::Fields shown = form_in(browser_.ask(action).body, action);
    std::erase_if(
        shown, [](const auto& field) { return field.first == "csrf" || field.first == "edition"; });
    Ask::Fields expected = fields_of(changed);
    std::sort(shown.begin(), shown.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(shown, expected);
    EXPECT_EQ(save(browser_, browser_.ask(action), changed).status, 303);
    EXPECT_EQ(stores().events().size(), 1u) << "the same again changes nothing";
  });
}

TEST_F(ApplicationPages, AConflictingChangeIsShownAndSavedAtTheSecondAttempt) {
  const std::string action = kSchedulerPage + "/edit";
  oauth::ApplicationSettings mine = demo();
  mine.name = "Mine";
  fakes::for_each_change(mine, [&](const auto& row, const oauth::ApplicationSettings& theirs) {
    SCOPED_TRACE(row.name);
    save(browser_, browser_.ask(action), demo());
    const Answer form = browser_.ask(action);
    save(manuel_, manuel_.ask(action), theirs);
    const std::string before = record();
    const Events events = stores().events();
    const Answer told = save(browser_, form, mine);
    EXPECT_EQ(told.status, 409);
    EXPECT_TRUE(told.has("Another user changed this application"));
    EXPECT_TRUE(told.has("<dl>\n<dt>" + std::string(row.rule.words.label) + "</dt>")) << told.body;
    EXPECT_EQ(count(told, "<dt>"), 1u) << "only what differs";
    EXPECT_TRUE(told.has("value=\"Mine\"")) << "the input is kept";
    EXPECT_EQ(record(), before);
    EXPECT_EQ(stores().events(), events);
    EXPECT_TRUE(browser_.follow(save(browser_, told, mine)).has("The changes are saved."));
  });
  // If two users save at the same time, one of them gets the conflict.
  const Answer mine_now = browser_.ask(action);
  const Answer his_now = manuel_.ask(action);
  const auto at_once = site_.ask_at_once(
      {browser_.form(mine_now, action, {{"scope", "media:read"}, {"description", "One."}}),
       manuel_.form(his_now, action, {{"scope", "media:read"}, {"description", "Two."}})});
  EXPECT_EQ(at_once[0].status + at_once[1].status, 303 + 409);
  // Another user's new secret does not cause a conflict.
  const Answer form = browser_.ask(action);
  EXPECT_EQ(manuel_.submit(manuel_.ask(kSchedulerPage), kSchedulerPage + "/new-secret").status,
            303);
  EXPECT_EQ(save(browser_, form, demo()).status, 303);
  EXPECT_TRUE(browser_.ask(kSchedulerPage).has("Show the client secrets"));
  EXPECT_TRUE(is_right(kSchedulerSecret));
  // Another user deletes the application before the form is sent.
  const Answer again = browser_.ask(action);
  stores().command({"DEL", "oauth:client:demo-client-0001"});
  const Answer gone = save(browser_, again, mine);
  EXPECT_EQ(gone.status, 404);
  EXPECT_TRUE(gone.has("There is no application at this address"));
}

// --- secrets ---

TEST_F(ApplicationPages, OauthK7ASecretIsShownOnlyAfterThePassword) {
  const std::string action = kSchedulerPage + "/secret";
  EXPECT_FALSE(browser_.ask(kSchedulerPage).has(kSchedulerSecret));
  EXPECT_EQ(secrets(), std::vector{kSchedulerSecret}) << "the login was a moment ago";
  site_.pass(600);
  const Answer asked = browser_.submit(browser_.ask(kSchedulerPage), action);
  EXPECT_EQ(asked.status, 200);
  EXPECT_TRUE(asked.has("Confirm your password"));
  const Answer empty = browser_.submit(asked, action, {{"password", ""}});
  EXPECT_EQ(empty.status, 422);
  EXPECT_TRUE(empty.has("Enter your password."));
  const Answer wrong = browser_.submit(asked, action, {{"password", "wr0ng"}});
  EXPECT_EQ(wrong.status, 403);
  EXPECT_TRUE(wrong.has("The password is incorrect."));
  EXPECT_FALSE(wrong.has("wr0ng"));
  for (const Answer* each : {&asked, &empty, &wrong}) EXPECT_FALSE(each->has(kSchedulerSecret));
  const Answer shown = browser_.submit(wrong, action, {{"password", password_of(kOlivia)}});
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(value_of(shown, "secret-0"), kSchedulerSecret);
  EXPECT_EQ(shown.header("Cache-Control"), "no-store");
  EXPECT_EQ(secrets(), std::vector{kSchedulerSecret}) << "it was given a moment ago";
  EXPECT_EQ(sorted(stores().events()),
            sorted({"secret.shown 501 ", "login.failed 501 wrong password", "password.given 501 ",
                    "secret.shown 501 ", "secret.shown 501 "}));
}

TEST_F(ApplicationPages, ASecretOfALostKeyIsNotShown) {
  after(browser_, browser_.ask(kSchedulerPage), kSchedulerPage + "/new-secret");
  const std::string stored = record();
  std::size_t at = stored.find(R"("sealed":")") + 10;
  const auto spoil = [&](std::size_t from) {
    const std::size_t sealed = stored.find(R"("sealed":")", from) + 10;
    stores().edit("oauth:client:demo-client-0001",
                  stored.substr(sealed, stored.find('"', sealed) - sealed), "lost:00");
    return sealed;
  };
  stores().command({"DEL", "audit:shown"});
  at = spoil(0);
  const Answer one = browser_.submit(browser_.ask(kSchedulerPage), kSchedulerPage + "/secret");
  EXPECT_EQ(count(one, "It is valid, but it can no longer be shown."), 1u) << one.body;
  EXPECT_EQ(value_of(one, "secret-1"), kSchedulerSecret);
  spoil(at);
  const Answer none = browser_.submit(browser_.ask(kSchedulerPage), kSchedulerPage + "/secret");
  EXPECT_EQ(count(none, "It is valid, but it can no longer be shown."), 2u);
  EXPECT_EQ(stores().command({"XLEN", "audit:shown"}).integer(), 1) << "nothing was shown";
}

TEST_F(ApplicationPages, ASecretIsRotatedWithTwoLiveAtMost) {
  const std::string new_secret = kSchedulerPage + "/new-secret";
  const std::string retire = kSchedulerPage + "/retire-secret";
  EXPECT_EQ(browser_.ask(retire).header("Location"), kSchedulerPage) << "nothing to retire";
  const Answer before = browser_.ask(kSchedulerPage);
  const Answer rotated = after(browser_, before, new_secret);
  EXPECT_TRUE(rotated.has("There is a new secret, and the old one is still valid."));
  EXPECT_TRUE(rotated.has("Client secret, current</strong>, since <time"));
  EXPECT_TRUE(rotated.has("just now</time></p>\n<p><strong>Client secret, old"));
  EXPECT_TRUE(rotated.has("; retire it when it is no longer used"));
  EXPECT_FALSE(rotated.has("Create a new secret"));
  const std::vector<std::string> both = secrets();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1], kSchedulerSecret);
  EXPECT_TRUE(is_right(both[0]));
  EXPECT_TRUE(is_right(kSchedulerSecret));
  const auto told = [&](const Answer& page, const std::string& action) {
    const Answer answer = browser_.submit(page, action);
    EXPECT_EQ(answer.status, 409);
    EXPECT_TRUE(answer.has("Nothing was changed now: the secrets have changed"));
  };
  told(before, new_secret);

  const Answer asked = browser_.ask(retire);
  EXPECT_TRUE(asked.has("can no longer get or renew tokens"));
  EXPECT_TRUE(is_right(kSchedulerSecret));
  EXPECT_TRUE(after(browser_, asked, retire).has("The old secret is retired."));
  EXPECT_FALSE(is_right(kSchedulerSecret));
  EXPECT_EQ(secrets(), std::vector{both[0]});
  told(asked, retire);
  told(before, new_secret);
  EXPECT_EQ(sorted(stores().events()), sorted({"secret.rotated 501 ", "secret.shown 501 ",
                                               "secret.retired 501 ", "secret.shown 501 "}));
  // If a form is sent twice at the same time, one request is refused.
  int made = 0;
  for (const Answer& answer :
       site_.ask_at_once(browser_.form(browser_.ask(kSchedulerPage), new_secret), 2))
    made += answer.status == 303 ? 1 : 0;
  EXPECT_EQ(made, 1);
  told(asked, retire);
  EXPECT_TRUE(is_right(both[0])) << "a form from before the rotation retires nothing";
}

// Imports read longer names than the service accepts.
TEST_F(ApplicationPages, AnApplicationWithALongerNameHasASecretRotated) {
  stores().edit("oauth:client:demo-client-0001", "Clip Scheduler", std::string(300, 'n'));
  EXPECT_EQ(browser_.submit(browser_.ask(kSchedulerPage), kSchedulerPage + "/new-secret").status,
            303);
}

// --- deletion ---

TEST_F(ApplicationPages, PagesW4ADeletionNamesItsConsequencesAndEndsAllAccess) {
  const Answer hers = connect(browser_, kScheduler);
  const Answer his = connect(manuel_, kScheduler);
  connect(manuel_, kUploader, 1002);
  EXPECT_TRUE(browser_.ask(kSchedulerPage).has("2 connections"));
  const std::string action = kSchedulerPage + "/delete";
  const Answer asked = browser_.ask(action);
  EXPECT_TRUE(asked.has("<strong>It has 2 connections</strong>, each of one user"));
  EXPECT_EQ(use(hers), 200);
  const Answer list = after(browser_, asked, action);
  EXPECT_TRUE(list.has("The application is deleted."));
  EXPECT_FALSE(list.has("Clip Scheduler"));
  EXPECT_EQ(use(hers), 401);
  EXPECT_EQ(use(his), 401);
  EXPECT_FALSE(is_right(kSchedulerSecret));
  const Answer manuels = manuel_.ask(kConnected);
  EXPECT_FALSE(manuels.has("Clip Scheduler"));
  EXPECT_TRUE(manuels.has("Uploader")) << "another application's";
  const Answer link = ask("/oauth/authorize?client_id=demo-client-0001");
  EXPECT_EQ(link.status, 400);
  EXPECT_TRUE(link.has("does not exist, or it was deleted"));
  const Answer gone = browser_.ask(kSchedulerPage);
  EXPECT_EQ(gone.status, 404);
  EXPECT_TRUE(gone.has("It may have been deleted."));
  EXPECT_TRUE(gone.has("<a class=\"button primary\" href=\"" + kApplications + "\">"));
  EXPECT_EQ(stores().events("client.deleted 501 2 grants end with it"), 1u);
  const std::size_t events = stores().events().size();
  EXPECT_TRUE(after(browser_, asked, action).has("The application is deleted.")) << "sent twice";
  EXPECT_EQ(stores().events().size(), events);
}

TEST_F(ApplicationPages, PagesW4ADeletionOfThousandsOfConnectionsIsOneRequest) {
  const Answer hers = connect(browser_, kScheduler);
  stores().command({"EVAL", R"(
    for i = 1, 4000 do
      local grant = string.format('%032x', i)
      redis.call('HSET', 'oauth:grant:{' .. grant .. '}', 'contact', 700000 + i, 'account', 1001,
                 'client', 'demo-client-0001', 'scopes', 'media:read', 'permission_version', 1,
                 'consent', 'c', 'generation', 'g', 'created', i, 'last_used', i)
      redis.call('ZADD', 'oauth:client_grants:demo-client-0001', i, grant)
      redis.call('ZADD', 'oauth:account_grants:1001', i, grant)
    end)",
                    "0"});
  const auto left = [&] {
    return stores().command({"ZCARD", "oauth:client_grants:demo-client-0001"}).integer();
  };
  const std::string action = kSchedulerPage + "/delete";
  site_.trips.count = 0;
  EXPECT_TRUE(browser_.ask(kSchedulerPage).has("4,001 connections"));
  EXPECT_LE(site_.trips.count, 8) << "however many there are";
  const Answer asked = browser_.ask(action);
  EXPECT_TRUE(asked.has("It has 4,001 connections"));
  EXPECT_TRUE(after(browser_, asked, action).has("The application is deleted."));
  EXPECT_EQ(stores().events("client.deleted 501 4001 grants end with it"), 1u) << "one event";
  EXPECT_EQ(use(hers), 401);
  EXPECT_GT(left(), 2000) << "one request deletes a limited number";
  site_.trips.count = 0;
  EXPECT_TRUE(browser_.ask(kAcme + std::string("/connected")).has(" connections"));
  EXPECT_LE(site_.trips.count, 8) << "of one page of the list";
  site_.run_periodic_tasks();
  EXPECT_EQ(left(), 0);
  EXPECT_TRUE(browser_.ask(kAcme + std::string("/connected")).has("No application is connected"));
}

TEST_F(ApplicationPages, OauthK7RefusesChangesIfTheAuditTrailIsUnavailable) {
  after(browser_, browser_.ask(kSchedulerPage), kSchedulerPage + "/new-secret");
  const Answer tokens = connect(browser_, kScheduler);
  const Answer retire = browser_.ask(kSchedulerPage + "/retire-secret");
  const std::string before = record();
  for (const char* kind : {"application", "change", "secret", "shown"})
    stores().command({"SET", "audit:" + std::string(kind), "no stream"});
  EXPECT_EQ(browser_.submit(browser_.ask(kNewApplication), kNewApplication, kReelMaker).status,
            503);
  EXPECT_EQ(
      browser_
          .submit(browser_.ask(kSchedulerPage + "/edit"), kSchedulerPage + "/edit", {{"name", "B"}})
          .status,
      503);
  EXPECT_EQ(browser_.submit(retire, kSchedulerPage + "/retire-secret").status, 503);
  EXPECT_EQ(browser_.submit(browser_.ask(kSchedulerPage), kSchedulerPage + "/secret").status, 503);
  EXPECT_EQ(
      browser_.submit(browser_.ask(kSchedulerPage + "/delete"), kSchedulerPage + "/delete").status,
      503);
  EXPECT_EQ(record(), before);
  EXPECT_EQ(use(tokens), 200);
  EXPECT_FALSE(browser_.ask(kApplications).has("Reel Maker"));
}

}  // namespace
}  // namespace svc::rules
