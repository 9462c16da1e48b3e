#include "ctl/pools/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "ctl/printable.h"
#include "ctl/terminal.h"

namespace svc::ctl {
namespace {

volatile sig_atomic_t g_end = 0;
volatile sig_atomic_t g_suspend = 0;
void note_end(int) { g_end = 1; }
void note_suspend(int) { g_suspend = 1; }
void note_resize(int) {}  // ends the wait

}  // namespace

Screen::Screen() {
  tcgetattr(STDIN_FILENO, &before_);
  // Signals are blocked except in wait(), so that a signal just before it is not lost.
  sigset_t signals;
  sigemptyset(&signals);
  const auto handle = [&](int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(number, &action, nullptr);
    sigaddset(&signals, number);
  };
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) handle(number, note_end);
  handle(SIGTSTP, note_suspend);
  handle(SIGWINCH, note_resize);
  sigprocmask(SIG_BLOCK, &signals, &mask_before_);
  enter();
}

Screen::~Screen() { leave(); }

void Screen::enter() {
  termios mode = before_;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &mode);
  write_sequences(STDOUT_FILENO, "\033[?1049h\033[?25l");
}

void Screen::leave() {
  write_sequences(STDOUT_FILENO, "\033[?25h\033[?1049l");
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

Screen::Size Screen::size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return {};
  return {size.ws_row, size.ws_col};
}

void Screen::show(const std::vector<std::string>& lines) {
  std::string out = "\033[H";
  for (const std::string& line : lines) {
    if (&line != &lines.front()) out += '\n';
    // Filter each line, since this bypasses text/printable_output. Erase first: after a full line
    // the cursor may still be in its last column.
    out += "\r\033[K" + printable(line, 4096);
  }
  write_sequences(STDOUT_FILENO, out + "\033[J");
}

bool Screen::wait(const std::vector<int>& fds, std::chrono::steady_clock::time_point until,
                  std::string& typed) {
  std::vector<pollfd> polled{{STDIN_FILENO, POLLIN, 0}};
  for (const int fd : fds) polled.push_back({fd, POLLIN, 0});
  const auto left = std::max<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now(),
                                                       std::chrono::nanoseconds(0));
  const timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  const int ready = ppoll(polled.data(), polled.size(), &time, &mask_before_);
  if (g_suspend != 0) {
    g_suspend = 0;
    leave();
    raise(SIGSTOP);
    enter();
  }
  if (g_end != 0) return false;
  if (ready > 0 && polled.front().revents != 0) {
    std::array<char, 256> keys{};
    const ssize_t got = read(STDIN_FILENO, keys.data(), keys.size());
    if (got <= 0) return false;
    typed.append(keys.data(), static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace svc::ctl
