// StoreTracking: the invalidations of a whole store: of its only server, of the
// primary that Sentinels watch, or of every primary of a Cluster.
#pragma once

#include <map>
#include <memory>
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
  void follow(const std::vector<Endpoint>& primaries);
  std::unique_ptr<Tracking> tracking_of(Address address) const;

  Store& store_;
  const ConnectionSettings settings_;
  const std::vector<std::string> prefixes_;
  cache::InvalidationListener& listener_;
  loop::Loop& loop_;
  std::unique_ptr<Tracking> only_;                         // nullptr: a Cluster
  std::map<Endpoint, std::unique_ptr<Tracking>> of_node_;  // only in a Cluster
};

}  // namespace svc::redis
