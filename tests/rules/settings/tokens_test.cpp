// oauth.md, "Without a user": account tokens.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/settings/settings.h"

namespace svc::rules {
namespace {

class AccountTokens : public WithSettings {
 protected:
  static constexpr const char* kTokens = "/settings/accounts/1001/tokens";

  explicit AccountTokens(std::vector<std::string> settings = {})
      : WithSettings(std::move(settings)) {}

  static Ask::Fields asks(const std::string& name = "Nightly backup",
                          const std::string& scope = "media:read",
                          const std::string& expires = "90") {
    return {{"name", name}, {"scope", scope}, {"expires", expires}};
  }
  Answer make(const Ask::Fields& fields) {
    return browser_.submit(browser_.ask(kTokens), kTokens, fields);
  }
  std::string made(const Ask::Fields& fields = asks()) { return token_in(make(fields)); }
  // The token that the page shows; "" if it shows none.
  static std::string token_in(const Answer& page) {
    const std::size_t at = page.body.find("value=\"svcp_");
    if (at == std::string::npos) return "";
    return page.body.substr(at + 7, page.body.find('"', at + 7) - at - 7);
  }
  Answer use(const std::string& token, const std::string& path = "/v1/medias/l4unchf1lm") {
    return ask(Ask(path).with("Authorization", "Bearer " + token));
  }
  // The part of the list about that token.
  static std::string one(const Answer& page, const std::string& name) {
    const std::size_t at = page.body.find("<bdi>" + name + "</bdi>");
    return at == std::string::npos ? "" : page.body.substr(at, page.body.find("</form>", at) - at);
  }
  static std::string end_of(const std::string& token) {
    return kTokens + ("/" + token.substr(5, 30)) + "/end";
  }
};

TEST_F(AccountTokens, OauthC2ATokenIsShownOnceAndIsABearerToken) {
  EXPECT_TRUE(browser_.ask(kTokens).has("There is no token yet."));
  const Answer page = make(asks());
  EXPECT_EQ(page.status, 200);
  const std::string token = token_in(page);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef", 5), std::string::npos) << token;
  EXPECT_GE(token.size(), 5u + 96u);
  EXPECT_LE(token.size(), 5u + 120u);
  EXPECT_EQ(use(token).status, 200);
  EXPECT_EQ(ask("/v1/account?access_token=" + token).status, 200);
  EXPECT_EQ(ask("/v1/account?bearer_token=" + token).status, 200);
  EXPECT_EQ(outcome(use(token, "/v1/projects")), "200");
  EXPECT_EQ(
      outcome(ask(Ask("DELETE /v1/medias/l4unchf1lm").with("Authorization", "Bearer " + token))),
      "403 insufficient_scope");
  EXPECT_EQ(use(token, "/v1/medias/unknown0").status, 404);
  const Answer later = browser_.ask(kTokens);
  EXPECT_FALSE(later.has("svcp_")) << "nor is it anywhere else";
  EXPECT_TRUE(later.has("Nightly backup"));
  EXPECT_EQ(stores().events(), Events{"account_token.created 501 media:read, of contact 501"});
}

TEST_F(AccountTokens, OauthC2AnUploadTakesOne) {
  const std::string token = made(asks("Upload", "media:upload"));
  const auto upload = [&](const std::string& bearer) {
    return ask(Ask("POST /v1/medias?access_token=" + bearer)
                   .with("Content-Type", "multipart/form-data; boundary=b")
                   .with_body("--b\r\nContent-Disposition: form-data; name=\"file\"; "
                              "filename=\"a.mp4\"\r\n\r\nx\r\n--b--\r\n"));
  };
  EXPECT_EQ(upload(token).status, 201);
  EXPECT_EQ(upload(made(asks("Reader", "media:read"))).status, 403);
}

TEST_F(AccountTokens, OauthC2OnlyItsOwnTextIsTheToken) {
  const std::string token = made();
  const std::string other = made(asks("Other"));
  std::vector<std::string> wrong{token.substr(0, token.size() - 1), token + "0",
                                 "svca_" + token.substr(5), token.substr(0, 49) + other.substr(49),
                                 token.substr(0, 35) + "000000000001f6" + token.substr(49)};
  for (const std::string& text : wrong) EXPECT_EQ(outcome(use(text)), "401 invalid_token") << text;
  EXPECT_EQ(use(token).status, 200);
}

TEST_F(AccountTokens, OauthC2ItEndsWhenItExpires) {
  struct Case {
    std::string expires;
    std::int64_t days;
  };
  for (const Case& c : {Case{"30", 30}, Case{"90", 90}, Case{"365", 365}}) {
    SCOPED_TRACE(c.expires);
    const std::string token = made(asks("T" + c.expires, "media:read", c.expires));
    site_.pass(c.days * 86'400 - 1);
    // The second reply comes after that to the note of the first use, which nothing awaits.
    for (int i = 0; i < 2; ++i) EXPECT_EQ(use(token).status, 200);
    site_.pass(1);
    EXPECT_EQ(outcome(use(token)), "401 invalid_token");
    browser_.log_in(kOliviasId);
    EXPECT_FALSE(browser_.ask(kTokens).has("T" + c.expires));
  }
  const Answer page = browser_.ask(kTokens);
  EXPECT_TRUE(page.has("A token that never expires works until someone revokes it"));
  const std::string forever = made(asks("For ever", "media:read", "never"));
  site_.pass(4 * 365 * 86'400);
  EXPECT_EQ(use(forever).status, 200);
}

// The decision of oauth-B3, at each use.
TEST_F(AccountTokens, OauthC2ItHasTheStandingOfItsContact) {
  const std::string token = made();
  const std::string key = "catalog:contact:501";
  EXPECT_EQ(use(token).status, 200);
  const std::string contact(*stores().command({"GET", key}).text());
  stores().edit(key, R"("role":"owner")", R"("role":"user")");
  EXPECT_EQ(outcome(use(token)), "401 invalid_token");
  stores().command({"SET", key, contact});
  EXPECT_EQ(use(token).status, 200);
  stores().command({"SET", key, contact.substr(0, contact.size() - 1) + R"(,"disabled":true})"});
  EXPECT_EQ(outcome(use(token)), "401 invalid_token");
  stores().command({"DEL", key});
  EXPECT_EQ(outcome(use(token)), "401 invalid_token");
  stores().command({"SET", key, contact});
  stores().edit("catalog:account:1001", R"("oauth_enabled":true)", R"("oauth_enabled":false)");
  EXPECT_EQ(outcome(use(token)), "401 invalid_token");
}

TEST_F(AccountTokens, OauthC2ThePageListsLastUsesAndEndsTokens) {
  const std::string first = made(asks("First"));
  const std::string second = made(asks("Second"));
  EXPECT_NE(one(browser_.ask(kTokens), "First").find("not used yet"), std::string::npos);
  use(first);
  site_.pass(300);
  Browser manuel(site_);
  manuel.log_in(kManuelsId);
  const Answer page = manuel.ask(kTokens);
  EXPECT_NE(one(page, "First").find("5 minutes ago"), std::string::npos);
  EXPECT_NE(one(page, "First").find("Olivia"), std::string::npos);
  EXPECT_TRUE(after(manuel, page, end_of(first)).has("The token is revoked."));
  EXPECT_EQ(outcome(use(first)), "401 invalid_token");
  EXPECT_TRUE(after(manuel, page, end_of(first)).has("The token is revoked.")) << "sent twice";
  const std::string paste = std::string(kTokens) + "/end";
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"x", "This is not an account token"},
           {first, "This token was revoked already"},
           {second.substr(0, second.size() - 1) + "!", "This is not an account token"}}) {
    const Answer refused = manuel.submit(manuel.ask(kTokens), paste, {{"token", text}});
    EXPECT_EQ(refused.status, 422);
    EXPECT_TRUE(refused.has(says)) << refused.body;
  }
  EXPECT_EQ(use(second).status, 200);
  after(manuel, manuel.ask(kTokens), paste, {{"token", " " + second + "\r\n"}});
  EXPECT_EQ(outcome(use(second)), "401 invalid_token");
  EXPECT_EQ(stores().events("account_token.revoked 502 media:read, of contact 501"), 2u);
}

TEST_F(AccountTokens, OauthC2TheFormNamesWhatIsWrong) {
  struct Case {
    std::string_view name;
    Ask::Fields fields;
    std::string_view says, field;
  };
  for (const Case& c : {
           Case{"no name", asks(""), "Enter a name.", "name"},
           Case{"a long name", asks(std::string(101, 'x')), "more than 100 characters", "name"},
           Case{"no scope", asks("Name", ""), "Choose at least one permission.", "scopes"},
           Case{"another time", asks("Name", "media:read", "31"), "Choose when it expires.",
                "expires"},
       }) {
    SCOPED_TRACE(c.name);
    const Answer page = make(c.fields);
    EXPECT_EQ(page.status, 422);
    EXPECT_TRUE(page.has(c.says)) << page.body;
    EXPECT_TRUE(page.has("<li><a href=\"#" + std::string(c.field) + "\">")) << "in a summary";
    EXPECT_EQ(token_in(page), "");
  }
  EXPECT_TRUE(stores().events().empty());
}

TEST_F(AccountTokens, OauthC2ItIsMadeAfterARecentPasswordCheckOnly) {
  site_.pass(601);
  browser_.ask("/settings");
  EXPECT_TRUE(browser_.ask(kTokens).has("name=\"password\""));
  const Answer none = make(asks());
  EXPECT_EQ(none.status, 422);
  EXPECT_TRUE(none.has("Enter your password."));
  EXPECT_TRUE(none.has("value=\"Nightly backup\"")) << "what was entered stays";
  Ask::Fields fields = asks();
  fields.emplace_back("password", "wrong");
  EXPECT_EQ(make(fields).status, 403);
  fields.back().second = password_of(kOlivia);
  EXPECT_NE(made(fields), "");
  EXPECT_NE(made(asks("Next")), "") << "for ten minutes";
}

TEST_F(AccountTokens, OauthC2OthersSeeNone) {
  const std::string token = made();
  Browser uma(site_);
  uma.log_in(kUmasId);
  EXPECT_EQ(uma.ask(kTokens).status, 403);
  EXPECT_FALSE(uma.ask(kTokens).has("Nightly backup"));
  EXPECT_EQ(uma.ask("/settings/accounts/1002/tokens").status, 404);
  import_paula();
  Browser paula(site_);
  paula.log_in(kPaulasId);
  const Answer page = paula.ask("/settings/accounts/1002/tokens");
  EXPECT_FALSE(page.has("Nightly backup"));
  const std::string action = "/settings/accounts/1002/tokens/end";
  // A token of another account is not ended there.
  const Answer own = paula.submit(page, "/settings/accounts/1002/tokens", asks("Own"));
  const Answer refused = paula.submit(own, action, {{"token", token}});
  EXPECT_TRUE(refused.has("This token is not of this account."));
  EXPECT_EQ(use(token).status, 200);
}

TEST_F(AccountTokens, OauthC2ApplicationsDoNotKnowThem) {
  const std::string token = made();
  const auto post = [&](const std::string& path) {
    return ask(Ask("POST " + path)
                   .with_form({{"client_id", kScheduler},
                               {"client_secret", "demo-secret-0001-not-for-production"},
                               {"token", token}}));
  };
  EXPECT_EQ(post("/oauth/introspect").body, R"({"active":false})");
  EXPECT_EQ(post("/oauth/revoke").status, 200);
  EXPECT_EQ(use(token).status, 200);
}

// As an access token: one round trip reads token and standing.
TEST_F(AccountTokens, OauthC2ACheckTakesOneRoundTrip) {
  const std::string token = made();
  use(token, "/v1/medias/unknown0");
  site_.trips.count = 0;
  EXPECT_EQ(use(token, "/v1/medias/unknown0").status, 404);
  EXPECT_EQ(site_.trips.count, 1);
}

TEST_F(AccountTokens, OauthC2NoKeyOrValueHasItsText) {
  const std::string token = made();
  use(token);
  const std::string secret = token.substr(token.size() - 64);
  const redis::Reply keys = stores().command({"KEYS", "*"});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(*keys.at(i).text());
    EXPECT_EQ(key.find(secret), std::string::npos);
    if (!key.starts_with("oauth:account_token:")) continue;
    const redis::Reply values = stores().command({"HVALS", key});
    for (std::size_t j = 0; j < values.size(); ++j)
      EXPECT_EQ(values.at(j).text()->find(secret), std::string::npos);
  }
}

class FewTokens : public AccountTokens {
 protected:
  FewTokens() : AccountTokens({"--tokens-per-account=2"}) {}
};

TEST_F(FewTokens, OauthC2AnAccountHasALimit) {
  const std::string first = made(asks("First"));
  const Answer page = browser_.ask(kTokens);
  const Ask second = browser_.form(page, kTokens, asks("Second"));
  int added = 0;
  for (const Answer& answer : site_.ask_at_once(second, 3)) {
    added += answer.status == 200;
    if (answer.status != 200) {
      EXPECT_EQ(answer.status, 409);
      EXPECT_TRUE(answer.has("This account has as many tokens as are allowed, 2."));
    }
  }
  EXPECT_EQ(added, 1);
  after(browser_, browser_.ask(kTokens), end_of(first));
  EXPECT_NE(made(asks("Third")), "");
}

}  // namespace
}  // namespace svc::rules
