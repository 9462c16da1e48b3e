#include "viewing/csv.h"

#include <gtest/gtest.h>

#include <utility>

namespace svc::viewing {
namespace {

std::vector<Day> two_days() {
  const std::chrono::sys_days first = std::chrono::year(2026) / 2 / 28;
  Counts counts;
  counts.loads = 12;
  counts.plays = 5;
  counts.watched = 5'400'000;
  counts.visitors = 4;
  return {{first, counts}, {first + std::chrono::days(1), {}}};
}

TEST(Csv, HasALinePerDay) {
  EXPECT_EQ(to_csv(two_days(), Visitors::Shown, LineEnd::Crlf),
            "date,loads,plays,hours_watched,visitors\r\n"
            "2026-02-28,12,5,1.5,4\r\n"
            "2026-03-01,0,0,0,0\r\n");
  EXPECT_EQ(to_csv(two_days(), Visitors::LeftOut, LineEnd::Lf),
            "date,loads,plays,hours_watched\n"
            "2026-02-28,12,5,1.5\n"
            "2026-03-01,0,0,0\n");
}

TEST(Csv, ATextIsNeitherColumnsNorAFormula) {
  for (const auto& [text, field] : {std::pair{"A film", "\"A film\""},
                                    {"", "\"\""},
                                    {"One, \"two\"\n3", "\"One, \"\"two\"\"\n3\""},
                                    {"=1+1", "\"'=1+1\""},
                                    {"+1", "\"'+1\""},
                                    {"-1", "\"'-1\""},
                                    {"@sum", "\"'@sum\""},
                                    {"\t=1", "\"'\t=1\""},
                                    {"\r=1", "\"'\r=1\""},
                                    {"1=1", "\"1=1\""}}) {
    std::string out;
    append_csv_text(out, text);
    EXPECT_EQ(out, field);
  }
}

}  // namespace
}  // namespace svc::viewing
