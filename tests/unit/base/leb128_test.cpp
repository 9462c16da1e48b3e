#include "base/leb128.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace svc::base {
namespace {

TEST(Leb128, IsReadAsItWasWritten) {
  struct Case {
    std::uint64_t number;
    std::string_view bytes;
  };
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  for (const Case& c : {
           Case{0, std::string_view("\0", 1)},
           Case{0x7f, "\x7f"},
           Case{0x80, "\x80\x01"},
           Case{300, "\xac\x02"},
           Case{kMost, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
       }) {
    std::string bytes;
    append_leb128(bytes, c.number);
    EXPECT_EQ(bytes, c.bytes);
    bytes += "rest";
    std::string_view left = bytes;
    EXPECT_EQ(take_leb128(left), c.number);
    EXPECT_EQ(left, "rest");
  }
}

TEST(Leb128, RefusesWhatHasNoEndOrMoreThan64Bits) {
  for (const std::string_view bytes :
       {"", "\x80", "\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"}) {
    std::string_view left = bytes;
    EXPECT_FALSE(take_leb128(left)) << bytes.size();
  }
}

}  // namespace
}  // namespace svc::base
