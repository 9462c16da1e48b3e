#include "ctl/pools/status.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>

#include "ctl/pools/pools.h"
#include "ctl/printable.h"
#include "ctl/terminal.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr int kWrongCall = 2;
constexpr int kNoAnswer = 3;
constexpr auto kPatience = 5s;

int refuse(const char* command, const std::string& why) {
  std::cerr << "svcctl " << command << ": " << why << "\nsvcctl " << command
            << " --help tells more\n";
  return kWrongCall;
}

volatile sig_atomic_t g_end = 0;
void note_end(int) { g_end = 1; }

// A screen of its own and keys that come at once, until the end.
class Screen {
 public:
  Screen() {
    tcgetattr(STDIN_FILENO, &before_);
    termios mode = before_;
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
    write_sequences(STDOUT_FILENO, "\033[?1049h\033[?25l");
  }
  ~Screen() {
    write_sequences(STDOUT_FILENO, "\033[?25h\033[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // As much of it as fits; what was there before is gone.
  void show(const std::string& text) {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size = {24, 80, 0, 0};
    std::string out = "\033[H";
    std::size_t begin = 0;
    for (int row = 0; row + 1 < size.ws_row && begin < text.size(); ++row) {
      const std::size_t end = text.find('\n', begin);
      // Filter each line, since this bypasses text/printable_output.
      out += printable(text.substr(begin, std::min<std::size_t>(end - begin, size.ws_col)), 4096) +
             "\033[K\n";
      begin = end == std::string::npos ? text.size() : end + 1;
    }
    write_sequences(STDOUT_FILENO, out + "\033[J");
  }

 private:
  termios before_{};
};

// False when it is time to end.
bool wait_for_key(std::chrono::milliseconds time, const sigset_t& waiting) {
  const timespec wait{time.count() / 1000, (time.count() % 1000) * 1'000'000};
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  if (ppoll(&keys, 1, &wait, &waiting) > 0) {
    char key = 'q';
    if (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 'Q') return false;
  }
  return g_end == 0;
}

}  // namespace

int status(const std::vector<std::string>& words, const PoolDefaults& defaults) {
  const auto arguments = read_pool_arguments(words, {"--json"}, defaults);
  if (!arguments) return refuse("status", arguments.error());
  int result = 0;
  std::string all;
  for (const std::string& socket : arguments->sockets) {
    const auto pool = ask_status(socket, kPatience);
    if (!pool) {
      std::cerr << "svcctl status: " << printable(pool.error(), 4096) << "\n";
      result = kNoAnswer;
      continue;
    }
    if (!all.empty()) all += arguments->json ? ",\n" : "\n";
    all += arguments->json ? pool->json : to_text(*pool);
  }
  std::cout << (arguments->json ? "[" + all + "]\n" : all) << std::flush;
  return result;
}

int top(const std::vector<std::string>& words, const PoolDefaults& defaults) {
  const auto arguments = read_pool_arguments(words, {"--interval"}, defaults);
  if (!arguments) return refuse("top", arguments.error());
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0)
    return refuse("top", "needs a terminal; svcctl status does not");
  struct sigaction action {};
  action.sa_handler = note_end;
  sigset_t ends;
  sigset_t waiting;
  sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&ends, number);
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_BLOCK, &ends, &waiting);
  using Clock = std::chrono::steady_clock;
  struct Before {
    std::int64_t requests = 0;
    Clock::time_point at;
  };
  std::map<std::string, Before> before;
  Screen screen;
  do {
    std::string text;
    for (const std::string& socket : arguments->sockets) {
      const auto pool = ask_status(socket, arguments->interval);
      if (!pool) {
        text += pool.error() + "\n\n";
        continue;
      }
      Before& last = before[socket];
      const auto now = Clock::now();
      const double seconds = std::chrono::duration<double>(now - last.at).count();
      if (last.at != Clock::time_point{} && pool->requests >= last.requests) {
        std::array<char, 64> rate{};
        std::snprintf(rate.data(), rate.size(), "%.1f requests/s  ",
                      static_cast<double>(pool->requests - last.requests) / seconds);
        text += rate.data();
      }
      last = {pool->requests, now};
      text += to_text(*pool) + "\n";
    }
    screen.show(text);
  } while (wait_for_key(arguments->interval, waiting));
  return 0;
}

}  // namespace svc::ctl
