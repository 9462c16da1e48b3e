#include "pages/authorize/authorize_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "fakes/examples.h"
#include "fakes/headers.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"
#include "fakes/memory_oauth.h"
#include "fakes/settings.h"
#include "fakes/tasks.h"
#include "pages/page_response.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

using fakes::header;

constexpr std::string_view kUri = "https://client.example/cb";
const std::string kAsked =
    "response_type=code&client_id=app-1&redirect_uri=https%3A%2F%2Fclient.example%2Fcb&state=s%201";

class PromptThatIsRead : public LoginPrompt {
 public:
  std::string return_path, redirect_origin, application;

  http::Response ask(const http::Request&, const login::Visitor& visitor,
                     const login::ReturnPath& to, std::string_view) override {
    return_path = to.path;
    redirect_origin = to.redirect_origin;
    application = to.application;
    return page_response(200, "the login page", visitor, to.redirect_origin);
  }
};

oauth::ScopeSet scopes(std::initializer_list<std::string_view> names) {
  oauth::ScopeSet set;
  for (const std::string_view name : names) set.add(name);
  return set;
}

// Olivia owns Acme (1001). Manuel manages Acme and Binary (1002) and is a user of Quiet (1004).
// Uma is a user of Acme, Clara owns Closed (1003), where OAuth is off; Nora has no account.
class AuthorizePageTest : public testing::Test {
 protected:
  AuthorizePageTest() {
    using media::Role;
    people_.accounts = {account(1001, "Acme & <Films>", true), account(1002, "Binary", true),
                        account(1003, "Closed", false), account(1004, "Quiet", true)};
    people_.contacts = {
        contact(501, "Olivia", {{{1001}, Role::Owner}}),
        contact(502, "Manuel",
                {{{1001}, Role::Manager}, {{1002}, Role::Manager}, {{1004}, Role::User}}),
        contact(503, "Uma", {{{1001}, Role::User}}),
        contact(504, "Clara", {{{1003}, Role::Owner}}),
        contact(505, "Nora", {}),
    };
    oauth::Client client;
    client.id = {"app-1"};
    client.account = {1002};
    client.name = "Clip \"Scheduler\" <b>";
    client.description = "Plans <i>everything</i>";
    client.redirect_uri = kUri;
    client.scopes = scopes({"media:read", "stats:read"});
    clients_.add(client);
    log_in(501);
  }

  static media::Account account(std::int64_t id, std::string name, bool enabled) {
    media::Account one;
    one.id = {id};
    one.name = std::move(name);
    one.url = "https://account.example/" + std::to_string(id);
    one.oauth_enabled = enabled;
    return one;
  }
  static media::Contact contact(std::int64_t id, std::string name,
                                std::vector<media::Membership> memberships) {
    media::Contact one;
    one.id = {id};
    one.name = std::move(name);
    one.email = one.name + "@people.example";
    one.memberships = std::move(memberships);
    return one;
  }

  void log_in(std::int64_t id) {
    cookie_ = "__Host-svc_session=svcs_" +
              fakes::now(sessions_.begin({id}, "192.0.2.1", login::password_tag({}), ""));
  }

  http::Response get(const std::string& query, std::string_view method = "GET",
                     std::string_view host = "app.home.example") {
    http::Request request;
    request.method = method;
    request.path = base::paths::kAuthorize.pattern;
    request.query = query;
    request.host = host;
    request.cookie = cookie_;
    request.remote_address = "192.0.2.1";
    request.request_id = "r1";
    return fakes::now(page_.answer(request));
  }

  using Fields = std::map<std::string, std::string>;

  http::Response post(const Fields& fields, std::string_view origin = "null") {
    std::string body;
    for (const auto& [name, value] : fields)
      body += (body.empty() ? "" : "&") + name + "=" + text::percent_encode(value);
    http::Request request;
    request.method = "POST";
    request.path = base::paths::kAuthorize.pattern;
    request.host = "app.home.example";
    request.cookie = cookie_;
    request.remote_address = "192.0.2.1";
    request.content_type = "application/x-www-form-urlencoded";
    request.origin = origin;
    request.body = body;
    return fakes::now(page_.answer(request));
  }

  // The hidden fields of the page's form, with this value of `answer`.
  static Fields form_of(const http::Response& page, const std::string& answer) {
    Fields fields{{"answer", answer}};
    for (const std::string name : {"transaction", "csrf"}) {
      const std::string before = "name=\"" + name + "\" value=\"";
      const std::size_t at = page.body.find(before);
      EXPECT_NE(at, std::string::npos) << name << " is not in " << page.body;
      if (at == std::string::npos) continue;
      const std::size_t begin = at + before.size();
      fields[name] = page.body.substr(begin, page.body.find('"', begin) - begin);
    }
    return fields;
  }

  // The page of this endpoint to which a form's response redirects.
  http::Response follow(const http::Response& response) {
    EXPECT_EQ(response.status, 303) << response.body;
    const std::string location = header(response, "Location");
    const std::string here = std::string(base::paths::kAuthorize.pattern) + "?";
    EXPECT_TRUE(location.starts_with(here)) << location;
    return get(location.substr(std::min(here.size(), location.size())));
  }

  // The parameters that are sent to the redirect URI, by name. The status must
  // be that of a redirect.
  static Fields sent_back(const http::Response& response) {
    EXPECT_EQ(response.status, 303) << response.body;
    const std::string location = header(response, "Location");
    EXPECT_TRUE(location.starts_with(std::string(kUri) + "?")) << location;
    Fields fields;
    const auto form = text::Form::parse(location.substr(location.find('?') + 1));
    for (const auto& [name, value] : form.fields()) fields[name] = value;
    return fields;
  }

  static bool is_consent_page(const http::Response& response) {
    return response.status == 200 && response.body.find("value=\"allow\"") != std::string::npos;
  }

  std::string issuer_ = "https://api.home.example";
  embed::Site site_ = fakes::example_site();
  base::KeyRing keys_ = std::move(*base::KeyRing::parse("k1:" + std::string(64, '1')));
  base::SystemEntropy entropy_;
  fakes::ManualWallClock clock_;
  fakes::MemorySessions sessions_;
  fakes::MemoryPeople people_;
  fakes::MemoryClients clients_;
  fakes::MemoryGrants grants_;
  fakes::SettableFormLimit form_limit_;
  fakes::MemoryAudit audit_;
  PromptThatIsRead prompt_;
  login::Visitors visitors_{sessions_, keys_, entropy_, true};
  AuthorizePage page_{{site_, issuer_, visitors_, prompt_, people_, clients_, grants_, audit_,
                       form_limit_, keys_, entropy_, clock_}};
  std::string cookie_;
};

TEST_F(AuthorizePageTest, OauthA2ShowsAnErrorPageAndDoesNotRedirectBeforeLogin) {
  cookie_.clear();
  const auto response = get("client_id=app-1&redirect_uri=https%3A%2F%2Fevil.example%2Fcb");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(header(response, "Location"), "none");
  EXPECT_NE(response.body.find("redirect_uri: the host differs from the registered one"),
            std::string::npos);
  EXPECT_EQ(response.body.find("evil.example"), std::string::npos);
  EXPECT_EQ(prompt_.return_path, "");
  EXPECT_EQ(get("").status, 400);
}

TEST_F(AuthorizePageTest, OauthA3RedirectsWithAnErrorOnlyAfterLogin) {
  const std::string query = kAsked + "&scope=nonsense&response_mode=x";
  const std::string cookie = std::exchange(cookie_, "");
  const auto response = get(query);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "the login page");
  EXPECT_EQ(prompt_.return_path, "/oauth/authorize?" + query);
  EXPECT_EQ(prompt_.redirect_origin, "https://client.example");
  EXPECT_EQ(prompt_.application, "Clip \"Scheduler\" <b>");
  cookie_ = cookie;
  const Fields answer = sent_back(get(query));
  EXPECT_EQ(answer.at("error"), "invalid_request");
  EXPECT_EQ(answer.at("state"), "s 1");
  EXPECT_EQ(answer.at("iss"), issuer_);
  EXPECT_TRUE(grants_.codes.empty());
}

TEST_F(AuthorizePageTest, OauthA3ShowsTheLoginPageForASessionWithoutAContact) {
  log_in(999);
  EXPECT_EQ(get(kAsked).body, "the login page");
}

TEST_F(AuthorizePageTest, OauthL7EscapesTheReturnPath) {
  cookie_.clear();
  get(kAsked + "&x=\\\\evil.example#\xff\"<&y=%5C%0A");
  EXPECT_EQ(prompt_.return_path,
            "/oauth/authorize?" + kAsked + "&x=%5C%5Cevil.example%23%FF%22%3C&y=%5C%0A");
}

TEST_F(AuthorizePageTest, OauthA6EveryResponseHasTheSecurityHeaders) {
  const auto consent = get(kAsked);
  const auto redirect = post(form_of(consent, "allow"));
  for (const auto* response : {&consent, &redirect}) {
    EXPECT_EQ(header(*response, "Cache-Control"), "no-store");
    EXPECT_EQ(header(*response, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header(*response, "X-Frame-Options"), "DENY");
    EXPECT_EQ(header(*response, "Access-Control-Allow-Origin"), "none");
  }
  EXPECT_EQ(redirect.status, 303);
  EXPECT_NE(
      header(consent, "Content-Security-Policy").find("form-action 'self' https://client.example;"),
      std::string::npos);
  EXPECT_EQ(consent.body.find("://"), std::string::npos) << "something from elsewhere";
}

TEST_F(AuthorizePageTest, OauthA5SendsACodeToTheAllowedClient) {
  const auto consent = get(kAsked + "&scope=media:read&code_challenge=" + std::string(43, 'c') +
                           "&code_challenge_method=S256");
  ASSERT_TRUE(is_consent_page(consent)) << consent.body;
  const Fields answer = sent_back(post(form_of(consent, "allow")));
  EXPECT_EQ(answer.at("state"), "s 1");
  EXPECT_EQ(answer.at("iss"), issuer_);
  EXPECT_EQ(answer.at("account_id"), "1001");
  EXPECT_EQ(answer.at("account_url"), "https://account.example/1001");
  EXPECT_EQ(answer.at("account_name"), "Acme & <Films>");
  EXPECT_EQ(answer.at("contact_id"), "501");
  EXPECT_EQ(answer.at("contact_name"), "Olivia");
  EXPECT_EQ(answer.at("contact_email"), "Olivia@people.example");
  ASSERT_EQ(grants_.codes.size(), 1U);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"authorized 501 media:read"});
  const auto& [text, record] = *grants_.codes.begin();
  EXPECT_EQ(text, answer.at("code"));
  EXPECT_EQ(grants_.grants.begin()->second.scopes, scopes({"media:read"}));
}

// Both pages are opened before the first form is sent.
TEST_F(AuthorizePageTest, OauthK7RecordsAConsentOnlyIfItChangesTheGrant) {
  const std::string query = kAsked + "&scope=media:read";
  const auto first = get(query);
  const auto second = get(query);
  EXPECT_TRUE(sent_back(post(form_of(first, "allow"))).contains("code"));
  EXPECT_TRUE(sent_back(post(form_of(second, "allow"))).contains("code"));
  EXPECT_EQ(grants_.codes.size(), 2U);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"authorized 501 media:read"});
}

TEST_F(AuthorizePageTest, OauthA47CodesAndDenialsCountAsForms) {
  const auto allowed = get(kAsked + "&scope=media:read");
  const auto another = get(kAsked + "&scope=stats:read");
  EXPECT_TRUE(sent_back(post(form_of(allowed, "allow"))).contains("code"));
  form_limit_.seconds = 30;
  for (const http::Response& response :
       {get(kAsked + "&scope=media:read"), post(form_of(another, "allow")),
        post(form_of(another, "deny"))}) {
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(header(response, "Retry-After"), "30");
  }
  EXPECT_EQ(grants_.codes.size(), 1U);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"authorized 501 media:read"});
}

TEST_F(AuthorizePageTest, OauthA7BindsTheCodeToTheRequest) {
  const auto consent =
      get("response_type=code&client_id=app-1&scope=stats:read&code_challenge_method=S256"
          "&code_challenge=" +
          std::string(43, 'c') + "&redirect_uri=https%3A%2F%2Fclient.example%2Fcb%3Fmy%3D%2541");
  clock_.advance(10);
  const auto response = post(form_of(consent, "allow"));
  EXPECT_TRUE(header(response, "Location").starts_with("https://client.example/cb?my=%41&code="));
  ASSERT_EQ(grants_.codes.size(), 1U);
  const auto& [text, record] = *grants_.codes.begin();
  EXPECT_TRUE(oauth::Token::parse(oauth::TokenKind::Code, text));
  EXPECT_EQ(record.redirect_uri, "https://client.example/cb?my=%41");
  EXPECT_EQ(record.code_challenge, std::string(43, 'c'));
  EXPECT_EQ(record.issued.client.value(), "app-1");
  EXPECT_EQ(record.issued.contact.value(), 501);
  EXPECT_EQ(record.issued.account.value(), 1001);
  EXPECT_EQ(record.issued.scopes, scopes({"stats:read"}));
  EXPECT_EQ(record.issued.issued, clock_.now());
}

TEST_F(AuthorizePageTest, OauthA5SendsADenialBack) {
  const Fields answer = sent_back(post(form_of(get(kAsked), "deny")));
  EXPECT_EQ(answer.at("error"), "access_denied");
  EXPECT_EQ(answer.at("error_description"), "The user denied access.");
  EXPECT_EQ(answer.at("state"), "s 1");
  EXPECT_EQ(answer.count("contact_email"), 0U);
  EXPECT_TRUE(grants_.codes.empty());
  EXPECT_TRUE(grants_.grants.empty());
  EXPECT_EQ(audit_.events, std::vector<std::string>{"denied 501 The user denied access."});
}

TEST_F(AuthorizePageTest, OauthL5NamesTheClientAndItsScopesEscaped) {
  const auto consent = get(kAsked);
  for (const std::string_view part : {
           "Clip &quot;Scheduler&quot; &lt;b&gt;</bdi> wants access to <bdi>Acme &amp; &lt;Films",
           "Plans &lt;i&gt;everything&lt;/i&gt;",
           "<bdi>Binary</bdi>",
           "<strong>See media</strong><br>See a single media by its id",
           "<strong>Statistics</strong><br>Nothing yet: this service has no operation for it",
           "Upload media, change or delete anything, or see your password.",
           "<bdi>Olivia</bdi>",
           "Olivia@people.example",
           "It will be told:",
           "<bdi>client.example</bdi>",
       }) {
    EXPECT_NE(consent.body.find(part), std::string::npos) << part << "\n" << consent.body;
  }
  EXPECT_EQ(consent.body.find("Upload files"), std::string::npos);
}

TEST_F(AuthorizePageTest, OauthL5SendsTheSameCodeForADoubleClick) {
  const Fields form = form_of(get(kAsked), "allow");
  const auto first = post(form);
  clock_.advance(2);
  const auto second = post(form);
  EXPECT_EQ(sent_back(first).at("code"), sent_back(second).at("code"));
  EXPECT_EQ(grants_.codes.size(), 1U);
}

TEST_F(AuthorizePageTest, OauthL5Answers409IfTheCodeWasSpentBeforeASecondClick) {
  const Fields form = form_of(get(kAsked), "allow");
  grants_.spent.push_back(sent_back(post(form)).at("code"));
  const auto again = post(form);
  EXPECT_EQ(again.status, 409);
  EXPECT_NE(again.body.find("You have answered already"), std::string::npos);
}

TEST_F(AuthorizePageTest, OauthL6DoesNotAskAgainForTheSameOrFewerScopes) {
  sent_back(post(form_of(get(kAsked), "allow")));
  EXPECT_TRUE(sent_back(get(kAsked)).contains("code"));
  EXPECT_TRUE(sent_back(get(kAsked + "&scope=stats:read")).contains("code"));
  EXPECT_EQ(grants_.codes.size(), 3U);
  EXPECT_EQ(audit_.events.size(), 1U);
}

TEST_F(AuthorizePageTest, OauthL6AsksAgainForMoreScopes) {
  sent_back(post(form_of(get(kAsked + "&scope=media:read"), "allow")));
  EXPECT_TRUE(is_consent_page(get(kAsked)));
  EXPECT_TRUE(is_consent_page(get(kAsked + "&scope=stats:read")));
}

TEST_F(AuthorizePageTest, OauthL6AsksForEachContactAccountAndApplication) {
  sent_back(post(form_of(get(kAsked), "allow")));
  oauth::Client other = clients_.at("app-1");
  other.id = {"app-2"};
  clients_.add(other);
  EXPECT_TRUE(is_consent_page(
      get("response_type=code&client_id=app-2&redirect_uri=" + text::percent_encode(kUri))));
  log_in(502);
  Fields choice = form_of(get(kAsked), "choose");
  choice["account"] = "1001";
  EXPECT_TRUE(is_consent_page(follow(post(choice))));
}

TEST_F(AuthorizePageTest, OauthS3OauthL6AsksAgainOnceThePermissionsHaveChanged) {
  sent_back(post(form_of(get(kAsked), "allow")));
  ++clients_.at("app-1").permission_version;
  const auto again = get(kAsked);
  ASSERT_TRUE(is_consent_page(again));
  EXPECT_EQ(grants_.codes.size(), 1U) << "what was issued stays";
  sent_back(post(form_of(again, "allow")));
  EXPECT_TRUE(sent_back(get(kAsked)).contains("code"));
}

TEST_F(AuthorizePageTest, OauthS3AsksAgainWhenThePermissionsChangeWhileThePageIsOpen) {
  const Fields form = form_of(get(kAsked), "allow");
  clients_.at("app-1").scopes = scopes({"all:all"});
  ++clients_.at("app-1").permission_version;
  const auto again = follow(post(form));
  ASSERT_TRUE(is_consent_page(again));
  EXPECT_NE(again.body.find("Full access"), std::string::npos);
  EXPECT_TRUE(grants_.codes.empty());
  sent_back(post(form_of(again, "allow")));
  EXPECT_EQ(grants_.codes.begin()->second.issued.scopes, scopes({"all:all"}));
}

TEST_F(AuthorizePageTest, PagesW11MarksFullAccess) {
  const std::string_view mark = "<strong>Full access:</strong> it can do everything";
  EXPECT_EQ(get(kAsked).body.find(mark), std::string::npos);
  clients_.at("app-1").scopes = scopes({"all:all"});
  EXPECT_NE(get(kAsked).body.find(mark), std::string::npos);
}

TEST_F(AuthorizePageTest, OauthL6AsksAgainIfTheGrantEndsDuringTheRequest) {
  sent_back(post(form_of(get(kAsked), "allow")));
  grants_.change_under_way = true;
  const auto again = get(kAsked);
  ASSERT_TRUE(is_consent_page(again));
  EXPECT_TRUE(sent_back(post(form_of(again, "allow"))).contains("code"));
}

TEST_F(AuthorizePageTest, AsksForTheAccountIfThereAreSeveral) {
  log_in(502);
  const auto page = get(kAsked);
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("value=\"1001\">"), std::string::npos) << page.body;
  EXPECT_NE(page.body.find("value=\"1002\">"), std::string::npos);
  EXPECT_NE(page.body.find("value=\"1004\" disabled"), std::string::npos);
  EXPECT_NE(page.body.find("Only its owners and managers"), std::string::npos);
  EXPECT_FALSE(is_consent_page(page));
  Fields form = form_of(page, "choose");
  form["account"] = "1002";
  const auto consent = follow(post(form));
  ASSERT_TRUE(is_consent_page(consent)) << consent.body;
  EXPECT_NE(consent.body.find("wants access to <bdi>Binary</bdi>"), std::string::npos);
  EXPECT_EQ(sent_back(post(form_of(consent, "allow"))).at("account_id"), "1002");
  const auto next_time = post(form_of(get(kAsked), "choose"));
  EXPECT_EQ(next_time.status, 400) << "nothing was chosen";
  form = form_of(get(kAsked), "choose");
  form["account"] = "1002";
  EXPECT_EQ(sent_back(post(form)).at("account_id"), "1002") << "allowed before";
}

TEST_F(AuthorizePageTest, OauthA48OnlyTheUserChoosesTheAccountOfTheConsentPage) {
  const auto asks_which = [&](const std::string& query) {
    const auto page = get(query);
    return page.status == 200 && page.body.find("value=\"choose\"") != std::string::npos;
  };
  log_in(502);
  const std::string mine = cookie_;
  Fields form = form_of(get(kAsked), "choose");
  form["account"] = "1002";
  const std::string location = header(post(form), "Location");
  ASSERT_TRUE(location.starts_with("/oauth/authorize?" + kAsked + "&svc_account=1002."));
  const std::string query = location.substr(location.find('?') + 1);
  EXPECT_TRUE(is_consent_page(get(query)));
  EXPECT_TRUE(is_consent_page(get(query))) << "as often as the user goes back";
  form = form_of(get(kAsked + "&x=|'\"\xc3\xa9"), "choose");
  form["account"] = "1002";
  EXPECT_TRUE(is_consent_page(follow(post(form)))) << "which the redirect encodes";
  // What an application can put into its link.
  const std::string begun = std::to_string(clock_.now());
  std::string other = query;
  other.replace(other.find("=1002."), 6, "=1001.");
  for (const std::string& forged :
       {other, kAsked + "&svc_account=1002", kAsked + "&svc_account=1002." + begun + ".",
        kAsked + "&svc_account=1002." + begun + "." + std::string(64, '0'),
        kAsked + "&svc_account=", query + "0", query.substr(0, query.size() - 1), "a=b&" + query})
    EXPECT_TRUE(asks_which(forged)) << forged;
  const std::string inside =
      std::string(kAsked).replace(kAsked.find("&state="), 0, "&svc_account=1002");
  const auto before_others = post(form_of(get(inside), "deny"));
  EXPECT_EQ(sent_back(before_others).at("state"), "s 1");
  log_in(502);
  EXPECT_TRUE(asks_which(query)) << "another session";
  cookie_ = mine;
  EXPECT_FALSE(asks_which(query));
  clock_.advance(oauth::Transaction::kLifetime);
  EXPECT_TRUE(asks_which(query)) << "as late as a form";
}

TEST_F(AuthorizePageTest, RefusesAnAccountThatWasNotOffered) {
  log_in(502);
  for (const std::string account : {"", "1003", "1004", "9999", "0", "-1", "1001x", "1002 ", "x"}) {
    SCOPED_TRACE(account);
    Fields form = form_of(get(kAsked), "choose");
    form["account"] = account;
    const auto response = post(form);
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(response.body.find("Choose one of the accounts"), std::string::npos);
    EXPECT_NE(response.body.find("aria-describedby=\"problem\""), std::string::npos);
  }
  // Nor may an account be allowed before its consent page was shown.
  Fields form = form_of(get(kAsked), "allow");
  form["account"] = "1002";
  EXPECT_TRUE(is_consent_page(follow(post(form))));
  EXPECT_TRUE(grants_.codes.empty());
}

TEST_F(AuthorizePageTest, DeniesFromTheChoiceOfAccounts) {
  log_in(502);
  EXPECT_EQ(sent_back(post(form_of(get(kAsked), "deny"))).at("error"), "access_denied");
}

TEST_F(AuthorizePageTest, ExplainsABarrierBeforeItSendsAnErrorBack) {
  struct Case {
    std::int64_t contact;
    std::string_view words, description;
  };
  for (const Case& c : {
           Case{503, "Only its owners and managers can connect applications.",
                "The user is neither owner nor manager of the account."},
           Case{504, "It cannot be connected yet.", "OAuth is not enabled for the account."},
           Case{505, "You do not belong to an account", "The user belongs to no account."},
       }) {
    SCOPED_TRACE(c.contact);
    log_in(c.contact);
    const auto page = get(kAsked);
    EXPECT_EQ(page.status, 200);
    EXPECT_NE(page.body.find(c.words), std::string::npos) << page.body;
    EXPECT_EQ(page.body.find("value=\"allow\""), std::string::npos);
    Fields form = form_of(page, "allow");
    EXPECT_NE(post(form).status, 303) << "allowed all the same";
    form["account"] = "1001";
    EXPECT_NE(post(form).status, 303) << "allowed for a chosen account";
    form["answer"] = "deny";
    const Fields answer = sent_back(post(form));
    EXPECT_EQ(answer.at("error"), "access_denied");
    EXPECT_EQ(answer.at("error_description"), c.description);
  }
  EXPECT_TRUE(grants_.codes.empty());
}

TEST_F(AuthorizePageTest, ChecksTheRoleAgainWhenTheFormIsSent) {
  const Fields form = form_of(get(kAsked), "allow");
  people_.contacts[0].memberships[0].role = media::Role::User;
  const auto response = post(form);
  EXPECT_EQ(response.status, 200);
  EXPECT_NE(response.body.find("Only its owners and managers"), std::string::npos);
  EXPECT_TRUE(grants_.codes.empty());
}

TEST_F(AuthorizePageTest, OauthL1RefusesForgedForms) {
  const Fields good = form_of(get(kAsked), "allow");
  const auto with = [&](const std::string& name, const std::string& value) {
    Fields changed = good;
    changed[name] = value;
    return post(changed).status;
  };
  EXPECT_EQ(with("csrf", ""), 403);
  EXPECT_EQ(with("csrf", std::string(64, '0')), 403);
  EXPECT_EQ(with("transaction", ""), 403);
  EXPECT_EQ(with("transaction", good.at("transaction") + "00"), 403);
  EXPECT_EQ(with("csrf", form_of(get(kAsked), "allow").at("csrf")), 403) << "another transaction's";
  EXPECT_EQ(post({{"answer", "allow"}}).status, 403);
  EXPECT_EQ(post(good, "https://evil.example").status, 403);
  const std::string mine = cookie_;
  log_in(501);
  const auto old = post(good);
  EXPECT_EQ(old.status, 403) << "another session of the same person";
  EXPECT_NE(old.body.find("<a href=\"/oauth/authorize?" + std::string("response_type=code")),
            std::string::npos)
      << "pages-W49: " << old.body;
  log_in(502);
  EXPECT_EQ(post(good).status, 403) << "another person's session";
  cookie_.clear();
  EXPECT_EQ(post(good).status, 403) << "nobody's";
  EXPECT_TRUE(grants_.codes.empty());
  cookie_ = mine;
  EXPECT_EQ(post(good, "https://app.home.example").status, 303);
}

TEST_F(AuthorizePageTest, OauthL1IgnoresRequestParametersInTheForm) {
  Fields form = form_of(get(kAsked + "&scope=media:read"), "allow");
  for (const auto& [name, value] : Fields{{"scope", "all:all"},
                                          {"client_id", "app-2"},
                                          {"state", "other"},
                                          {"redirect_uri", "https://evil.example/"},
                                          {"account", "1002"},
                                          {"account_id", "1002"},
                                          {"permission_version", "9"}}) {
    form[name] = value;
  }
  const Fields answer = sent_back(post(form));
  EXPECT_EQ(answer.at("state"), "s 1");
  EXPECT_EQ(answer.at("account_id"), "1001");
  EXPECT_EQ(grants_.codes.begin()->second.issued.scopes, scopes({"media:read"}));
}

TEST_F(AuthorizePageTest, RestartsAfterTenMinutes) {
  const Fields form = form_of(get(kAsked), "allow");
  clock_.advance(600);
  const auto response = post(form);
  EXPECT_EQ(response.status, 303);
  EXPECT_EQ(header(response, "Location"), "/oauth/authorize?" + kAsked);
  EXPECT_TRUE(grants_.codes.empty());
}

TEST_F(AuthorizePageTest, ChecksTheRedirectAgainWhenTheFormIsSent) {
  const Fields form = form_of(get(kAsked), "allow");
  clients_.at("app-1").redirect_uri = "https://client.example/moved";
  const auto response = post(form);
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("the path differs"), std::string::npos);
}

TEST_F(AuthorizePageTest, OauthA4RespondsByFormPostIfRequested) {
  const std::string asked = kAsked + "&response_mode=form_post";
  const auto response = post(form_of(get(asked), "allow"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header(response, "Location"), "none");
  for (const std::string_view part :
       {"action=\"https://client.example/cb\"", "method=\"post\"", "name=\"code\" value=\"svcc_",
        "name=\"state\" value=\"s 1\"", "name=\"account_name\" value=\"Acme &amp; &lt;Films&gt;\"",
        "name=\"iss\" value=\"https://api.home.example\"", "/assets/send-form.js", "<button"}) {
    EXPECT_NE(response.body.find(part), std::string::npos) << part << "\n" << response.body;
  }
  EXPECT_NE(header(response, "Content-Security-Policy")
                .find("form-action 'self' https://client.example;"),
            std::string::npos);
  clients_.at("app-1").permission_version = 2;
  const auto denied = post(form_of(get(asked), "deny"));
  EXPECT_EQ(denied.status, 200);
  EXPECT_NE(denied.body.find("name=\"error\" value=\"access_denied\""), std::string::npos);
}

TEST_F(AuthorizePageTest, RedirectsOtherHostsToTheHostOfTheSession) {
  const std::string query = "client_id=x&state=%41%zz&a=\\\"<\xff";
  const auto response = get(query, "GET", "api.home.example");
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(header(response, "Location"), "https://app.home.example/oauth/authorize?" + query);
  EXPECT_EQ(header(get("", "GET", "api.home.example"), "Location"),
            "https://app.home.example/oauth/authorize");
  EXPECT_EQ(get(kAsked, "POST", "api.home.example").status, 405);
  EXPECT_EQ(clients_.asked, 0);
}

TEST_F(AuthorizePageTest, IssuesNoCodeForHead) {
  sent_back(post(form_of(get(kAsked), "allow")));
  EXPECT_EQ(get(kAsked, "HEAD").status, 200);
  EXPECT_EQ(grants_.codes.size(), 1U);
}

TEST_F(AuthorizePageTest, PassesOnStoreErrors) {
  const Fields form = form_of(get(kAsked), "allow");
  grants_.away = true;
  EXPECT_THROW(post(form), base::Unavailable);
  grants_.away = false;
  EXPECT_TRUE(sent_back(post(form)).contains("code")) << "the same form, sent again";
}

}  // namespace
}  // namespace svc::pages
