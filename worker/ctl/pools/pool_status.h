// pool_status: the status that a pool reports.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc::ctl {

// The part of a pool's status that svcctl uses; `json` has all of it.
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
    std::vector<std::pair<std::optional<double>, std::int64_t>>
        buckets;  // upper bound in ms, number of requests

    // The bound of the bucket that contains the quantile, in ms: "<=0.25"; ">2500" above the last
    // bound; "-" without requests.
    std::string quantile(double part) const;
  };
  // Responses by status.
  struct Errors {
    std::int64_t client = 0;           // 4xx
    std::int64_t not_implemented = 0;  // 501
    std::int64_t unavailable = 0;      // 503
    std::int64_t other = 0;            // other 5xx
  };
  struct Endpoint {
    std::string name;
    Errors errors;
    Durations durations;
  };

  struct Store {
    std::int64_t up = 0, away = 0, not_asked = 0;  // workers
    std::int64_t failures = 0;
    Durations trips;
  };

  std::string json;
  std::string pool;
  pid_t pid = 0;
  std::int64_t up_since = 0;  // seconds ago
  std::int64_t generation = 0;
  std::int64_t workers = 0, idle = 0, active = 0, leaving = 0, most_active = 0;
  std::int64_t accepted = 0, requests = 0, slow = 0;
  std::optional<std::int64_t> queue, longest_queue, queue_limit;
  std::vector<std::pair<std::string, std::int64_t>> statuses;  // 5xx is without 501 and 503
  std::vector<std::pair<std::string, std::int64_t>> deaths;
  std::int64_t reloads_asked = 0, reloads_answered = 0;
  std::string reload_outcome, reload_text;
  Store store;
  std::optional<Store> catalog;  // if redis-catalog is another Redis
  std::vector<Endpoint> endpoints;
  std::vector<Process> processes;

  bool reload_went_wrong() const;
};

base::Result<PoolStatus, std::string> parse_pool_status(const std::string& json);
base::Result<PoolStatus, std::string> ask_status(const std::string& socket,
                                                 std::chrono::milliseconds patience);

// Returns several lines for the operator, in ASCII.
std::string to_text(const PoolStatus& status);

// Replaces each character that is not printable ASCII with a question mark, so that each byte is a
// column and a terminal never acts on it.
std::string plain(std::string_view text);

}  // namespace svc::ctl
