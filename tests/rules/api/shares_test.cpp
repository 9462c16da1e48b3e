// api.md: an account's share of the pool.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rules/api/api.h"

namespace svc::rules::shares {
namespace {

using namespace std::chrono_literals;

class Shares : public WithApi {
 protected:
  static constexpr std::int64_t kHandmade = 1002;

  void SetUp() override {
    acme_ = token_of("all:all");
    other_ = token_of("all:all", "1002");
    site_.pass(5);  // without requests
  }
  Answer ask_as(const std::string& token, const Ask& ask) {
    return site_.ask(ask.with("Authorization", "Bearer " + token));
  }
  // Acme has used all that it may, and others send requests.
  void use_all() {
    site_.use("grant", kHandmade, 0ms);
    for (int i = 0; i < 8; ++i) site_.use("grant", kAcme, 500ms);
  }

  std::string acme_;
  std::string other_;
};

TEST_F(Shares, ApiN41BeyondItAnAccountIsRefusedWhileOthersSendRequests) {
  use_all();
  for (const char* line : {"/v1/medias", "/v1/medias/l4unchf1lm", "/v1/account", "/v1/captions",
                           "PUT /v1/medias/l4unchf1lm", "/v1/projects.json", "/v1/allowed_domains",
                           "/v1/stats/account", "/v1/medias/n0such"}) {
    SCOPED_TRACE(line);
    const Answer refused = ask_as(acme_, line);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(member(refused, "error"), "slow_down");
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(refused.header("RateLimit"), "\"account\";r=0;t=1");
    EXPECT_NE(ask_as(other_, line).status, 429);
  }
  EXPECT_EQ(ask_as(acme_ + "x", "/v1/account").status, 401) << "the token first";
  site_.pass(1);
  site_.use("grant", kHandmade, 1000ms);
  EXPECT_EQ(ask_as(acme_, "/v1/account").status, 200);
}

TEST_F(Shares, ApiN41WithoutOthersItHasAll) {
  for (int i = 0; i < 8; ++i) site_.use("grant", kAcme, 500ms);
  EXPECT_EQ(ask_as(acme_, "/v1/account").status, 200);
}

TEST_F(Shares, ApiN41ResponsesTellWhatIsLeft) {
  const Answer first = ask_as(acme_, "/v1/account");
  EXPECT_EQ(first.header("RateLimit-Policy"), "\"account\";q=1000;qu=\"milliseconds\";w=1");
  EXPECT_EQ(first.header("RateLimit"), "\"account\";r=999;t=1");
  EXPECT_EQ(ask_as(acme_, "/v1/openapi.json").header("RateLimit"), "none");
  EXPECT_EQ(ask_as(acme_ + "x", "/v1/account").header("RateLimit"), "none");
  EXPECT_TRUE(ask_as(acme_, "/v1/account")
                  .header("Access-Control-Expose-Headers")
                  .ends_with("RateLimit-Policy, RateLimit"));
}

}  // namespace
}  // namespace svc::rules::shares
