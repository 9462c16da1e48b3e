// Scan: iterates over the keys of a store with SCAN, which does not block the
// store. Only svcctl may use it; workers may not.
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "loop/task.h"
#include "redis/store.h"

namespace svc::redis {

// Returns each matching key once: of all primaries in a Cluster, one after
// another. Keys that are created or deleted, or that move to another node, during
// the scan may be missing.
class Scan {
 public:
  // Redis may return a key twice while its table grows or shrinks, a Cluster while slots move.
  // Dropped: next() never does, but all keys so far are in memory. Possible: next() may, and memory
  // is bounded.
  enum class Repeats { Dropped, Possible };

  Scan(Store& store, std::string pattern, Repeats repeats = Repeats::Dropped)
      : store_(store), pattern_(std::move(pattern)), repeats_(repeats) {}

  // Returns the next batch of keys; an empty one at the end.
  loop::Task<std::vector<std::string>> next();

  // How much of the store has been looked through, 0 to 1.
  double fraction_done() const;

 private:
  // Returns the keys of this batch that no earlier batch contained.
  std::vector<std::string> take(const ReplyView& reply);

  Store& store_;
  const std::string pattern_;
  const Repeats repeats_;
  std::vector<Channel*> primaries_;  // empty: not known yet
  std::size_t at_ = 0;               // index in primaries_
  std::string cursor_ = "0";
  bool ended_ = false;
  std::unordered_set<std::string> seen_;
};

}  // namespace svc::redis
