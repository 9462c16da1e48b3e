#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::text {
namespace {

TEST(Utf8, ReturnsTheLengthOfTheFirstCharacter) {
  struct Case {
    std::string_view name, text;
    std::size_t length;
  };
  using namespace std::string_view_literals;
  for (const Case& c : {
           Case{"nothing", "", 0},
           Case{"NUL", "\0"sv, 1},
           Case{"U+007F", "\x7f", 1},
           Case{"U+0080, the first of two bytes", "\xc2\x80", 2},
           Case{"U+07FF, the last of two bytes", "\xdf\xbf", 2},
           Case{"U+0800, the first of three bytes", "\xe0\xa0\x80", 3},
           Case{"U+D7FF, before the surrogates", "\xed\x9f\xbf", 3},
           Case{"U+E000, behind the surrogates", "\xee\x80\x80", 3},
           Case{"U+FFFF", "\xef\xbf\xbf", 3},
           Case{"U+10000, the first of four bytes", "\xf0\x90\x80\x80", 4},
           Case{"U+10FFFF, the last of all", "\xf4\x8f\xbf\xbf", 4},
           Case{"only the first is looked at", "a\xff", 1},
           Case{"a continuation byte alone", "\x80", 0},
           Case{"an overlong NUL", "\xc0\x80", 0},
           Case{"an overlong slash", "\xc1\xaf", 0},
           Case{"an overlong form of three bytes", "\xe0\x9f\xbf", 0},
           Case{"an overlong form of four bytes", "\xf0\x8f\xbf\xbf", 0},
           Case{"a high surrogate", "\xed\xa0\x80", 0},
           Case{"a low surrogate", "\xed\xbf\xbf", 0},
           Case{"past U+10FFFF", "\xf4\x90\x80\x80", 0},
           Case{"five bytes", "\xf8\x88\x80\x80\x80", 0},
           Case{"0xFE", "\xfe", 0},
           Case{"0xFF", "\xff", 0},
           Case{"two bytes, cut", "\xc3", 0},
           Case{"three bytes, cut behind the first", "\xe2", 0},
           Case{"three bytes, cut behind the second", "\xe2\x82", 0},
           Case{"four bytes, cut behind the third", "\xf0\x9f\x98", 0},
           Case{"a lead byte and an ASCII letter", "\xc3(", 0},
           Case{"a wrong third byte", "\xe2\x82(", 0},
           Case{"a wrong fourth byte", "\xf0\x9f\x98(", 0},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(utf8_length(c.text), c.length);
  }
}

TEST(Utf8, ValidatesAWholeText) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("Ćlara Östlund 陈 😀"));
  EXPECT_FALSE(is_utf8("caf\xe9"));                    // Latin-1
  EXPECT_FALSE(is_utf8("good\xc3\xa9 \xf0\x9f\x98"));  // cut in its last character
}

}  // namespace
}  // namespace svc::text
