#include "ctl/pools/fitted_table.h"

#include <algorithm>

namespace svc::ctl {
namespace {

struct Shown {
  std::size_t index = 0;  // the column's
  std::size_t least = 0;
  std::size_t longest = 0;
  std::size_t width = 0;
};

std::size_t least_total(const std::vector<Shown>& shown) {
  std::size_t total = shown.size() - 1;  // spaces between them
  for (const Shown& each : shown) total += each.least;
  return total;
}

// Omits columns until the others fit.
std::vector<Shown> choose(const std::vector<FittedColumn>& columns, const std::vector<Cells>& rows,
                          std::size_t width) {
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t longest = columns[i].title.size();
    for (const Cells& row : rows) longest = std::max(longest, row[i].size());
    const bool is_text = columns[i].kind == FittedColumn::Kind::Text;
    shown.push_back({i, is_text ? columns[i].width : std::max(columns[i].width, longest), longest});
  }
  while (least_total(shown) > width) {
    const auto last = std::ranges::max_element(
        shown, {}, [&](const Shown& each) { return columns[each.index].rank; });
    if (columns[last->index].rank == 0) break;
    shown.erase(last);
  }
  return shown;
}

// Shares the remaining width among the text columns, from the left.
void widen(std::vector<Shown>& shown, std::size_t width) {
  std::size_t left = width - std::min(width, least_total(shown));
  for (Shown& each : shown) {
    each.width = each.least;
    const std::size_t more = std::min(left, std::max(each.longest, each.least) - each.least);
    each.width += more;
    left -= more;
  }
}

std::string line_of(const std::vector<FittedColumn>& columns, const std::vector<Shown>& shown,
                    const auto& text_of, std::size_t width) {
  std::string line;
  for (const Shown& each : shown) {
    if (&each != &shown.front()) line += ' ';
    std::string text = cut(text_of(each.index), each.width);
    const std::string spaces(each.width - text.size(), ' ');
    const bool is_text = columns[each.index].kind == FittedColumn::Kind::Text;
    line += is_text ? text + spaces : spaces + text;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return cut(std::move(line), width);
}

}  // namespace

std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width);
  if (!text.empty()) text.back() = '>';
  return text;
}

std::vector<std::string> fit_table(const std::vector<FittedColumn>& columns,
                                   const std::vector<Cells>& rows, std::size_t width) {
  std::vector<Shown> shown = choose(columns, rows, width);
  widen(shown, width);
  std::vector<std::string> lines{line_of(
      columns, shown, [&](std::size_t i) { return std::string(columns[i].title); }, width)};
  for (const Cells& row : rows)
    lines.push_back(line_of(
        columns, shown, [&](std::size_t i) { return row[i]; }, width));
  return lines;
}

}  // namespace svc::ctl
