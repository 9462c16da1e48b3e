#include "app/interruption.h"

#include <signal.h>

#include <array>
#include <chrono>
#include <string>

#include "app/store_secrets.h"
#include "base/held_signals.h"
#include "base/log.h"

namespace svc::app {
namespace {

constexpr std::array kStops{SIGTERM, SIGINT, SIGHUP};
constexpr int kReload = 1;
constexpr int kStop = 2;
volatile sig_atomic_t stopped = 0;  // kReload, kStop
void stop(int signal) {
  if (signal != SIGHUP) {
    stopped = kStop;
  } else if (stopped == 0) {
    stopped = kReload;
  }
}

// Whether a signal asks to work again, with the present settings, which it then reads into
// `options`.
bool works_again(Program program, Options& options, int argc, char** argv) {
  {
    const base::HeldSignals held(kStops, stopped);
    if (stopped != kReload) return false;
    stopped = 0;
  }
  const auto line = read_command_line(program, argc, argv);
  const std::string wrong = line ? check_store_files(program, line->options) : line.error();
  if (wrong.empty()) {
    options = line->options;
    base::log::info("reload.done", {});
  } else {
    base::log::error("reload.refused", {{"reason", wrong}});
  }
  return true;
}

}  // namespace

bool is_interrupted() { return stopped != 0; }

void pause(base::Duration at_most) {
  const base::HeldSignals held(kStops, stopped);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec time{seconds.count(), (at_most - seconds).count()};
  held.wait_for(-1, &time);
}

int work_until_stopped(Program program, Options options, int argc, char** argv,
                       const std::function<int(const Options&)>& work) {
  struct sigaction action {};
  action.sa_handler = stop;
  for (const int signal : kStops) sigaction(signal, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  int status = 0;
  do {
    status = work(options);
  } while (status == 0 && works_again(program, options, argc, argv));
  return status;
}

}  // namespace svc::app
