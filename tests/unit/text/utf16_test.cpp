#include "text/utf16.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace svc::text {
namespace {

TEST(Utf16, TakesACharacterOrAUnitThatIsNone) {
  using namespace std::string_view_literals;
  struct Case {
    std::string_view bytes;
    std::optional<char32_t> character;
    std::size_t left;
  };
  for (const Case& c : {
           Case{"\0A"sv, U'A', 0},
           Case{"\x26\x1d"sv, U'\u261d', 0},
           Case{"\xd8\x3d\xde\x00"sv, U'\U0001f600', 0},
           Case{"\xdb\xff\xdf\xff"sv, U'\U0010ffff', 0},
           Case{"\xd8\x3d\0A"sv, std::nullopt, 2},
           Case{"\xde\x00\0A"sv, std::nullopt, 2},
           Case{"\xd8\x3d\xde"sv, std::nullopt, 1},
       }) {
    std::string_view bytes = c.bytes;
    EXPECT_EQ(take_utf16(bytes, ByteOrder::BigEndian), c.character);
    EXPECT_EQ(bytes.size(), c.left);
  }
  std::string_view bytes = "\x3d\xd8\x00\xde"sv;
  EXPECT_EQ(take_utf16(bytes, ByteOrder::LittleEndian), U'\U0001f600');
  EXPECT_EQ(high_surrogate_of(U'\U0001f600'), 0xd83dU);
  EXPECT_EQ(low_surrogate_of(U'\U0001f600'), 0xde00U);
}

}  // namespace
}  // namespace svc::text
