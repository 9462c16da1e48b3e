#include "media/id.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::media {
namespace {

TEST(HashedId, IsOneTo64LettersAndDigits) {
  for (const std::string& text : {std::string("a"), std::string("0"), std::string("l4unchf1lm"),
                                  std::string("AZaz09"), std::string(64, 'x')}) {
    const auto id = HashedId::parse(text);
    ASSERT_TRUE(id) << text;
    EXPECT_EQ(id->value(), text);
  }
}

TEST(HashedId, RefusesAnythingElse) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, "a b"sv, "a-b"sv, "a_b"sv, "a/b"sv, "a%2fb"sv, "a.b"sv, "é"sv, "a\0"sv, "a\n"sv,
        "*"sv, "a:b"sv, "a\\"sv, "a;x"sv, "a?x"sv, "a\xff\xc0\xaf"sv, "."sv}) {
    EXPECT_FALSE(HashedId::parse(text)) << text;
  }
  EXPECT_FALSE(HashedId::parse(std::string(65, 'x')));
}

TEST(ProjectId, IsOneTo64LettersDigitsUnderscoresAndHyphens) {
  for (const std::string& text : {std::string("p"), std::string("P-1_x"), std::string(64, '-')})
    EXPECT_EQ(ProjectId::parse(text), ProjectId{text});
  for (const std::string& text : {std::string(), std::string("a b"), std::string("a.b"),
                                  std::string("é"), std::string("a\n"), std::string(65, 'x')})
    EXPECT_FALSE(ProjectId::parse(text)) << text;
}

TEST(HashedId, ComparesByItsTextAndItsCase) {
  EXPECT_EQ(HashedId::parse("abc"), HashedId::parse("abc"));
  EXPECT_NE(HashedId::parse("abc"), HashedId::parse("Abc"));
}

}  // namespace
}  // namespace svc::media
