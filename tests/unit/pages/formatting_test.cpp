#include "pages/formatting.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::pages {
namespace {

constexpr std::int64_t kNow = 1'772'528'700;  // 2026-03-03T09:05:00Z

TEST(Formatting, RecentTimesAreRelativeAndOlderTimesAreDates) {
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

TEST(Formatting, FullTimesAreInUtc) {
  EXPECT_EQ(full_time(kNow), "3 March 2026, 09:05 UTC");
  EXPECT_EQ(full_time(0), "1 January 1970, 00:00 UTC");
}

TEST(Formatting, PositionsAreSecondsOrAsOnAClock) {
  struct Case {
    std::string_view text;
    std::optional<std::int64_t> milliseconds;
  };
  for (const Case& c : {
           Case{"0", 0},
           Case{"75", 75'000},
           Case{"1:15", 75'000},
           Case{"90:00", 5'400'000},
           Case{"1:02:03", 3'723'000},
           Case{"1:2:3", 3'723'000},
           Case{"2:03.5", 123'500},
           Case{"42,25", 42'250},
           Case{"0.005", 5},
           Case{"1000000", 1'000'000'000},
           Case{"1000001", std::nullopt},
           Case{"16666:41", std::nullopt},
           Case{"0:75", std::nullopt},
           Case{"1:60:00", std::nullopt},
           Case{"1:1:1:1", std::nullopt},
           Case{"1.2345", std::nullopt},
           Case{"1.", std::nullopt},
           Case{"1.-1", std::nullopt},
           Case{".5", std::nullopt},
           Case{":15", std::nullopt},
           Case{"1:", std::nullopt},
           Case{"-1", std::nullopt},
           Case{"1:-1", std::nullopt},
           Case{"1 ", std::nullopt},
           Case{"1m30s", std::nullopt},
           Case{"", std::nullopt},
       }) {
    EXPECT_EQ(position_in(c.text), c.milliseconds) << c.text;
    if (c.milliseconds) {
      EXPECT_EQ(position_in(position_text(*c.milliseconds)), c.milliseconds) << c.text;
    }
  }
}

TEST(Formatting, NumbersHaveSeparators) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(1'234'567), "1,234,567");
  EXPECT_EQ(with_separators(-123'456), "-123,456");
  EXPECT_EQ(counted(0, "person", "people"), "no people");
  EXPECT_EQ(counted(1, "person", "people"), "1 person");
  EXPECT_EQ(counted(1234, "person", "people"), "1,234 people");
}

TEST(Formatting, SizesHaveTheUnitThatIsReadMostEasily) {
  EXPECT_EQ(size_text(0), "no bytes");
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1000), "1 kB");
  EXPECT_EQ(size_text(1'999'999), "1.9 MB");
  EXPECT_EQ(size_text(23'400'000'000), "23 GB");
  EXPECT_EQ(size_text(999'999'999'999), "999 GB");
  EXPECT_EQ(size_text(5'000'000'000'000'000'000), "5000 PB");
}

TEST(Formatting, NamesAreClippedBetweenCharacters) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "abc…");
  EXPECT_EQ(clipped("予約投稿", 3), "予約投…");
  EXPECT_EQ(clipped("", 3), "");
}

TEST(PlainText, IsTheTextOfHtmlThatUsersWrote) {
  struct Case {
    std::string_view html, text;
  };
  for (const Case& c : {
           Case{"", ""},
           Case{"<p>The film that every example embeds.</p>",
                "The film that every example embeds."},
           Case{"<p>One</p><p>two</p>\r\n three", "One two three"},
           Case{"a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;&nbsp;e &#233; &#x1F3AC;",
                "a <b> & \"c\" 'd' e é 🎬"},
           Case{"&amp;lt;script&amp;gt;", "&lt;script&gt;"},
           Case{"1 < 2 & 3 &unknown; &#; &#x; &#xzz; &#99999999999;",
                "1 < 2 & 3 &unknown; &#; &#x; &#xzz; &#99999999999;"},
           Case{"&eacute;&#9;&#x0A;&hellip; &#128;", "é … €"},
           Case{"&#0;&#xD800;&#x110000;", "\ufffd\ufffd\ufffd"},
           Case{"a<script>alert('</p>')</script>b<STYLE>p{}</style >c", "a b c"},
           Case{"a<!-- <b>x</b> -->b<!DOCTYPE html>c<scripted>d", "a b c d"},
           Case{"a<script>'</style>' </ '</scrip' </SCRIPT\n>b<style></style><Style></STYLE>c",
                "a b c"},
           Case{"a<b unfinished", "a"},
           Case{"a<script>unfinished", "a"},
           Case{"a<!-- unfinished", "a"},
           Case{"&", "&"},
           Case{"<", "<"},
       }) {
    EXPECT_EQ(plain_text(c.html), c.text) << c.html;
  }
}

TEST(RowsOf, CountsLinesAndLongLinesAsSeveral) {
  EXPECT_EQ(rows_of(""), 1);
  EXPECT_EQ(rows_of("a\nb"), 2);
  EXPECT_EQ(rows_of(std::string(200, 'a') + "\nb"), 4);
}

}  // namespace
}  // namespace svc::pages
