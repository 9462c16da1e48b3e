// Counters: a worker's requests and events, by endpoint, as numbers that only
// increase.
//
// They are in the scoreboard, one set per worker. Only that worker writes its
// set, so adding is a load and a store, not a locked operation. When a worker
// exits, the parent adds its set to the totals of exited workers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "http/response.h"

namespace svc::pool {

using Counter = std::atomic<std::uint64_t>;

// Adds to a counter that only the caller writes.
inline void add(Counter& counter, std::uint64_t more = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

// A histogram of durations.
struct Histogram {
  // Upper bounds in ns. The last bucket is for longer durations.
  static constexpr std::array<std::int64_t, 14> kBounds{
      100'000,    250'000,    500'000,     1'000'000,   2'500'000,   5'000'000,     10'000'000,
      25'000'000, 50'000'000, 100'000'000, 250'000'000, 500'000'000, 1'000'000'000, 2'500'000'000};

  std::array<Counter, kBounds.size() + 1> buckets{};
  Counter nanoseconds{0};  // sum of all durations

  void count(base::Duration took) {
    const std::int64_t ns = std::max<std::int64_t>(took.count(), 0);
    const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), ns) - kBounds.begin();
    add(buckets[static_cast<std::size_t>(bucket)]);
    add(nanoseconds, static_cast<std::uint64_t>(ns));
  }
  void add_all(const Histogram& other) {
    for (std::size_t i = 0; i < buckets.size(); ++i) add(buckets[i], other.buckets[i]);
    add(nanoseconds, other.nanoseconds);
  }
};

constexpr std::size_t kEndpoints = 160;  // the last is for endpoints without a number

// Responses 5xx. 501 refuses something that is not implemented, such as an embed code for an audio;
// 503 is sent if the store is unavailable or there are too many requests; 507 refuses an upload.
enum class ServerError : std::uint8_t { NotImplemented, Unavailable, NoRoom, Other };
constexpr std::size_t kServerErrors = 4;

struct EndpointCounters {
  std::array<Counter, 5> statuses{};                   // 1xx to 5xx
  std::array<Counter, kServerErrors> server_errors{};  // by ServerError; their sum is that of 5xx
  Histogram durations;
};

// Counters without a label. kPlainCounters describes each.
struct PlainCounters {
  Counter accepted{0};
  Counter refused{0};
  Counter slow{0};
  // Counts of the responses in the worker's memory.
  Counter cache_evicted{0};
  Counter cache_rejected{0};
  Counter cache_invalidated{0};
  Counter cache_invalidations{0};
};

// The sum over workers, the status and the metrics are made from these rows.
struct PlainCounter {
  Counter PlainCounters::*counter;
  std::string_view part;    // object of the JSON status that has the key: "" or "memory"
  std::string_view key;     // in the JSON status
  std::string_view metric;  // without _total
  std::string_view help;
};
inline constexpr std::array<PlainCounter, 7> kPlainCounters{{
    {&PlainCounters::accepted, "", "accepted_conn", "svc_accepted_connections",
     "Connections accepted from nginx."},
    {&PlainCounters::slow, "", "slow_requests", "svc_slow_requests",
     "Requests answered with 503 after request-timeout."},
    {&PlainCounters::refused, "", "refused", "svc_refused_requests",
     "Requests answered with 503 because the queue was full or queue-timeout passed."},
    {&PlainCounters::cache_evicted, "memory", "evicted", "svc_cache_evicted",
     "Cached responses evicted for others."},
    {&PlainCounters::cache_rejected, "memory", "rejected", "svc_cache_rejected",
     "Responses not cached because they are requested too rarely to evict another."},
    {&PlainCounters::cache_invalidated, "memory", "invalidated", "svc_cache_invalidated",
     "Cached responses deleted because a record had changed."},
    {&PlainCounters::cache_invalidations, "memory", "invalidations", "svc_cache_invalidations",
     "Invalidations received by the workers."},
}};
static_assert(sizeof(PlainCounters) == kPlainCounters.size() * sizeof(Counter),
              "each counter of PlainCounters needs a row");

// The Redis that a worker asks: redis-state, which is the catalog's too unless that has its own,
// and the catalog's own. In the metrics; the JSON status calls the first one "store".
enum class StoreName : std::uint8_t { State, Catalog };
inline constexpr std::array<std::string_view, 2> kStoreNames{"state", "catalog"};
inline constexpr std::size_t kStores = kStoreNames.size();

struct StoreCounters {
  Counter failures{0};
  Histogram trips;
};

struct alignas(64) Counters : PlainCounters {
  std::array<EndpointCounters, kEndpoints> endpoints;
  std::array<StoreCounters, kStores> stores;                   // by StoreName
  std::array<Counter, http::kCacheUses> cache{};               // by http::CacheUse
  std::array<Counter, http::kWatchRefusals> watch_refusals{};  // by http::WatchRefusal
  std::array<Counter, http::kViewings> viewings{};             // by http::Viewing

  void count(std::size_t endpoint, int status, base::Duration took) {
    EndpointCounters& own = endpoints[std::min(endpoint, kEndpoints - 1)];
    const int status_class = std::clamp(status / 100, 1, 5);
    add(own.statuses[static_cast<std::size_t>(status_class - 1)]);
    if (status_class == 5) {
      const ServerError error = status == 501   ? ServerError::NotImplemented
                                : status == 503 ? ServerError::Unavailable
                                : status == 507 ? ServerError::NoRoom
                                                : ServerError::Other;
      add(own.server_errors[static_cast<std::size_t>(error)]);
    }
    own.durations.count(took);
  }
  void add_all(const Counters& other) {
    for (const PlainCounter& row : kPlainCounters) add(this->*row.counter, other.*row.counter);
    for (std::size_t i = 0; i < kEndpoints; ++i) {
      for (std::size_t k = 0; k < endpoints[i].statuses.size(); ++k)
        add(endpoints[i].statuses[k], other.endpoints[i].statuses[k]);
      for (std::size_t k = 0; k < kServerErrors; ++k)
        add(endpoints[i].server_errors[k], other.endpoints[i].server_errors[k]);
      endpoints[i].durations.add_all(other.endpoints[i].durations);
    }
    for (std::size_t i = 0; i < kStores; ++i) {
      add(stores[i].failures, other.stores[i].failures);
      stores[i].trips.add_all(other.stores[i].trips);
    }
    for (std::size_t i = 0; i < cache.size(); ++i) add(cache[i], other.cache[i]);
    for (std::size_t i = 0; i < watch_refusals.size(); ++i)
      add(watch_refusals[i], other.watch_refusals[i]);
    for (std::size_t i = 0; i < viewings.size(); ++i) add(viewings[i], other.viewings[i]);
  }
};

}  // namespace svc::pool
