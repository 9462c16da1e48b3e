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
  Scan(Channel& channel, std::string pattern) : channel_(channel), pattern_(std::move(pattern)) {}

  // The next batch of keys; empty at the end.
  loop::Task<std::vector<std::string>> next();

 private:
  // The keys of a batch that were not there before.
  std::vector<std::string> take(const ReplyView& reply);

  Channel& channel_;
  const std::string pattern_;
  std::string cursor_ = "0";
  bool ended_ = false;
  // Redis may name a key twice, while its table grows or shrinks.
  std::unordered_set<std::string> seen_;
};

}  // namespace svc::redis
