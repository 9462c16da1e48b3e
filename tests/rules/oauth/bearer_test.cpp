// oauth.md, Bearer tokens, revocation, introspection, metadata.
#include <gtest/gtest.h>

#include "app/routes.h"
#include "base/entropy.h"
#include "fakes/manual_clock.h"
#include "oauth/scope_set.h"
#include "rules/oauth/application.h"
#include "stores/access/client_registry.h"
#include "stores/access/grants.h"

namespace svc::rules::bearer {
namespace {

using Bearer = WithApplication;

const std::string kJson = "application/json; charset=utf-8";

// --- carriers and refusals ---

TEST_F(Bearer, OauthB1ATokenHasOneOfThreeCarriers) {
  const std::string access = new_tokens().access;
  const std::string path = "/v1/account";
  const auto header = [&](const std::string& query, const std::string& value) {
    return Ask(path + query).with("Authorization", value);
  };
  const std::string escaped = "%73" + access.substr(1);
  const std::string other = new_tokens().access;
  const auto two = [](std::string name, Ask ask) {
    return Row{std::move(name), std::move(ask), 400, kJson, {"\"invalid_request\""}};
  };
  expect({
      {"access_token", path + "?access_token=" + access, 200},
      {"bearer_token", path + "?&bearer_token=" + access, 200},
      {"escaped", path + "?access_token=" + escaped, 200},
      {"a header", header("", "Bearer " + access), 200},
      {"the scheme in any case", header("", "bEARER " + access), 200},
      {"more than one space", header("", "Bearer   " + access), 200},
      {"an empty parameter beside", path + "?access_token=&bearer_token=" + access, 200},
      {"an empty parameter beside a header", header("?access_token=", "Bearer " + access), 200},
      {"another scheme beside", header("?access_token=" + access, "Basic YTpi"), 200},
      {"HEAD", Ask("HEAD " + path).with("Authorization", "Bearer " + access), 200},
      {"twice the same", path + "?access_token=" + access + "&access_token=" + access, 200},
      {"both names", path + "?access_token=" + access + "&bearer_token=" + access, 200},
      {"query and header", header("?access_token=" + access, "Bearer " + access), 200},
      {"all three",
       header("?access_token=" + access + "&bearer_token=" + escaped, "bearer " + access), 200},
      two("two that differ", path + "?access_token=" + access + "&access_token=" + other),
      two("both names, which differ", path + "?access_token=" + access + "&bearer_token=" + other),
      two("another one in the header", header("?access_token=" + access, "Bearer " + other)),
      two("another one in the query", header("?bearer_token=" + other, "bearer " + access)),
      two("two words", header("", "Bearer " + access + " b")),
      two("no token68", header("", "Bearer a,b")),
      two("padding first", header("", "Bearer =a")),
      two("padding within", header("", "Bearer a=b")),
      two("padding alone", header("", "Bearer ==")),
      two("spaces alone", header("", "Bearer  ")),
      {"all of token68", header("", "Bearer aZ09-._~+/=="), 401, kJson, {"\"invalid_token\""}},
  });
}

TEST_F(Bearer, OauthB2EachRefusalIsNamed) {
  import_other();
  Ask::Fields asks = kOtherAsks;
  asks.emplace_back("scope", "stats:read");
  const std::string stats = new_tokens(asks, kOtherExchanges).access;
  const Tokens tokens = new_tokens();
  const std::string code = new_code();
  const std::string challenged =
      R"(Bearer realm="svc", resource_metadata="https://api.svc.example/.well-known/oauth-protected-resource/v1", scope="media:read")";
  struct Case {
    std::string_view name;
    std::string query, header;
    int status;
    std::string error;  // in WWW-Authenticate
  };
  for (const Case& c : {
           Case{"none", "", "", 401, ""},
           Case{"empty ones", "?access_token=&bearer_token=", "", 401, ""},
           Case{"another scheme", "", "Basic YTpi", 401, ""},
           Case{"the scheme alone", "", "Bearer", 401, ""},
           Case{"no space", "", "Bearerabc", 401, ""},
           Case{"malformed", "?access_token=abc", "", 401, "invalid_token"},
           Case{"malformed, in the header", "", "Bearer abc", 401, "invalid_token"},
           Case{"unknown", "", "Bearer svca_" + std::string(96, 'a'), 401, "invalid_token"},
           Case{"a refresh token", "", "Bearer " + tokens.refresh, 401, "invalid_token"},
           Case{"a code", "", "Bearer " + code, 401, "invalid_token"},
           Case{"its secret as a token", "", "Bearer svca_" + code.substr(5), 401, "invalid_token"},
           Case{"two carriers", "?access_token=a", "Bearer b", 400, "invalid_request"},
           Case{"another scope", "", "Bearer " + stats, 403, "insufficient_scope"},
       }) {
    for (const char* path : {"/v1/medias/l4unchf1lm", "/v1/medias/unknown001"}) {
      SCOPED_TRACE(c.name);
      Ask request(path + c.query);
      if (!c.header.empty()) request.headers["Authorization"] = c.header;
      const Answer answer = ask(request);
      EXPECT_EQ(answer.status, c.status);
      EXPECT_EQ(answer.type, kJson);
      EXPECT_EQ(answer.header("Cache-Control"), "no-store");
      EXPECT_EQ(member_of(answer, "error"), c.error.empty() ? "unauthorized" : c.error);
      const std::string challenge = answer.header("WWW-Authenticate");
      const std::string error = ", error=\"" + c.error + "\", error_description=\"";
      EXPECT_TRUE(challenge.starts_with(challenged + (c.error.empty() ? "" : error))) << challenge;
      EXPECT_EQ(challenge == challenged, c.error.empty()) << challenge;
    }
  }
  for (const auto& [path, scopes] : std::vector<std::pair<std::string, std::string>>{
           {"GET /v1/medias/l4unchf1lm", "all:all, all:read, media:read, media:upload"},
           {"GET /v1/allowed_domains", "all:all, all:read, media:read"},
           {"POST /v1/medias/l4unchf1lm/links", "all:all"}}) {
    const std::string words = "the token has none of the scopes that allow this: " + scopes;
    const Answer answer = ask(Ask(path).with("Authorization", "Bearer " + stats));
    EXPECT_EQ(member_of(answer, "error_description"), words);
    EXPECT_TRUE(answer.header("WWW-Authenticate").ends_with("\"" + words + "\""));
  }
}

// Every route below /v1 asks for a token with one of the scopes of its row.
TEST_F(Bearer, OauthB2EachRouteOfTheApiAsksForTheScopesOfItsRow) {
  import_other();
  for (const app::Route& route : app::routes()) {
    const std::string_view pattern = route.path.pattern;
    // The document that describes the API needs no token (api-N9).
    if (!pattern.starts_with("/v1/") || route.id == app::RouteId::OpenApi) continue;
    SCOPED_TRACE(pattern);
    EXPECT_FALSE(route.scopes.empty()) << "the row names no scope";
    std::string line(route.methods.substr(0, route.methods.find(',')));
    line += ' ';
    line += pattern;
    for (std::size_t at = line.find('{'); at != std::string::npos; at = line.find('{'))
      line.replace(at, line.find('}') + 1 - at, "l4unchf1lm");
    const Answer none = ask(line);
    EXPECT_EQ(none.status, 401);
    EXPECT_EQ(none.header("Cache-Control"), "no-store");
    for (const std::string_view each : oauth::ScopeSet::kNames) {
      const std::string scope(each);
      Ask::Fields asks = kOtherAsks;
      asks.emplace_back("scope", scope);
      const Answer answer = ask(line + "?access_token=" + new_tokens(asks, kOtherExchanges).access);
      const bool opens =
          route.scopes == "any" ||
          (" " + std::string(route.scopes) + " ").find(" " + scope + " ") != std::string::npos;
      EXPECT_EQ(answer.status == 403, !opens) << scope << ": " << answer.status << answer.body;
      EXPECT_NE(answer.status, 401) << scope;
    }
  }
}

// Through nginx too, which has statuses and headers of its own.
using BearerRefusalsOnTheWire = Rules;

TEST_F(BearerRefusalsOnTheWire, OauthB2AreJsonWithAChallenge) {
  for (const auto& [line, status] : {std::pair{"/v1/account", 401},
                                     {"/v1/medias/l4unchf1lm?access_token=a", 401},
                                     {"/v1/account?access_token=a&bearer_token=b", 400},
                                     {"DELETE /v1/medias/l4unchf1lm", 401}}) {
    const Answer answer = ask(line);
    EXPECT_EQ(answer.status, status) << line;
    EXPECT_EQ(answer.type, kJson);
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    EXPECT_TRUE(answer.header("WWW-Authenticate").starts_with(R"(Bearer realm="svc")"));
  }
}

// --- the standing of the contact ---

class StandingOfTheContact : public WithApplication {
 protected:
  static constexpr const char* kOwner = R"({"account_id": 1001, "role": "owner"})";

  void expect_barred(const Tokens& tokens, const std::string& code) {
    EXPECT_EQ(outcome(ask("/v1/account?access_token=" + tokens.access)), "401 invalid_token");
    EXPECT_EQ(outcome(refresh(tokens.refresh)), "400 invalid_grant");
    EXPECT_EQ(outcome(exchange(code)), "400 invalid_grant");
    EXPECT_EQ(introspect(tokens.access).body, R"({"active":false})");
    EXPECT_EQ(introspect(tokens.refresh).body, R"({"active":false})");
  }
};

TEST_F(StandingOfTheContact, OauthB3DecidesAtEveryUse) {
  const Tokens tokens = new_tokens();
  const std::string code = new_code();
  struct Case {
    std::string_view name, memberships;
    bool enabled = true;
    bool disabled = false;
  };
  for (const Case& c : {
           Case{"a user", R"({"account_id": 1001, "role": "user"})"},
           Case{"in another account only", R"({"account_id": 1002, "role": "owner"})"},
           Case{"in none", ""},
           Case{"of an account without OAuth", kOwner, false},
           Case{"disabled", kOwner, true, true},
       }) {
    SCOPED_TRACE(c.name);
    import_olivia(std::string(c.memberships));
    import_acme(c.enabled);
    const std::string record(*stores().command({"GET", "catalog:contact:501"}).text());
    if (c.disabled) {
      stores().command({"SET", "catalog:contact:501",
                        record.substr(0, record.size() - 1) + R"(,"disabled":true})"});
    }
    expect_barred(tokens, code);
    stores().command({"SET", "catalog:contact:501", record});
    import_olivia(R"({"account_id": 1001, "role": "manager"})");
    import_acme(true);
    EXPECT_TRUE(lives(tokens.access));
    EXPECT_EQ(refresh(tokens.refresh).status, 200);
    EXPECT_EQ(member_of(introspect(tokens.refresh), "active"), "true");
  }
  EXPECT_EQ(exchange(code).status, 200) << "it was not spent";
}

TEST_F(StandingOfTheContact, OauthB3RefusesIfARecordCannotBeRead) {
  const Tokens tokens = new_tokens();
  const std::string code = new_code();
  for (const char* key : {"catalog:contact:501", "catalog:account:1001"}) {
    const std::string before(*stores().command({"GET", key}).text());
    stores().command({"SET", key, "{"});
    EXPECT_EQ(ask("/v1/account?access_token=" + tokens.access).status, 503);
    EXPECT_EQ(refresh(tokens.refresh).status, 503);
    EXPECT_EQ(exchange(code).status, 503);
    EXPECT_EQ(introspect(tokens.access).status, 503);
    const std::string unknown = "svca_" + std::string(96, 'a') + "_1f5_3e9_1";
    EXPECT_EQ(ask("/v1/account?access_token=" + unknown).status, 401);
    stores().command({"SET", key, before});
  }
  EXPECT_EQ(exchange(code).status, 200);
}

TEST_F(StandingOfTheContact, OauthB3ATokenOfADemotedContactCanBeRevoked) {
  const Tokens tokens = new_tokens();
  import_olivia(R"({"account_id": 1001, "role": "user"})");
  EXPECT_EQ(revoke(tokens.refresh).status, 200);
  import_olivia(kOwner);
  EXPECT_FALSE(lives(tokens.access));
}

TEST_F(StandingOfTheContact, OauthB3TheSecondUseOfACodeEndsTheGrantOfADemotedContactToo) {
  site_.request_id = "first";
  const std::string code = new_code();
  const Tokens tokens = tokens_of(exchange(code));
  import_olivia(R"({"account_id": 1001, "role": "user"})");
  EXPECT_EQ(outcome(exchange(code)), "400 invalid_grant") << "the same request again";
  site_.request_id = "second";
  EXPECT_EQ(outcome(exchange(code)), "400 invalid_grant");
  import_olivia(kOwner);
  EXPECT_EQ(outcome(refresh(tokens.refresh)), "400 invalid_grant");
  EXPECT_EQ(stores().events("code.replayed 501 the grant was ended"), 1u);
}

// Codes and tokens of former releases do not name their holder.
TEST_F(StandingOfTheContact, OauthB3OfATokenThatDoesNotNameItsHolder) {
  base::SystemEntropy entropy;
  fakes::ManualWallClock clock;
  stores::Grants grants(stores().redis(), stores().redis(), stores().keys(), {}, clock, entropy);
  const auto grant = oauth::GrantId::of({kOlivia}, {kAcme}, {kClient});
  oauth::AuthorizationCode record;
  record.issued = {{kClient}, {kOlivia}, {kAcme}, *oauth::ScopeSet::parse("media:read")};
  record.redirect_uri = kRedirectUri;
  const auto issued = [&] {
    const auto code = oauth::Token::mint(oauth::TokenKind::Code, grant, entropy);
    stores().run(grants.issue_code(code, record, true, 1));
    return code;
  };
  const oauth::Token spent = issued();
  auto access = oauth::Token::mint(oauth::TokenKind::Access, grant, entropy);
  const auto refresh_token = oauth::Token::mint(oauth::TokenKind::Refresh, grant, entropy);
  const auto found = stores().run(grants.find_code(spent));
  stores().run(grants.redeem(spent, *found, "r", access, refresh_token));
  const Tokens tokens{access.to_text(), refresh_token.text};
  const std::string code = issued().text;
  EXPECT_TRUE(lives(tokens.access));
  import_olivia(R"({"account_id": 1001, "role": "user"})");
  expect_barred(tokens, code);
  import_olivia(kOwner);
  EXPECT_TRUE(lives(tokens.access));
  EXPECT_EQ(refresh(tokens.refresh).status, 200);
  EXPECT_EQ(exchange(code).status, 200);
}

// --- applications that are removed ---

class RemovedApplication : public WithApplication {
 protected:
  void remove() { stores().run(registry_.remove({kClient}, site_.now())); }
  bool is_ending() { return stores().command({"EXISTS", "oauth:ending_clients"}).integer() == 1; }
  // As if a worker had issued it while the application was removed.
  void add_late_grant() {
    const std::string grant(32, 'a');
    stores().command({"HSET",
                      "oauth:grant:{" + grant + "}",
                      "contact",
                      "501",
                      "account",
                      "1001",
                      "client",
                      kClient,
                      "scopes",
                      "media:read",
                      "permission_version",
                      "1",
                      "consent",
                      "c",
                      "generation",
                      "g",
                      "created",
                      "1",
                      "last_used",
                      "1"});
    stores().command({"ZADD", "oauth:client_grants:demo-client-0001", "1", grant});
  }

  stores::ClientRegistry registry_{stores().redis()};
};

TEST_F(RemovedApplication, OauthB3EndsWithItsTokensAndIsListedForAMinuteToEndLateGrants) {
  const Tokens tokens = new_tokens();
  EXPECT_TRUE(lives(tokens.access));
  remove();
  EXPECT_FALSE(lives(tokens.access));
  site_.run_periodic_tasks();
  EXPECT_TRUE(keys("oauth:grant:*").empty());
  add_late_grant();
  site_.pass(45);
  site_.run_periodic_tasks();
  EXPECT_TRUE(keys("oauth:grant:*").empty());
  EXPECT_TRUE(is_ending());
  site_.run_periodic_tasks();
  EXPECT_FALSE(is_ending());
}

TEST_F(RemovedApplication, EndsNoLongerOnceItIsRestoredAndItsGrantsEnded) {
  new_tokens();
  const std::string key = "oauth:client:demo-client-0001";
  const std::string record(*stores().command({"GET", key}).text());
  remove();
  stores().command({"SET", key, record});
  stores().command({"DEL", "oauth:deleted_client:demo-client-0001"});  // as an import restores it
  site_.run_periodic_tasks();
  EXPECT_TRUE(keys("oauth:grant:*").empty());
  EXPECT_FALSE(is_ending());
  EXPECT_TRUE(lives(new_tokens().access));
}

// --- revocation ---

TEST_F(Bearer, OauthV1RevokingOneTokenEndsAllAndKeepsTheConsent) {
  std::size_t revoked = 0;
  for (const bool by_access : {true, false}) {
    for (const char* hint : {"-", "access_token", "refresh_token", "unknown"}) {
      SCOPED_TRACE(hint);
      const Tokens tokens = new_tokens();
      const std::string second = tokens_of(refresh(tokens.refresh)).access;
      const std::string one = by_access ? second : tokens.refresh;
      const Answer answer = post("/oauth/revoke", {{"token", one}, {"token_type_hint", hint}});
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.body, "{}");
      EXPECT_EQ(events("tokens.revoked 501 by the application"), ++revoked);
      EXPECT_FALSE(lives(tokens.access) || lives(second));
      EXPECT_EQ(outcome(refresh(tokens.refresh)), "400 invalid_grant");
      EXPECT_EQ(introspect(tokens.refresh).body, R"({"active":false})");
      const Tokens later = new_tokens();  // without a question
      EXPECT_EQ(revoke(one).status, 200) << "a revoked token is unknown";
      EXPECT_TRUE(lives(later.access));
    }
  }
  EXPECT_EQ(events("authorized"), 1u) << "the consent";
  EXPECT_EQ(events("tokens.revoked"), 8u);
}

TEST_F(Bearer, OauthV1OauthI1OthersTokensAreNotToldFromUnknownOnes) {
  const Tokens tokens = new_tokens();
  const std::string code = new_code();
  const Ask::Fields other{{"client_id", "demo-client-0002"},
                          {"client_secret", "demo-secret-0002-not-for-production"}};
  const auto ask_about = [&](const char* path, const std::string& token, Ask::Fields fields) {
    fields.emplace_back("token", token);
    return post(path, fields);
  };
  for (const auto& [token, client] : {std::pair{tokens.access, other},
                                      {tokens.refresh, other},
                                      {std::string("unknown"), Ask::Fields{}},
                                      {"svca_" + std::string(96, 'a'), Ask::Fields{}},
                                      {code, Ask::Fields{}}}) {
    const Answer revoked = ask_about("/oauth/revoke", token, client);
    EXPECT_EQ(revoked.status, 200) << token;
    EXPECT_EQ(revoked.body, "{}") << token;
    const Answer described = ask_about("/oauth/introspect", token, client);
    EXPECT_EQ(described.status, 200) << token;
    EXPECT_EQ(described.body, R"({"active":false})") << token;
  }
  EXPECT_EQ(events("tokens.revoked"), 0u);
  EXPECT_TRUE(lives(tokens.access));
  EXPECT_EQ(exchange(code).status, 200);
}

class WithoutReplica : public WithApplication {
 protected:
  WithoutReplica() : WithApplication({"--redis-wait-replicas=1"}) {}
};

TEST_F(WithoutReplica, OauthV1ARepeatedRevocationIsConfirmedByAReplica) {
  EXPECT_EQ(revoke("svca_" + std::string(96, 'a')).status, 503);
  EXPECT_EQ(revoke("unknown").status, 200);
}

TEST_F(Bearer, OauthV1OauthI1TheClientAuthenticatesAndSendsAToken) {
  const std::string access = new_tokens().access;
  for (const char* path : {"/oauth/revoke", "/oauth/introspect"}) {
    for (const Ask::Fields& fields :
         std::initializer_list<Ask::Fields>{{{"client_id", "-"}, {"client_secret", "-"}},
                                            {{"client_secret", "-"}},
                                            {{"client_secret", "x"}}}) {
      Ask::Fields all = fields;
      all.emplace_back("token", access);
      EXPECT_EQ(outcome(post(path, all)), "401 invalid_client");
    }
    EXPECT_EQ(outcome(post(path, {})), "400 invalid_request");
  }
  EXPECT_TRUE(lives(access));
}

TEST_F(Bearer, OauthI1DescribesATokenOfTheCallingClient) {
  const Tokens tokens = new_tokens();
  const std::string rest = R"("iat":)" + std::to_string(site_.now()) + R"(,"exp":)";
  const std::string end = R"(,"sub":"501","account_id":1001,"aud":"https://api.svc.example/v1",)"
                          R"("iss":"https://api.svc.example"})";
  const std::string begin =
      R"({"active":true,"scope":"media:read stats:read","client_id":"demo-client-0001",)"
      R"("token_type":")";
  EXPECT_EQ(introspect(tokens.access).body,
            begin + R"(bearer",)" + rest + std::to_string(site_.now() + 21'600) + end);
  EXPECT_EQ(introspect(tokens.refresh).body,
            begin + R"(refresh_token",)" + rest + std::to_string(site_.now() + 60 * 86'400) + end);
}

// --- metadata ---

using MetadataOnTheWire = Rules;

TEST_F(MetadataOnTheWire, OauthD1ListsOnlySupportedFeatures) {
  const Answer answer = ask("/.well-known/oauth-authorization-server");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.type, "application/json");
  EXPECT_EQ(
      answer.body,
      R"({"issuer":"https://api.svc.example",)"
      R"("authorization_endpoint":"https://app.svc.example/oauth/authorize",)"
      R"("token_endpoint":"https://api.svc.example/oauth/token",)"
      R"("revocation_endpoint":"https://api.svc.example/oauth/revoke",)"
      R"("introspection_endpoint":"https://api.svc.example/oauth/introspect",)"
      R"("scopes_supported":["all:all","all:read","media:read","stats:read","media:upload"],)"
      R"("response_types_supported":["code"],"response_modes_supported":["query","form_post"],)"
      R"("grant_types_supported":["authorization_code","refresh_token","client_credentials"],)"
      R"("token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","none"],)"
      R"("revocation_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","none"],)"
      R"("introspection_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"],)"
      R"("code_challenge_methods_supported":["S256"],)"
      R"("ui_locales_supported":["en","de","es","fr","ja","pl","pt"],)"
      R"("authorization_response_iss_parameter_supported":true})");
}

TEST_F(MetadataOnTheWire, OauthR1DescribesTheProtectedResources) {
  for (const std::string folder : {"", "/v1"}) {
    const Answer answer = ask("/.well-known/oauth-protected-resource" + folder);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.type, "application/json");
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(
        answer.body,
        R"({"resource":"https://api.svc.example)" + folder +
            R"(","resource_name":"svc","resource_documentation":"https://app.svc.example/developers",)"
            R"("authorization_servers":["https://api.svc.example"],)"
            R"("scopes_supported":["all:all","all:read","media:read","stats:read","media:upload"],)"
            R"("bearer_methods_supported":["header","query"]})");
  }
}

class ConfiguredIssuer : public Rules {
 protected:
  ConfiguredIssuer() : Rules({"--issuer=https://issuer.example"}) {}
};

TEST_F(ConfiguredIssuer, OauthD1ComesFromTheConfiguration) {
  expect({{"whatever the host",
           "https://evil.example/.well-known/oauth-authorization-server",
           200,
           "",
           {R"({"issuer":"https://issuer.example",)"}}});
}

}  // namespace
}  // namespace svc::rules::bearer
