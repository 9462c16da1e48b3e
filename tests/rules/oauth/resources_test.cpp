// oauth.md: resources, resource servers, and applications without a user.
#include <gtest/gtest.h>

#include "oauth/applications.h"
#include "rules/oauth/application.h"
#include "stores/access/client_registry.h"

namespace svc::rules::resources {
namespace {

constexpr const char* kApi = "https://api.svc.example/v1";
constexpr const char* kService = "https://api.svc.example";
constexpr const char* kMcp = "https://mcp.example/mcp";
constexpr const char* kLocal = "http://127.0.0.1:3000";
// RFC 7636, appendix B.
constexpr const char* kProof = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr const char* kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
constexpr const char* kPublic = "public-app-0001";
constexpr const char* kPublicUri = "https://spa.example/cb";

// The other application is a resource server of account 1001.
class WithResourceServer : public WithApplication {
 protected:
  WithResourceServer() {
    import_other();
    operate(kOther, {.resource_server = true, .resources = {kMcp, kLocal}});
    stores().import(R"({"kind": "application", "type": "public", "client_id": ")" +
                    std::string(kPublic) + R"(", "redirect_uris": [")" + kPublicUri +
                    R"("], "account_id": 1001, "name": "Single page", "scopes": ["media:read", )"
                    R"("stats:read"], "created": "2026-04-01T10:00:00Z"})");
  }

  // As an operator does by svcctl.
  void operate(const std::string& id, const oauth::OperatorSettings& settings) {
    stores::ClientRegistry registry(stores().redis());
    const oauth::Applications::Change change =
        [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
      return oauth::with_operator_settings(std::move(now), settings);
    };
    const oauth::ClientId client{id};
    const auto changed = stores().run(registry.change(client, change));
    ASSERT_TRUE(changed);
  }
  // Adds each resource to the fields.
  static Ask::Fields for_resources(Ask::Fields fields, const std::vector<std::string>& resources) {
    for (const std::string& resource : resources) fields.emplace_back("resource", resource);
    return fields;
  }
  static std::string query_of(const std::vector<std::string>& resources) {
    std::string query;
    for (const std::string& resource : resources) query += "&resource=" + resource;
    return query;
  }
  // The code of a request for these resources.
  std::string code_for(const std::vector<std::string>& resources) {
    const Answer page = browser_.ask(authorize() + query_of(resources));
    const Answer sent = page.status == 303
                            ? page
                            : browser_.submit(page, "/oauth/authorize", {{"answer", "allow"}});
    return parameter_of(sent.header("Location"), "code");
  }
  // POST with each field, also repeated ones.
  Answer send(const std::string& path, Ask::Fields fields) {
    fields.emplace_back("client_id", kClient);
    fields.emplace_back("client_secret", kSecret);
    return ask(Ask("POST " + path).with_form(fields));
  }
  Answer exchange_for(const std::string& code, const std::vector<std::string>& resources) {
    return send(kTokenPath, for_resources({{"grant_type", "authorization_code"},
                                           {"code", code},
                                           {"redirect_uri", kRedirectUri}},
                                          resources));
  }
  Answer refresh_for(const std::string& token, const std::vector<std::string>& resources) {
    return send(
        kTokenPath,
        for_resources({{"grant_type", "refresh_token"}, {"refresh_token", token}}, resources));
  }
  // "aud" of introspection by its client, as it is in JSON.
  std::string audience(const std::string& token) {
    const std::string body = introspect(token).body;
    const std::size_t at = body.find(R"("aud":)");
    const std::size_t end = body.find(R"(,"iss")");
    return at == std::string::npos ? body : body.substr(at + 6, end - at - 6);
  }
  static std::string quoted(const std::string& text) { return "\"" + text + "\""; }
  Answer introspect_as_server(const std::string& token) {
    return ask(
        Ask("POST /oauth/introspect")
            .with_form({{"client_id", kOther}, {"client_secret", kOtherSecret}, {"token", token}}));
  }
};

TEST_F(WithResourceServer, OauthR2ATokenIsForTheDataApiUnlessAnotherResourceIsAskedFor) {
  const Tokens usual = tokens_of(exchange_for(code_for({}), {}));
  EXPECT_EQ(audience(usual.access), quoted(kApi));
  EXPECT_EQ(audience(usual.refresh), quoted(kApi));
  struct Case {
    std::string resource, audience;
    bool opens_api;
  };
  for (const Case& c :
       {Case{kApi, kApi, true}, Case{kService, kService, true},
        Case{std::string(kService) + "/", kService, true}, Case{kMcp, kMcp, false},
        Case{kLocal, kLocal, false}, Case{std::string(kLocal) + "/", kLocal, false}}) {
    const Tokens tokens = tokens_of(exchange_for(code_for({c.resource}), {}));
    EXPECT_EQ(audience(tokens.access), quoted(c.audience)) << c.resource;
    EXPECT_EQ(audience(tokens.refresh), quoted(c.audience)) << c.resource;
    EXPECT_EQ(lives(tokens.access), c.opens_api) << c.resource;
    const Tokens next = tokens_of(refresh_for(tokens.refresh, {}));
    EXPECT_EQ(audience(next.access), quoted(c.audience)) << c.resource;
  }
}

TEST_F(WithResourceServer, OauthR2TheDataApiRefusesATokenForAnotherResource) {
  const Tokens tokens = tokens_of(exchange_for(code_for({kMcp}), {}));
  const Answer refused = ask(Ask("/v1/account").with("Authorization", "Bearer " + tokens.access));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(member_of(refused, "error"), "invalid_token");
  EXPECT_NE(refused.header("WWW-Authenticate").find("resource_metadata="), std::string::npos);
  const Answer upload = ask(Ask("POST /v1/medias?access_token=" + tokens.access)
                                .with("Content-Type", "multipart/form-data; boundary=B")
                                .with_body("--B--\r\n"));
  EXPECT_EQ(upload.status, 401);
}

TEST_F(WithResourceServer, OauthR2AnUnknownResourceIsSentBackAsInvalidTarget) {
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"https://unknown.example"},
                                                {kMcp, "https://unknown.example"},
                                                {std::string(kMcp) + "/"},
                                                {"https://MCP.example/mcp"},
                                                {"https://mcp.example"},
                                                {"https://mcp.example/mcp%23x"},
                                                {"none"},
                                                std::vector<std::string>(11, kMcp)}) {
    const Answer sent = browser_.ask(authorize() + query_of(asked));
    EXPECT_EQ(parameter_of(sent.header("Location"), "error"), "invalid_target") << asked.back();
  }
  operate(kOther, {.resource_server = false, .resources = {kMcp, kLocal}});
  const Answer sent = browser_.ask(authorize() + query_of({kMcp}));
  EXPECT_EQ(parameter_of(sent.header("Location"), "error"), "invalid_target") << "not marked";
}

TEST_F(WithResourceServer, OauthR2SeveralResourcesAreNarrowedForOneAccessToken) {
  const std::string code = code_for({kMcp, kApi, kMcp});
  EXPECT_EQ(outcome(exchange_for(code, {kLocal})), "400 invalid_target");
  const Tokens narrow = tokens_of(exchange_for(code, {kMcp}));
  EXPECT_EQ(audience(narrow.access), quoted(kMcp)) << "the refused request spent nothing";
  EXPECT_FALSE(lives(narrow.access));
  const std::string both = "[" + quoted(kApi) + "," + quoted(kMcp) + "]";
  EXPECT_EQ(audience(narrow.refresh), both);
  const Tokens api = tokens_of(refresh_for(narrow.refresh, {kApi}));
  EXPECT_EQ(audience(api.access), quoted(kApi));
  EXPECT_TRUE(lives(api.access));
  EXPECT_EQ(outcome(refresh_for(api.refresh, {kService})), "400 invalid_target");
  const Tokens all = tokens_of(refresh_for(api.refresh, {}));
  EXPECT_EQ(audience(all.access), both);
  EXPECT_TRUE(lives(all.access));
  EXPECT_EQ(outcome(refresh_for(tokens_of(exchange_for(code_for({}), {})).refresh, {kMcp})),
            "400 invalid_target")
      << "only the data API was granted";
}

TEST_F(WithResourceServer, OauthR2ConsentNamesTheResourceAndCoversOnlyIt) {
  const Answer usual = browser_.ask(authorize());
  EXPECT_FALSE(usual.has("The access is for use at"));
  code_for({});
  EXPECT_EQ(browser_.ask(authorize()).status, 303) << "remembered";
  const Answer page = browser_.ask(authorize() + query_of({kMcp}));
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.has("The access is for use at <code>" + std::string(kMcp) + "</code>"));
  EXPECT_EQ(browser_.ask(authorize()).status, 303) << "the page changed nothing";
  code_for({kMcp});
  EXPECT_EQ(browser_.ask(authorize() + query_of({kMcp})).status, 303);
  EXPECT_EQ(browser_.ask(authorize() + query_of({kMcp, kLocal})).status, 200);
  EXPECT_EQ(stores().events("authorized 501 media:read stats:read " + std::string(kMcp)), 1u);
}

TEST_F(WithResourceServer, OauthP5OauthR2ARepeatedRefreshIsForTheSameResources) {
  const Ask::Fields asks{{"client_id", kPublic},
                         {"redirect_uri", kPublicUri},
                         {"code_challenge", kChallenge},
                         {"code_challenge_method", "S256"}};
  const auto installed = [&] {
    const Answer page = browser_.ask(authorize(asks) + query_of({kMcp, kApi}));
    const Answer sent = page.status == 303
                            ? page
                            : browser_.submit(page, "/oauth/authorize", {{"answer", "allow"}});
    return tokens_of(ask(Ask("POST /oauth/token")
                             .with_form({{"client_id", kPublic},
                                         {"grant_type", "authorization_code"},
                                         {"code", parameter_of(sent.header("Location"), "code")},
                                         {"redirect_uri", kPublicUri},
                                         {"code_verifier", kProof},
                                         {"resource", kApi}})));
  };
  const auto refreshed = [&](const std::string& token, const std::vector<std::string>& resources) {
    return ask(
        Ask("POST /oauth/token")
            .with_form(for_resources(
                {{"client_id", kPublic}, {"grant_type", "refresh_token"}, {"refresh_token", token}},
                resources)));
  };
  const Tokens first = installed();
  EXPECT_TRUE(lives(first.access)) << "narrowed";
  EXPECT_EQ(outcome(refreshed(first.refresh, {kLocal})), "400 invalid_target");
  const Tokens second = tokens_of(refreshed(first.refresh, {kMcp}));
  EXPECT_FALSE(lives(second.access));
  EXPECT_EQ(tokens_of(refreshed(first.refresh, {kMcp})).access, second.access);
  EXPECT_EQ(outcome(refreshed(first.refresh, {})), "400 invalid_grant") << "another request";
  EXPECT_EQ(outcome(refreshed(second.refresh, {kMcp})), "400 invalid_grant") << "it ended";
  EXPECT_EQ(events("refresh_token.reused"), 1u);
  const Tokens other = installed();
  tokens_of(refreshed(other.refresh, {kApi}));
  EXPECT_EQ(outcome(refreshed(other.refresh, {kLocal})), "400 invalid_grant");
  EXPECT_EQ(events("refresh_token.reused"), 2u);
}

// --- resource servers ---

TEST_F(WithResourceServer, OauthR3SeesAccessTokensForItsAccountOrItsResources) {
  const Tokens ours = new_tokens();
  const Answer seen = introspect_as_server(ours.access);
  EXPECT_EQ(member_of(seen, "active"), "true");
  EXPECT_EQ(member_of(seen, "client_id"), kClient);
  EXPECT_EQ(member_of(seen, "aud"), kApi);
  constexpr const char* kInactive = R"({"active":false})";
  EXPECT_EQ(introspect_as_server(ours.refresh).body, kInactive);
  // A client of another account learns only of tokens for its own resource.
  stores().edit("oauth:client:" + std::string(kOther), R"("account_id":1001)",
                R"("account_id":1002)");
  EXPECT_EQ(introspect_as_server(ours.access).body, kInactive);
  const Tokens theirs = tokens_of(exchange_for(code_for({kMcp}), {}));
  EXPECT_EQ(member_of(introspect_as_server(theirs.access), "aud"), kMcp);
  EXPECT_EQ(introspect_as_server(theirs.refresh).body, kInactive);
  // It can do nothing with them.
  const Ask::Fields credentials{{"client_id", kOther}, {"client_secret", kOtherSecret}};
  Ask::Fields revocation = credentials;
  revocation.emplace_back("token", theirs.access);
  EXPECT_EQ(ask(Ask("POST /oauth/revoke").with_form(revocation)).status, 200);
  EXPECT_EQ(member_of(introspect(theirs.access), "active"), "true");
  Ask::Fields refreshing = credentials;
  refreshing.emplace_back("grant_type", "refresh_token");
  refreshing.emplace_back("refresh_token", theirs.refresh);
  EXPECT_EQ(outcome(ask(Ask("POST /oauth/token").with_form(refreshing))), "400 invalid_grant");
  operate(kOther, {.resources = {kMcp}});
  EXPECT_EQ(introspect_as_server(theirs.access).body, kInactive) << "not marked any more";
}

TEST_F(WithResourceServer, OauthR3AResourceIsOfOneApplication) {
  stores::ClientRegistry registry(stores().redis());
  const auto register_at = [&](const std::string& id, const std::string& resource) {
    const oauth::Applications::Change change =
        [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
      return oauth::with_operator_settings(std::move(now),
                                           {.resource_server = true, .resources = {resource}});
    };
    const oauth::ClientId client{id};
    const auto changed = stores().run(registry.change(client, change));
    return changed                                                       ? ""
           : changed.error() == oauth::ApplicationRefusal::ResourceTaken ? "taken"
                                                                         : "?";
  };
  EXPECT_EQ(register_at(kClient, kMcp), std::string("taken"));
  EXPECT_EQ(register_at(kClient, std::string(kLocal) + "/"), std::string("taken"));
  EXPECT_EQ(tokens_of(exchange_for(code_for({kMcp}), {})).access.empty(), false);
  operate(kOther, {.resource_server = false, .resources = {kMcp}});
  EXPECT_EQ(register_at(kClient, kMcp), std::string());
  EXPECT_EQ(register_at(kOther, kMcp), std::string("taken"));
}

// --- without a user ---

class OwnTokens : public WithApplication {
 protected:
  OwnTokens() { opt_in("media:read stats:read"); }

  void opt_in(const std::string& scopes) {
    stores::ClientRegistry registry(stores().redis());
    const oauth::Applications::Change change =
        [&](oauth::Client now) -> base::Result<oauth::Client, oauth::ApplicationRefusal> {
      now.client_credentials = *oauth::ScopeSet::parse(scopes);
      return now;
    };
    const oauth::ClientId client{kClient};
    const auto changed = stores().run(registry.change(client, change));
    ASSERT_TRUE(changed);
  }
  Answer token_for(const Ask::Fields& more = {}) {
    Ask::Fields fields{{"grant_type", "client_credentials"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return post(kTokenPath, fields);
  }
};

TEST_F(OwnTokens, OauthC1AnApplicationGetsAnAccessTokenForItsAccount) {
  const Answer answer = token_for();
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(member_of(answer, "expires_in"), "21600");
  EXPECT_FALSE(answer.has("refresh_token"));
  EXPECT_TRUE(answer.has(R"("scope":["media:read","stats:read"])"));
  const std::string access = member_of(answer, "access_token");
  const Answer account = ask(Ask("/v1/account").with("Authorization", "Bearer " + access));
  EXPECT_EQ(account.status, 200);
  EXPECT_EQ(member_of(account, "id"), "1001");
  const Answer seen = introspect(access);
  EXPECT_EQ(member_of(seen, "sub"), kClient);
  EXPECT_EQ(member_of(seen, "account_id"), "1001");
  EXPECT_EQ(member_of(seen, "aud"), "https://api.svc.example/v1");
  EXPECT_EQ(ask("DELETE /v1/medias/l4unchf1lm?access_token=" + access).status, 403);
  EXPECT_TRUE(token_for({{"scope", "stats:read openid"}}).has(R"("scope":["stats:read"])"));
  EXPECT_EQ(outcome(token_for({{"scope", "all:all"}})), "400 invalid_scope");
  EXPECT_EQ(outcome(token_for({{"resource", "https://unknown.example"}})), "400 invalid_target");
  const std::string service =
      member_of(token_for({{"resource", "https://api.svc.example"}}), "access_token");
  EXPECT_EQ(member_of(introspect(service), "aud"), "https://api.svc.example");
}

TEST_F(OwnTokens, OauthC1WithoutTheOptInTheClientIsUnauthorized) {
  opt_in("");
  EXPECT_EQ(outcome(token_for()), "400 unauthorized_client");
  import_acme(false);
  opt_in("media:read");
  EXPECT_EQ(outcome(token_for()), "400 unauthorized_client");
  EXPECT_EQ(outcome(token_for({{"client_secret", "wrong"}})), "401 invalid_client");
}

TEST_F(OwnTokens, OauthC1EachUseChecksAccountApplicationAndOptIn) {
  const std::string both = member_of(token_for(), "access_token");
  const std::string one = member_of(token_for({{"scope", "stats:read"}}), "access_token");
  const auto live = [&] {
    EXPECT_EQ(member_of(introspect(both), "active") == "true", lives(both));
    return std::string(lives(both) ? "both " : "") + (lives(one) ? "one" : "");
  };
  EXPECT_EQ(live(), "both one");
  import_acme(false);
  EXPECT_EQ(live(), "");
  import_acme(true);
  EXPECT_EQ(live(), "both one");
  opt_in("stats:read");
  EXPECT_EQ(live(), "one");
  opt_in("");
  EXPECT_EQ(live(), "");
  opt_in("all:all media:read stats:read");
  EXPECT_EQ(live(), "both one");
  stores().edit("oauth:client:" + std::string(kClient), R"("account_id":1001)",
                R"("account_id":1002)");
  EXPECT_FALSE(lives(both)) << "of another account";
  stores().edit("oauth:client:" + std::string(kClient), R"("account_id":1002)",
                R"("account_id":1001)");
  EXPECT_TRUE(lives(both));
  stores().command({"DEL", "oauth:client:" + std::string(kClient)});
  EXPECT_FALSE(lives(both));
}

TEST_F(OwnTokens, OauthC1ARevocationEndsOneToken) {
  const std::string first = member_of(token_for(), "access_token");
  const std::string second = member_of(token_for(), "access_token");
  EXPECT_EQ(revoke(first).status, 200);
  EXPECT_FALSE(lives(first));
  EXPECT_TRUE(lives(second));
  EXPECT_EQ(stores().events("tokens.revoked  by the application"), 1u) << "of no contact";
  site_.pass(21'600);
  EXPECT_FALSE(lives(second));
}

// In the audit trail, changes that an application makes for itself lack a contact.
TEST_F(OwnTokens, OauthC1ItsChangesAreTheApplications) {
  opt_in("all:all");
  const std::string access = member_of(token_for(), "access_token");
  EXPECT_EQ(ask("DELETE /v1/medias/l4unchf1lm?access_token=" + access).status, 204);
  EXPECT_EQ(stores().events("media.removed  media l4unchf1lm"), 1u);
}

}  // namespace
}  // namespace svc::rules::resources
