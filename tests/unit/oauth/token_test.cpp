#include "oauth/token.h"

#include <gtest/gtest.h>

#include <string>

#include "fakes/fixed_entropy.h"

namespace svc::oauth {
namespace {

const GrantId kGrant = GrantId::of({7}, {1001}, {"app-1"});

TEST(Token, IsReadOnlyInItsOwnForm) {
  fakes::FixedEntropy entropy;
  const std::string good = Token::mint(TokenKind::Access, kGrant, entropy).text;
  std::string upper = good;
  upper.back() = 'F';
  std::string foreign = good;
  foreign.back() = 'g';
  std::string nul = good;
  nul.back() = '\0';
  for (const std::string& text :
       {std::string(), good.substr(1), good + "0", good.substr(0, good.size() - 1), " " + good,
        good + " ", upper, foreign, nul, "svcr_" + good.substr(5), "SVCA_" + good.substr(5),
        std::string("svca_"), std::string(101, 'a')}) {
    EXPECT_FALSE(Token::parse(TokenKind::Access, text)) << text;
  }
  EXPECT_FALSE(Token::parse(TokenKind::Code, good));
  EXPECT_FALSE(Token::parse(TokenKind::Refresh, good));
}

TEST(Token, AnAccessTokenEndsWithItsPlace) {
  fakes::FixedEntropy entropy;
  Token token = Token::mint(TokenKind::Access, kGrant, entropy);
  EXPECT_EQ(token.to_text(), token.text) << "it is nowhere yet";
  for (const auto& [place, behind] : {std::pair<std::uint64_t, std::string>{1, "1"},
                                      {0x2a, "2a"},
                                      {0xfff'ffff'ffff'ffff, "fffffffffffffff"}}) {
    token.place = place;
    EXPECT_EQ(token.to_text(), token.text + behind);
    const auto parsed = Token::parse(TokenKind::Access, token.to_text());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->text, token.text);
    EXPECT_EQ(parsed->place, place);
  }
  for (const std::string behind : {"0", "01", "G", "A", " 1", "1 ", "-1", "1000000000000000"})
    EXPECT_FALSE(Token::parse(TokenKind::Access, token.text + behind)) << behind;
  const std::string refresh = Token::mint(TokenKind::Refresh, kGrant, entropy).text;
  EXPECT_FALSE(Token::parse(TokenKind::Refresh, refresh + "1"));
}

TEST(Token, ContainsItsHolderInTheAuthenticatedPart) {
  constexpr std::int64_t kLargest = media::kMaxIntegerId;
  for (const auto& [holder, behind] :
       {std::pair{Holder{{7}, {1001}}, "_7_3e9"},
        std::pair{Holder{{kLargest}, {kLargest}}, "_1fffffffffffff_1fffffffffffff"}}) {
    for (const TokenKind kind : {TokenKind::Code, TokenKind::Access, TokenKind::Refresh}) {
      fakes::FixedEntropy entropy;
      fakes::FixedEntropy same;
      Token token = Token::mint(kind, kGrant, entropy, holder);
      EXPECT_EQ(token.text, Token::mint(kind, kGrant, same).text + behind);
      if (kind == TokenKind::Access) token.place = 0x2a;
      const auto parsed = Token::parse(kind, token.to_text());
      ASSERT_TRUE(parsed);
      EXPECT_EQ(parsed->text, token.text);
      EXPECT_EQ(parsed->holder, holder);
      EXPECT_EQ(parsed->place, token.place);
      EXPECT_EQ(parsed->to_text(), token.to_text());
    }
  }
  fakes::FixedEntropy entropy;
  const std::string bare = Token::mint(TokenKind::Access, kGrant, entropy).text;
  for (const std::string behind : {"_", "__", "_7", "_7_", "_7_3e9_", "_07_3e9", "_7_03e9", "_7_0",
                                   "_7_3e9_0", "_7_3e9_01", "_7_3e9_1_", "_7_3e9_1_1", "_7_3E9",
                                   "_7_-1", "_7 _1", "_7_3e9 ", "1_7_3e9", "_100000000000000_1"}) {
    EXPECT_FALSE(Token::parse(TokenKind::Access, bare + behind)) << behind;
  }
  EXPECT_FALSE(Token::parse(TokenKind::Code, "svcc_" + bare.substr(5) + "_7_3e9_1"));
}

TEST(Token, OfAFamilyHasItsPositionOrItsName) {
  fakes::FixedEntropy entropy;
  const std::string bare = Token::mint(TokenKind::Access, kGrant, entropy).text.substr(5);
  const std::string position = "svcr_" + bare + "_7_3e9_1f";
  const auto refresh = Token::parse(TokenKind::Refresh, position);
  ASSERT_TRUE(refresh);
  EXPECT_TRUE(refresh->is_of_family());
  EXPECT_EQ(refresh->place, 31u);
  EXPECT_EQ(refresh->to_text(), position);
  EXPECT_EQ(refresh->secret(), bare.substr(32));
  EXPECT_FALSE(Token::parse(TokenKind::Refresh, "svcr_" + bare + "_7_3e9")->is_of_family());
  const std::string named = "svca_" + bare + "_7_3e9_1f_0123456789abcdef";
  const auto access = Token::parse(TokenKind::Access, named);
  ASSERT_TRUE(access);
  EXPECT_TRUE(access->is_of_family());
  EXPECT_EQ(access->place, 31u);
  EXPECT_EQ(access->family, "0123456789abcdef");
  EXPECT_EQ(access->to_text(), named);
  EXPECT_FALSE(Token::parse(TokenKind::Access, "svca_" + bare + "_7_3e9_1f")->is_of_family());
  for (const char* behind :
       {"_7_3e9_1f_", "_7_3e9_1f_0123456789abcde", "_7_3e9_1f_0123456789abcdef0",
        "_7_3e9_1f_0123456789abcdeF", "_7_3e9_1f_0123456789abcdef_", "_1f_0123456789abcdef",
        "_7_3e9_0_0123456789abcdef"})
    EXPECT_FALSE(Token::parse(TokenKind::Access, "svca_" + bare + behind)) << behind;
  for (const char* behind : {"_1f", "_7_3e9_0", "_7_3e9_01", "_7_3e9_1f_0123456789abcdef"})
    EXPECT_FALSE(Token::parse(TokenKind::Refresh, "svcr_" + bare + behind)) << behind;
}

TEST(GrantId, DiffersByContactAccountAndClient) {
  EXPECT_EQ(GrantId::of({7}, {1001}, {"app-1"}), kGrant);
  EXPECT_NE(GrantId::of({8}, {1001}, {"app-1"}), kGrant);
  EXPECT_NE(GrantId::of({7}, {1002}, {"app-1"}), kGrant);
  EXPECT_NE(GrantId::of({7}, {1001}, {"app-2"}), kGrant);
  // Digits cannot move from one number to the next.
  EXPECT_NE(GrantId::of({71}, {1}, {"x"}), GrantId::of({7}, {11}, {"x"}));
  EXPECT_NE(GrantId::of({7}, {1}, {"1x"}), GrantId::of({7}, {11}, {"x"}));
}

}  // namespace
}  // namespace svc::oauth
