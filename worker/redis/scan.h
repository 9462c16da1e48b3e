// Scan: goes through the keys of a store without holding it up. Only for svcctl: workers may not.
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "loop/task.h"
#include "redis/channel.h"

namespace svc::redis {

// Finds each key that matches once: all that are there from beginning to end, and perhaps some that
// come or go meanwhile.
class Scan {
 public:
  // Redis may return a key twice while its table grows or shrinks. Dropped: next() never does, but
  // all keys so far are in memory. Possible: next() may, and memory is bounded.
  enum class Repeats { Dropped, Possible };

  Scan(Channel& channel, std::string pattern, Repeats repeats = Repeats::Dropped)
      : channel_(channel), pattern_(std::move(pattern)), repeats_(repeats) {}

  // The next batch of keys; empty at the end.
  loop::Task<std::vector<std::string>> next();

  // How much of the store has been looked through, 0 to 1.
  double fraction_done() const;

 private:
  // The keys of a batch that were not there before.
  std::vector<std::string> take(const ReplyView& reply);

  Channel& channel_;
  const std::string pattern_;
  const Repeats repeats_;
  std::string cursor_ = "0";
  bool ended_ = false;
  std::unordered_set<std::string> seen_;
};

}  // namespace svc::redis
