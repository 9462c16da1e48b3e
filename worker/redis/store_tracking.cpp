#include "redis/store_tracking.h"

#include <algorithm>
#include <utility>

#include "redis/cluster.h"

namespace svc::redis {

StoreTracking::StoreTracking(Store& store, ConnectionSettings settings,
                             std::vector<std::string> prefixes,
                             cache::InvalidationListener& listener, loop::Loop& loop)
    : store_(store),
      settings_(std::move(settings)),
      prefixes_(std::move(prefixes)),
      listener_(listener),
      loop_(loop) {}

void StoreTracking::start() {
  if (Cluster* const cluster = store_.cluster()) {
    return cluster->on_change([this](const std::set<Endpoint>& primaries) { follow(primaries); });
  }
  Tracking& only = track({}, settings_.address);
  store_.on_move([&only] { only.move(); });
}

Tracking& StoreTracking::track(const Endpoint& server, Address address) {
  ConnectionSettings settings = settings_;
  settings.address = std::move(address);
  Tracking& tracking =
      trackings_.try_emplace(server, settings, prefixes_, listener_, loop_).first->second;
  tracking.start();
  return tracking;
}

void StoreTracking::follow(const std::set<Endpoint>& primaries) {
  // Its last invalidations may not have arrived. Data cached before is used only while the store is
  // unavailable.
  if (std::erase_if(trackings_, [&](const auto& one) { return !primaries.contains(one.first); }) >
      0)
    listener_.feed_began();
  for (const Endpoint& primary : primaries)
    track(primary, Address::of(primary, settings_.address.tls));
}

bool StoreTracking::is_up() const {
  return !trackings_.empty() &&
         std::ranges::all_of(trackings_, [](const auto& one) { return one.second.is_up(); });
}

base::TimePoint StoreTracking::received_until() const {
  if (trackings_.empty()) return {};
  const auto oldest = std::ranges::min_element(
      trackings_, {}, [](const auto& one) { return one.second.received_until(); });
  return oldest->second.received_until();
}

}  // namespace svc::redis
