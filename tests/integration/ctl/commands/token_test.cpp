#include "ctl/commands/token.h"

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

}  // namespace
}  // namespace svc
