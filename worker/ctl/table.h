// Table: a list as aligned columns under a header. Prints each row immediately, so that a list of
// any length needs no memory.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

struct Column {
  std::string_view name;
  // A longer text shifts the rest of its row. The last column is as wide as its text.
  std::size_t width = 0;
};

class Table {
 public:
  Table(std::ostream& out, std::vector<Column> columns) : out_(out), columns_(std::move(columns)) {}

  // One text per column; made printable here. An empty one becomes "-". The header is printed
  // before the first row.
  void row(const std::vector<std::string>& texts);

 private:
  void print(const std::vector<std::string>& texts);

  std::ostream& out_;
  const std::vector<Column> columns_;
  bool has_header_ = false;
};

}  // namespace svc::ctl
