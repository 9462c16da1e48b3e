#include "ctl/table.h"

#include <algorithm>

#include "ctl/printable.h"
#include "text/utf8.h"

namespace svc::ctl {
namespace {

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(std::max<std::size_t>(text::utf8_length(text), 1));
    ++count;
  }
  return count;
}

}  // namespace

void Table::row(const std::vector<std::string>& texts) {
  if (!has_header_) {
    std::vector<std::string> names;
    for (const Column& column : columns_) names.emplace_back(column.name);
    print(names);
    has_header_ = true;
  }
  print(texts);
}

void Table::print(const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string text = texts.at(i).empty() ? "-" : printable(texts.at(i));
    line += text;
    if (i + 1 == columns_.size()) break;
    const std::size_t length = characters_in(text);
    line += std::string(std::max(columns_[i].width, length) - length + 2, ' ');
  }
  out_ << line << "\n";
}

}  // namespace svc::ctl
