#include "oauth/grant_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/fixed_entropy.h"
#include "fakes/memory_tokens.h"
#include "fakes/oauth_examples.h"

namespace svc::oauth {
namespace {

using fakes::kChallenge;
using fakes::kVerifier;

class Handler : public testing::Test {
 protected:
  Handler() {
    client_.id = {"app"};
    record_.issued = {client_.id, {7}, {1001}, *ScopeSet::parse("media:read stats:read")};
    record_.redirect_uri = "https://app.example/cb?tenant=1";
    request_.code = code_.text;
    request_.redirect_uri = record_.redirect_uri;
    grants_.codes[code_.text] = record_;
  }

  // Runs the handler for the authenticated client.
  GrantHandler::Outcome run(GrantHandler& handler, std::string_view request_id) {
    base::Result<Client, GrantError> client = client_;
    return fakes::now(handler.run(fakes::finished(std::move(client)), request_, request_id));
  }
  std::string exchange() { return said(run(handler_, "request-1")); }
  // Returns "ok" or the name of the error.
  static std::string said(const base::Result<TokenSet, GrantError>& tokens) {
    return tokens ? "ok" : std::string(name_of(tokens.error().code));
  }

  fakes::FixedEntropy entropy_;
  fakes::MemoryTokens grants_;
  fakes::MemoryStandings standings_;
  fakes::RememberedAudit audit_;
  const Limits limits_{.access = 1234};
  const GrantId grant_ = GrantId::of({7}, {1001}, {"app"});
  const Token code_ = Token::mint(TokenKind::Code, grant_, entropy_);
  Client client_;
  AuthorizationCode record_;
  TokenRequest request_;
  AuthorizationCodeHandler handler_{grants_, standings_, audit_, limits_, entropy_};
  RefreshTokenHandler refresh_handler_{grants_, standings_, limits_, entropy_};
};

using AuthorizationCodeHandlerTest = Handler;

TEST_F(AuthorizationCodeHandlerTest, OauthT4ExchangesACodeForTokens) {
  client_.scope_format = ScopeFormat::String;
  const auto tokens = run(handler_, "request-1");
  ASSERT_TRUE(tokens);
  EXPECT_TRUE(Token::parse(TokenKind::Access, tokens->access_token));
  EXPECT_TRUE(Token::parse(TokenKind::Refresh, tokens->refresh_token));
  EXPECT_TRUE(grants_.tokens.contains(tokens->access_token));
  EXPECT_TRUE(grants_.tokens.contains(tokens->refresh_token));
  EXPECT_NE(tokens->access_token.substr(37), tokens->refresh_token.substr(37));
  EXPECT_EQ(tokens->expires_in, 1234);
  EXPECT_EQ(tokens->scopes, record_.issued.scopes);
  EXPECT_EQ(tokens->scope_format, ScopeFormat::String);
  EXPECT_EQ(grants_.spent_by[code_.text], "request-1");
  EXPECT_TRUE(audit_.said.empty());
}

TEST_F(AuthorizationCodeHandlerTest, OauthT7OauthU4OnlyACompleteProofSpendsTheCode) {
  const auto with = [this](auto change) {
    grants_.codes[code_.text] = record_;
    const Client client = client_;
    const TokenRequest request = request_;
    change();
    const std::string outcome = exchange();
    client_ = client;
    request_ = request;
    return outcome;
  };
  EXPECT_EQ(with([&] { request_.code.clear(); }), "invalid_request");
  EXPECT_EQ(with([&] { request_.redirect_uri.clear(); }), "invalid_request");
  EXPECT_EQ(with([&] { request_.code = "abc"; }), "invalid_grant");
  EXPECT_EQ(with([&] { request_.code.back() ^= 1; }), "invalid_grant");
  EXPECT_EQ(with([&] { request_.code[10] ^= 1; }), "invalid_grant");
  EXPECT_EQ(with([&] { client_.id = {"other"}; }), "invalid_grant");
  for (const char* uri :
       {"https://app.example/cb", "https://app.example/cb?tenant=1&",
        "https://app.example/cb?tenant=2", "https://APP.example/cb?tenant=1",
        "https://app.example:443/cb?tenant=1", "https://app.example/cb?tenant=%31",
        "https://app.example/cb/?tenant=1"}) {
    EXPECT_EQ(with([&] { request_.redirect_uri = uri; }), "invalid_grant") << uri;
  }
  EXPECT_EQ(with([&] { request_.code_verifier = kVerifier; }), "invalid_grant")
      << "oauth-T9: a verifier without a challenge";
  const auto challenged = [&] { grants_.codes[code_.text].code_challenge = kChallenge; };
  EXPECT_EQ(with(challenged), "invalid_grant") << "oauth-T9: a challenge without a verifier";
  EXPECT_EQ(with([&] {
              challenged();
              request_.code_verifier = std::string(kVerifier) + "A";
            }),
            "invalid_grant");
  EXPECT_EQ(grants_.redeemed, 0);
  EXPECT_EQ(with([&] {
              challenged();
              request_.code_verifier = kVerifier;
            }),
            "ok");
  EXPECT_EQ(grants_.redeemed, 1);
}

TEST_F(AuthorizationCodeHandlerTest, OauthT6HasOneWordingForEveryBadGrant) {
  const auto words = [&] { return run(handler_, "r").error().description; };
  request_.redirect_uri = "https://other.example/";
  const std::string redirect = words();
  request_.redirect_uri = record_.redirect_uri;
  request_.code_verifier = kVerifier;
  EXPECT_EQ(words(), redirect);
  request_.code_verifier.clear();
  grants_.redemption = Redemption::Gone;
  EXPECT_EQ(words(), redirect);
  grants_.redemption = Redemption::AlreadyUsed;
  EXPECT_EQ(words(), redirect);
  client_.id = {"other"};
  EXPECT_EQ(words(), redirect);
  request_.code = "unknown";
  EXPECT_EQ(words(), redirect);
  for (const char c : redirect) {
    EXPECT_TRUE(c >= 0x20 && c <= 0x7e && c != '"' && c != '\\') << redirect;
  }
}

TEST_F(AuthorizationCodeHandlerTest, OauthT8RecordsTheSecondUseOfACode) {
  grants_.redemption = Redemption::AlreadyUsed;
  EXPECT_EQ(exchange(), "invalid_grant");
  ASSERT_EQ(audit_.said.size(), 1u);
  EXPECT_EQ(audit_.said[0], "code.replayed app the grant was ended");
  grants_.redemption = Redemption::Gone;
  EXPECT_EQ(exchange(), "invalid_grant");
  EXPECT_EQ(audit_.said.size(), 1u);
}

TEST_F(AuthorizationCodeHandlerTest, OauthB3ACodeOfADemotedContactIsRefusedAndNotSpent) {
  for (const Standing& standing : {Standing{media::Role::User, true}, Standing{std::nullopt, true},
                                   Standing{media::Role::Owner, false}}) {
    standings_.standing = standing;
    EXPECT_EQ(exchange(), "invalid_grant");
    EXPECT_EQ(grants_.redeemed, 0);
  }
  standings_.standing = {media::Role::Manager, true};
  EXPECT_EQ(exchange(), "ok");
  standings_.away = true;
  EXPECT_THROW((void)exchange(), base::Unavailable) << "not known is not allowed";
}

TEST_F(AuthorizationCodeHandlerTest, OauthB3TheSecondUseEndsTheGrantOfADemotedContactToo) {
  standings_.standing = {};
  grants_.codes[code_.text].spent = true;
  grants_.redemption = Redemption::AlreadyUsed;
  EXPECT_EQ(exchange(), "invalid_grant");
  EXPECT_EQ(audit_.said.size(), 1u);
  grants_.redemption = Redemption::Redeemed;  // the same request again
  EXPECT_EQ(exchange(), "invalid_grant");
}

TEST_F(AuthorizationCodeHandlerTest, OauthT6AnOutageIsNotABadGrant) {
  grants_.away = true;
  EXPECT_THROW((void)exchange(), base::Unavailable);
}

// RFC 6749 §5.2: a wrong client gets invalid_client even if the stores are
// unavailable.
TEST_F(Handler, OauthT6TheRefusalOfTheClientComesFirst) {
  grants_.away = true;
  standings_.away = true;
  const Token refresh = Token::mint(TokenKind::Refresh, grant_, entropy_, Holder{{7}, {1001}});
  request_.refresh_token = refresh.text;
  for (GrantHandler* handler :
       {static_cast<GrantHandler*>(&handler_), static_cast<GrantHandler*>(&refresh_handler_)}) {
    base::Result<Client, GrantError> client =
        base::Refusal{GrantError{GrantError::Code::InvalidClient, "wrong"}};
    const auto tokens =
        fakes::now(handler->run(fakes::finished(std::move(client)), request_, "request-1"));
    EXPECT_EQ(said(tokens), "invalid_client");
    EXPECT_THROW((void)run(*handler, "request-1"), base::Unavailable);
  }
}

TEST_F(Handler, OauthT6AMissingParameterIsReportedWithoutTheStore) {
  grants_.away = true;
  request_ = {};
  EXPECT_EQ(said(run(handler_, "request-1")), "invalid_request");
  EXPECT_EQ(said(run(refresh_handler_, "request-1")), "invalid_request");
}

class RefreshTokenHandlerTest : public Handler {
 protected:
  RefreshTokenHandlerTest() {
    request_ = {};
    request_.refresh_token = refresh_.text;
    grants_.tokens[refresh_.text] = record_.issued;
  }
  base::Result<TokenSet, GrantError> refresh(std::string_view scope = "") {
    request_.scope = scope;
    return run(refresh_handler_, "request-1");
  }

  const Token refresh_ = Token::mint(TokenKind::Refresh, grant_, entropy_);
};

TEST_F(RefreshTokenHandlerTest, OauthT10ReturnsANewAccessTokenAndTheSameRefreshToken) {
  const auto first = refresh();
  const auto second = refresh();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->refresh_token, refresh_.text);
  EXPECT_EQ(second->refresh_token, refresh_.text);
  EXPECT_NE(first->access_token, second->access_token);
  EXPECT_TRUE(grants_.tokens.contains(first->access_token)) << "the older one stays";
  EXPECT_TRUE(grants_.tokens.contains(second->access_token));
  EXPECT_EQ(first->expires_in, 1234);
  EXPECT_EQ(first->scopes, record_.issued.scopes);
}

TEST_F(RefreshTokenHandlerTest, OauthT10ScopesMayNarrowAndNeverWiden) {
  struct Case {
    std::string_view scope;
    std::string_view outcome;
  };
  for (const Case& c : {
           Case{"", "media:read stats:read"},
           Case{"media:read", "media:read"},
           Case{"stats:read media:read", "media:read stats:read"},
           Case{"media:read media:read", "media:read"},
           Case{"media:upload", "invalid_scope"},
           Case{"media:read media:upload", "invalid_scope"},
           Case{"all:all", "invalid_scope"},
           Case{"all:read", "invalid_scope"},
           Case{"unknown", "invalid_scope"},
           Case{"media:read,stats:read", "invalid_scope"},
           Case{" ", "invalid_scope"},
       }) {
    const auto tokens = refresh(c.scope);
    EXPECT_EQ(tokens ? tokens->scopes.to_text() : said(tokens), c.outcome) << c.scope;
    if (tokens) {
      EXPECT_EQ(grants_.tokens.at(tokens->access_token).scopes, tokens->scopes);
    }
  }
  EXPECT_EQ(refresh()->scopes, record_.issued.scopes) << "to narrow once narrows nothing later";
}

TEST_F(RefreshTokenHandlerTest, OauthB3DependsOnTheContactsCurrentStanding) {
  for (const Standing& standing : {Standing{media::Role::User, true}, Standing{std::nullopt, true},
                                   Standing{media::Role::Owner, false}}) {
    standings_.standing = standing;
    EXPECT_EQ(said(refresh()), "invalid_grant");
  }
  standings_.standing = {media::Role::Manager, true};
  EXPECT_EQ(said(refresh()), "ok");
  standings_.away = true;
  EXPECT_THROW((void)refresh(), base::Unavailable);
}

TEST_F(RefreshTokenHandlerTest, OauthB3NewTokensContainTheirHolder) {
  EXPECT_EQ(Token::parse(TokenKind::Access, refresh()->access_token)->holder,
            (Holder{{7}, {1001}}));
}

TEST_F(RefreshTokenHandlerTest, OauthT6RefusesAnythingButARefreshTokenOfThisClient) {
  client_.id = {"other"};
  EXPECT_EQ(said(refresh()), "invalid_grant");
  EXPECT_EQ(said(refresh("all:all")), "invalid_grant") << "another's scopes are not told";
  client_.id = {"app"};
  grants_.refresh_token_alive = false;
  EXPECT_EQ(said(refresh()), "invalid_grant");
  grants_.refresh_token_alive = true;
  const Token access = Token::mint(TokenKind::Access, grant_, entropy_);
  grants_.tokens[access.text] = record_.issued;
  for (const std::string& text : {access.text, code_.text, std::string("abc")}) {
    request_.refresh_token = text;
    EXPECT_EQ(said(refresh()), "invalid_grant") << text;
  }
  request_.refresh_token.clear();
  EXPECT_EQ(said(refresh()), "invalid_request");
}

}  // namespace
}  // namespace svc::oauth
