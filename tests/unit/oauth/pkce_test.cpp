#include "oauth/pkce.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/oauth_examples.h"

namespace svc::oauth {
namespace {

using fakes::kChallenge;
using fakes::kVerifier;

TEST(Pkce, OauthT9ProvesTheChallengeOfTheStandard) {
  EXPECT_TRUE(pkce::proves(kVerifier, kChallenge));
}

TEST(Pkce, OauthT9RequiresAVerifierIfAndOnlyIfThereIsAChallenge) {
  EXPECT_TRUE(pkce::proves("", ""));
  EXPECT_FALSE(pkce::proves(kVerifier, ""));
  EXPECT_FALSE(pkce::proves("", kChallenge));
}

TEST(Pkce, OauthT9RefusesEverythingElse) {
  std::string changed(kVerifier);
  changed.back() = 'j';
  for (const std::string& verifier :
       {changed, std::string(kVerifier) + "A", std::string(kVerifier.substr(0, 42)),
        std::string(kChallenge),  // the method plain
        std::string(kVerifier) + "=", " " + std::string(kVerifier), std::string(43, 'A')}) {
    EXPECT_FALSE(pkce::proves(verifier, kChallenge)) << verifier;
  }
  EXPECT_FALSE(pkce::proves(kVerifier, std::string(kChallenge) + "="));
}

TEST(Pkce, OauthA4AcceptsOnlyWellFormedTexts) {
  struct Case {
    std::string_view name;
    std::string text;
    bool well_formed;
  };
  for (const Case& c : {
           Case{"43 characters", std::string(43, 'a'), true},
           Case{"128 characters", std::string(128, 'a'), true},
           Case{"42 characters", std::string(42, 'a'), false},
           Case{"129 characters", std::string(129, 'a'), false},
           Case{"nothing", "", false},
           Case{"all kinds", "AZaz09-._~AZaz09-._~AZaz09-._~AZaz09-._~AZa", true},
           Case{"a plus", std::string(42, 'a') + "+", false},
           Case{"a slash", std::string(42, 'a') + "/", false},
           Case{"padding", std::string(42, 'a') + "=", false},
           Case{"a space", std::string(42, 'a') + " ", false},
           Case{"a NUL", std::string(42, 'a') + std::string(1, '\0'), false},
           Case{"not ASCII", std::string(42, 'a') + "\xc3\xa9", false},
       }) {
    EXPECT_EQ(pkce::is_well_formed(c.text), c.well_formed) << c.name;
  }
}

}  // namespace
}  // namespace svc::oauth
