#include "pool/metrics/report.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include "text/json.h"

namespace svc::pool {
namespace {

using text::json::ArrayWriter;
using text::json::ObjectWriter;

constexpr std::array<const char*, 5> kClasses{"1xx", "2xx", "3xx", "4xx", "5xx"};
// By ServerError.
constexpr std::array<const char*, kServerErrors> kServerErrorNames{"501", "503", "507", "other"};

double seconds(base::Duration duration) { return std::chrono::duration<double>(duration).count(); }

Report::Durations read(const Histogram& histogram) {
  Report::Durations durations;
  for (std::size_t i = 0; i < durations.buckets.size(); ++i) {
    durations.buckets[i] = histogram.buckets[i].load(std::memory_order_relaxed);
    durations.count += durations.buckets[i];
  }
  durations.seconds = static_cast<double>(histogram.nanoseconds.load()) / 1e9;
  return durations;
}

std::optional<std::int64_t> known(std::int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

void look_at_workers(const Scoreboard& scoreboard, base::TimePoint now, Report& report) {
  for (const Slot& slot : scoreboard.slots()) {
    const Phase phase = slot.phase.load(std::memory_order_acquire);
    if (phase == Phase::Free) continue;
    const base::Duration age = now.time_since_epoch() - base::Duration(slot.since.load());
    report.processes.push_back({slot.pid, slot.generation, phase, slot.requests, slot.connections,
                                std::max(seconds(age), 0.0), slot.path_text()});
    ++report.total;
    report.in_flight += slot.in_flight.load(std::memory_order_relaxed);
    report.queued += slot.queued.load(std::memory_order_relaxed);
    report.cache_entries += slot.cache_entries.load(std::memory_order_relaxed);
    report.cache_bytes += slot.cache_bytes.load(std::memory_order_relaxed);
    report.active += phase == Phase::Handling ? 1U : 0U;
    report.idle += phase == Phase::Idle ? 1U : 0U;
    report.leaving += phase == Phase::Draining ? 1U : 0U;
    for (std::size_t i = 0; i < kStores; ++i) {
      Report::Store& store = report.stores[i];
      switch (slot.stores[i].load(std::memory_order_relaxed)) {
        case StoreState::NotAsked: ++store.not_asked; break;
        case StoreState::Up: ++store.up; break;
        case StoreState::Away: ++store.away; break;
      }
    }
  }
}

void look_at_counters(const Scoreboard& scoreboard, Report& report) {
  const auto all = std::make_unique<Counters>();
  scoreboard.sum(*all);
  for (std::size_t i = 0; i < kPlainCounters.size(); ++i)
    report.plain[i] = (*all).*kPlainCounters[i].counter;
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    Report::Endpoint endpoint{
        scoreboard.endpoint_name(i), {}, {}, read(all->endpoints[i].durations)};
    if (endpoint.durations.count == 0) continue;
    for (std::size_t k = 0; k < endpoint.statuses.size(); ++k) {
      endpoint.statuses[k] = all->endpoints[i].statuses[k];
      report.statuses[k] += endpoint.statuses[k];
    }
    for (std::size_t k = 0; k < kServerErrors; ++k) {
      endpoint.server_errors[k] = all->endpoints[i].server_errors[k];
      report.server_errors[k] += endpoint.server_errors[k];
    }
    report.requests += endpoint.durations.count;
    report.endpoints.push_back(std::move(endpoint));
  }
  for (std::size_t i = 0; i < kStores; ++i) {
    report.stores[i].failures = all->stores[i].failures;
    report.stores[i].trips = read(all->stores[i].trips);
  }
  for (std::size_t i = 0; i < report.cache.size(); ++i) report.cache[i] = all->cache[i];
  for (std::size_t i = 0; i < report.watch_refusals.size(); ++i)
    report.watch_refusals[i] = all->watch_refusals[i];
  for (std::size_t i = 0; i < report.viewings.size(); ++i) report.viewings[i] = all->viewings[i];
}

// ---- JSON ----

void write_optional(ObjectWriter& writer, std::string_view key,
                    const std::optional<std::int64_t>& value) {
  if (value) {
    writer.integer(key, *value);
  } else {
    writer.null(key);
  }
}

template <class Number>
void write_integer(ObjectWriter& writer, std::string_view key, Number value) {
  writer.integer(key, static_cast<std::int64_t>(value));
}

void write_plain(ObjectWriter& writer, const Report& report, std::string_view part) {
  for (std::size_t i = 0; i < kPlainCounters.size(); ++i) {
    if (kPlainCounters[i].part == part)
      write_integer(writer, kPlainCounters[i].key, report.plain[i]);
  }
}

void write_statuses(std::string& out, const std::array<std::uint64_t, 5>& statuses) {
  ObjectWriter writer(out);
  for (std::size_t i = 0; i < statuses.size(); ++i) write_integer(writer, kClasses[i], statuses[i]);
  writer.end();
}

void write_server_errors(std::string& out, const Report::ServerErrors& errors) {
  ObjectWriter writer(out);
  for (std::size_t i = 0; i < kServerErrors; ++i)
    write_integer(writer, kServerErrorNames[i], errors[i]);
  writer.end();
}

// Buckets are [upper bound in ms, count], null for the last; not cumulative,
// unlike in OpenMetrics.
void write_durations(std::string& out, const Report::Durations& durations) {
  ObjectWriter writer(out);
  write_integer(writer, "count", durations.count);
  writer.decimal("ms", durations.seconds * 1e3);
  ArrayWriter buckets(writer.raw("buckets"));
  for (std::size_t i = 0; i < durations.buckets.size(); ++i) {
    ArrayWriter bucket(buckets.next());
    if (i < Histogram::kBounds.size()) {
      text::json::append_decimal(bucket.next(), static_cast<double>(Histogram::kBounds[i]) / 1e6);
    } else {
      bucket.next() += "null";
    }
    bucket.next() += std::to_string(durations.buckets[i]);
    bucket.end();
  }
  buckets.end();
  writer.end();
}

void write_reload(std::string& out, const Report& report) {
  ObjectWriter writer(out);
  write_integer(writer, "asked", report.reloads_asked);
  write_integer(writer, "answered", report.reloads_answered);
  writer.string("outcome", to_text(report.reload_outcome));
  writer.string("text", report.reload_text);
  write_optional(writer, "since", report.reload_since);
  writer.end();
}

// One that was not asked is left out, unless it is the first: redis-catalog may be redis-state.
bool is_shown(const Report& report, std::size_t store) {
  return store == 0 || report.stores[store].was_asked();
}

void write_store(std::string& out, const Report::Store& store) {
  ObjectWriter writer(out);
  write_integer(writer, "up", store.up);
  write_integer(writer, "away", store.away);
  write_integer(writer, "not_asked", store.not_asked);
  write_integer(writer, "failures", store.failures);
  write_durations(writer.raw("round_trips"), store.trips);
  writer.end();
}

struct CacheLevel {
  const char* name;
  std::uint64_t hits;
  std::uint64_t misses;
};

// The cache levels in the order of lookup: a miss in one level is a request to
// the next.
std::array<CacheLevel, 3> cache_levels(const Report& report) {
  const auto of = [&](http::CacheUse use) { return report.cache[static_cast<std::size_t>(use)]; };
  const std::uint64_t redis = of(http::CacheUse::Redis);
  const std::uint64_t missed = of(http::CacheUse::Miss) + of(http::CacheUse::Stale);
  const std::uint64_t handover = of(http::CacheUse::Handover);
  return {CacheLevel{"memory", of(http::CacheUse::Memory), handover + redis + missed},
          CacheLevel{"handover", handover, redis + missed}, CacheLevel{"redis", redis, missed}};
}

std::uint64_t stale_answers(const Report& report) {
  return report.cache[static_cast<std::size_t>(http::CacheUse::Stale)];
}

void write_cache(std::string& out, const Report& report) {
  ObjectWriter writer(out);
  for (const CacheLevel& level : cache_levels(report)) {
    ObjectWriter inner(writer.raw(level.name));
    write_integer(inner, "hits", level.hits);
    write_integer(inner, "misses", level.misses);
    if (level.name == std::string_view("memory")) {
      write_integer(inner, "stale", stale_answers(report));
      write_integer(inner, "entries", report.cache_entries);
      write_integer(inner, "bytes", report.cache_bytes);
      write_plain(inner, report, level.name);
    }
    inner.end();
  }
  writer.end();
}

// ---- OpenMetrics ----

class Metrics {
 public:
  explicit Metrics(const std::string& pool) : pool_(pool) {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += "# TYPE " + name_ + ' ';
    out_ += type;
    out_ += "\n# HELP " + name_ + ' ';
    out_ += help;
    out_ += '\n';
  }
  template <class Number>
  void gauge(std::string_view name, std::string_view help, Number value) {
    family(name, "gauge", help);
    sample("", {}, number(value));
  }
  template <class Number>
  void counter(std::string_view name, std::string_view help, Number value) {
    family(name, "counter", help);
    sample("_total", {}, number(value));
  }
  // Each label in `labels` begins with a comma.
  void sample(std::string_view suffix, std::string_view labels, const std::string& value) {
    out_ += name_;
    out_ += suffix;
    out_ += "{pool=\"" + pool_ + '"';
    out_ += labels;
    out_ += "} " + value + '\n';
  }
  void histogram(const std::string& labels, const Report::Durations& durations) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < durations.buckets.size(); ++i) {
      sum += durations.buckets[i];
      const std::string bound = i < Histogram::kBounds.size()
                                    ? number(static_cast<double>(Histogram::kBounds[i]) / 1e9)
                                    : "+Inf";
      sample("_bucket", labels + ",le=\"" + bound + '"', std::to_string(sum));
    }
    sample("_count", labels, std::to_string(durations.count));
    sample("_sum", labels, number(durations.seconds));
  }
  std::string finish() { return std::move(out_) + "# EOF\n"; }

  static std::string number(double value) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%.9g", value);
    return digits.data();
  }
  static std::string number(std::uint64_t value) { return std::to_string(value); }
  static std::string number(std::int64_t value) { return std::to_string(value); }
  static std::string number(std::uint32_t value) { return std::to_string(value); }

 private:
  const std::string pool_;
  std::string name_;
  std::string out_;
};

// No escaping: endpoint names and reasons come from our code, and contain no
// quotes or backslashes.
std::string label(std::string_view name, std::string_view value) {
  return ',' + std::string(name) + "=\"" + std::string(value) + '"';
}

}  // namespace

Report look(const Scoreboard& scoreboard, const std::string& name, base::TimePoint now,
            std::int64_t wall_now) {
  const PoolSlot& pool = scoreboard.pool();
  const auto since = [&](std::int64_t then) {
    return static_cast<std::int64_t>(seconds(now.time_since_epoch() - base::Duration(then)));
  };
  Report report;
  report.pool = name;
  report.pid = pool.pid;
  report.start_since = since(pool.started);
  report.start_time = wall_now - report.start_since;
  report.queue = known(pool.queue);
  report.longest_queue = known(pool.longest_queue);
  report.queue_limit = known(pool.queue_limit);
  report.workers = pool.workers;
  report.generation = pool.generation;
  report.reloads_answered = pool.answered.load(std::memory_order_acquire);
  report.reloads_asked = pool.asked;
  report.reload_outcome = pool.outcome;
  report.reload_text = pool.answer_text();
  if (report.reloads_answered > 0) report.reload_since = since(pool.answered_at);
  report.retired = pool.retired;
  for (std::size_t i = 0; i < pool.deaths.size(); ++i) {
    if (pool.deaths[i] > 0) report.deaths[death::to_text(i)] = pool.deaths[i];
  }
  look_at_workers(scoreboard, now, report);
  report.most_active = std::max(pool.most_active.load(), static_cast<std::uint32_t>(report.active));
  look_at_counters(scoreboard, report);
  return report;
}

std::string to_json(const Report& report) {
  std::string out;
  ObjectWriter writer(out);
  writer.string("pool", report.pool).string("process_manager", "static");
  write_integer(writer, "pid", report.pid);
  writer.integer("start_time", report.start_time).integer("start_since", report.start_since);
  write_plain(writer, report, "");
  write_optional(writer, "listen_queue", report.queue);
  write_optional(writer, "max_listen_queue", report.longest_queue);
  write_optional(writer, "listen_queue_len", report.queue_limit);
  write_integer(writer, "workers", report.workers);
  write_integer(writer, "idle_processes", report.idle);
  write_integer(writer, "active_processes", report.active);
  write_integer(writer, "leaving_processes", report.leaving);
  write_integer(writer, "total_processes", report.total);
  write_integer(writer, "max_active_processes", report.most_active);
  write_integer(writer, "in_flight", report.in_flight);
  write_integer(writer, "queued", report.queued);
  write_integer(writer, "requests", report.requests);
  write_statuses(writer.raw("statuses"), report.statuses);
  write_server_errors(writer.raw("server_errors"), report.server_errors);
  write_integer(writer, "generation", report.generation);
  write_reload(writer.raw("reload"), report);
  write_integer(writer, "retired", report.retired);
  ObjectWriter deaths(writer.raw("deaths"));
  for (const auto& [reason, count] : report.deaths) write_integer(deaths, reason, count);
  deaths.end();
  for (std::size_t i = 0; i < kStores; ++i) {
    if (is_shown(report, i))
      write_store(writer.raw(i == 0 ? "store" : kStoreNames[i]), report.stores[i]);
  }
  write_cache(writer.raw("cache"), report);
  ArrayWriter endpoints(writer.raw("endpoints"));
  for (const Report::Endpoint& endpoint : report.endpoints) {
    ObjectWriter inner(endpoints.next());
    inner.string("endpoint", endpoint.name);
    write_statuses(inner.raw("statuses"), endpoint.statuses);
    write_server_errors(inner.raw("server_errors"), endpoint.server_errors);
    write_durations(inner.raw("durations"), endpoint.durations);
    inner.end();
  }
  endpoints.end();
  ArrayWriter processes(writer.raw("processes"));
  for (const Report::Process& process : report.processes) {
    ObjectWriter inner(processes.next());
    write_integer(inner, "pid", process.pid);
    write_integer(inner, "generation", process.generation);
    inner.string("phase", to_text(process.phase));
    write_integer(inner, "requests", process.requests);
    write_integer(inner, "connections", process.connections);
    inner.decimal("seconds", process.seconds).string("path", process.path);
    inner.end();
  }
  processes.end();
  writer.end();
  return out;
}

std::string to_openmetrics(const Report& report) {
  Metrics metrics(report.pool);
  metrics.gauge("svc_up", "1: the parent runs and answers this request.", std::uint32_t{1});
  metrics.gauge("svc_start_time_seconds", "Start time of the pool, in seconds since 1970.",
                report.start_time);
  metrics.gauge("svc_generation",
                "Number of the current generation of workers; 1 after the start, one more per "
                "successful reload.",
                report.generation);
  for (std::size_t i = 0; i < kPlainCounters.size(); ++i)
    metrics.counter(kPlainCounters[i].metric, kPlainCounters[i].help, report.plain[i]);
  if (report.queue && report.queue_limit && report.longest_queue) {
    metrics.gauge("svc_listen_queue", "Connections that wait for a worker to accept them.",
                  *report.queue);
    metrics.gauge("svc_max_listen_queue",
                  "Largest number of waiting connections observed since the start.",
                  *report.longest_queue);
    metrics.gauge("svc_listen_queue_length", "Maximum number of waiting connections (backlog).",
                  *report.queue_limit);
  }
  metrics.family("svc_processes", "gauge", "Workers by state: idle, active or draining (leaving).");
  metrics.sample("", label("state", "idle"), metrics.number(std::uint64_t{report.idle}));
  metrics.sample("", label("state", "active"), metrics.number(std::uint64_t{report.active}));
  metrics.sample("", label("state", "leaving"), metrics.number(std::uint64_t{report.leaving}));
  metrics.gauge("svc_workers", "Configured number of workers.", report.workers);
  metrics.gauge("svc_max_active_processes",
                "Largest number of simultaneously active workers since the start.",
                report.most_active);
  metrics.gauge("svc_in_flight_requests", "Requests in progress that need the store.",
                report.in_flight);
  metrics.gauge("svc_queued_requests", "Requests queued because max-in-flight was reached.",
                report.queued);
  metrics.counter("svc_reloads_asked", "Reloads requested.", report.reloads_asked);
  metrics.gauge("svc_last_reload_successful",
                "0: the last reload was rejected or failed, or is running; 1: it succeeded, or "
                "there was none.",
                std::uint32_t{report.reload_outcome == ReloadOutcome::None ||
                                      report.reload_outcome == ReloadOutcome::Done
                                  ? 1U
                                  : 0U});
  metrics.counter("svc_workers_retired", "Workers that exited as planned: replaced, or drained.",
                  report.retired);
  metrics.family("svc_worker_deaths", "counter", "Workers that ended unexpectedly, by reason.");
  for (const auto& [reason, count] : report.deaths)
    metrics.sample("_total", label("reason", reason), metrics.number(count));
  metrics.family("svc_requests", "counter", "Responses by endpoint and status class.");
  for (const Report::Endpoint& endpoint : report.endpoints) {
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      if (endpoint.statuses[i] == 0) continue;
      metrics.sample("_total", label("endpoint", endpoint.name) + label("status", kClasses[i]),
                     metrics.number(endpoint.statuses[i]));
    }
  }
  metrics.family("svc_server_errors", "counter",
                 "5xx responses by endpoint and status: 501, 503, 507 or other.");
  for (const Report::Endpoint& endpoint : report.endpoints) {
    for (std::size_t i = 0; i < kServerErrors; ++i) {
      if (endpoint.server_errors[i] == 0) continue;
      metrics.sample("_total",
                     label("endpoint", endpoint.name) + label("status", kServerErrorNames[i]),
                     metrics.number(endpoint.server_errors[i]));
    }
  }
  metrics.family("svc_request_duration_seconds", "histogram",
                 "Time in seconds from a complete request to its response, by endpoint.");
  for (const Report::Endpoint& endpoint : report.endpoints)
    metrics.histogram(label("endpoint", endpoint.name), endpoint.durations);
  metrics.family("svc_store_workers", "gauge",
                 "Workers by the result of their last request to a Redis: the state, which has the "
                 "catalog too unless redis-catalog is another, or the catalog.");
  const auto for_each_store = [&](const auto& write) {
    for (std::size_t i = 0; i < kStores; ++i) {
      if (is_shown(report, i)) write(label("redis", kStoreNames[i]), report.stores[i]);
    }
  };
  for_each_store([&](const std::string& redis, const Report::Store& store) {
    metrics.sample("", redis + label("store", "up"), metrics.number(std::uint64_t{store.up}));
    metrics.sample("", redis + label("store", "away"), metrics.number(std::uint64_t{store.away}));
    metrics.sample("", redis + label("store", "not_asked"),
                   metrics.number(std::uint64_t{store.not_asked}));
  });
  metrics.family("svc_store_failures", "counter", "Failed round trips to that Redis.");
  for_each_store([&](const std::string& redis, const Report::Store& store) {
    metrics.sample("_total", redis, metrics.number(store.failures));
  });
  metrics.family("svc_store_trip_seconds", "histogram",
                 "Duration of round trips to that Redis, in seconds.");
  for_each_store([&](const std::string& redis, const Report::Store& store) {
    metrics.histogram(redis, store.trips);
  });
  metrics.family("svc_cache_lookups", "counter", "Cache lookups by level and result.");
  for (const CacheLevel& level : cache_levels(report)) {
    metrics.sample("_total", label("level", level.name) + label("result", "hit"),
                   metrics.number(level.hits));
    metrics.sample("_total", label("level", level.name) + label("result", "miss"),
                   metrics.number(level.misses));
  }
  metrics.family("svc_watch_refusals", "counter",
                 "Films that were not shown, by reason: site, private (no link), wrong_link, "
                 "ended_link or pass.");
  for (std::size_t i = 1; i < report.watch_refusals.size(); ++i) {
    metrics.sample("_total", label("reason", to_text(static_cast<http::WatchRefusal>(i))),
                   metrics.number(report.watch_refusals[i]));
  }
  constexpr auto kCounted = static_cast<std::size_t>(http::Viewing::Counted);
  metrics.counter("svc_viewing_counted", "Beacons of players that were counted.",
                  report.viewings[kCounted]);
  metrics.family("svc_viewing_dropped", "counter",
                 "Beacons of players that were not counted, by reason: malformed, ticket (made up, "
                 "or older than a day), privacy (the viewer's wish), bot, rate (of an address), "
                 "address (its sessions), full, busy or off.");
  for (std::size_t i = kCounted + 1; i < report.viewings.size(); ++i) {
    metrics.sample("_total", label("reason", to_text(static_cast<http::Viewing>(i))),
                   metrics.number(report.viewings[i]));
  }
  metrics.counter("svc_cache_stale", "Stale responses sent while the store was unavailable.",
                  stale_answers(report));
  metrics.gauge("svc_cache_entries", "Responses cached in the workers' memory.",
                report.cache_entries);
  metrics.gauge("svc_cache_bytes", "Size of these cached responses in bytes.", report.cache_bytes);
  return metrics.finish();
}

}  // namespace svc::pool
