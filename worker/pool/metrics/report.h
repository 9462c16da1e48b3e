// Report: a snapshot of a pool's state, as JSON and as OpenMetrics.
//
// Field names are those of php-fpm's status page where it has the field.
// Contains no query strings: the scoreboard has none.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "pool/metrics/scoreboard.h"

namespace svc::pool {

struct Report {
  struct Durations {
    std::array<std::uint64_t, Histogram::kBounds.size() + 1> buckets{};
    std::uint64_t count = 0;
    double seconds = 0;  // sum of all durations
  };
  using ServerErrors = std::array<std::uint64_t, kServerErrors>;  // by ServerError
  struct Endpoint {
    std::string name;
    std::array<std::uint64_t, 5> statuses{};  // 1xx to 5xx
    ServerErrors server_errors{};
    Durations durations;
  };
  struct Process {
    pid_t pid = 0;
    std::uint32_t generation = 0;
    Phase phase = Phase::Free;
    std::uint64_t requests = 0;
    std::uint32_t connections = 0;
    double seconds = 0;  // since this phase or request began
    std::string path;    // path of the current or last request
  };

  std::string pool;
  pid_t pid = 0;                // the parent's
  std::int64_t start_time = 0;  // seconds since 1970
  std::int64_t start_since = 0;
  std::array<std::uint64_t, kPlainCounters.size()> plain{};  // by the row of kPlainCounters
  // nullopt if the kernel does not report it.
  std::optional<std::int64_t> queue;
  std::optional<std::int64_t> longest_queue;
  std::optional<std::int64_t> queue_limit;
  std::uint32_t workers = 0;  // configured
  std::size_t idle = 0;
  std::size_t active = 0;
  std::size_t leaving = 0;
  std::size_t total = 0;
  std::uint32_t most_active = 0;
  // Requests that need the store.
  std::uint64_t in_flight = 0;
  std::uint64_t queued = 0;
  std::uint64_t requests = 0;
  std::array<std::uint64_t, 5> statuses{};
  ServerErrors server_errors{};

  std::uint32_t generation = 0;
  std::uint64_t reloads_asked = 0;
  std::uint64_t reloads_answered = 0;
  ReloadOutcome reload_outcome = ReloadOutcome::None;
  std::string reload_text;
  std::optional<std::int64_t> reload_since;

  std::uint64_t retired = 0;
  std::map<std::string, std::uint64_t> deaths;  // by reason; only reasons that occurred

  struct Store {
    bool was_asked() const { return up + away > 0 || failures > 0 || trips.count > 0; }

    // Workers by the result of their last request to it.
    std::size_t up = 0;
    std::size_t away = 0;
    std::size_t not_asked = 0;
    std::uint64_t failures = 0;
    Durations trips;
  };
  std::array<Store, kStores> stores{};  // by StoreName

  std::array<std::uint64_t, http::kCacheUses> cache{};               // by http::CacheUse
  std::array<std::uint64_t, http::kWatchRefusals> watch_refusals{};  // by http::WatchRefusal
  std::array<std::uint64_t, http::kViewings> viewings{};             // by http::Viewing
  // Responses in the workers' memories.
  std::uint64_t cache_entries = 0;
  std::uint64_t cache_bytes = 0;
  std::vector<Endpoint> endpoints;  // endpoints with at least one request
  std::vector<Process> processes;
};

// Takes the snapshot. `wall_now` is in seconds since 1970.
Report look(const Scoreboard& scoreboard, const std::string& pool, base::TimePoint now,
            std::int64_t wall_now);

std::string to_json(const Report& report);
std::string to_openmetrics(const Report& report);

}  // namespace svc::pool
