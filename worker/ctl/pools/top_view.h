// TopView: the content of `svcctl top`, as lines for a screen of any size, and the effect of keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/pools/recent.h"

namespace svc::ctl {

// The current state of a pool.
struct PoolView {
  std::string name;
  std::string trouble;             // why it does not respond; empty if it does
  const Recent* recent = nullptr;  // null before its first response
};

// Returns the keys in `sent`, the bytes from a terminal, one letter each. Arrows, PgUp, PgDn, Home
// and End become the letters that also scroll (k, j, b, space, g, G). Leaves an incomplete sequence
// in `sent`.
std::string take_keys(std::string& sent);

class TopView {
 public:
  // Returns false if the key ends the program. Keys without a meaning change nothing.
  bool press(char key);

  // Returns exactly `rows` lines of at most `columns` ASCII characters.
  std::vector<std::string> lines(const std::vector<PoolView>& pools, std::size_t rows,
                                 std::size_t columns);

 private:
  enum class Rows { Endpoints, Workers };
  struct Order {
    char key = 'r';
    bool reversed = false;
  };

  Order& order() { return rows_ == Rows::Endpoints ? endpoint_order_ : worker_order_; }
  std::vector<std::string> table(const std::vector<PoolView>& pools, std::size_t columns);
  std::string footer() const;
  // Returns the part of `lines` from first_ on, and limits first_ to the valid range.
  std::vector<std::string> page(const std::vector<std::string>& lines, std::size_t height);

  Rows rows_ = Rows::Endpoints;
  Order endpoint_order_;
  Order worker_order_;
  std::size_t first_ = 0;   // the line of the table that is at the top
  std::size_t height_ = 1;  // rows of the last page
};

}  // namespace svc::ctl
