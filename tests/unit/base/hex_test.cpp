#include "base/hex.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::base {
namespace {

using namespace std::string_view_literals;

TEST(Hex, WritesLowerCaseAndReadsBothCases) {
  EXPECT_EQ(to_hex("\x00\x0f\xf0\xff"
                   "A"sv),
            "000ff0ff41");
  EXPECT_EQ(from_hex("000ff0ff41"),
            "\x00\x0f\xf0\xff"
            "A"sv);
  EXPECT_EQ(from_hex("aAbBfF"), "\xaa\xbb\xff"sv);
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(from_hex(""), "");
}

TEST(Hex, RefusesOddLengthsAndOtherCharacters) {
  for (const std::string_view text :
       {"a", "abc", "0g", "g0", " 00", "0x", "-1", "\xc3\xa9", "0:", "@0", "`0"}) {
    EXPECT_FALSE(from_hex(text)) << text;
  }
}

}  // namespace
}  // namespace svc::base
