// Screen: a full-screen terminal that delivers each key immediately. The previous content returns
// at the end, and while the program is suspended.
#pragma once

#include <signal.h>
#include <termios.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace svc::ctl {

class Screen {
 public:
  // Standard input and output must be terminals. At most one Screen may exist.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  struct Size {
    std::size_t rows = 24;
    std::size_t columns = 80;
  };
  static Size size();

  // Replaces the content. `lines` has one line per row, each at most as long as the columns.
  static void show(const std::vector<std::string>& lines);

  // Blocks until one of `fds` is readable, a key is typed or the size changes, but at most until
  // `until`. Appends typed bytes to `typed`. Returns false if a signal asks the program to end.
  bool wait(const std::vector<int>& fds, std::chrono::steady_clock::time_point until,
            std::string& typed);

 private:
  void enter();
  void leave();

  termios before_{};
  sigset_t mask_before_{};
};

}  // namespace svc::ctl
