// pools: which pools a command of svcctl is about, and what they say of themselves.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace svc::ctl {

inline constexpr const char* kPoolsUsage =
    "  The pools are those of --socket PATH, which may stand several times; else the one at "
    "listen\n"
    "  of the configuration, or beside pid-file; else embed.sock, grant.sock and web.sock beside\n"
    "  the file of --config, where scripts/serve has them; else those in /run/svc.\n";

// What the configuration says.
struct PoolDefaults {
  std::string listen;
  std::string pid_file;
  std::string config_file{};            // empty where none was named
  std::string run_folder = "/run/svc";  // where the units have the sockets
};

struct PoolArguments {
  std::vector<std::string> sockets;
  std::string pid_file;
  pid_t pid = 0;  // 0: any
  bool json = false;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds interval{2'000};
};

// Reads what stands behind the command; `allowed` are the flags that it has beside --socket.
base::Result<PoolArguments, std::string> read_pool_arguments(
    const std::vector<std::string>& arguments, const std::vector<std::string>& allowed,
    const PoolDefaults& defaults);

// The part of a pool's status that svcctl works with; the whole is `json`.
struct PoolStatus {
  struct Process {
    std::int64_t pid = 0;
    std::int64_t generation = 0;
    std::string phase;
    std::int64_t requests = 0;
    double seconds = 0;
    std::string path;
  };
  struct Durations {
    std::int64_t count = 0;
    double total_ms = 0;
    std::vector<std::pair<std::optional<double>, std::int64_t>> buckets;  // ms, how many

    // "≤0.25": where so large a part of all was at most that long; "-" without any.
    std::string quantile(double part) const;
  };
  struct Endpoint {
    std::string name;
    std::int64_t errors = 0;  // 5xx
    Durations durations;
  };

  std::string json;
  std::string pool;
  pid_t pid = 0;
  std::int64_t up_since = 0;  // seconds ago
  std::int64_t generation = 0;
  std::int64_t workers = 0, idle = 0, active = 0, leaving = 0, most_active = 0;
  std::int64_t accepted = 0, requests = 0, slow = 0;
  std::optional<std::int64_t> queue, longest_queue, queue_limit;
  std::vector<std::pair<std::string, std::int64_t>> statuses, deaths;
  std::int64_t reloads_asked = 0, reloads_answered = 0;
  std::string reload_outcome, reload_text;
  std::int64_t store_up = 0, store_away = 0, store_not_asked = 0, store_failures = 0;
  Durations store_trips;
  std::vector<Endpoint> endpoints;
  std::vector<Process> processes;
};

base::Result<PoolStatus, std::string> parse_pool_status(const std::string& json);
base::Result<PoolStatus, std::string> ask_status(const std::string& socket,
                                                 std::chrono::milliseconds patience);

// Several lines for people. Whatever came from a request is made plain ASCII: it goes to a
// terminal.
std::string to_text(const PoolStatus& status);

}  // namespace svc::ctl
