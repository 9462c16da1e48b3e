#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::base {
namespace {

TEST(Number, IsTheWholeTextAndWithinItsRange) {
  struct Case {
    std::string_view name, text;
    std::optional<std::int64_t> number;
  };
  for (const Case& c : {
           Case{"a number", "42", 42},
           Case{"the lowest", "-5", -5},
           Case{"the highest", "1000", 1000},
           Case{"zero", "0", 0},
           Case{"leading zeros", "007", 7},
           Case{"below the lowest", "-6", std::nullopt},
           Case{"above the highest", "1001", std::nullopt},
           Case{"beyond the type", "9223372036854775808", std::nullopt},
           Case{"no text", "", std::nullopt},
           Case{"a sign alone", "-", std::nullopt},
           Case{"a plus sign", "+1", std::nullopt},
           Case{"a space in front", " 1", std::nullopt},
           Case{"a space at the end", "1 ", std::nullopt},
           Case{"a decimal point", "1.0", std::nullopt},
           Case{"letters", "x", std::nullopt},
           Case{"a prefix of hexadecimal digits", "0x1", std::nullopt},
           Case{"a NUL at the end", std::string_view("1\0", 2), std::nullopt},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(parse_number<std::int64_t>(c.text, -5, 1000), c.number);
  }
}

TEST(Number, DefaultRangeIsThatOfItsType) {
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::int64_t>("-9223372036854775808"), INT64_MIN);
}

TEST(Number, MayHaveAnotherBase) {
  EXPECT_EQ(parse_number<unsigned>("660", 0, 0777, 8), 0660u);
  EXPECT_EQ(parse_number<unsigned>("8", 0, 0777, 8), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("fF", 0, 255, 16), 255u);
}

TEST(Number, MayHaveDecimals) {
  EXPECT_EQ(parse_number<double>("0.5", 0.1, 3600), 0.5);
  for (const std::string_view text : {"0.05", "3601", "nan", "inf", "1s", ""})
    EXPECT_EQ(parse_number<double>(text, 0.1, 3600), std::nullopt) << text;
}

TEST(Number, IsTakenFromTheStartOfAText) {
  std::string_view text = "12 34";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, " 34");
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, " 34") << "it stays as it is";
  std::string_view large = "300,";
  EXPECT_EQ(take_number<std::uint8_t>(large), std::nullopt);
  EXPECT_EQ(large, "300,");
}

}  // namespace
}  // namespace svc::base
