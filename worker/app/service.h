// Service: one worker's objects, wired by hand: stores → endpoints → router.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/options.h"
#include "base/clock.h"
#include "base/key_ring.h"
#include "cache/hash.h"
#include "cache/response_cache.h"
#include "cache/usage_counts.h"
#include "http/router.h"
#include "login/passwords.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/connection_settings.h"

namespace svc::app {

// What is read from files before the workers are forked.
struct Secrets {
  std::string redis_password;
  // There for the roles grant and web; nothing where no role needs it.
  std::optional<base::KeyRing> keys;
};

// What the pool has for its workers' objects. Where something is missing, it is not answered or not
// told.
struct PoolSide {
  redis::TripObserver* state_trips = nullptr;  // of the state store
  std::function<std::string()> status;         // as JSON
  std::function<std::string()> metrics;        // as OpenMetrics
  cache::UsageCounts* usage = nullptr;         // of its workers
  cache::Hasher hasher;
};

class Service {
 public:
  // In the worker, after fork(). Opens nothing: start() does, or the first request that needs a
  // store. Everything outlives the service. Without keys only the role embed is answered.
  Service(const Options& options, const Secrets& secrets, login::HashingPermits& permits,
          loop::Loop& loop, PoolSide pool = {});
  ~Service();

  http::Router& router() { return router_; }
  // The router with the caches before it.
  cache::ResponseCache& responses();
  // Whether the state Redis answers a PING. Never throws.
  loop::Task<bool> store_answers();
  // Begins to hear what changes in the store.
  void start();
  // A manifest was answered for that account. Never waits, never fails.
  void count(std::int64_t account);
  // Writes what was counted, if the store is not known to be away. Never throws.
  loop::Task<> write_counts();
  // Starts what is due now and then, if it does not run: write_counts(), and in the role web the
  // end of the grants of applications that were removed.
  void every_second();
  // Whether destroying it would not wait for a hash.
  bool may_end();

 private:
  struct Parts;

  loop::Task<> clean_up();
  std::unique_ptr<Parts> parts_;
  http::Router router_;
};

redis::ConnectionSettings state_connection(const Options& options, const std::string& password,
                                           const std::string& name);

// The same for the cache Redis: with a short timeout, and a breaker that stays open longer.
redis::ConnectionSettings cache_connection(const Options& options, const std::string& password,
                                           const std::string& name);

// From the files that the options name. The error never says what is in them.
base::Result<Secrets, std::string> read_secrets(const Options& options);

// The password for Redis: the first line of its file, without its end; empty when none is
// configured.
base::Result<std::string, std::string> read_redis_password(const Options& options);

// The keys that seal secrets; nothing when none are configured.
base::Result<std::optional<base::KeyRing>, std::string> read_keys(const Options& options);

// What is wrong with the files that the options name, a line each; empty when nothing is.
std::string check_files(const Options& options);

}  // namespace svc::app
