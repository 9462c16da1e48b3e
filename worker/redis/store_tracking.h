// StoreTracking: the invalidations of a whole store: of its only server, of the
// primary that Sentinels watch, or of every primary of a Cluster.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cache/invalidation_feed.h"
#include "loop/loop.h"
#include "redis/connection_settings.h"
#include "redis/store.h"
#include "redis/tracking.h"

namespace svc::redis {

class StoreTracking : public cache::InvalidationFeed {
 public:
  // Receives changes of keys that begin with one of `prefixes`, which must not
  // overlap. `settings` are those of `store`, with a name of their own. All
  // references must outlive it.
  StoreTracking(Store& store, ConnectionSettings settings, std::vector<std::string> prefixes,
                cache::InvalidationListener& listener, loop::Loop& loop);

  // Begins to connect. Called once. Never throws; failures are retried.
  void start();

  // In a Cluster, they cover all its primaries.
  bool is_up() const override;
  base::TimePoint received_until() const override;

 private:
  void follow(const std::set<Endpoint>& primaries);
  Tracking& track(const Endpoint& server, Address address);

  Store& store_;
  const ConnectionSettings settings_;
  const std::vector<std::string> prefixes_;
  cache::InvalidationListener& listener_;
  loop::Loop& loop_;
  std::map<Endpoint, Tracking> trackings_;  // of each primary; without a Cluster, one
};

}  // namespace svc::redis
