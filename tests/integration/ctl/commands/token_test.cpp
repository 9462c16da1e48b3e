#include <string>
#include <utility>
#include <vector>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

class TokenCommands : public integration::CommandFixture {
 protected:
  TokenCommands() { create_app("client"); }

  Ran inspect(const std::string& token) {
    return run(ctl::token_commands(), {"inspect", "--json"}, token + "\n");
  }
  Ran revoke(const std::string& token, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"revoke", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(ctl::token_commands(), words, token + "\n");
  }
};

TEST_F(TokenCommands, InspectPrintsItsClientUserAndScopes) {
  const auto tokens = authorize({"client"});
  const std::string more =
      R"(","grant":")" + tokens.access.grant.value() +
      R"(","client_id":"client","client_name":"App","contact_id":410,)"
      R"("contact_email":"owner@example.com","account_id":41,"account_name":"With",)"
      R"("scopes":["media:read"],"issued":"2026-05-28T20:26:40Z","expires":)";
  struct Case {
    std::string_view name, beginning;
    const oauth::Token& token;
    std::string_view expires;
  };
  for (const Case& c : {
           Case{"an access token", R"({"kind":"access token","alive":true,"state":"alive)",
                tokens.access, R"("2026-05-29T02:26:40Z"})"},
           Case{"a refresh token", R"({"kind":"refresh token","alive":true,"state":"alive)",
                tokens.refresh, R"("2026-07-27T20:26:40Z"})"},
           Case{"a code that was used",
                R"({"kind":"authorization code","alive":false,"state":"spent)", tokens.code,
                R"("2026-05-28T20:27:40Z"})"},
       }) {
    SCOPED_TRACE(c.name);
    const Ran ran = inspect(c.token.to_text());
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(ran.out, std::string(c.beginning) + more + std::string(c.expires) + "\n");
  }
}

TEST_F(TokenCommands, InspectChangesNothing) {
  const auto tokens = authorize({"client"});
  const std::string before = server_.digest();
  clock_.advance(3600);
  for (const oauth::Token& token : {tokens.access, tokens.refresh, tokens.code})
    inspect(token.to_text());
  EXPECT_EQ(server_.digest(), before);
}

TEST_F(TokenCommands, InspectPrintsTheReasonIfItIsInvalid) {
  const auto first = authorize({"client"});
  const auto second = authorize({"client"});
  EXPECT_NE(inspect(first.refresh.to_text()).out.find("not in the store"), std::string::npos)
      << "a new authorization took its place";
  clock_.advance(limits_.access);
  EXPECT_NE(inspect(second.access.to_text()).out.find(R"("alive":false,"state":"expired")"),
            std::string::npos);
  const auto keys = ring();
  stores::Grants store = grants(keys);
  store_.run(store.revoke_tokens(second.refresh));
  EXPECT_NE(inspect(second.refresh.text).out.find(R"("alive":false)"), std::string::npos);
}

TEST_F(TokenCommands, IsNeverPrinted) {
  const auto tokens = authorize({"client"});
  for (const std::string& given : {tokens.access.to_text(), tokens.access.to_text() + "0",
                                   std::string("Bearer ") + tokens.access.to_text()}) {
    for (const Ran& ran : {inspect(given), revoke(given)}) {
      EXPECT_EQ((ran.out + ran.err).find(tokens.access.text.substr(40)), std::string::npos);
    }
  }
  EXPECT_EQ(inspect("something").status, 1);
  EXPECT_EQ(audited().find(tokens.access.text.substr(40)), std::string::npos);
}

TEST_F(TokenCommands, OauthK7RevokeEndsAllTokensOfItsGrantAndKeepsTheConsent) {
  const auto tokens = authorize({"client"});
  EXPECT_EQ(revoke(tokens.access.to_text()).status, 0);
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_FALSE(alive(tokens.refresh));
  EXPECT_TRUE(find_grant(tokens.access.grant));
  EXPECT_NE(audited().find(R"("what":"tokens.revoked","contact":410,"account":41)"),
            std::string::npos);
  const Ran again = revoke(tokens.access.to_text());
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("nothing was revoked"), std::string::npos);
}

TEST_F(TokenCommands, OauthK7RevokeWithConsentEndsTheGrant) {
  const auto tokens = authorize({"client"});
  const auto other = authorize({"client"}, {411});
  EXPECT_EQ(revoke(tokens.code.text).status, 1) << "a code ends by itself";
  EXPECT_TRUE(alive(tokens.access));
  EXPECT_EQ(revoke(tokens.code.text, {"--consent"}).status, 0);
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_FALSE(alive(tokens.refresh));
  EXPECT_FALSE(find_grant(tokens.code.grant));
  EXPECT_TRUE(alive(other.access)) << "another contact's";
  EXPECT_NE(audited().find(R"("what":"revoked","contact":410,"account":41)"), std::string::npos);
}

// An attacker who sends the operator a forged "leaked token" must not end the grant of a user.
TEST_F(TokenCommands, AForgedTokenRevokesNothing) {
  const auto tokens = authorize({"client"});
  const auto forged = oauth::Token::mint(oauth::TokenKind::Access, tokens.access.grant, entropy_);
  EXPECT_EQ(revoke(forged.text, {"--consent"}).status, 1);
  EXPECT_EQ(revoke(forged.text).status, 1);
  EXPECT_TRUE(alive(tokens.access));
}

class AccountTokenCommands : public TokenCommands {
 protected:
  Ran create(const std::vector<std::string>& other = {}) {
    std::vector<std::string> words{"create", "--json"};
    std::vector<std::pair<std::string, std::string>> all{{"--account", "41"},
                                                         {"--user", "Owner@example.com"},
                                                         {"--name", "Backup"},
                                                         {"--scopes", "media:read,media:upload"},
                                                         {"--expires", "30"}};
    for (auto& [flag, value] : all) {
      for (std::size_t i = 0; i + 1 < other.size(); i += 2) {
        if (other[i] == flag) value = other[i + 1];
      }
      words.insert(words.end(), {flag, value});
    }
    return run(ctl::token_commands(), words);
  }
  static std::string value_of(const std::string& json, const std::string& name) {
    const std::string key = "\"" + name + "\":\"";
    const std::size_t at = json.find(key);
    if (at == std::string::npos) return "";
    return json.substr(at + key.size(), json.find('"', at + key.size()) - at - key.size());
  }
  Ran list(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"list", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(ctl::token_commands(), words);
  }
};

TEST_F(AccountTokenCommands, CreatePrintsTheTokenAndListWhatIsKnownOfIt) {
  const Ran made = create();
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "");
  const std::string id = value_of(made.out, "id");
  const std::string token = value_of(made.out, "token");
  const std::string rest =
      R"(,"name":"Backup","account_id":41,"contact_id":410,"scopes":["media:read","media:upload"],)"
      R"("created":"2026-05-28T20:26:40Z","expires":"2026-06-27T20:26:40Z")";
  EXPECT_EQ(made.out, R"({"id":")" + id + R"(","token":")" + token + R"(")" + rest + "}\n");
  const std::string line = R"({"id":")" + id + R"(")" + rest + R"(,"last_used":null})" + "\n";
  EXPECT_EQ(list().out, line);
  EXPECT_EQ(list({"--account", "41"}).out, line);
  EXPECT_EQ(list({"--account", "42"}).out, "");
  EXPECT_EQ(inspect(token).out, R"({"kind":"account token","alive":true,"state":"alive","id":")" +
                                    id + R"(")" + rest +
                                    R"(,"contact_email":"owner@example.com","account_name":"With",)"
                                    R"("last_used":null})"
                                    "\n");
  EXPECT_NE(audited().find(R"("what":"account_token.created","contact":410,"account":41)"),
            std::string::npos);
  EXPECT_EQ(audited().find(token.substr(49)), std::string::npos);
}

TEST_F(AccountTokenCommands, NeverWarnsOnStandardError) {
  const Ran made = create({"--expires", "never"});
  EXPECT_EQ(made.status, 0);
  EXPECT_NE(made.err.find("this token never expires"), std::string::npos);
  EXPECT_NE(made.out.find(R"("expires":null})"), std::string::npos) << made.out;
}

TEST_F(AccountTokenCommands, CreateSaysWhatIsNotAllowed) {
  set("catalog:account:42",
      R"({"id":42,"name":"Off","host":"b.example","url":"https://b.example"})");
  set("catalog:account:43", R"({"id":43,"name":"Other","host":"c.example",)"
                            R"("url":"https://c.example","oauth_enabled":true})");
  struct Case {
    std::string_view name;
    std::vector<std::string> other;
    int status;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"no such account", {"--account", "77"}, 1, "there is no account 77"},
           Case{"no such user", {"--user", "x@example.com"}, 1, "no user has the email"},
           Case{"OAuth", {"--account", "42"}, 1, "OAuth is not enabled for account 42"},
           Case{"no member", {"--account", "43"}, 1, "is neither owner nor manager of account 43"},
           Case{"a scope", {"--scopes", "media:write"}, 1, "must be a list of all:all"},
           Case{"no name", {"--name", ""}, 1, "name must not be empty"},
           Case{"days", {"--expires", "31"}, 2, "never"},
       }) {
    SCOPED_TRACE(c.name);
    const Ran ran = create(c.other);
    EXPECT_EQ(ran.status, c.status);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(c.says), std::string::npos) << ran.err;
  }
  EXPECT_EQ(list().out, "");
  limits_.tokens_per_account = 1;
  EXPECT_EQ(create().status, 0);
  EXPECT_NE(create().err.find("as many tokens as are allowed, 1"), std::string::npos);
}

TEST_F(AccountTokenCommands, RevokeTakesAnIdOrTheToken) {
  const Ran first = create();
  const Ran second = create();
  const std::string id = value_of(first.out, "id");
  const Ran ended = run(ctl::token_commands(), {"revoke", "--json", "--id", id});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find(R"("revoked":"account token"})"), std::string::npos);
  EXPECT_EQ(run(ctl::token_commands(), {"revoke", "--id", id}).status, 1);
  EXPECT_EQ(run(ctl::token_commands(), {"revoke", "--id", "x"}).status, 1);
  EXPECT_EQ(run(ctl::token_commands(), {"revoke", "--id", id, "--consent"}).status, 2);
  const std::string token = value_of(second.out, "token");
  // Not the token, only its id.
  EXPECT_EQ(revoke(token.substr(0, token.size() - 1) + (token.ends_with('0') ? "1" : "0")).status,
            1);
  EXPECT_NE(list().out, "");
  EXPECT_EQ(revoke(token).status, 0);
  EXPECT_EQ(list().out, "");
  EXPECT_NE(inspect(token).out.find(R"("alive":false)"), std::string::npos);
  EXPECT_EQ(revoke(token).status, 1);
  EXPECT_NE(audited().find(R"("what":"account_token.revoked","contact":410,"account":41)"),
            std::string::npos);
}

}  // namespace
}  // namespace svc
