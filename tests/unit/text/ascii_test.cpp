#include "text/ascii.h"

#include <gtest/gtest.h>

#include <string_view>

namespace svc::text {
namespace {

TEST(Ascii, TrimsSpacesAndControlCharactersAtBothEnds) {
  struct Case {
    std::string_view text, expected;
  };
  for (const Case& c : {
           Case{"", ""}, Case{" \t\r\n\x7f", ""}, Case{"a", "a"}, Case{" \ta b\r\n", "a b"},
           Case{"\xc2\xa0", "\xc2\xa0"},  // a no-break space is not ASCII
       }) {
    EXPECT_EQ(trimmed(c.text), c.expected);
  }
}

}  // namespace
}  // namespace svc::text
