// RecordedInvalidations: counts the invalidations that a connection reports.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cache/invalidation_feed.h"

namespace svc::integration {

class RecordedInvalidations : public cache::InvalidationListener {
 public:
  void invalidated(std::string_view key) override { keys.emplace_back(key); }
  void all_invalidated() override { ++everything; }
  void feed_began() override { ++begun; }
  bool has(std::string_view key) const { return std::ranges::find(keys, key) != keys.end(); }

  std::vector<std::string> keys;
  int everything = 0;
  int begun = 0;
};

}  // namespace svc::integration
