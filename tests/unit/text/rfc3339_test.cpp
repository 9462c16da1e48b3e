#include "text/rfc3339.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::text {
namespace {

TEST(Rfc3339, AcceptsValidDateTimes) {
  for (const std::string_view text : {
           "2026-03-01T10:00:00Z",
           "1985-04-12T23:20:50.52Z",       // RFC 3339 §5.8
           "1996-12-19T16:39:57-08:00",     // §5.8
           "1990-12-31T23:59:60Z",          // §5.8, a leap second
           "1937-01-01T12:00:27.87+00:20",  // §5.8
           "2026-03-01t10:00:00z",          // §5.6 allows lower case
           "2024-02-29T00:00:00Z",          // a leap year
           "2000-02-29T00:00:00Z",          // a leap year, divisible by 400
           "2026-12-31T23:59:59.123456789Z",
           "0000-01-01T00:00:00+23:59",
       }) {
    EXPECT_TRUE(is_rfc3339(text)) << text;
  }
}

TEST(Rfc3339, RefusesInvalidDateTimes) {
  struct Case {
    std::string_view name, text;
  };
  for (const Case& c : {
           Case{"nothing", ""},
           Case{"a date", "2026-03-01"},
           Case{"no offset", "2026-03-01T10:00:00"},
           Case{"a space for the T", "2026-03-01 10:00:00Z"},
           Case{"no seconds", "2026-03-01T10:00Z"},
           Case{"month 0", "2026-00-01T10:00:00Z"},
           Case{"month 13", "2026-13-01T10:00:00Z"},
           Case{"day 0", "2026-03-00T10:00:00Z"},
           Case{"day 32", "2026-03-32T10:00:00Z"},
           Case{"day 31 of a month of 30", "2026-04-31T10:00:00Z"},
           Case{"February 29 of a common year", "2026-02-29T10:00:00Z"},
           Case{"February 29 of 1900", "1900-02-29T10:00:00Z"},
           Case{"hour 24", "2026-03-01T24:00:00Z"},
           Case{"minute 60", "2026-03-01T10:60:00Z"},
           Case{"second 61", "2026-03-01T10:00:61Z"},
           Case{"an empty fraction", "2026-03-01T10:00:00.Z"},
           Case{"a comma for the point", "2026-03-01T10:00:00,5Z"},
           Case{"a fraction and no offset", "2026-03-01T10:00:00.123"},
           Case{"an offset without a colon", "2026-03-01T10:00:00+0100"},
           Case{"an offset of hours only", "2026-03-01T10:00:00+01"},
           Case{"an offset of 24 hours", "2026-03-01T10:00:00+24:00"},
           Case{"an offset of 60 minutes", "2026-03-01T10:00:00+00:60"},
           Case{"something behind it", "2026-03-01T10:00:00Z "},
           Case{"something before it", " 2026-03-01T10:00:00Z"},
           Case{"a year of five digits", "12026-03-01T10:00:00Z"},
           Case{"a year of two digits", "26-03-01T10:00:00+00:00"},
           Case{"letters for digits", "2O26-03-01T10:00:00Z"},
           Case{"a sign for a digit", "2026-03-01T10:00:+1Z"},
           Case{"a week date", "2026-W09-7T10:00:00Z"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(is_rfc3339(c.text)) << c.text;
  }
  EXPECT_FALSE(is_rfc3339("2026-03-01T10:00:00." + std::string(1000, '1') + "Z"));
}

TEST(Rfc3339, ConvertsToAndFromSecondsSince1970) {
  struct Case {
    std::string_view text;
    std::int64_t seconds;
  };
  for (const Case& c : {
           Case{"1970-01-01T00:00:00Z", 0},
           Case{"1969-12-31T23:59:59Z", -1},
           Case{"2000-02-29T12:34:56Z", 951'827'696},
           Case{"2026-05-28T20:26:40Z", 1'780'000'000},
       }) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(to_rfc3339(c.seconds), c.text);
    EXPECT_EQ(seconds_of_rfc3339(c.text), c.seconds);
  }
  EXPECT_EQ(seconds_of_rfc3339("2026-05-28T22:26:40.75+02:00"), 1'780'000'000);
  EXPECT_EQ(seconds_of_rfc3339("2026-05-28T14:56:40-05:30"), 1'780'000'000);
  EXPECT_EQ(seconds_of_rfc3339("2026-05-28"), std::nullopt);
}

TEST(Rfc3339, ConvertsToAndFromDays) {
  using std::chrono::days;
  using std::chrono::sys_days;
  for (const auto& [text, day] :
       {std::pair{"1970-01-01", 0}, std::pair{"1969-12-31", -1}, std::pair{"2024-02-29", 19'782},
        std::pair{"2026-05-28", 20'601}, std::pair{"9999-12-31", 2'932'896}}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(to_full_date(sys_days(days(day))), text);
    EXPECT_EQ(day_of_full_date(text), sys_days(days(day)));
  }
  for (const char* const text :
       {"", "2026-02-29", "2026-13-01", "2026-5-28", "20260528", "2026-05-28Z", "2026-05-28T00",
        " 2026-05-28", "2026-05-28T10:00:00Z", "yesterday"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(day_of_full_date(text), std::nullopt);
  }
}

}  // namespace
}  // namespace svc::text
