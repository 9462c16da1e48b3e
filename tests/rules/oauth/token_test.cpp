// oauth.md, Token endpoint.
#include <gtest/gtest.h>

#include "rules/oauth/application.h"

namespace svc::rules {
namespace {

using TokenEndpoint = WithApplication;

TEST_F(TokenEndpoint, OauthT8ACodeIsGoodForOneExchange) {
  const std::string code = new_code();
  const Answer first = exchange(code);
  EXPECT_EQ(first.status, 200) << first.body;
  const Answer second = exchange(code);
  EXPECT_EQ(second.status, 400);
  EXPECT_EQ(member_of(second, "error"), "invalid_grant");
  EXPECT_EQ(refresh(member_of(first, "refresh_token")).status, 400) << "a replay ends the grant";
}

TEST_F(TokenEndpoint, OauthA7ACodeEndsAfterAMinute) {
  const std::string late = new_code();
  site_.pass(59);
  EXPECT_EQ(exchange(new_code()).status, 200);
  site_.pass(2);
  EXPECT_EQ(member_of(exchange(late), "error"), "invalid_grant");
}

TEST_F(TokenEndpoint, OauthT11AnAccessTokenEndsAfterSixHours) {
  const std::string token = member_of(exchange(new_code()), "access_token");
  const std::string media = "/v1/medias/l4unchf1lm?access_token=" + token;
  site_.pass(21599);
  EXPECT_EQ(ask(media).status, 200);
  site_.pass(1);
  EXPECT_EQ(ask(media).status, 401);
}

}  // namespace
}  // namespace svc::rules
