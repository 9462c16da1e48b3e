#include "ctl/pools/fitted_table.h"

#include <gtest/gtest.h>

namespace svc::ctl {
namespace {

using Lines = std::vector<std::string>;
constexpr auto kText = FittedColumn::Kind::Text;

const std::vector<FittedColumn> kColumns{
    {"NAME", 4, 0, kText}, {"A", 3, 0}, {"B", 3, 2}, {"C", 3, 1}};
const std::vector<Cells> kRows{{"short", "1", "2", "3"}, {"a long name", "1234", "5", "6"}};

TEST(FittedTable, IsAsWideAsItsText) {
  EXPECT_EQ(fit_table(kColumns, kRows, 80), (Lines{"NAME           A   B   C",  //
                                                   "short          1   2   3",  //
                                                   "a long name 1234   5   6"}));
}

TEST(FittedTable, CutsTextsBeforeItLeavesColumnsOut) {
  EXPECT_EQ(fit_table(kColumns, kRows, 19), (Lines{"NAME      A   B   C",  //
                                                   "short     1   2   3",  //
                                                   "a lon> 1234   5   6"}));
}

TEST(FittedTable, LeavesOutTheColumnsOfTheHighestRank) {
  EXPECT_EQ(fit_table(kColumns, kRows, 16), (Lines{"NAME       A   C",  //
                                                   "short      1   3",  //
                                                   "a long> 1234   6"}));
  EXPECT_EQ(fit_table(kColumns, kRows, 9), (Lines{"NAME    A",  //
                                                  "sho>    1",  //
                                                  "a l> 1234"}));
}

TEST(FittedTable, IsNeverWiderThanTheTerminal) {
  for (std::size_t width = 0; width < 30; ++width) {
    for (const std::string& line : fit_table(kColumns, kRows, width))
      EXPECT_LE(line.size(), width) << line;
  }
}

TEST(FittedTable, HasAHeaderWithoutRows) {
  EXPECT_EQ(fit_table(kColumns, {}, 80), (Lines{"NAME   A   B   C"}));
}

TEST(FittedTable, GivesTheLastTextWhatIsLeft) {
  const std::vector<FittedColumn> columns{{"N", 2, 0}, {"PATH", 4, 0, kText}};
  EXPECT_EQ(fit_table(columns, {{"1", "/a/long/path"}}, 12), (Lines{" N PATH", " 1 /a/long/>"}));
}

}  // namespace
}  // namespace svc::ctl
