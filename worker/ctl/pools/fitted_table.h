// fitted_table: a table in as many columns of a terminal as there are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

struct FittedColumn {
  enum class Kind { Number, Text };

  std::string_view title;
  // Of a number: never cut, so the column is as wide as its longest number. Text is cut to this if
  // the table would be too wide otherwise; the text of the last column takes what is left.
  std::size_t width = 0;
  // The columns with the highest ranks are left out until the others fit. Rank 0 always stays.
  int rank = 0;
  Kind kind = Kind::Number;
};

using Cells = std::vector<std::string>;

// The header and one line per row, none longer than `width`. Cells are ASCII, one per column.
std::vector<std::string> fit_table(const std::vector<FittedColumn>& columns,
                                   const std::vector<Cells>& rows, std::size_t width);

// The text, or its beginning and ">", in `width` columns.
std::string cut(std::string text, std::size_t width);

}  // namespace svc::ctl
