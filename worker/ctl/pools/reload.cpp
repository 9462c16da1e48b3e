#include "ctl/pools/reload.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <thread>

#include "ctl/pools/pools.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr int kRefused = 1;
constexpr int kWrongCall = 2;
constexpr int kNoAnswer = 3;

int say(int status, const std::string& what) {
  std::cerr << "svcctl reload: " << what << "\n";
  return status;
}

bool is_pool(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  return pid > 1 && std::getline(file, name) && name == "svc-worker";
}

// See PoolSlot in pool/metrics/scoreboard.h: an answer with a higher number is of a reload that
// began after our signal.
int reload_one(const std::string& socket, const PoolArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + arguments.timeout;
  const auto left = [&] {
    return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()),
                    1ms);
  };
  const auto before = ask_status(socket, left());
  if (!before) return say(kNoAnswer, before.error());
  if (arguments.pid != 0 && arguments.pid != before->pid) {
    return say(kWrongCall, "the pool at " + socket + " is process " + std::to_string(before->pid) +
                               ", not " + std::to_string(arguments.pid));
  }
  // The number came out of the socket, and root may be who signals it.
  if (!is_pool(before->pid)) {
    return say(kNoAnswer, "process " + std::to_string(before->pid) + " is no svc-worker");
  }
  if (kill(before->pid, SIGHUP) != 0)
    return say(kNoAnswer, before->pool + ": cannot signal process " + std::to_string(before->pid) +
                              ": " + std::strerror(errno));
  while (Clock::now() < until) {
    std::this_thread::sleep_for(10ms);
    const auto now = ask_status(socket, left());
    if (!now || now->pid != before->pid) {
      if (kill(before->pid, 0) != 0 && errno == ESRCH)
        return say(kNoAnswer, before->pool + ": the pool ended");
      continue;
    }
    if (now->reloads_answered <= before->reloads_asked) continue;
    if (now->reload_outcome == "done") {
      std::cout << now->pool << ": generation " << now->generation << ", " << now->workers
                << (now->workers == 1 ? " worker serves" : " workers serve") << std::endl;
      return 0;
    }
    return say(kRefused, now->pool + ": " + now->reload_outcome +
                             ", everything goes on as before: " + now->reload_text);
  }
  return say(kNoAnswer, before->pool + ": no outcome in time");
}

}  // namespace

int reload(const std::vector<std::string>& words, const PoolDefaults& defaults) {
  auto arguments = read_pool_arguments(words, {"--timeout", "--pid", "--pid-file"}, defaults);
  if (!arguments) return say(kWrongCall, arguments.error() + "\nsvcctl reload --help tells more");
  if (!arguments->pid_file.empty()) {
    std::ifstream file(arguments->pid_file);
    if (!(file >> arguments->pid)) return say(kWrongCall, "cannot read " + arguments->pid_file);
  }
  if (arguments->pid != 0 && arguments->sockets.size() > 1)
    return say(kWrongCall, "one process is one pool: name one --socket");
  int worst = 0;
  for (const std::string& socket : arguments->sockets)
    worst = std::max(worst, reload_one(socket, *arguments));
  return worst;
}

}  // namespace svc::ctl
