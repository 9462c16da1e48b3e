// Service: one worker's objects, wired by hand: stores → endpoints → router.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/options.h"
#include "app/secrets.h"
#include "base/clock.h"
#include "base/shared_semaphore.h"
#include "cache/hash.h"
#include "cache/response_cache.h"
#include "cache/usage_counts.h"
#include "http/router.h"
#include "login/passwords.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "viewing/table.h"

namespace svc::app {

// The pool's part in its workers' objects. Without `status` or `metrics`, these
// endpoints do not exist; without `…_trips`, round trips to that store are not observed;
// without `usage`, each worker counts manifests directly in the store.
struct PoolSide {
  redis::TripObserver* state_trips = nullptr;  // also those to a catalog that is in the same Redis
  redis::TripObserver* catalog_trips = nullptr;  // those to redis-catalog
  std::function<std::string()> status;           // as JSON
  std::function<std::string()> metrics;          // as OpenMetrics
  cache::UsageCounts* usage = nullptr;           // shared by its workers
  cache::Hasher hasher;
  viewing::Table* viewing = nullptr;  // shared by its workers; nullptr: no beacon is counted
};

// Dependencies that a test replaces. nullptr: the service's own. Outlives the service.
struct Replaced {
  const base::WallClock* clock = nullptr;  // the system's
  login::Passwords* passwords = nullptr;   // HashedPasswords
};

class Service {
 public:
  // Called in the worker, after fork(). Opens no connection: start() does, or
  // the first request that needs a store. All references must outlive the
  // service. Without keys, only the role embed is served.
  Service(const Options& options, const Secrets& secrets, base::SharedSemaphore& hashing,
          loop::Loop& loop, PoolSide pool = {}, const Replaced& replaced = {});
  ~Service();

  http::Router& router() { return router_; }
  // Returns the response cache in front of the router.
  cache::ResponseCache& responses();
  // Returns true if the stores of its roles reply to a PING: redis-catalog, and redis-state. Never
  // throws.
  loop::Task<bool> store_answers();
  // Opens the invalidation connection, if a cache needs it.
  void start();
  // Counts a manifest for that account. Never waits, never fails.
  void count(std::int64_t account);
  void count_opening(std::string_view media, std::int64_t link);
  // Writes the counted manifests to the store, if it is available. Never
  // throws.
  loop::Task<> write_counts();
  // The same of what players have told (api-B4).
  loop::Task<> write_viewing();
  // Whether a periodic task runs.
  bool is_busy() const;
  // Starts the periodic tasks that are due and do not run: write_counts(), and
  // in the role web, ending the grants of removed applications.
  void every_second();

 private:
  struct Parts;

  loop::Task<> clean_up();
  loop::Task<> clean_up_applications();
  loop::Task<> clean_up_statistics();
  std::unique_ptr<Parts> parts_;
  http::Router router_;
};

}  // namespace svc::app
