#include "text/characters.h"

#include <gtest/gtest.h>

namespace svc::text {
namespace {

TEST(Characters, DetectControlAndFormatCharacters) {
  for (const char* character :
       {"\n", "\x1b", "\x7f", "\u0080", "\u009f", "\u061c", "\u200e", "\u2028", "\u202e", "\u2066",
        "\u2069", "\U000e0001", "\U000e007f"}) {
    EXPECT_TRUE(is_obeyed(character)) << character;
    EXPECT_TRUE(is_blank(character)) << character;
  }
}

TEST(Characters, DetectInvisibleCharacters) {
  for (const char* character :
       {" ", "\u00a0", "\u00ad", "\u115f", "\u2003", "\u200b", "\u200d", "\u2060", "\u2800",
        "\u3000", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\U000e0100"}) {
    EXPECT_FALSE(is_obeyed(character)) << character;
    EXPECT_TRUE(is_blank(character)) << character;
  }
}

TEST(Characters, AcceptVisibleCharacters) {
  for (const char* character : {"a", "~", "\u00a1", "\u00e9", "\u0431", "\u05d0", "\u4e2d",
                                "\u2010", "\u2801", "\uac00", "\U0001f3ac", "\U0010ffff"}) {
    EXPECT_FALSE(is_obeyed(character)) << character;
    EXPECT_FALSE(is_blank(character)) << character;
  }
}

TEST(Characters, VisibleTextsHaveACharacterThatIsNotBlank) {
  for (const char* text : {"a", " \u4e2d", "\u202e\u05d0"}) EXPECT_TRUE(has_visible(text)) << text;
  for (const char* text : {"", "  ", "\u200b\u2060", "\ufeff\u202e", "\uffff\ufdd0", "a\xff"})
    EXPECT_FALSE(has_visible(text)) << text;
}

TEST(Characters, WhiteSpaceIsRemovedAtBothEnds) {
  for (const char* text : {"a b", " a b ", "\t\r\na b\v\f", "\u00a0\u3000a b\u2003 \ufeff"})
    EXPECT_EQ(without_white_space(text), "a b") << text;
  for (const char* text : {"", " ", "\u00a0\n"}) EXPECT_EQ(without_white_space(text), "") << text;
  for (const char* text :
       {"a\x01", "\x7f", "\u202ea", "\xa0", "\xff\xa0\xa0", "\xe2\x80", "\x80\x80\x80\x80\x80"})
    EXPECT_EQ(without_white_space(text), text);
}

}  // namespace
}  // namespace svc::text
