#include "app/generation.h"

#include <unistd.h>

#include <array>
#include <cstring>

#include "base/entropy.h"
#include "base/log.h"
#include "pool/hashing_permits.h"
#include "pool/report.h"

namespace svc::app {
namespace {

// Into the worker's own slot and counters.
class StoreTrips : public redis::TripObserver {
 public:
  StoreTrips(pool::Slot& slot, pool::Counters& counters) : slot_(slot), counters_(counters) {}

  void answered(base::Duration took) override {
    slot_.store.store(pool::StoreState::Up, std::memory_order_relaxed);
    counters_.store_trips.count(took);
  }
  void failed() override {
    slot_.store.store(pool::StoreState::Away, std::memory_order_relaxed);
    pool::add(counters_.store_failures);
  }

 private:
  pool::Slot& slot_;
  pool::Counters& counters_;
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
}

void Generation::take_over() {
  base::log::set_level(options_.log_level);
  if (options_.redis_state.to_text() != options_.redis_cache.to_text()) return;
  base::log::warn("store.shared", {{"store", options_.redis_state.to_text()},
                                   {"reason",
                                    "redis-state and redis-cache are one: for development only, "
                                    "since a cache may push out secrets"}});
}

int Generation::run(const pool::WorkerSettings& settings, pool::Scoreboard& scoreboard,
                    pool::Slot& slot, const sigset_t& waiting) {
  queue_.close();
  const base::SystemClock wall_clock;
  StoreTrips trips(slot, scoreboard.counters(slot));
  const auto report = [&] {
    return pool::look(scoreboard, options_.pool.name, clock_.now(), wall_clock.now());
  };
  pool::HashingPermits permits(scoreboard, slot, options_.pool.workers, clock_);
  Service service(options_, secrets_, permits, clock_,
                  {&trips, [&] { return pool::to_json(report()); },
                   [&] { return pool::to_openmetrics(report()); }, &flight_, &usage_, hasher_});
  pool::Worker::Work work{service.front(), [&] { service.settle(); },
                          [&] {
                            service.write_counts();
                            service.clean_up();
                          },
                          [&](std::int64_t account) { service.count(account); }, permits};
  const int status =
      pool::Worker(socket_.fd(), settings, scoreboard, slot, std::move(work), clock_).run(waiting);
  // As the pool ends it: the destructor would wait for a hash that found no time, and whose result
  // nobody needs, until the parent takes this worker for one that hangs.
  if (!service.may_end()) _exit(status);
  return status;
}

}  // namespace svc::app
