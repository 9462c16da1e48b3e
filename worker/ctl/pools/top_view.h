// TopView: what `svcctl top` shows: lines of text for a screen of any size, and what keys change.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/pools/recent.h"

namespace svc::ctl {

// What is known of a pool now.
struct PoolView {
  std::string name;
  std::string trouble;             // why it does not answer; empty if it does
  const Recent* recent = nullptr;  // null if it has not answered yet
};

// The keys in what a terminal sent, each as one letter: arrows, PgUp, PgDn, Home and End as the
// letters that also scroll (k, j, b, space, g, G). Leaves an unfinished sequence in `sent`.
std::string take_keys(std::string& sent);

class TopView {
 public:
  // Returns false if the key ends the program. Keys without a meaning change nothing.
  bool press(char key);

  // Exactly `rows` lines of at most `columns` characters of ASCII.
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
  // The part of `lines` at first_, which it moves into the range.
  std::vector<std::string> page(const std::vector<std::string>& lines, std::size_t height);

  Rows rows_ = Rows::Endpoints;
  Order endpoint_order_;
  Order worker_order_;
  std::size_t first_ = 0;   // the line of the table that is at the top
  std::size_t height_ = 1;  // of the last page
};

}  // namespace svc::ctl
