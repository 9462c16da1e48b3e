#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <thread>

#include "ctl/pools/execution.h"
#include "ctl/pools/groups.h"
#include "ctl/pools/pool_status.h"
#include "ctl/pools/pools.h"
#include "ctl/printable.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr auto kDefaultTimeout = 30'000ms;

int say(int status, const std::string& what) {
  std::cerr << "svcctl reload: " << printable(what, 4096) << "\n";
  return status;
}

// "" if there is no such process.
std::string name_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  if (pid > 1) std::getline(file, name);
  return name;
}

bool is_pool(pid_t pid) {
  const std::string name = name_of(pid);
  return name.starts_with("svc-pool-") || name == "svc-worker";  // that of earlier versions
}

// See PoolSlot in pool/metrics/scoreboard.h: an outcome with a higher number is that of a reload
// that began after this signal.
int reload_one(const std::string& socket, pid_t expected, std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  const auto left = [&] {
    return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(
                        until - std::chrono::steady_clock::now()),
                    1ms);
  };
  const auto before = ask_status(socket, left());
  if (!before) return say(kStoreAway, before.error());
  if (expected != 0 && expected != before->pid) {
    return say(kWrongCall, "the pool at " + socket + " is process " + std::to_string(before->pid) +
                               ", not " + std::to_string(expected));
  }
  // The process id came from the socket, and svcctl may run as root: check it before the signal.
  if (!is_pool(before->pid)) {
    return say(kStoreAway, "process " + std::to_string(before->pid) + " is not a svc-worker");
  }
  if (kill(before->pid, SIGHUP) != 0)
    return say(kStoreAway, before->pool + ": cannot signal process " + std::to_string(before->pid) +
                               ": " + std::strerror(errno));
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(10ms);
    const auto now = ask_status(socket, left());
    if (!now || now->pid != before->pid) {
      if (kill(before->pid, 0) != 0 && errno == ESRCH)
        return say(kStoreAway, before->pool + ": the pool exited");
      continue;
    }
    if (now->reloads_answered <= before->reloads_asked) continue;
    if (now->reload_outcome == "done") {
      std::cout << now->pool << ": generation " << now->generation << ", " << now->workers
                << (now->workers == 1 ? " worker serves" : " workers serve") << std::endl;
      return kDone;
    }
    return say(kRefused, now->pool + ": " + now->reload_outcome +
                             ", the former configuration remains in effect: " + now->reload_text);
  }
  return say(kStoreAway, before->pool + ": no outcome in time");
}

// svc-courier, svc-ingest and svc-keeper lack sockets; their logs have the result of a reload.
// Their pid files are next to the sockets of scripts/serve.
int reload_beside(const std::string& socket, const std::string& name) {
  const std::string path = (std::filesystem::path(socket).parent_path() / (name + ".pid")).string();
  std::ifstream file(path);
  pid_t pid = 0;
  if (!(file >> pid)) return kDone;
  if (name_of(pid) != "svc-" + name)
    return say(kStoreAway, path + ": process " + std::to_string(pid) + " is not svc-" + name);
  if (kill(pid, SIGHUP) != 0)
    return say(kStoreAway, name + ": cannot signal process " + std::to_string(pid) + ": " +
                               std::strerror(errno));
  std::cout << name << ": reads its configuration" << std::endl;
  return kDone;
}

// If its unit runs, systemd reloads it.
int reload_unit(const std::string& name) {
  const std::string unit = "svc-" + name + ".service";
  if (execute({"systemctl", "--quiet", "is-active", unit}).status != 0) return kDone;
  const Ended ended = execute({"systemctl", "reload", unit});
  if (ended.status != 0) return say(kStoreAway, name + ": " + ended.output);
  std::cout << name << ": reads its configuration" << std::endl;
  return kDone;
}

Outcome reload(const Arguments& arguments, Context& context) {
  const std::string& pid_file =
      arguments.has("--pid-file") ? arguments.value("--pid-file") : context.pools.pid_file;
  const auto sockets = pool_sockets(arguments, pid_file, context.pools);
  if (!sockets) return wrong_call(context, sockets.error());
  auto pid = static_cast<pid_t>(arguments.integer("--pid").value_or(0));
  if (!pid_file.empty()) {
    std::ifstream file(pid_file);
    if (!(file >> pid)) return wrong_call(context, "cannot read " + pid_file);
  }
  if (pid != 0 && sockets->size() > 1)
    return wrong_call(context, "a process is one pool: use exactly one --socket");
  int worst = kDone;
  for (const std::string& socket : *sockets) {
    worst = std::max(
        worst, reload_one(socket, pid, arguments.seconds("--timeout").value_or(kDefaultTimeout)));
  }
  const bool is_of_all =
      !arguments.has("--socket") && !arguments.has("--pid") && !arguments.has("--pid-file");
  if (!is_of_all) return worst;
  for (const char* name : {"courier", "ingest", "keeper"})
    worst = std::max(worst, reload_beside(sockets->front(), name));
  for (const char* name : {"courier", "keeper"}) worst = std::max(worst, reload_unit(name));
  return worst;
}

}  // namespace

const Group& reload_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "reload",
      .commands = {
          {.name = "reload",
           .summary = "Reload the configuration of the pools, and wait for the outcome",
           .syntax = {.flags = {socket_flag(),
                                {.name = "--pid-file",
                                 .takes = Takes::file(),
                                 .help = "the pool must be the process in this file"},
                                {.name = "--pid",
                                 .takes =
                                     Takes::integer("PID", 2, std::numeric_limits<pid_t>::max()),
                                 .help = "the pool must be this process"},
                                {.name = "--timeout",
                                 .takes = Takes::seconds(),
                                 .help = "how long to wait for each pool; default 30"}}},
           .details = {"A pool reads its configuration and secrets. The command waits until its "
                       "new workers serve requests. If the configuration is wrong, the pool "
                       "continues with the former one. Without a flag that names a pool, it "
                       "reloads svc-courier and svc-keeper too, if their units run on this "
                       "machine, and in a demonstration of scripts/serve svc-ingest as well.",
                       kWhichPools},
           .needs = Needs::Pools,
           .run = reload}}};
  return kGroup;
}

}  // namespace svc::ctl
