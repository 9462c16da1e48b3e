// oauth.md, Authorization endpoint: requests, and the redirects that answer them.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "rules/oauth/application.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/uri.h"

namespace svc::rules::authorization {
namespace {

class Authorization : public WithApplication {
 protected:
  static constexpr std::int64_t kManuel = 502;

  static bool asks_for_consent(const Answer& answer) {
    return answer.status == 200 && answer.has("name=\"answer\" value=\"allow\"");
  }
  static bool asks_which_account(const Answer& answer) {
    return answer.status == 200 && answer.has("name=\"answer\" value=\"choose\"");
  }
  Answer say(const Answer& page, const std::string& answer, Ask::Fields fields = {}) {
    fields.emplace_back("answer", answer);
    return browser_.submit(page, "/oauth/authorize", fields);
  }
  Answer choose(const Answer& page, const std::string& account) {
    return say(page, "choose", {{"account", account}});
  }
  Answer asked(const Ask::Fields& other = {}) { return browser_.ask(authorize(other)); }
  // Logs in as that contact, in a browser without cookies.
  void log_in(std::int64_t contact) {
    browser_.cookies.clear();
    browser_.log_in(contact);
  }
  // A parameter that the answer, which must be a redirect, sends to the application.
  static std::string sent(const Answer& answer, const std::string& name) {
    const std::string location = answer.header("Location");
    EXPECT_EQ(answer.status, 303) << answer.body;
    EXPECT_TRUE(location.starts_with(std::string(kRedirectUri) + "?")) << location;
    return parameter_of(location, name);
  }
  // "page: <detail>" of a page without a redirect, "<error>: <description>" of a redirect, or
  // "right".
  std::string outcome_of(const std::string& target) {
    const Answer answer = browser_.ask(target);
    const std::string location = answer.header("Location");
    if (answer.status == 400) {
      EXPECT_EQ(location, "none");
      const std::string page = unescaped(answer.body);
      const std::size_t at = page.find(kDetail);
      if (at == std::string::npos) return "page without a detail";
      const std::size_t begin = at + std::string_view(kDetail).size();
      return "page: " + page.substr(begin, page.find('<', begin) - begin);
    }
    if (asks_for_consent(answer)) return "right";
    return parameter_of(location, "error") + ": " + parameter_of(location, "error_description");
  }
  std::string outcome_with(const std::string& more) { return outcome_of(authorize() + more); }

  static constexpr const char* kDetail = "For developers of the application:</span> <code>";
};

const std::string kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

// --- parameters ---

TEST_F(Authorization, OauthA1UnknownAndEmptyParametersAreIgnored) {
  for (const auto& [name, more] : std::initializer_list<std::pair<const char*, const char*>>{
           {"unknown", "&foo=1&nonce=x&prompt=none"},
           {"unknown, twice", "&foo=1&foo=2"},
           {"empty scope", "&scope="},
           {"empty state", "&state="},
           {"empty mode", "&response_mode="},
           {"empty challenge", "&code_challenge=&code_challenge_method="},
           {"empty beside one", "&client_id=&redirect_uri=&response_type=&state=&state=x"},
           {"empty pieces", "&&&"},
           {"another case of a name", "&Client_id=x&STATE=1&state=2"},
       }) {
    EXPECT_EQ(outcome_with(more), "right") << name;
  }
  EXPECT_EQ(outcome_of(authorize({{"redirect_uri", ""}})), "page: redirect_uri is missing");
  EXPECT_EQ(outcome_of(authorize({{"client_id", ""}})), "page: client_id is missing");
  const Answer denied = say(browser_.ask(authorize() + "&state="), "deny");
  EXPECT_EQ(denied.header("Location").find("state"), std::string::npos);
}

TEST_F(Authorization, OauthA1NoKnownParameterIsRepeated) {
  for (const auto& [more, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"&client_id=demo-client-0001", "page: client_id is repeated"},
           {"&client_id=other", "page: client_id is repeated"},
           {"&client%5Fid=demo-client-0001", "page: client_id is repeated"},
           {"&redirect_uri=x", "page: redirect_uri is repeated"},
           {"&response_type=code", "invalid_request: response_type is repeated"},
           {"&scope=media:read&scope=stats:read", "invalid_request: scope is repeated"},
           {"&state=1&state=1", "invalid_request: state is repeated"},
           {"&code_challenge=x&code_challenge=x", "invalid_request: code_challenge is repeated"},
           {"&code_challenge_method=S256&code_challenge_method=S256",
            "invalid_request: code_challenge_method is repeated"},
           {"&response_mode=query&response_mode=query",
            "invalid_request: response_mode is repeated"},
           {"&response_mode=form_post&response_mode=query",
            "invalid_request: response_mode is repeated"},
       }) {
    EXPECT_EQ(outcome_with(more), expected) << more;
  }
  const Answer twice = browser_.ask(authorize() + "&state=1&state=2");
  EXPECT_EQ(twice.header("Location").find("state="), std::string::npos);
  EXPECT_EQ(sent(browser_.ask(authorize() + "&state=1&scope=a&scope=b"), "state"), "1");
}

// Without a session: nothing is sent anywhere, and no login begins.
class UnsafeRedirectsOnTheWire : public Rules {
 protected:
  static Row row(std::string name, const std::string& query, std::string detail) {
    return {std::move(name),
            "/oauth/authorize?" + query,
            400,
            "text/html; charset=utf-8",
            {std::move(detail)}};
  }
  static Row uri(std::string name, const std::string& requested, const std::string& detail) {
    return row(std::move(name),
               "response_type=code&client_id=demo-client-0002&redirect_uri=" +
                   text::percent_encode(requested),
               "redirect_uri: " + detail);
  }
};

TEST_F(UnsafeRedirectsOnTheWire, OauthA2PagesW7APageExplainsTheRefusalWithoutARedirect) {
  const std::string differs = " differs from the registered one";
  const std::string none = "client_id names no application";
  expect({
      row("nothing", "", "client_id is missing"),
      row("no client", "response_type=code", "client_id is missing"),
      row("a redirect URI alone", "redirect_uri=x", "client_id is missing"),
      row("an unknown client", "client_id=app-2", none),
      row("no redirect URI", "client_id=demo-client-0002", "redirect_uri is missing"),
      row("NUL in the client's id", "client_id=%00", none),
      row("a colon", "client_id=a:b", none),
      row("a space", "client_id=a%20b", none),
      row("not UTF-8", "client_id=%ff", none),
      row("64 letters", "client_id=" + std::string(64, 'a'), none),
      row("65 letters", "client_id=" + std::string(65, 'a'), none),
      uri("a word", "callback", "it is not an absolute URI"),
      uri("scheme", "http://client.example/oauth/callback?tenant=42", "the scheme" + differs),
      uri("host", "https://evil.example/oauth/callback?tenant=42", "the host" + differs),
      uri("port", "https://client.example:1/oauth/callback?tenant=42", "the port" + differs),
      uri("path", "https://client.example/oauth/callback/?tenant=42", "the path" + differs),
      uri("query", "https://client.example/oauth/callback", "the query" + differs),
      uri("fragment", "https://client.example/oauth/callback?tenant=42#a",
          "it has a fragment, the part from # on"),
      uri("userinfo", "https://client.example@evil.example/cb",
          "it has a user name or password before the host"),
      uri("the answer's", "https://client.example/oauth/callback?tenant=42&code=1",
          "an extra parameter is called code, which is a parameter of the answer"),
      uri("line ends", "https://client.example/oauth/callback?tenant=42&a=\r\nb",
          "it has characters that no URI has"),
      uri("too long", "https://client.example/oauth/callback?tenant=42&a=" + std::string(2048, 'x'),
          "it is longer than 2048 bytes"),
      row("before all other errors",
          "client_id=demo-client-0002&redirect_uri=https%3A%2F%2Fevil.example%2Fcb&response_type="
          "token&scope=x&state=1&state=2&response_mode=fragment",
          "the host" + differs),
  });
  for (const char* query :
       {"client_id=demo-client-0002&redirect_uri=https%3A%2F%2Fevil.example", ""}) {
    const Answer answer = ask(std::string("/oauth/authorize?") + query);
    EXPECT_EQ(answer.header("Location"), "none");
    EXPECT_TRUE(answer.has("You did nothing wrong") && answer.has("Request <code>"));
    const std::string main = answer.body.substr(answer.body.find("<main"));
    EXPECT_EQ(main.find("<form"), std::string::npos);
    EXPECT_EQ(main.find("<a "), std::string::npos);
    EXPECT_FALSE(answer.has("evil.example"));
  }
}

TEST_F(Authorization, OauthU2AnApplicationMayAllowNoExtraParameters) {
  import_other(R"("exact_redirect": true)");
  EXPECT_EQ(outcome_of(authorize(kOtherAsks)), "right");
  EXPECT_EQ(outcome_of(authorize(
                {{"client_id", kOther}, {"redirect_uri", std::string(kOtherUri) + "?my=1"}})),
            "page: redirect_uri: the query differs from the registered one, and this application "
            "is set to allow no extra parameters");
}

// Every name: unit/oauth/redirect_uri_test.cpp, and those that PHP reads:
// e2e/test_redirect_names.py.
TEST_F(Authorization, OauthU2NoExtraParameterIsTakenForOneOfTheAnswer) {
  import_other("", std::string(kOtherUri) + "?tenant=1");
  const auto outcome_with_extra = [&](const std::string& extra) {
    return outcome_of(authorize(
        {{"client_id", kOther}, {"redirect_uri", std::string(kOtherUri) + "?tenant=1&" + extra}}));
  };
  for (const char* extra :
       {"code=1", "c%6fde=1", "STATE", "access[token=1", "[iss]=1", "error.uri=1", "+scope=1",
        "account_x=1", "contact.email=1", "tenant=2", "Tenant[]=2"})
    EXPECT_TRUE(outcome_with_extra(extra).starts_with("page: redirect_uri: an extra parameter "))
        << extra << outcome_with_extra(extra);
  for (const char* extra : {"codes=1", "my_code=1", "x[code]=1", "account=1", "tenants=1"})
    EXPECT_EQ(outcome_with_extra(extra), "right") << extra;
}

TEST_F(Authorization, OauthA3OtherErrorsAreSentToTheApplication) {
  struct Case {
    std::string_view name;
    Ask::Fields changes;
    std::string_view expected;
  };
  constexpr std::string_view kType = "unsupported_response_type: response_type must be code";
  constexpr std::string_view kUnknown = "invalid_scope: scope contains an unknown scope, or none";
  constexpr std::string_view kBeyond =
      "invalid_scope: scope contains a scope that the application is not registered for";
  for (const Case& c : {
           Case{"no type", {{"response_type", "-"}}, "invalid_request: response_type is missing"},
           Case{"token", {{"response_type", "token"}}, kType},
           Case{"two types", {{"response_type", "code id_token"}}, kType},
           Case{"upper-case type", {{"response_type", "CODE"}}, kType},
           Case{"the type first", {{"response_type", "x"}, {"scope", "x"}}, kType},
           Case{"an unknown scope", {{"scope", "media:write"}}, kUnknown},
           Case{"beside a known one", {{"scope", "media:read media:write"}}, kUnknown},
           Case{"another one of OpenID Connect", {{"scope", "openid address"}}, kUnknown},
           Case{"scopes with a comma", {{"scope", "media:read,stats:read"}}, kUnknown},
           Case{"only a space", {{"scope", " "}}, kUnknown},
           Case{"wider", {{"scope", "media:read media:upload"}}, kBeyond},
           Case{"everything", {{"scope", "all:all"}}, kBeyond},
           Case{"a mode of the implicit flow",
                {{"response_mode", "fragment"}},
                "invalid_request: response_mode must be query or form_post"},
       }) {
    EXPECT_EQ(outcome_of(authorize(c.changes)), c.expected) << c.name;
  }
  EXPECT_TRUE(keys("oauth:code:*").empty());
}

TEST_F(Authorization, OauthA3NothingIsSentBeforeALogin) {
  const std::string target = authorize({{"scope", "nonsense"}, {"state", "s 1"}});
  browser_.cookies.clear();
  const Answer login = browser_.ask(target);
  EXPECT_EQ(login.status, 200);
  EXPECT_TRUE(login.has("action=\"/login\"") && login.has("Clip Scheduler")) << login.body;
  const Answer after = browser_.submit(
      login, "/login", {{"email", "olivia@acme.example"}, {"password", "olivia-demo-password"}});
  EXPECT_EQ(after.header("Location"), target);
  const Answer answer = browser_.follow(after);
  EXPECT_EQ(sent(answer, "error"), "invalid_scope");
  EXPECT_EQ(sent(answer, "state"), "s 1");
}

TEST_F(Authorization, OauthA4ScopesMayBeNarrowed) {
  for (const auto& [scope, granted] : {std::pair{"-", "media:read stats:read"},
                                       {"stats:read media:read", "media:read stats:read"},
                                       {"media:read media:read", "media:read"},
                                       {"media:read", "media:read"},
                                       {"openid profile email media:read", "media:read"},
                                       {"offline_access", "media:read stats:read"}}) {
    const Tokens tokens = new_tokens({{"scope", scope}});
    EXPECT_EQ(member_of(introspect(tokens.access), "scope"), granted) << scope;
  }
}

TEST_F(Authorization, OauthA52APageThatTheApplicationAsksForIsShown) {
  say(asked(), "allow");
  EXPECT_FALSE(sent(asked(), "code").empty()) << "consent is remembered";
  for (const char* ignored : {"none", "create", "login2", ""})
    EXPECT_FALSE(sent(asked({{"prompt", ignored}}), "code").empty()) << ignored;
  EXPECT_TRUE(asks_for_consent(asked({{"prompt", "consent"}})));

  const Answer choice = asked({{"prompt", "select_account"}});
  EXPECT_TRUE(asks_which_account(choice)) << "of one account, too";
  EXPECT_FALSE(sent(choose(choice, "1001"), "code").empty());
  const Answer both =
      browser_.follow(choose(asked({{"prompt", "consent select_account"}}), "1001"));
  EXPECT_TRUE(asks_for_consent(both));
  EXPECT_FALSE(sent(say(both, "allow"), "code").empty());

  const Ask::Fields again = {{"email", "olivia@acme.example"},
                             {"password", "olivia-demo-password"}};
  const Answer login = asked({{"prompt", "login consent"}, {"state", "a b"}});
  EXPECT_TRUE(login.has("action=\"/login\"")) << "though the user is logged in";
  const Answer consent = browser_.follow(browser_.submit(login, "/login", again));
  EXPECT_TRUE(asks_for_consent(consent)) << "once logged in, the other prompts count";
  EXPECT_EQ(sent(say(consent, "allow"), "state"), "a b");
  browser_.cookies.clear();
  const Answer first = browser_.submit(asked({{"prompt", "login"}}), "/login", again);
  EXPECT_FALSE(sent(browser_.follow(first), "code").empty()) << "one login is enough";
  EXPECT_EQ(outcome_with("&prompt=consent&prompt=select_account"),
            "invalid_request: prompt is repeated");
}

TEST_F(Authorization, OauthA4EveryByteOfTheStateReturns) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& state :
       {all, std::string("a b+c&d=e#f"), std::string("%41"), std::string("é")}) {
    const Answer page = asked({{"state", state}});
    EXPECT_EQ(sent(say(page, "deny"), "state"), state);
    const Answer answer = say(page, "allow");
    EXPECT_EQ(sent(answer, "state"), state);
    for (const char c : answer.header("Location")) EXPECT_TRUE(c > 0x20 && c < 0x7f);
    stores().command({"DEL", keys("oauth:grant:*").at(0)});  // the next is asked again
  }
  EXPECT_EQ(sent(say(browser_.ask(authorize() + "&state=%zz+%2"), "deny"), "state"), "%zz %2");
}

TEST_F(Authorization, OauthA4AStateThatAFormWouldChangeIsRefused) {
  for (const std::string state : {"a%0Ab", "%00", "a%0D", "%FF", "%7F"}) {
    const Answer answer = browser_.ask(authorize() + "&response_mode=form_post&state=" + state);
    EXPECT_TRUE(answer.has("value=\"invalid_request\"")) << state;
    EXPECT_FALSE(answer.has("name=\"state\"")) << state;
  }
  const Answer page = browser_.ask(authorize() + "&response_mode=form_post&state=%C3%A9+%22%3C");
  EXPECT_TRUE(say(page, "deny").has("name=\"state\" value=\"é &quot;&lt;\""));
}

TEST_F(Authorization, OauthA4PkceIsS256) {
  const std::string method = "&code_challenge_method=S256";
  const auto with = [](const std::string& challenge) { return "&code_challenge=" + challenge; };
  const std::string no_method = "invalid_request: code_challenge_method must be S256";
  const std::string no_form =
      "invalid_request: code_challenge must be 43 to 128 unreserved characters";
  const std::string cut(42, 'a');
  for (const auto& [more, expected] : std::initializer_list<std::pair<std::string, std::string>>{
           {method + with(kChallenge), "right"},
           {method + with("AZaz09-._~AZaz09-._~AZaz09-._~AZaz09-._~AZa"), "right"},
           {method + with(std::string(128, '~')), "right"},
           {with(kChallenge), no_method},  // which means plain
           {with(kChallenge) + "&code_challenge_method=plain", no_method},
           {with(kChallenge) + "&code_challenge_method=s256", no_method},
           {method + with(cut), no_form},
           {method + with(std::string(129, 'a')), no_form},
           {method + with(cut + "%2B"), no_form},
           {method + with(cut + "%2F"), no_form},
           {method + with(cut + "%3D"), no_form},
           {method + with(cut + "+"), no_form},
           {method + with(cut + "%00"), no_form},
           {method + with(cut + "%C3%A9"), no_form},
           {method, "invalid_request: code_challenge_method is there without code_challenge"},
       }) {
    EXPECT_EQ(outcome_with(more), expected) << more;
  }
  import_other(R"("require_pkce": true)");
  EXPECT_EQ(
      parameter_of(browser_.ask(authorize(kOtherAsks)).header("Location"), "error_description"),
      "code_challenge is missing, and this application must send one");
  EXPECT_EQ(outcome_of(authorize(kOtherAsks) + method + with(kChallenge)), "right");
}

// --- responses ---

TEST_F(Authorization, OauthA5OauthA6TheAnswerNamesTheContactAndTheAccount) {
  log_in(kManuel);
  const std::string uri = std::string(kRedirectUri) +
                          "?b=2&a=1&b=%e9&c&x=%0d%0aSet-Cookie:%20a"
                          "&y='()*~;,:@/?&z=%2B+";
  const Answer consent =
      browser_.follow(choose(asked({{"redirect_uri", uri}, {"state", "s t"}}), "1002"));
  const Answer answer = say(consent, "allow");
  EXPECT_EQ(answer.status, 303);
  for (const Answer* one : {&consent, &answer}) {
    EXPECT_EQ(one->header("Cache-Control"), "no-store");
    EXPECT_EQ(one->header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(one->header("X-Frame-Options"), "DENY");
    EXPECT_EQ(one->header("Access-Control-Allow-Origin"), "none");
  }
  EXPECT_NE(
      consent.header("Content-Security-Policy").find("form-action 'self' http://127.0.0.1:9090;"),
      std::string::npos);
  EXPECT_FALSE(consent.has("://")) << "something from elsewhere";
  const std::string location = answer.header("Location");
  const std::string code = parameter_of(location, "code");
  EXPECT_EQ(code.size(), 5 + 32 + 64 + std::string("_1f6_3ea").size()) << "256 bits";
  EXPECT_EQ(location, uri + "&code=" + code +
                          "&state=s%20t&iss=https%3A%2F%2Fapi.svc.example&account_id=1002"
                          "&account_url=https%3A%2F%2Fbinary.svc.localhost"
                          "&account_name=Binary%20%26%20Sons%20%3CStudio%3E&contact_id=502"
                          "&contact_name=Manuel%20Manager&contact_email=manuel%40acme.example");
  EXPECT_EQ(stores().events("authorized 502 media:read stats:read"), 1u);
  EXPECT_EQ(exchange(code, {{"redirect_uri", uri}}).status, 200);
}

// Swagger UI and others open a popup, and their callback calls window.opener. Each response on the
// way decides, redirects too.
TEST_F(Authorization, OauthA19APopupOfAnApplicationKeepsItsOpenerToTheCallback) {
  constexpr const char* kPolicy = "Cross-Origin-Opener-Policy";
  const std::string target = authorize({{"scope", "media:read"}, {"state", "s"}});
  browser_.cookies.clear();
  const Answer on_api = site_.ask(Ask("https://api.svc.example" + target));
  const Answer login = browser_.ask(target);
  const Answer wrong =
      browser_.submit(login, "/login", {{"email", "manuel@acme.example"}, {"password", "wrong"}});
  const Answer right = browser_.submit(
      login, "/login", {{"email", "manuel@acme.example"}, {"password", "manuel-demo-password"}});
  const Answer accounts = browser_.follow(right);
  const Answer chosen = choose(accounts, "1001");
  const Answer consent = browser_.follow(chosen);
  const Answer allowed = say(consent, "allow");
  EXPECT_EQ(parameter_of(allowed.header("Location"), "state"), "s") << allowed.body;
  int number = 0;
  for (const Answer* one :
       {&on_api, &login, &wrong, &right, &accounts, &chosen, &consent, &allowed})
    EXPECT_EQ(one->header(kPolicy), "none") << number++;
  for (const char* other : {"/login", "/settings", "/oauth/authorize?client_id=unknown"})
    EXPECT_EQ(browser_.ask(other).header(kPolicy), "same-origin") << other;
}

TEST_F(Authorization, OauthA5ADenialIsSentBack) {
  const Answer page = asked({{"state", "s 1"}});
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(say(page, "deny").header("Location"),
              std::string(kRedirectUri) +
                  "?error=access_denied&error_description=The%20user%20denied%20access."
                  "&state=s%201&iss=https%3A%2F%2Fapi.svc.example");
  }
  EXPECT_EQ(events("denied 501 The user denied access."), 1u)
      << "a form that is sent twice is one denial";
  EXPECT_TRUE(keys("oauth:grant:*").empty());
}

TEST_F(Authorization, OauthA4TheAnswerMayBeAForm) {
  log_in(kManuel);
  const Ask::Fields post{{"response_mode", "form_post"}, {"state", "s 1"}};
  const Answer page = browser_.follow(choose(asked(post), "1002"));
  const Answer answer = say(page, "allow");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Location"), "none");
  EXPECT_NE(
      answer.header("Content-Security-Policy").find("form-action 'self' http://127.0.0.1:9090;"),
      std::string::npos);
  EXPECT_TRUE(answer.has("/assets/send-form.js") && answer.has("<button")) << answer.body;
  Ask::Fields fields = form_in(answer.body, kRedirectUri);
  ASSERT_FALSE(fields.empty());
  EXPECT_TRUE(fields.front().second.starts_with("svcc_"));
  fields.erase(fields.begin());
  EXPECT_EQ(fields, (Ask::Fields{{"state", "s 1"},
                                 {"iss", "https://api.svc.example"},
                                 {"account_id", "1002"},
                                 {"account_url", "https://binary.svc.localhost"},
                                 {"account_name", "Binary & Sons <Studio>"},
                                 {"contact_id", "502"},
                                 {"contact_name", "Manuel Manager"},
                                 {"contact_email", "manuel@acme.example"}}));
  const Answer denied = say(asked(post), "deny");
  EXPECT_EQ(form_in(denied.body, kRedirectUri).front().second, "access_denied");
}

TEST_F(Authorization, OauthA7ACodeIsBoundToItsRequest) {
  const Ask::Fields asks{
      {"scope", "stats:read"}, {"code_challenge", kChallenge}, {"code_challenge_method", "S256"}};
  const Answer answer =
      exchange(new_code(asks), {{"code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}});
  const Answer described = introspect(tokens_of(answer).access);
  EXPECT_TRUE(described.has(R"("scope":"stats:read","client_id":"demo-client-0001")"));
  EXPECT_TRUE(described.has(R"("sub":"501","account_id":1001)"));
}

// Browsers send some characters as they are; the way back from a login encodes them.
TEST_F(Authorization, OauthA28OauthA2ALinkThatIsTooLongOnceEncodedIsRefused) {
  const std::string longest(2000, '|');
  EXPECT_EQ(sent(say(browser_.ask(authorize() + "&state=" + longest), "deny"), "state"), longest);
  EXPECT_EQ(outcome_with("&state=" + std::string(2700, '|')), "page: the link is too long");
}

TEST_F(Authorization, OauthA47CodesAndDenialsCountAsForms) {
  const Answer page = asked({{"scope", "media:read"}});
  const Answer wider = asked();
  EXPECT_FALSE(sent(say(page, "allow"), "code").empty());
  for (int i = 0; i < 119; ++i) say(wider, "deny");
  for (const Answer& answer :
       {asked({{"scope", "media:read"}}), say(wider, "allow"), say(wider, "deny")}) {
    EXPECT_EQ(answer.status, 429);
    EXPECT_NE(answer.header("Retry-After"), "none");
  }
  EXPECT_EQ(keys("oauth:code:*").size(), 1u);
  EXPECT_EQ(events("denied"), 1u);
}

TEST_F(Authorization, OauthA47ALongRedirectUriIsStoredAsADigest) {
  const std::string uri = std::string(kRedirectUri) + "?a=" + std::string(2000, 'x');
  const std::string code = new_code({{"redirect_uri", uri}});
  const redis::Reply stored =
      stores().command({"HGET", keys("oauth:code:*").at(0), "redirect_uri"});
  EXPECT_EQ(stored.text()->size(), 65u);
  EXPECT_EQ(outcome(exchange(code, {{"redirect_uri", uri + "x"}})), "400 invalid_grant");
  EXPECT_EQ(exchange(code, {{"redirect_uri", uri}}).status, 200);
}

TEST_F(Authorization, AHostWithoutTheSessionRedirectsToTheHostWithIt) {
  const std::string query = "client_id=a%41&redirect_uri=x%zz&&state=%FF;\"<>\\";
  const Answer answer = ask("https://api.svc.example/oauth/authorize?" + query);
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.header("Location"), "https://app.svc.example/oauth/authorize?" + query);
  EXPECT_EQ(ask("https://api.svc.example/oauth/authorize").header("Location"),
            "https://app.svc.example/oauth/authorize");
  EXPECT_EQ(ask(Ask("POST https://api.svc.example/oauth/authorize")).status, 405);
}

TEST_F(Authorization, HeadIssuesNoCode) {
  new_code();
  EXPECT_EQ(browser_.ask("HEAD " + authorize()).status, 200);
  EXPECT_EQ(keys("oauth:code:*").size(), 1u);
}

// --- accounts ---

TEST_F(Authorization, OauthA48OnlyTheUserChoosesTheAccountOfTheConsentPage) {
  log_in(kManuel);
  const auto mine = browser_.cookies;
  const std::string location = choose(asked({{"state", "s 1"}}), "1002").header("Location");
  ASSERT_TRUE(location.starts_with(authorize({{"state", "s 1"}}) + "&svc_account=1002."))
      << location;
  const Answer consent = browser_.ask(location);
  EXPECT_TRUE(asks_for_consent(consent));
  EXPECT_TRUE(consent.has("wants access to <bdi>Binary &amp; Sons &lt;Studio&gt;</bdi>"));
  EXPECT_TRUE(asks_for_consent(browser_.ask(location))) << "as often as the user goes back";
  const std::string odd = authorize() + "&x=|'\"\xc3\xa9";
  EXPECT_TRUE(asks_for_consent(browser_.follow(choose(browser_.ask(odd), "1002"))))
      << "which the redirect encodes";
  // An application can put these into its link.
  std::string other = location;
  other.replace(other.find("=1002."), 6, "=1001.");
  std::string inserted = location;
  inserted.insert(inserted.find('?') + 1, "a=b&");
  const std::string base = authorize({{"state", "s 1"}}) + "&svc_account=";
  const std::string begun = std::to_string(site_.now());
  for (const std::string& forged :
       {other, inserted, base, base + "1002", base + "1002." + begun + ".",
        base + "1002." + begun + "." + std::string(64, '0'), location + "0",
        location.substr(0, location.size() - 1)})
    EXPECT_TRUE(asks_which_account(browser_.ask(forged))) << forged;
  const Answer before_others =
      browser_.ask("/oauth/authorize?svc_account=1002&" + authorize({{"state", "s 1"}}).substr(17));
  EXPECT_EQ(sent(say(before_others, "deny"), "state"), "s 1");
  log_in(kManuel);
  EXPECT_TRUE(asks_which_account(browser_.ask(location))) << "another session";
  browser_.cookies = mine;
  EXPECT_TRUE(asks_for_consent(browser_.ask(location)));
  site_.pass(600);
  EXPECT_TRUE(asks_which_account(browser_.ask(location))) << "as late as a form";
}

TEST_F(Authorization, OauthA48OauthA28ALinkWithoutRoomForTheAccountShowsItsPageImmediately) {
  log_in(kManuel);
  std::string link = authorize() + "&state=";
  link += std::string(8192 - std::string_view("GET  HTTP/1.1\r\n").size() - link.size(), 'a');
  const Answer consent = choose(browser_.ask(link), "1002");
  ASSERT_TRUE(asks_for_consent(consent));
  EXPECT_EQ(sent(say(consent, "allow"), "account_id"), "1002");
}

TEST_F(Authorization, OauthA48AUserOfSeveralAccountsChoosesOne) {
  stores().import(
      R"({"kind": "user", "id": 502, "name": "Manuel Manager",)"
      R"("email": "manuel@acme.example", "memberships": [)"
      R"({"account_id": 1001, "role": "user"}, {"account_id": 1002, "role": "manager"},)"
      R"({"account_id": 1003, "role": "owner"}]})");
  log_in(kManuel);
  const Answer page = asked();
  EXPECT_TRUE(asks_which_account(page));
  EXPECT_TRUE(page.has(R"(value="1001" disabled)")) << page.body;
  EXPECT_TRUE(page.has("Only its owners and managers"));
  EXPECT_TRUE(page.has(R"(value="1002" checked>)"));
  EXPECT_TRUE(page.has(R"(value="1003" disabled)"));
  EXPECT_TRUE(page.has("OAuth is not enabled for it"));
  for (const char* account : {"", "1001", "1003", "9999", "0", "-1", "1002x", "1002 ", "x"}) {
    const Answer refused = choose(asked(), account);
    EXPECT_EQ(refused.status, 400) << account;
    EXPECT_TRUE(refused.has("Choose one of the accounts"));
    EXPECT_TRUE(refused.has("aria-describedby=\"problem\""));
  }
  // Nor is an account allowed before its consent page was shown.
  const Answer early = say(asked(), "allow", {{"account", "1002"}});
  EXPECT_TRUE(asks_for_consent(browser_.follow(early)));
  EXPECT_EQ(sent(say(asked(), "deny"), "error"), "access_denied");
  EXPECT_TRUE(keys("oauth:code:*").empty());
  const Answer consent = browser_.follow(choose(asked(), "1002"));
  EXPECT_EQ(sent(say(consent, "allow"), "account_id"), "1002");
  EXPECT_EQ(sent(choose(asked(), "1002"), "account_id"), "1002") << "allowed before";
}

TEST_F(Authorization, PagesW7ABarrierIsExplainedBeforeAnErrorIsSent) {
  import_olivia("");
  struct Case {
    std::int64_t contact;
    std::string_view words, description;
  };
  for (const Case& c : {
           Case{503, "Only its owners and managers can connect applications.",
                "The user is neither owner nor manager of the account."},
           Case{504, "It cannot be connected yet.", "OAuth is not enabled for the account."},
           Case{501, "The operator of this service can add you to one.",
                "The user belongs to no account."},
       }) {
    SCOPED_TRACE(c.contact);
    log_in(c.contact);
    const Answer page = asked();
    EXPECT_EQ(page.status, 200);
    EXPECT_TRUE(page.has("You cannot give <bdi>Clip Scheduler</bdi> access"));
    EXPECT_TRUE(page.has(c.words)) << page.body;
    EXPECT_FALSE(asks_for_consent(page));
    EXPECT_NE(say(page, "allow").status, 303) << "allowed all the same";
    EXPECT_NE(say(page, "allow", {{"account", "1001"}}).status, 303);
    const Answer answer = say(page, "deny");
    EXPECT_EQ(sent(answer, "error"), "access_denied");
    EXPECT_EQ(sent(answer, "error_description"), c.description);
  }
  EXPECT_TRUE(keys("oauth:code:*").empty());
}

// --- consent ---

TEST_F(Authorization, OauthL5ConsentNamesTheApplicationAndItsPermissions) {
  import_other(R"("description": "Plans <i>everything</i>")");
  stores().import(R"({"kind": "account", "id": 1001, "name": "Acme & <Films>",)"
                  R"("host": "acme.svc.localhost", "url": "https://acme.svc.localhost",)"
                  R"("oauth_enabled": true})");
  Ask::Fields asks = kOtherAsks;
  asks.emplace_back("scope", "media:read stats:read");
  const Answer consent = asked(asks);
  for (const char* part : {
           "Every scope</bdi> wants access to <bdi>Acme &amp; &lt;Films",
           "An application of <bdi>Acme &amp; &lt;Films&gt;</bdi>",
           "Plans &lt;i&gt;everything&lt;/i&gt;",
           "<strong>See media</strong>",
           "<strong>Statistics</strong>",
           "<bdi>Olivia Owner</bdi>",
           "olivia@acme.example",
           "It will be told:",
           "<bdi>client.example</bdi>",
       }) {
    EXPECT_TRUE(consent.has(part)) << part << "\n" << consent.body;
  }
  EXPECT_FALSE(consent.has("Upload files"));
  EXPECT_FALSE(consent.has("Full access"));
  EXPECT_TRUE(asked(kOtherAsks).has("<strong>Full access:</strong> it can do everything"));
}

TEST_F(Authorization, PagesW52ConsentListsTheOperationsThatTheApiThenAllows) {
  import_other();
  struct Operation {
    const char *method, *path, *allowed, *withheld;
  };
  for (const auto& [scope, shown, closed] : std::initializer_list<std::array<std::string, 3>>{
           {"all:all",
            "<strong>Full access</strong><br>Upload files, see a single media by its id, "
            "list all media and projects, read how often media are watched, and change and delete "
            "media, projects, captions and customizations<",
            "<p>See your password.<"},
           {"all:read",
            "<strong>Read access</strong><br>See a single media by its id, list all media and "
            "projects, and read how often media are watched<",
            "<p>Upload media, change or delete anything, or see your password.<"},
           {"media:read",
            "<strong>See media</strong><br>See a single media by its id, and list all media "
            "and projects<",
            "<p>Upload media, read statistics, change or delete anything, or see your password.<"},
           {"stats:read", "<strong>Statistics</strong><br>Read how often media are watched<",
            "<p>Upload media, see media, list media and projects, change or delete anything, or "
            "see your password.<"},
           {"media:upload",
            "<strong>Upload media</strong><br>Upload files, and see a single media by its id<",
            "<p>List media and projects, read statistics, change or delete anything, or see your "
            "password.<"},
           {"all:read media:upload", "<strong>Read access</strong>",
            "<p>Change or delete anything or see your password.<"},
       }) {
    Ask::Fields asks = kOtherAsks;
    asks.emplace_back("scope", scope);
    for (const std::string& grant : keys("oauth:grant:*")) stores().command({"DEL", grant});
    const Answer page = asked(asks);
    EXPECT_TRUE(page.has(shown) && page.has(closed)) << page.body;
    const std::size_t middle = page.body.find("It will not be able to");
    ASSERT_NE(middle, std::string::npos) << page.body;
    const std::string can = text::to_lower(page.body.substr(0, middle));
    const std::string cannot = text::to_lower(page.body.substr(middle));
    const std::string code = parameter_of(say(page, "allow").header("Location"), "code");
    const std::string access = tokens_of(exchange(code, kOtherExchanges)).access;
    bool any = false;
    for (const Operation& one :
         {Operation{"GET ", "/v1/medias/l4unchf1lm", "see a single media", "see media"},
          Operation{"POST ", "/v1/medias", "upload files", "upload media"},
          Operation{"GET ", "/v1/medias", "list all media", "list media"},
          Operation{"GET ", "/v1/projects", "list all media and projects", "media and projects"},
          Operation{"GET ", "/v1/stats/account", "how often media are watched", "statistics"},
          Operation{"GET ", "/v1/medias/l4unchf1lm/stats", "how often media", "statistics"},
          Operation{"DELETE ", "/v1/medias/nobodyhasit",
                    "change and delete media, projects, captions and customizations",
                    "change or delete anything"}}) {
      const bool open =
          ask(std::string(one.method) + one.path + "?access_token=" + access).status != 403;
      EXPECT_EQ(can.find(one.allowed) != std::string::npos, open) << scope << one.method;
      EXPECT_EQ(cannot.find(one.withheld) != std::string::npos, !open) << scope << one.method;
      any = any || open;
    }
    EXPECT_EQ(can.find("nothing yet") != std::string::npos, !any) << scope;
  }
}

TEST_F(Authorization, OauthL5ADoubleClickHasOneResult) {
  const Answer page = asked();
  const Answer first = say(page, "allow");
  site_.pass(2);
  EXPECT_EQ(say(page, "allow").header("Location"), first.header("Location"));
  EXPECT_EQ(keys("oauth:code:*").size(), 1u);
  const std::string code = sent(first, "code");
  EXPECT_EQ(exchange(code).status, 200);
  const Answer late = say(page, "allow");
  EXPECT_EQ(late.status, 409);
  EXPECT_TRUE(late.has("You have answered already"));
  exchange(code);  // a second use, which ends the grant
  EXPECT_EQ(say(page, "allow").status, 409);
  EXPECT_TRUE(asks_for_consent(asked())) << "a double click brings back no grant";
}

TEST_F(Authorization, OauthL5ClicksAtTheSameTimeIssueOneCode) {
  const Ask click = browser_.form(asked(), "/oauth/authorize", {{"answer", "allow"}});
  std::set<std::string> codes;
  for (const Answer& answer : site_.ask_at_once(click, 8)) codes.insert(sent(answer, "code"));
  EXPECT_EQ(codes.size(), 1u);
  EXPECT_EQ(exchange(*codes.begin()).status, 200);
  EXPECT_EQ(events("authorized"), 1u);
}

TEST_F(Authorization, OauthK7AConsentIsRecordedIfItChangesTheGrant) {
  // All pages are open before the first form is sent.
  const Answer narrow = asked({{"scope", "media:read"}});
  const Answer again = asked({{"scope", "media:read"}});
  const Answer wider = asked();
  const Answer less = asked({{"scope", "stats:read"}});
  for (const auto& [page, recorded] :
       {std::pair{narrow, 1u}, {again, 1u}, {wider, 2u}, {less, 2u}}) {
    EXPECT_FALSE(sent(say(page, "allow"), "code").empty());
    EXPECT_EQ(events("authorized"), recorded);
  }
}

TEST_F(Authorization, OauthL6ConsentIsRememberedForTheSameOrFewerScopes) {
  say(asked({{"scope", "media:read"}}), "allow");
  EXPECT_FALSE(sent(asked({{"scope", "media:read"}}), "code").empty());
  EXPECT_TRUE(asks_for_consent(asked({{"scope", "stats:read"}})));
  const Answer both = asked();
  EXPECT_TRUE(asks_for_consent(both));
  say(both, "allow");
  EXPECT_FALSE(sent(asked({{"scope", "stats:read"}}), "code").empty());
  const std::string code = sent(asked({{"scope", "media:read"}}), "code");
  EXPECT_EQ(member_of(introspect(tokens_of(exchange(code)).access), "scope"), "media:read");
  // For each contact, account and application.
  import_other();
  EXPECT_TRUE(asks_for_consent(asked(kOtherAsks)));
  log_in(kManuel);
  EXPECT_TRUE(asks_for_consent(browser_.follow(choose(asked(), "1001"))));
}

TEST_F(Authorization, OauthL6TheRevocationOfTheClientKeepsConsentAndMySettingsEndIt) {
  revoke(new_tokens().access);
  EXPECT_FALSE(sent(asked(), "code").empty());
  const Tokens tokens = new_tokens();
  const std::string waiting = new_code();
  const Answer list = browser_.ask("/settings/connected");
  const std::size_t at = list.body.find("/settings/connected/");
  const std::string path = list.body.substr(at, list.body.find('"', at) - at);
  const Answer question = browser_.ask(path);
  EXPECT_EQ(browser_.submit(question, path).status, 303) << question.body;
  EXPECT_FALSE(lives(tokens.access));
  EXPECT_EQ(outcome(refresh(tokens.refresh)), "400 invalid_grant");
  EXPECT_EQ(outcome(exchange(waiting)), "400 invalid_grant");
  EXPECT_TRUE(asks_for_consent(asked()));
}

// Whichever comes first: either the contact is asked again, or the code ends with the grant.
TEST_F(Authorization, OauthL6AGrantThatEndsDuringTheRequestIssuesNoLiveCode) {
  new_code();
  const Answer list = browser_.ask("/settings/connected");
  const std::size_t at = list.body.find("/settings/connected/");
  const std::string path = list.body.substr(at, list.body.find('"', at) - at);
  const Ask end = browser_.form(browser_.ask(path), path);
  Ask again(authorize());
  again.headers["Cookie"] = end.headers.at("Cookie");
  const std::vector<Answer> answers = site_.ask_at_once({again, end});
  EXPECT_EQ(answers[1].status, 303);
  if (!asks_for_consent(answers[0])) {
    EXPECT_EQ(exchange(sent(answers[0], "code")).status, 400);
  }
  EXPECT_TRUE(asks_for_consent(asked()));
}

TEST_F(Authorization, OauthS3OauthL6ChangedPermissionsAskAgainAndKeepIssuedTokens) {
  import_other();
  Ask::Fields asks = kOtherAsks;
  asks.emplace_back("scope", "media:read");
  const Tokens tokens = new_tokens(asks, kOtherExchanges);
  const Answer open = asked(kOtherAsks);
  import_other("", kOtherUri, R"("media:read", "all:all")");
  EXPECT_TRUE(lives(tokens.access));
  EXPECT_EQ(member_of(introspect(tokens.access), "active"), "false") << "of another client";
  EXPECT_TRUE(asks_for_consent(asked(asks)));
  // Nor does an answer count whose page showed other permissions.
  const Answer again = browser_.follow(say(open, "allow"));
  ASSERT_TRUE(asks_for_consent(again));
  EXPECT_TRUE(again.has("Full access"));
  EXPECT_TRUE(keys("oauth:code:*").size() == 1u) << "the spent one";
  EXPECT_FALSE(parameter_of(say(again, "allow").header("Location"), "code").empty());
  EXPECT_FALSE(parameter_of(asked(asks).header("Location"), "code").empty());
}

// --- forms ---

TEST_F(Authorization, OauthL1ForgedFormsAreRefused) {
  const Answer page = asked();
  const Ask::Fields good = form_in(page.body, "/oauth/authorize");
  const std::string transaction = good.at(0).second;
  const auto with = [&](const std::string& name, const std::string& value) {
    return say(page, "allow", {{name, value}}).status;
  };
  EXPECT_EQ(with("csrf", ""), 403);
  EXPECT_EQ(with("csrf", std::string(64, '0')), 403);
  EXPECT_EQ(with("transaction", ""), 403);
  EXPECT_EQ(with("transaction", transaction + "00"), 403);
  EXPECT_EQ(with("transaction", transaction.substr(2)), 403);
  for (std::size_t i = 0; i < transaction.size(); i += 5) {
    std::string changed = transaction;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_EQ(with("transaction", changed), 403) << i;
  }
  const std::string others = form_in(asked().body, "/oauth/authorize").at(1).second;
  EXPECT_EQ(with("csrf", others), 403) << "another transaction's";
  EXPECT_EQ(browser_.post("/oauth/authorize", {{"answer", "allow"}}).status, 403);
  Ask::Fields all = good;
  all.emplace_back("answer", "allow");
  const auto from = [&](const std::string& origin) {
    return browser_.ask(Ask("POST /oauth/authorize").with("Origin", origin).with_form(all));
  };
  EXPECT_EQ(from("https://evil.example").status, 403);
  const auto mine = browser_.cookies;
  log_in(kOlivia);
  const Answer old = say(page, "allow");
  EXPECT_EQ(old.status, 403) << "another session of the same person";
  EXPECT_TRUE(old.has("href=\"/oauth/authorize?response_type=code")) << old.body;  // pages-W49
  log_in(kManuel);
  EXPECT_EQ(say(page, "allow").status, 403) << "another person's session";
  browser_.cookies.clear();
  EXPECT_EQ(say(page, "allow").status, 403) << "nobody's";
  EXPECT_TRUE(keys("oauth:code:*").empty());
  browser_.cookies = mine;
  EXPECT_EQ(from("https://app.svc.example").status, 303);
}

TEST_F(Authorization, OauthL1RequestParametersInTheFormAreIgnored) {
  const Answer page = asked({{"scope", "media:read"}, {"state", "s 1"}});
  const Answer answer = say(page, "allow",
                            {{"scope", "all:all"},
                             {"client_id", "demo-client-0003"},
                             {"state", "other"},
                             {"redirect_uri", "https://evil.example/"},
                             {"account", "1002"},
                             {"account_id", "1002"},
                             {"permission_version", "9"}});
  EXPECT_EQ(sent(answer, "state"), "s 1");
  EXPECT_EQ(sent(answer, "account_id"), "1001");
  const Tokens tokens = tokens_of(exchange(sent(answer, "code")));
  EXPECT_EQ(member_of(introspect(tokens.access), "scope"), "media:read");
}

TEST_F(Authorization, OauthL1AFormOfTenMinutesAgoAsksAgain) {
  const Answer page = asked();
  site_.pass(599);
  EXPECT_EQ(sent(say(page, "deny"), "error"), "access_denied");
  site_.pass(1);
  EXPECT_EQ(say(page, "allow").header("Location"), authorize());
  EXPECT_TRUE(keys("oauth:code:*").empty());
}

TEST_F(Authorization, OauthL1EverythingIsCheckedAgainWhenTheFormIsSent) {
  import_other();
  const Answer page = asked(kOtherAsks);
  import_other("", "https://client.example/moved", R"("media:read")");
  const Answer moved = say(page, "allow");
  EXPECT_EQ(moved.status, 400);
  EXPECT_TRUE(moved.has("the path differs"));
  const Answer other = asked();
  import_olivia(R"({"account_id": 1001, "role": "user"})");
  const Answer barred = say(other, "allow");
  EXPECT_EQ(barred.status, 200);
  EXPECT_TRUE(barred.has("Only its owners and managers"));
  EXPECT_TRUE(keys("oauth:code:*").empty());
}

TEST_F(Authorization, OauthL7TheWayBackFromTheLoginIsEscaped) {
  browser_.cookies.clear();
  const Answer login = browser_.ask(authorize() + "&x=\\\\evil.example#\xff\"<&y=%5C%0A");
  const Answer after = browser_.submit(
      login, "/login", {{"email", "olivia@acme.example"}, {"password", "olivia-demo-password"}});
  EXPECT_EQ(after.header("Location"), authorize() + "&x=%5C%5Cevil.example%23%FF%22%3C&y=%5C%0A");
}

}  // namespace
}  // namespace svc::rules::authorization
