// fitted_table: a text table that fits the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

struct FittedColumn {
  enum class Kind { Number, Text };

  std::string_view title;
  // Numbers: ignored, since the column is as wide as its longest number. Text: the length to which
  // it is cut if the table would be too wide. Text columns share the remaining space.
  std::size_t width = 0;
  // Columns with the highest ranks are omitted until the others fit. Rank 0 is never omitted.
  int rank = 0;
  Kind kind = Kind::Number;
};

using Cells = std::vector<std::string>;

// Returns the header and one line per row, each at most `width` long. Cells are ASCII, one per
// column.
std::vector<std::string> fit_table(const std::vector<FittedColumn>& columns,
                                   const std::vector<Cells>& rows, std::size_t width);

// Returns the text if it fits `width` columns, otherwise its beginning and ">".
std::string cut(std::string text, std::size_t width);

}  // namespace svc::ctl
