// Table: prints rows as aligned columns under a header. Prints each row
// immediately, so memory does not grow with the list.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

struct Column {
  std::string_view name;
  // In characters. A longer text shifts the rest of its row. The last column
  // needs no width.
  std::size_t width = 0;
};

class Table {
 public:
  Table(std::ostream& out, std::vector<Column> columns) : out_(out), columns_(std::move(columns)) {}

  // One text per column; each passes through printable(). An empty text is
  // printed as "-". The first call prints the header, too.
  void row(const std::vector<std::string>& texts);

 private:
  void print(const std::vector<std::string>& texts);

  std::ostream& out_;
  const std::vector<Column> columns_;
  bool has_header_ = false;
};

}  // namespace svc::ctl
