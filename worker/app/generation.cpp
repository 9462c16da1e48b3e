#include "app/generation.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "app/routes.h"
#include "base/entropy.h"
#include "base/log.h"
#include "base/process_title.h"
#include "pool/metrics/report.h"
#include "pool/worker/worker.h"

namespace svc::app {
namespace {

static_assert(kRoutes < pool::kEndpoints, "each route has counters of its own");

// Records round trips to a store in the worker's slot and counters.
class StoreTrips : public redis::TripObserver {
 public:
  StoreTrips(pool::StoreName store, pool::Slot& slot, pool::Counters& counters)
      : state_(slot.stores[static_cast<std::size_t>(store)]),
        counters_(counters.stores[static_cast<std::size_t>(store)]) {}

  void answered(base::Duration took) override {
    state_.store(pool::StoreState::Up, std::memory_order_relaxed);
    counters_.trips.count(took);
  }
  void failed() override {
    state_.store(pool::StoreState::Away, std::memory_order_relaxed);
    pool::add(counters_.failures);
  }

 private:
  std::atomic<pool::StoreState>& state_;
  pool::StoreCounters& counters_;
};

}  // namespace

Generation::Generation(Options options, Secrets secrets, const fastcgi::ListeningSocket& socket,
                       fastcgi::ListenQueue& queue, const base::Clock& clock)
    : options_(std::move(options)),
      secrets_(std::move(secrets)),
      socket_(socket),
      queue_(queue),
      clock_(clock) {
  std::array<unsigned char, sizeof hasher_.seed> bytes{};
  base::SystemEntropy().fill(bytes);
  std::memcpy(&hasher_.seed, bytes.data(), bytes.size());
  if (options_.roles.embed && options_.site.counts_viewing) viewing_.emplace(options_.viewing);
  if (options_.roles.grant || options_.roles.web) shares_.emplace(options_.pool.workers);
}

void Generation::take_over() {
  base::log::set_level(options_.log_level);
  if (options_.roles.embed && options_.watch_key_file.empty()) {
    base::log::warn("watch-keys.missing",
                    {{"reason",
                      "watch-key-file is empty: nobody can watch private media, and media for some "
                      "sites do not play"}});
  }
  for (const auto& [name, store] : {std::pair("redis-state", &options_.redis_state),
                                    std::pair("redis-catalog", &options_.catalog_address())}) {
    if (store->to_text() != options_.redis_cache.to_text()) continue;
    base::log::warn("store.shared",
                    {{"store", store->to_text()},
                     {"reason", std::string(name) +
                                    " and redis-cache are the same server: for development only, "
                                    "because a full cache may evict secrets"}});
    return;
  }
}

int Generation::run(const pool::WorkerSettings& settings, pool::Scoreboard& scoreboard,
                    pool::Slot& slot, const sigset_t& waiting) {
  queue_.close();
  base::set_process_title("svc-worker: worker of " + options_.pool.name,
                          "svc-" + options_.pool.name);
  const base::SystemClock wall_clock;
  pool::Counters& counters = scoreboard.counters(slot);
  StoreTrips state(pool::StoreName::State, slot, counters);
  StoreTrips catalog(pool::StoreName::Catalog, slot, counters);
  const auto report = [&] {
    return pool::look(scoreboard, options_.pool.name, clock_.now(), wall_clock.now());
  };
  loop::Loop loop(clock_);
  Service service(options_, secrets_, scoreboard.hashing(), loop,
                  {&state, &catalog, [&] { return pool::to_json(report()); },
                   [&] { return pool::to_openmetrics(report()); }, &usage_, hasher_,
                   viewing_ ? &*viewing_ : nullptr});
  service.start();
  pool::Worker::Work work{
      service.responses(),
      [&] { service.every_second(); },
      [&](std::int64_t account) { service.count(account); },
      [&](std::string_view media, std::int64_t link) { service.count_opening(media, link); },
      [&] { return service.store_answers(); },
      shares_ ? &*shares_ : nullptr};
  // Requests that were answered at their deadline continue while the counts are
  // written, and are cancelled after that.
  pool::Worker worker(socket_.fd(), settings, scoreboard, slot, std::move(work), loop);
  const int status = worker.run(waiting);
  loop.run_until_done(service.write_counts());
  loop.run_until_done(service.write_viewing());
  slot.finished = true;
  return status;
}

}  // namespace svc::app
