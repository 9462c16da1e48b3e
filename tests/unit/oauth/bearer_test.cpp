#include "oauth/bearer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/fixed_entropy.h"
#include "fakes/memory_tokens.h"

namespace svc::oauth {
namespace {

std::string said(const BearerError& error) {
  switch (error.code) {
    case BearerError::Code::Missing: return "missing";
    case BearerError::Code::InvalidRequest: return "invalid_request";
    case BearerError::Code::InvalidToken: return "invalid_token";
    case BearerError::Code::InsufficientScope: return "insufficient_scope";
  }
  return "";
}

TEST(BearerToken, OauthB1IsReadFromOneOfThreeCarriers) {
  struct Case {
    std::string_view name;
    std::string_view query;
    std::string_view header;
    std::string_view token;
  };
  for (const Case& c : {
           Case{"access_token", "access_token=abc", "", "abc"},
           Case{"bearer_token", "a=1&bearer_token=abc", "", "abc"},
           Case{"a header", "", "Bearer abc", "abc"},
           Case{"the scheme in any case", "", "bEARER abc", "abc"},
           Case{"more than one space", "", "Bearer   abc", "abc"},
           Case{"all of b64token", "", "Bearer aZ09-._~+/==", "aZ09-._~+/=="},
           Case{"escaped", "access_token=%61bc", "", "abc"},
           Case{"an empty parameter beside", "access_token=&bearer_token=abc", "", "abc"},
           Case{"an empty parameter beside a header", "access_token=", "Bearer abc", "abc"},
           Case{"a header of another scheme beside", "access_token=abc", "Basic YTpi", "abc"},
           Case{"nothing", "", "", "missing"},
           Case{"empty parameters", "access_token=&bearer_token=", "", "missing"},
           Case{"another scheme", "", "Basic YTpi", "missing"},
           Case{"the scheme alone", "", "Bearer", "missing"},
           Case{"no space", "", "Bearerabc", "missing"},
           Case{"twice the same", "access_token=abc&access_token=abc", "", "invalid_request"},
           Case{"both names", "access_token=abc&bearer_token=abc", "", "invalid_request"},
           Case{"query and header", "access_token=abc", "Bearer abc", "invalid_request"},
           Case{"query and header, the other", "bearer_token=abc", "bearer abc", "invalid_request"},
           Case{"two words", "", "Bearer a b", "invalid_request"},
           Case{"no token68", "", "Bearer a,b", "invalid_request"},
           Case{"padding first", "", "Bearer =a", "invalid_request"},
           Case{"padding within", "", "Bearer a=b", "invalid_request"},
           Case{"padding alone", "", "Bearer ==", "invalid_request"},
           Case{"spaces alone", "", "Bearer  ", "invalid_request"},
       }) {
    const auto token = bearer_token(c.query, c.header);
    EXPECT_EQ(token ? *token : said(token.error()), c.token) << c.name;
  }
}

TEST(BearerToken, OauthB2GrantsAccessAsItsScopesAllow) {
  fakes::MemoryTokens grants;
  fakes::MemoryStandings standings;
  fakes::FixedEntropy entropy;
  const GrantId grant = GrantId::of({7}, {1001}, {"app-1"});
  const Token access = Token::mint(TokenKind::Access, grant, entropy);
  const Token refresh = Token::mint(TokenKind::Refresh, grant, entropy);
  const Token code = Token::mint(TokenKind::Code, grant, entropy);
  const Issued issued{{"app-1"}, {7}, {1001}, *ScopeSet::parse("media:read stats:read")};
  for (const Token& token : {access, refresh, code}) grants.tokens[token.text] = issued;
  const auto check = [&](std::string_view token, std::string_view any_of) {
    const ScopeSet wanted = *ScopeSet::parse(any_of);
    const auto found = fakes::now(check_bearer(grants, standings, token, wanted));
    return found ? std::to_string(found->account.value()) : said(found.error());
  };
  EXPECT_EQ(check(access.text, "media:read"), "1001");
  EXPECT_EQ(check(access.text, "all:all stats:read"), "1001");
  EXPECT_EQ(check(access.text, "all:all media:upload"), "insufficient_scope");
  EXPECT_EQ(check(refresh.text, "media:read"), "invalid_token") << "of another kind";
  EXPECT_EQ(check(code.text, "media:read"), "invalid_token");
  EXPECT_EQ(check(Token::mint(TokenKind::Access, grant, entropy).text, "media:read"),
            "invalid_token");
  EXPECT_EQ(check("abc", "media:read"), "invalid_token");
  EXPECT_EQ(check("", "media:read"), "invalid_token");

  for (const Standing& standing : {Standing{media::Role::User, true}, Standing{std::nullopt, true},
                                   Standing{media::Role::Owner, false}}) {
    standings.standing = standing;
    EXPECT_EQ(check(access.text, "media:read"), "invalid_token") << "oauth-B3";
  }
  standings.standing = {media::Role::Manager, true};
  EXPECT_EQ(check(access.text, "media:read"), "1001");
  standings.away = true;
  EXPECT_THROW(check(access.text, "media:read"), base::Unavailable);
}

TEST(BearerToken, OauthB2AnUnknownTokenIsInvalidEvenDuringAnOutage) {
  fakes::MemoryTokens grants;
  fakes::MemoryStandings standings;
  fakes::FixedEntropy entropy;
  const GrantId grant = GrantId::of({7}, {1001}, {"app-1"});
  const Token token = Token::mint(TokenKind::Access, grant, entropy, Holder{{7}, {1001}});
  const ScopeSet wanted = *ScopeSet::parse("media:read");
  standings.away = true;
  const auto refused = fakes::now(check_bearer(grants, standings, token.to_text(), wanted));
  ASSERT_FALSE(refused);
  EXPECT_EQ(said(refused.error()), "invalid_token");
  grants.tokens[token.text] = {{"app-1"}, {7}, {1001}, wanted};
  EXPECT_THROW((void)fakes::now(check_bearer(grants, standings, token.to_text(), wanted)),
               base::Unavailable);
}

}  // namespace
}  // namespace svc::oauth
