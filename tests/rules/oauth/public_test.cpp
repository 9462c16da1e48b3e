// oauth.md, Public applications.
#include <gtest/gtest.h>

#include <set>

#include "rules/oauth/application.h"
#include "text/uri.h"

namespace svc::rules::publics {
namespace {

// RFC 7636, appendix B.
constexpr const char* kProof = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr const char* kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
constexpr const char* kApp = "public-app-0001";
constexpr const char* kAppUri = "https://spa.example/cb";
constexpr std::int64_t kDay = 86'400;

class PublicApplication : public WithApplication {
 protected:
  explicit PublicApplication(std::vector<std::string> settings = {})
      : WithApplication(std::move(settings)) {
    import_public(std::string("\"") + kAppUri + "\"");
  }

  void import_public(const std::string& uris) {
    stores().import(R"({"kind": "application", "type": "public", "client_id": ")" +
                    std::string(kApp) + R"(", "redirect_uris": [)" + uris +
                    R"(], "account_id": 1001, "name": "Single page", "scopes": ["media:read", )"
                    R"("stats:read"], "created": "2026-04-01T10:00:00Z"})");
  }
  static Ask::Fields asks(const std::string& uri = kAppUri) {
    return {{"client_id", kApp},
            {"redirect_uri", uri},
            {"code_challenge", kChallenge},
            {"code_challenge_method", "S256"}};
  }
  // POST without a secret.
  Answer send(const std::string& path, Ask::Fields fields) {
    fields.emplace_back("client_id", kApp);
    return ask(Ask("POST " + path).with_form(fields));
  }
  Answer exchanged(const std::string& code, const std::string& uri = kAppUri,
                   const std::string& proof = kProof) {
    return send(kTokenPath, {{"grant_type", "authorization_code"},
                             {"code", code},
                             {"redirect_uri", uri},
                             {"code_verifier", proof}});
  }
  // An installation of the application.
  Tokens installed() { return tokens_of(exchanged(new_code(asks()))); }
  Answer refreshed(const std::string& token, const std::string& scope = "") {
    return send(kTokenPath,
                {{"grant_type", "refresh_token"}, {"refresh_token", token}, {"scope", scope}});
  }
  Answer revoked(const std::string& token) { return send(kRevokePath, {{"token", token}}); }
  std::size_t reuses() { return events("refresh_token.reused"); }
  bool is_ended(const Tokens& tokens) {
    return !lives(tokens.access) && outcome(refreshed(tokens.refresh)) == "400 invalid_grant";
  }
  static Ask to_refresh(const std::string& token) {
    return Ask("POST /oauth/token")
        .with_form(
            {{"client_id", kApp}, {"grant_type", "refresh_token"}, {"refresh_token", token}});
  }
};

// --- kinds ---

TEST_F(PublicApplication, OauthP1ItNeedsPkceAndTheExactRedirectUriAndAnswersWithOneText) {
  const Answer page = browser_.ask(authorize({{"client_id", kApp}, {"redirect_uri", kAppUri}}));
  EXPECT_EQ(parameter_of(page.header("Location"), "error"), "invalid_request");
  EXPECT_EQ(browser_.ask(authorize(asks(std::string(kAppUri) + "?x=1"))).status, 400);
  const std::string code = new_code(asks());
  EXPECT_EQ(outcome(exchanged(code, kAppUri, "")), "400 invalid_grant") << "without the verifier";
  const Answer tokens = exchanged(code);
  EXPECT_EQ(member_of(tokens, "scope"), "media:read stats:read");
  EXPECT_TRUE(lives(tokens_of(tokens).access));
}

TEST_F(PublicApplication, OauthP1OnlyAClientIdNeverAUrlIsRegistered) {
  EXPECT_THROW(stores().import(R"({"kind": "application", "type": "public", "client_id": )"
                               R"("https://app.example/client", "redirect_uris": )"
                               R"(["https://app.example/cb"], "account_id": 1001, "name": "URL", )"
                               R"("scopes": ["media:read"], "created": "2026-04-01T10:00:00Z"})"),
               std::exception);
  const Answer page = browser_.ask(authorize({{"client_id", "https://app.example/client"}}));
  EXPECT_EQ(page.status, 400);
}

// --- redirects ---

TEST_F(PublicApplication, OauthP2LoopbackRedirectsHaveAnyPort) {
  import_public(
      R"("https://spa.example/cb", "http://127.0.0.1/cb", "http://[::1]:1/cb", "http://localhost/cb")");
  for (const char* uri : {"https://spa.example/cb", "http://127.0.0.1/cb", "http://127.0.0.1:5/cb",
                          "http://[::1]:49152/cb", "http://localhost:8080/cb"}) {
    const std::string code = new_code(asks(uri));
    EXPECT_EQ(exchanged(code, uri).status, 200) << uri;
  }
  for (const char* uri :
       {"https://spa.example:8443/cb", "http://127.0.0.1:5/other", "http://localhost.evil/cb",
        "https://localhost:8080/cb", "http://127.0.0.2/cb", "http://localhost:0/cb",
        "http://user@localhost/cb", "http://LOCALHOST/cb", "http://127.0.0.1:5/cb?x=1"}) {
    const Answer page = browser_.ask(authorize(asks(uri)));
    EXPECT_EQ(page.status, 400) << uri;
    EXPECT_EQ(page.header("Location"), "none") << uri;
  }
}

TEST_F(PublicApplication, OauthP2APrivateUseSchemeIsExactAndTakesNoForm) {
  const std::string uri = "com.example.app:/cb";
  import_public("\"" + uri + "\", \"com.example.app://other\"");
  const Answer page = browser_.ask(authorize(asks(uri)));
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.header("Content-Security-Policy").find("form-action 'self' com.example.app:;") !=
              std::string::npos)
      << page.header("Content-Security-Policy");
  const Answer sent = browser_.submit(page, "/oauth/authorize", {{"answer", "allow"}});
  const std::string location = sent.header("Location");
  EXPECT_TRUE(location.starts_with(uri + "?code=")) << location;
  EXPECT_EQ(exchanged(parameter_of(location, "code"), uri).status, 200);
  Ask::Fields form = asks(uri);
  form.emplace_back("response_mode", "form_post");
  const Answer refused = browser_.ask(authorize(form));
  EXPECT_TRUE(refused.header("Location").starts_with(uri + "?error=invalid_request"));
  for (const char* other :
       {"com.example.app:/cb/", "com.example.app:/cb?x=1", "Com.example.app:/cb",
        "com.example.app://cb", "com.example.ap:/cb", "com.example.app:/cb#x"})
    EXPECT_EQ(browser_.ask(authorize(asks(other))).status, 400) << other;
}

// --- consent ---

TEST_F(PublicApplication, OauthP3ConsentIsRememberedForHttpsOnly) {
  const std::string loopback = "http://127.0.0.1:5/cb", scheme = "com.example.app:/cb";
  import_public("\"https://spa.example/cb\", \"" + loopback + "\", \"" + scheme + "\"");
  EXPECT_FALSE(browser_.ask(authorize(asks())).has("on this device"));
  new_code(asks());
  EXPECT_EQ(browser_.ask(authorize(asks())).status, 303);
  for (const std::string& uri : {loopback, scheme}) {
    for (int time = 0; time < 2; ++time) {
      const Answer page = browser_.ask(authorize(asks(uri)));
      EXPECT_EQ(page.status, 200) << uri;
      EXPECT_TRUE(page.has("<code>" + uri + "</code>")) << uri;
      EXPECT_TRUE(page.has("on this device")) << uri;
      new_code(asks(uri));
    }
  }
}

TEST_F(PublicApplication, OauthP3TheAnswerNamesTheAccountAndNothingOfTheContact) {
  const Answer page = browser_.ask(authorize(asks()));
  EXPECT_TRUE(page.has("<p>The name and number of the account.</p>"));
  EXPECT_FALSE(page.has("Your name (")) << "nor is it announced";
  const std::string location =
      browser_.submit(page, "/oauth/authorize", {{"answer", "allow"}}).header("Location");
  std::set<std::string> names;
  for (std::string_view rest = std::string_view(location).substr(location.find('?') + 1);;) {
    names.emplace(rest.substr(0, rest.find('=')));
    const std::size_t end = rest.find('&');
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  EXPECT_EQ(names, (std::set<std::string>{"code", "iss", "account_id", "account_name"}));
  EXPECT_EQ(parameter_of(location, "account_id"), "1001");
}

// --- client authentication ---

TEST_F(PublicApplication, OauthP4ASecretOrBasicIsRefusedAndSpendsNothing) {
  const std::string code = new_code(asks());
  const Ask::Fields exchange_fields{{"grant_type", "authorization_code"},
                                    {"code", code},
                                    {"redirect_uri", kAppUri},
                                    {"code_verifier", kProof}};
  const auto with = [&](Ask::Fields more) {
    more.insert(more.end(), exchange_fields.begin(), exchange_fields.end());
    return Ask("POST /oauth/token").with_form(more);
  };
  const std::string basic = "Basic cHVibGljLWFwcC0wMDAxOg==";  // public-app-0001:
  const std::string with_secret = "Basic cHVibGljLWFwcC0wMDAxOnNlY3JldA==";
  expect({
      {"a secret",
       with({{"client_id", kApp}, {"client_secret", "secret"}}),
       401,
       "",
       {"invalid_client", "the application is public: it has no secret"}},
      {"Basic without a secret",
       with({}).with("Authorization", basic),
       401,
       "",
       {"invalid_client"}},
      {"Basic with a secret",
       with({}).with("Authorization", with_secret),
       401,
       "",
       {"invalid_client", "public"}},
      {"no client_id", with({}), 401, "", {"invalid_client"}},
      {"a confidential application without its secret",
       with({{"client_id", kClient}}),
       401,
       "",
       {"invalid_client", "needs client_id and client_secret"}},
      {"an unknown application", with({{"client_id", "unknown"}}), 401, "", {"invalid_client"}},
  });
  expect({{"an empty client_secret", with({{"client_id", kApp}, {"client_secret", ""}}), 200}});
}

TEST_F(PublicApplication, OauthP4OauthI1ItCannotIntrospectAndRevokesItsOwnTokensOnly) {
  const Tokens tokens = installed();
  const Tokens others = new_tokens();
  expect({{"its own token",
           Ask("POST /oauth/introspect").with_form({{"client_id", kApp}, {"token", tokens.access}}),
           401,
           "",
           {"invalid_client", "cannot introspect"}}});
  EXPECT_EQ(revoked(others.access).status, 200);
  EXPECT_TRUE(lives(others.access));
  EXPECT_EQ(revoke(tokens.refresh).status, 200) << "of another application";
  EXPECT_TRUE(lives(tokens.access));
}

// --- rotation ---

TEST_F(PublicApplication, OauthP5EachRefreshReplacesTheRefreshToken) {
  Tokens tokens = installed();
  std::set<std::string> all{tokens.access, tokens.refresh};
  for (int i = 0; i < 20; ++i) {
    const Answer answer = refreshed(tokens.refresh);
    tokens = tokens_of(answer);
    EXPECT_EQ(member_of(answer, "expires_in"), "21600");
    all.insert({tokens.access, tokens.refresh});
    EXPECT_TRUE(lives(tokens.access));
    site_.pass(61);
  }
  EXPECT_EQ(all.size(), 42u);
  EXPECT_EQ(reuses(), 0u);
}

TEST_F(PublicApplication, OauthP5TheSameRequestGetsTheSameTokensForAMinute) {
  const Tokens first = installed();
  const Tokens second = tokens_of(refreshed(first.refresh));
  EXPECT_TRUE(lives(second.access)) << "its use does not count";
  site_.pass(60);
  const Answer again = refreshed(first.refresh);
  EXPECT_EQ(tokens_of(again).access, second.access);
  EXPECT_EQ(tokens_of(again).refresh, second.refresh);
  EXPECT_EQ(member_of(again, "expires_in"), "21540") << "less what has passed";
  site_.pass(1);
  EXPECT_EQ(outcome(refreshed(first.refresh)), "400 invalid_grant");
  EXPECT_TRUE(is_ended(second));
  EXPECT_EQ(reuses(), 1u);
}

TEST_F(PublicApplication, OauthP5AUsedTokenWithAnotherScopeEndsItsFamily) {
  for (const char* scope : {"media:read", "all:all", "unknown"}) {
    const Tokens first = installed();
    const Tokens second = tokens_of(refreshed(first.refresh));
    const std::size_t before = reuses();
    EXPECT_EQ(outcome(refreshed(first.refresh, scope)), "400 invalid_grant") << scope;
    EXPECT_TRUE(is_ended(second)) << scope;
    EXPECT_EQ(reuses(), before + 1) << scope;
  }
}

TEST_F(PublicApplication, OauthP5OauthT3ScopesNarrowOneAccessTokenAndNeverTheFamily) {
  Tokens tokens = installed();
  const Answer narrow = refreshed(tokens.refresh, "media:read");
  EXPECT_EQ(member_of(narrow, "scope"), "media:read");
  const Answer again = refreshed(tokens.refresh, "media:read");
  EXPECT_EQ(tokens_of(again).access, tokens_of(narrow).access);
  tokens = tokens_of(narrow);
  EXPECT_EQ(outcome(refreshed(tokens.refresh, "all:all")), "400 invalid_scope");
  EXPECT_EQ(member_of(refreshed(tokens.refresh), "scope"), "media:read stats:read")
      << "the refused request used nothing";
}

// RFC 9700 §4.14: the second user of the token reveals that two have it.
TEST_F(PublicApplication, OauthP5AStolenTokenEndsItsFamilyWhoeverComesFirst) {
  for (const bool thief_first : {true, false}) {
    const Tokens stolen = installed();
    const Tokens of_first = tokens_of(refreshed(stolen.refresh));
    site_.pass(61);
    const Tokens next = thief_first ? tokens_of(refreshed(of_first.refresh)) : of_first;
    const std::size_t before = reuses();
    EXPECT_EQ(outcome(refreshed(stolen.refresh)), "400 invalid_grant") << "the second";
    EXPECT_EQ(reuses(), before + 1);
    EXPECT_TRUE(is_ended(next)) << "neither has access";
    EXPECT_FALSE(lives(of_first.access));
    EXPECT_FALSE(lives(stolen.access));
    EXPECT_EQ(reuses(), before + 1) << "recorded once";
  }
}

// Within a minute both get the same tokens, so the next refresh by one of them reveals the other.
TEST_F(PublicApplication, OauthP5AStolenTokenUsedWithinTheMinuteEndsItsFamilyAtTheNextStep) {
  const Tokens stolen = installed();
  const Tokens owners = tokens_of(refreshed(stolen.refresh));
  site_.pass(30);
  const Tokens thiefs = tokens_of(refreshed(stolen.refresh));
  EXPECT_EQ(thiefs.refresh, owners.refresh);
  const Tokens next = tokens_of(refreshed(thiefs.refresh));
  EXPECT_EQ(outcome(refreshed(stolen.refresh)), "400 invalid_grant")
      << "the successor was presented";
  EXPECT_TRUE(is_ended(next));
  EXPECT_EQ(reuses(), 1u);
}

TEST_F(PublicApplication, OauthP5RequestsAtTheSameTimeGetTheSameTokens) {
  const Tokens tokens = installed();
  const std::vector<Ask> asks(20, to_refresh(tokens.refresh));
  std::set<std::string> access, refresh_tokens;
  for (const Answer& answer : site_.ask_at_once(asks)) {
    access.insert(tokens_of(answer).access);
    refresh_tokens.insert(tokens_of(answer).refresh);
  }
  EXPECT_EQ(access.size(), 1u);
  EXPECT_EQ(refresh_tokens.size(), 1u);
  EXPECT_TRUE(lives(*access.begin()));
  EXPECT_EQ(refreshed(*refresh_tokens.begin()).status, 200);
}

// The token, and the token from its first use, at the same time: in each order the family ends, or
// the token counts as repeated before its successor came.
TEST_F(PublicApplication, OauthP5AUsedTokenAndItsSuccessorAtTheSameTime) {
  for (const bool used_first : {true, false}) {
    const Tokens first = installed();
    const Tokens second = tokens_of(refreshed(first.refresh));
    site_.pass(61);
    std::vector<Ask> asks{to_refresh(first.refresh), to_refresh(second.refresh)};
    if (!used_first) std::swap(asks[0], asks[1]);
    std::string last;
    for (const Answer& answer : site_.ask_at_once(asks)) {
      if (answer.status == 200) last = tokens_of(answer).refresh;
    }
    EXPECT_FALSE(lives(second.access));
    EXPECT_TRUE(last.empty() || outcome(refreshed(last)) == "400 invalid_grant");
  }
  EXPECT_EQ(reuses(), 2u);
}

TEST_F(PublicApplication, OauthP5NoOneElsesClientUsesATokenAndAUsedOneRevealsTheThief) {
  const Tokens first = installed();
  EXPECT_EQ(outcome(refresh(first.refresh)), "400 invalid_grant") << "a confidential application";
  EXPECT_EQ(reuses(), 0u);
  const Tokens second = tokens_of(refreshed(first.refresh));
  EXPECT_TRUE(lives(second.access));
  EXPECT_EQ(outcome(refresh(first.refresh)), "400 invalid_grant");
  EXPECT_TRUE(is_ended(second));
  EXPECT_EQ(reuses(), 1u);
}

TEST_F(PublicApplication, OauthP5AContactWithoutStandingGetsNoTokensAgain) {
  const Tokens first = installed();
  refreshed(first.refresh);
  import_olivia(R"({"account_id": 1001, "role": "user"})");
  EXPECT_EQ(outcome(refreshed(first.refresh)), "400 invalid_grant");
}

TEST_F(PublicApplication, OauthP5SuccessorsAreDerivedAndForgedTokensEndNothing) {
  const Tokens tokens = installed();
  const std::string next = tokens_of(refreshed(tokens.refresh)).refresh;
  EXPECT_EQ(next.substr(0, 5 + 32 + 32), tokens.refresh.substr(0, 5 + 32 + 32));
  // With the secret of the family, but another proof, position or holder.
  std::string proof = next;
  proof[5 + 32 + 32] = proof[5 + 32 + 32] == '0' ? '1' : '0';
  const std::string position = next.substr(0, next.rfind('_')) + "_3";
  const std::string none = next.substr(0, next.rfind('_'));
  std::string holder = next;
  holder.replace(holder.find("_1f5_"), 5, "_1f6_");
  for (const std::string& forged : {proof, position, none, holder}) {
    EXPECT_EQ(outcome(refreshed(forged)), "400 invalid_grant") << forged;
    revoked(forged);
  }
  EXPECT_EQ(reuses(), 0u) << "a forged token ends nothing";
  EXPECT_EQ(refreshed(next).status, 200);
  for (const std::string& key : keys("oauth:*")) {
    for (const std::string& token : {tokens.refresh, next, tokens.access})
      EXPECT_EQ(key.find(token.substr(37, 32)), std::string::npos) << key;
  }
}

TEST_F(PublicApplication, OauthP5RotatesThoughRedisForgotScriptsOrAccessTokens) {
  const Tokens tokens = installed();
  stores().command({"SCRIPT", "FLUSH"});
  for (const std::string& key : keys("oauth:access:*")) stores().command({"DEL", key});
  const Tokens next = tokens_of(refreshed(tokens.refresh));
  EXPECT_TRUE(lives(next.access));
  EXPECT_FALSE(lives(tokens.access));
}

// A failover can lose a rotation whose tokens the client has.
TEST_F(PublicApplication, OauthP5AProvenTokenAfterALostRotationIsValid) {
  const Tokens first = installed();
  const std::string grant = keys("oauth:grant:*").at(0);
  const std::string field = [&] {
    const redis::Reply names = stores().command({"HKEYS", grant});
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string name(*names.at(i).text());
      if (name.starts_with("family:")) return name;
    }
    return std::string();
  }();
  const std::string before(*stores().command({"HGET", grant, field}).text());
  const Tokens second = tokens_of(refreshed(first.refresh));
  const Tokens third = tokens_of(refreshed(second.refresh));
  stores().command({"HSET", grant, field, before});
  const Tokens fourth = tokens_of(refreshed(third.refresh));
  EXPECT_TRUE(lives(fourth.access));
  EXPECT_EQ(outcome(refreshed(second.refresh)), "400 invalid_grant");
  EXPECT_TRUE(is_ended(fourth));
}

// --- families ---

// Not each rotation sets the times to live.
TEST_F(PublicApplication, OauthP6WhatIsUsedAllTheTimeDoesNotExpireInTheStore) {
  Tokens tokens = installed();
  const std::string grant = keys("oauth:grant:*").at(0), access = keys("oauth:access:*").at(0);
  const auto left = [&](const std::string& key) {
    return stores().command({"TTL", key}).integer();
  };
  const auto refresh_each = [&](std::int64_t seconds, int times) {
    for (const std::string& key : {grant, access}) stores().command({"EXPIRE", key, "1000"});
    for (int i = 0; i < times; ++i) {
      site_.pass(seconds);
      tokens = tokens_of(refreshed(tokens.refresh));
    }
  };
  refresh_each(3'600, 25);
  EXPECT_GT(left(grant), 31 * kDay);
  EXPECT_GT(left(access), 21'600);
  refresh_each(10, 6);
  EXPECT_GT(left(access), 21'600);
  EXPECT_TRUE(lives(tokens.access));
  EXPECT_EQ(reuses(), 0U);
}

TEST_F(PublicApplication, OauthP6EachInstallationHasAFamilyOfItsOwn) {
  const Tokens laptop = installed(), phone = installed(), desk = installed();
  const Tokens phone_next = tokens_of(refreshed(phone.refresh));
  site_.pass(61);
  refreshed(phone.refresh);  // a reuse
  EXPECT_TRUE(is_ended(phone_next));
  EXPECT_FALSE(lives(phone.access));
  for (const Tokens& other : {laptop, desk}) EXPECT_TRUE(lives(other.access));
  EXPECT_EQ(revoked(desk.access).status, 200);
  EXPECT_TRUE(is_ended(desk));
  const Tokens next = tokens_of(refreshed(laptop.refresh));
  EXPECT_EQ(events("tokens.revoked"), 1u);
  EXPECT_EQ(revoked(next.refresh).status, 200);
  EXPECT_TRUE(is_ended(next));
  EXPECT_FALSE(lives(laptop.access));
  EXPECT_EQ(browser_.ask(authorize(asks())).status, 303) << "the consent stays";
}

TEST_F(PublicApplication, OauthP6ARevokedUsedTokenEndsItsFamily) {
  const Tokens first = installed();
  const Tokens second = tokens_of(refreshed(first.refresh));
  EXPECT_EQ(revoked(first.refresh).status, 200);
  EXPECT_TRUE(is_ended(second));
}

TEST_F(PublicApplication, OauthP6TheEndOfTheGrantEndsAllFamilies) {
  const Tokens one = installed(), two = installed();
  const std::string code = new_code(asks());
  const Tokens three = tokens_of(exchanged(code));
  EXPECT_EQ(outcome(exchanged(code)), "400 invalid_grant") << "a replayed code";
  for (const Tokens& tokens : {one, two, three}) EXPECT_TRUE(is_ended(tokens));
  EXPECT_EQ(events("code.replayed"), 1u);
  EXPECT_TRUE(keys("oauth:access:*").empty());
  const Tokens four = installed(), five = installed();
  const Answer list = browser_.ask("/settings/connected");
  const std::size_t at = list.body.find("href=\"/settings/connected/");
  const std::string path = list.body.substr(at + 6, list.body.find('"', at + 6) - at - 6);
  const Answer page = browser_.ask(path);
  browser_.submit(page, path);
  for (const Tokens& tokens : {four, five}) EXPECT_TRUE(is_ended(tokens));
  EXPECT_TRUE(keys("oauth:access:*").empty());
}

TEST_F(PublicApplication, OauthP6TheFiftyFirstFamilyEndsTheLeastRecentlyUsed) {
  std::vector<Tokens> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(installed());
    site_.pass(1);
  }
  all[0] = tokens_of(refreshed(all[0].refresh));  // so the second is the least recently used
  const Tokens more = installed();
  EXPECT_TRUE(is_ended(all[1]));
  EXPECT_TRUE(lives(all[0].access));
  EXPECT_TRUE(lives(all[2].access));
  EXPECT_EQ(refreshed(more.refresh).status, 200);
  EXPECT_EQ(keys("oauth:access:*").size(), 50u);
  EXPECT_EQ(reuses(), 0u);
}

TEST_F(PublicApplication, OauthP6AFamilyEndsAfterThirtyIdleDaysAndNinetyInAll) {
  Tokens tokens = installed();
  site_.pass(30 * kDay);
  EXPECT_EQ(outcome(refreshed(tokens.refresh)), "400 invalid_grant") << "idle";
  browser_.log_in(kOlivia);
  tokens = installed();
  for (const std::int64_t days : {29, 29, 29}) {
    site_.pass(days * kDay);
    tokens = tokens_of(refreshed(tokens.refresh));
  }
  site_.pass(3 * kDay - 1);
  tokens = tokens_of(refreshed(tokens.refresh));
  site_.pass(1);
  EXPECT_EQ(outcome(refreshed(tokens.refresh)), "400 invalid_grant") << "never extended";
  EXPECT_EQ(reuses(), 0u);
}

class PublicLifetimes : public PublicApplication {
 protected:
  PublicLifetimes()
      : PublicApplication({"--public-refresh-token-idle=100", "--public-refresh-token-lifetime=250",
                           "--access-tokens-per-grant=3"}) {}
};

TEST_F(PublicLifetimes, OauthP6OauthT11AreConfigurable) {
  Tokens tokens = installed();
  for (const int seconds : {99, 99, 51}) {
    site_.pass(seconds);
    tokens = tokens_of(refreshed(tokens.refresh));
  }
  site_.pass(1);
  EXPECT_EQ(outcome(refreshed(tokens.refresh)), "400 invalid_grant");
}

TEST_F(PublicLifetimes, OauthK4AFamilyHasItsOwnLimitOfAccessTokensAndEveryKeyEnds) {
  const Tokens other = installed();
  Tokens tokens = installed();
  std::vector<std::string> all{tokens.access};
  for (int i = 0; i < 5; ++i) {
    tokens = tokens_of(refreshed(tokens.refresh));
    all.push_back(tokens.access);
  }
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(lives(all[i]), i >= all.size() - 3) << i;
  EXPECT_TRUE(lives(other.access)) << "another installation keeps its tokens";
  for (const std::string& key : keys("oauth:access:*"))
    EXPECT_GT(stores().command({"TTL", key}).integer(), 21'600) << key;
}

TEST_F(PublicApplication, OauthP6ARepetitionByNginxBeginsOneFamily) {
  const std::string code = new_code(asks());
  site_.request_id = "same";
  const Tokens first = tokens_of(exchanged(code));
  const Tokens second = tokens_of(exchanged(code));
  EXPECT_TRUE(is_ended(first)) << "no client received them";
  EXPECT_TRUE(lives(second.access));
  EXPECT_EQ(events("code.replayed"), 0u);
}

// --- round trips ---

TEST_F(PublicApplication, OauthP5ARotationTakesTheTwoRoundTripsOfARefresh) {
  Tokens tokens = tokens_of(refreshed(installed().refresh));
  site_.trips.count = 0;
  tokens = tokens_of(refreshed(tokens.refresh));
  EXPECT_EQ(site_.trips.count, 2);
  lives(tokens.access);
  site_.trips.count = 0;
  EXPECT_EQ(ask("/v1/medias/unknown0?access_token=" + tokens.access).status, 404);
  EXPECT_EQ(site_.trips.count, 1);
}

// --- pages of other origins ---

constexpr const char* kAllowed = "Access-Control-Allow-Origin";
constexpr const char* kExpose = "Access-Control-Expose-Headers";
constexpr const char* kOrigin = "https://spa.example";

TEST_F(PublicApplication, OauthP7APreflightIsForTheOriginsOfAllPublicApplications) {
  import_public(R"("https://SPA.example:443/cb?x=1", "http://127.0.0.1:5173/cb", )"
                R"("http://[::1]/cb", "http://localhost/cb", "com.example.app:/cb")");
  import_other();  // a confidential one
  const auto preflight = [&](const std::string& path, const std::string& origin) {
    const Answer answer = ask(Ask("OPTIONS " + path)
                                  .with("Origin", origin)
                                  .with("Access-Control-Request-Method", "POST"));
    EXPECT_EQ(answer.status, 204);
    EXPECT_EQ(answer.header("Vary"), "Origin");
    EXPECT_EQ(answer.header("Allow"), "POST");
    EXPECT_EQ(answer.header("Access-Control-Allow-Credentials"), "none");
    const bool is_approved = answer.header(kAllowed) != "none";
    EXPECT_EQ(answer.header("Access-Control-Allow-Methods"), is_approved ? "POST" : "none");
    return answer.header(kAllowed);
  };
  for (const char* path : {kTokenPath, kRevokePath}) {
    // On loopback with any port, as redirects.
    for (const char* origin :
         {kOrigin, "http://127.0.0.1:5173", "http://127.0.0.1:1", "http://127.0.0.1",
          "http://[::1]", "http://[::1]:1", "http://localhost", "http://localhost:5173"})
      EXPECT_EQ(preflight(path, origin), origin);
    for (const char* origin :
         {"null", "", "http://spa.example", "https://spa.example:8443", "https://spa.example/",
          "https://SPA.example", "https://spa.example:443", "https://spa.example.evil.example",
          "https://spa.exampl", "https://127.0.0.1:5173", "https://localhost:5173",
          "http://localhost.evil:1", "http://localhost:0", "http://127.0.0.2",
          "https://client.example", "com.example.app:", "com.example.app://cb",
          "https://spa.example https://other.example", "*"})
      EXPECT_EQ(preflight(path, origin), "none") << origin;
    EXPECT_EQ(ask(Ask(std::string("OPTIONS ") + path)).header(kAllowed), "none");
  }
  for (const char* path : {kIntrospectPath, "/oauth/authorize", "/login"}) {
    const Answer answer = ask(Ask(std::string("OPTIONS ") + path).with("Origin", kOrigin));
    EXPECT_EQ(answer.status, 405) << path;
    EXPECT_EQ(answer.header(kAllowed), "none") << path;
  }
}

TEST_F(PublicApplication, OauthP7OnlyPagesOfTheApplicationReadItsResponses) {
  const std::string code = new_code(asks());
  const Ask to_exchange = Ask("POST /oauth/token")
                              .with_form({{"grant_type", "authorization_code"},
                                          {"client_id", kApp},
                                          {"code", code},
                                          {"redirect_uri", kAppUri},
                                          {"code_verifier", kProof}});
  const auto readers = [&](const Ask& asked, const std::string& origin, int status) {
    const Answer answer = ask(asked.with("Origin", origin));
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.header("Vary"), "Origin");
    EXPECT_EQ(answer.header("Access-Control-Allow-Credentials"), "none");
    return answer.header(kAllowed);
  };
  EXPECT_EQ(readers(to_exchange, kOrigin, 200), kOrigin);
  EXPECT_EQ(readers(to_exchange, kOrigin, 400), kOrigin) << "the code is used";
  for (const char* origin : {"null", "https://other.example", "http://spa.example"})
    EXPECT_EQ(readers(to_exchange, origin, 400), "none") << origin;
  for (const char* origin : {"http://localhost:5173", "http://127.0.0.1:5173"})
    EXPECT_EQ(readers(to_exchange, origin, 400), "none") << origin;
  import_public(R"("https://spa.example/cb", "http://localhost/cb")");
  EXPECT_EQ(readers(to_exchange, "http://localhost:5173", 400), "http://localhost:5173");
  EXPECT_EQ(readers(to_exchange, "http://127.0.0.1:5173", 400), "none");
  import_public(R"("https://spa.example/cb")");
  const Tokens tokens = installed();
  const Ask to_revoke =
      Ask("POST /oauth/revoke").with_form({{"client_id", kApp}, {"token", tokens.access}});
  EXPECT_EQ(readers(to_revoke, "https://other.example", 200), "none");
  EXPECT_EQ(readers(to_revoke, kOrigin, 200), kOrigin);
  // Refusals before the application is authenticated.
  const Ask post("POST /oauth/token");
  EXPECT_EQ(
      readers(post.with_form(
                  {{"client_id", kApp}, {"client_secret", "x"}, {"grant_type", "refresh_token"}}),
              kOrigin, 401),
      kOrigin);
  EXPECT_EQ(
      readers(post.with_form({{"client_id", kApp}, {"code", "1"}, {"code", "2"}}), kOrigin, 400),
      kOrigin);
  EXPECT_EQ(readers(post.with_form({{"grant_type", "refresh_token"}}), kOrigin, 401), "none")
      << "no application";
  // The page of one application, with the id of another, or of a confidential one.
  import_other();
  for (const auto& [id, secret] : {std::pair(kOther, kOtherSecret), std::pair(kClient, kSecret)}) {
    EXPECT_EQ(readers(post.with_form({{"client_id", id},
                                      {"client_secret", secret},
                                      {"grant_type", "refresh_token"},
                                      {"refresh_token", "x"}}),
                      "https://client.example", 400),
              "none");
  }
  EXPECT_EQ(readers(Ask("GET /oauth/token"), kOrigin, 405), kOrigin) << "names no application";
  const Answer introspected = ask(Ask("POST /oauth/introspect")
                                      .with("Origin", kOrigin)
                                      .with_form({{"client_id", kApp}, {"token", "x"}}));
  EXPECT_EQ(introspected.header(kAllowed), "none");
  EXPECT_EQ(ask(to_revoke.with("Origin", kOrigin)).header(kExpose), "X-Request-Id");
  stores().command({"SET", "oauth:client:" + std::string(kApp), "{"});
  EXPECT_EQ(readers(to_revoke, kOrigin, 503), kOrigin) << "its origins are unknown";
  EXPECT_EQ(readers(to_revoke, "null", 503), "none");
}

TEST_F(PublicApplication, AnUnknownPathOfOauthHasACode) {
  const Answer answer = site_.ask_pool("grant", "/oauth/tokens");
  EXPECT_EQ(answer.status, 404);
  EXPECT_TRUE(
      answer.has(R"({"error":"invalid_request","error_description":"not found","request_id":")"))
      << answer.body;
}

TEST_F(PublicApplication, OauthP7PagesOfAllOriginsReadTheDataApiAndDocuments) {
  const std::string path = "/v1/medias/l4unchf1lm";
  const Ask get = Ask(path).with("Origin", "https://any.example");
  for (const Answer& answer :
       {ask(get), ask(get.with("Authorization", "Bearer " + installed().access)),
        ask("/v1/account"), site_.ask_pool("grant", "/v1/nothing"), ask(Ask("HEAD " + path))}) {
    EXPECT_EQ(answer.header(kAllowed), "*");
    std::string exposed = "X-Request-Id";
    for (const char* name : {"WWW-Authenticate", "ETag", "RateLimit-Policy", "RateLimit"}) {
      if (answer.header(name) != "none") exposed.append(", ").append(name);
    }
    EXPECT_EQ(answer.header(kExpose), exposed);
    EXPECT_EQ(answer.header("Access-Control-Allow-Credentials"), "none");
  }
  const Answer preflight = ask(Ask("OPTIONS " + path).with("Origin", "https://any.example"));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header(kAllowed), "*");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "GET, HEAD");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Headers"),
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match");
  const Answer described = ask(Ask("/v1/openapi.json"));
  EXPECT_EQ(described.header(kExpose), "X-Request-Id, ETag");
  EXPECT_TRUE(described.has("A page of any origin may send GET and HEAD with its token"));
  const Answer unknown =
      site_.ask_pool("grant", Ask("OPTIONS /v1/nothing").with("Origin", "https://any.example"));
  EXPECT_EQ(unknown.status, 204) << "so that the page can read the 404";
  EXPECT_EQ(unknown.header("Access-Control-Allow-Methods"), "GET, HEAD");
  const Ask list_of_one("/v1/medias?per_page=1");
  EXPECT_EQ(ask(list_of_one.with("Authorization", "Bearer " + installed().access)).header(kExpose),
            "X-Request-Id, Link, RateLimit-Policy, RateLimit");
  // The list has the same path as the upload.
  const Answer list = ask(Ask("OPTIONS /v1/medias").with("Origin", "https://any.example"));
  EXPECT_EQ(list.status, 204);
  EXPECT_EQ(list.header(kAllowed), "*");
  for (const char* change : {"PUT /v1/medias/l4unchf1lm", "DELETE /v1/medias/l4unchf1lm",
                             "POST /v1/medias", "PUT /v1/medias/move", "OPTIONS /v1/medias/move"})
    EXPECT_EQ(ask(Ask(change).with("Origin", kOrigin)).header(kAllowed), "none") << change;
  for (const char* document :
       {"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/v1"})
    EXPECT_EQ(ask(document).header(kAllowed), "*") << document;
}

TEST_F(PublicApplication, OauthD1NoneIsNamedWhileAPublicApplicationExists) {
  const auto names_none = [&] {
    const Answer answer = ask("/.well-known/oauth-authorization-server");
    const std::string methods = R"(["client_secret_basic","client_secret_post","none"])";
    const bool named = answer.has(R"("token_endpoint_auth_methods_supported":)" + methods);
    EXPECT_EQ(answer.has(R"("revocation_endpoint_auth_methods_supported":)" + methods), named);
    EXPECT_FALSE(answer.has(R"("introspection_endpoint_auth_methods_supported":)" + methods));
    return named;
  };
  EXPECT_TRUE(names_none());
  import_public("\"com.example.app:/cb\"");
  EXPECT_TRUE(names_none()) << "it has no origin";
  for (const std::string id : {kApp, "demo-client-0004"}) {
    EXPECT_TRUE(names_none()) << id;
    const std::string page = "/settings/accounts/1001/applications/" + id + "/delete";
    browser_.submit(browser_.ask(page), page);
  }
  EXPECT_FALSE(names_none());
}

}  // namespace
}  // namespace svc::rules::publics
