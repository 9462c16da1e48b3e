#include "oauth/authorization_link.h"

#include <gtest/gtest.h>

namespace svc::oauth {
namespace {

TEST(AuthorizationLink, HasAllRequiredParameters) {
  Client client;
  client.id = {"a.b-c_1"};
  client.redirect_uri = "https://client.example/cb?a=1&b=c d";
  client.scopes = *ScopeSet::parse("media:read stats:read");
  EXPECT_EQ(authorization_link("https://app.example", client),
            "https://app.example/oauth/authorize?client_id=a.b-c_1&response_type=code"
            "&redirect_uri=https%3A%2F%2Fclient.example%2Fcb%3Fa%3D1%26b%3Dc%20d"
            "&scope=media%3Aread%20stats%3Aread");
}

}  // namespace
}  // namespace svc::oauth
