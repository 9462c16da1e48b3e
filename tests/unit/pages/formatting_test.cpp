#include "pages/formatting.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::pages {
namespace {

constexpr std::int64_t kNow = 1'772'528'700;  // 2026-03-03T09:05:00Z

TEST(Formatting, PagesW5RecentTimesAreRelativeAndOlderTimesAreDates) {
  struct Case {
    std::int64_t ago;
    std::string_view words;
  };
  for (const Case& c : {
           Case{0, "just now"},
           Case{59, "just now"},
           Case{-59, "just now"},
           Case{60, "1 minute ago"},
           Case{3599, "59 minutes ago"},
           Case{3600, "1 hour ago"},
           Case{86'399, "23 hours ago"},
           Case{86'400, "1 day ago"},
           Case{29 * 86'400, "29 days ago"},
           Case{30 * 86'400, "1 February 2026"},
           Case{365 * 86'400, "3 March 2025"},
           Case{kNow, "1 January 1970"},
           Case{-86'400, "4 March 2026"},
       }) {
    EXPECT_EQ(relative_time(kNow - c.ago, kNow), c.words);
  }
}

TEST(Formatting, PagesW5FullTimesAreInUtc) {
  EXPECT_EQ(full_time(kNow), "3 March 2026, 09:05 UTC");
  EXPECT_EQ(full_time(0), "1 January 1970, 00:00 UTC");
}

TEST(Formatting, PagesW5NumbersHaveSeparators) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(1'234'567), "1,234,567");
  EXPECT_EQ(with_separators(-123'456), "-123,456");
  EXPECT_EQ(counted(0, "person", "people"), "no people");
  EXPECT_EQ(counted(1, "person", "people"), "1 person");
  EXPECT_EQ(counted(1234, "person", "people"), "1,234 people");
}

TEST(Formatting, PagesW5NamesAreClippedBetweenCharacters) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "abc…");
  EXPECT_EQ(clipped("予約投稿", 3), "予約投…");
  EXPECT_EQ(clipped("", 3), "");
}

}  // namespace
}  // namespace svc::pages
