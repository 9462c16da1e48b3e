#include "ctl/terminal.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "base/held_signals.h"

namespace svc::ctl {
namespace {

constexpr std::size_t kMaxLine = 64 * 1024;
constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

volatile sig_atomic_t g_signal = 0;

void note_signal(int number) { g_signal = number; }

// Turns off the terminal's echo and holds signals.
class Quiet {
 public:
  explicit Quiet(int fd) : fd_(fd) {
    struct sigaction action {};
    action.sa_handler = note_signal;
    g_signal = 0;
    for (std::size_t i = 0; i < kEnding.size(); ++i)
      sigaction(kEnding[i], &action, &actions_before_[i]);
    set_ = tcgetattr(fd_, &before_) == 0;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    set_ = set_ && tcsetattr(fd_, TCSAFLUSH, &quiet) == 0;
  }
  ~Quiet() {
    if (set_) tcsetattr(fd_, TCSAFLUSH, &before_);
    for (std::size_t i = 0; i < kEnding.size(); ++i)
      sigaction(kEnding[i], &actions_before_[i], nullptr);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  bool works() const { return set_; }
  // Waits for input. Returns false if a signal arrived.
  bool wait() const { return held_.wait_for(fd_); }

 private:
  const base::HeldSignals held_{kEnding, g_signal};
  const int fd_;
  termios before_{};
  std::array<struct sigaction, kEnding.size()> actions_before_{};
  bool set_ = false;
};

// Calls `wait` before every read; stops if it returns false.
template <class Wait>
base::Result<std::string, std::string> read_line_while(int fd, Wait wait) {
  std::string line;
  char c = 0;
  // Read byte by byte: input after the line is left for the next reader.
  while (true) {
    if (!wait()) return base::Refusal{std::string("interrupted")};
    const ssize_t got = ::read(fd, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return base::Refusal{std::string("cannot read standard input: ") + std::strerror(errno)};
    if (got == 0 && line.empty()) return base::Refusal{std::string("standard input is empty")};
    if (got == 0 || c == '\n') break;
    if (line.size() == kMaxLine)
      return base::Refusal{std::string("the first line of standard input is too long")};
    line += c;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) == 1; }

void write_sequences(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

base::Result<std::string, std::string> read_line(int fd) {
  return read_line_while(fd, [] { return true; });
}

base::Result<std::string, std::string> read_secret_line(int fd, const std::string& prompt) {
  if (!is_terminal(fd)) return read_line(fd);
  auto line = [&]() -> base::Result<std::string, std::string> {
    const Quiet quiet(fd);
    if (!quiet.works())
      return base::Refusal{std::string("the terminal's echo cannot be turned off")};
    std::cerr << prompt << std::flush;
    auto typed = read_line_while(fd, [&] { return quiet.wait(); });
    std::cerr << "\n";
    return typed;
  }();
  // The terminal's settings and the signal handlers are restored: deliver the
  // signal now.
  if (g_signal != 0) raise(g_signal);
  return line;
}

}  // namespace svc::ctl
