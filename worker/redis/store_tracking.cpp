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
      loop_(loop) {
  if (!store_.is_cluster()) only_ = tracking_of(settings_.address);
}

std::unique_ptr<Tracking> StoreTracking::tracking_of(Address address) const {
  ConnectionSettings settings = settings_;
  settings.address = std::move(address);
  return std::make_unique<Tracking>(settings, prefixes_, listener_, loop_);
}

void StoreTracking::start() {
  if (only_) {
    store_.on_move([this] { only_->move(); });
    return only_->start();
  }
  store_.cluster()->on_change(
      [this](const std::vector<Endpoint>& primaries) { follow(primaries); });
}

void StoreTracking::follow(const std::vector<Endpoint>& primaries) {
  const auto gone = std::erase_if(of_node_, [&](const auto& node) {
    return std::ranges::find(primaries, node.first) == primaries.end();
  });
  // Its last invalidations may not have arrived. Data cached before is used only while the store is
  // unavailable.
  if (gone != 0) listener_.feed_began();
  for (const Endpoint& primary : primaries) {
    const auto [at, is_new] = of_node_.try_emplace(primary);
    if (!is_new) continue;
    at->second = tracking_of(Address::of(primary, settings_.address.tls));
    at->second->start();
  }
}

bool StoreTracking::is_up() const {
  if (only_) return only_->is_up();
  return !of_node_.empty() &&
         std::ranges::all_of(of_node_, [](const auto& node) { return node.second->is_up(); });
}

base::TimePoint StoreTracking::received_until() const {
  if (only_) return only_->received_until();
  base::TimePoint until = base::TimePoint::max();
  for (const auto& [node, tracking] : of_node_) until = std::min(until, tracking->received_until());
  return of_node_.empty() ? base::TimePoint{} : until;
}

}  // namespace svc::redis
