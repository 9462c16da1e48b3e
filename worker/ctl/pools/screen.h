// Screen: the terminal of a command that draws all of it and gets keys as they are typed. The
// former screen returns at the end, and while the program is suspended.
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
  // Standard input and standard output are terminals. There is one Screen at most.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  struct Size {
    std::size_t rows = 24;
    std::size_t columns = 80;
  };
  static Size size();

  // Replaces what was shown. There are as many lines as rows, none longer than the columns.
  static void show(const std::vector<std::string>& lines);

  // Waits until one of `fds` is readable, something is typed, or the size changes, at most until
  // then. Adds what was typed to `typed`. Returns false if the program is told to end.
  bool wait(const std::vector<int>& fds, std::chrono::steady_clock::time_point until,
            std::string& typed);

 private:
  void enter();
  void leave();

  termios before_{};
  sigset_t mask_before_{};
};

}  // namespace svc::ctl
