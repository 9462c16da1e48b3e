// SentinelWatch: learns from the Sentinels that another server became the
// primary: by +switch-master, and by asking, because a message may be missed.
// Only a hint: a connection that closes, an error and the ROLE of a server count
// without it.
// https://redis.io/docs/reference/sentinel-clients
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "redis/address.h"
#include "redis/connection_settings.h"

namespace svc::redis {

class SentinelWatch {
 public:
  // `settings.address` lists the Sentinels. `moved` is called when two of them
  // (the only one, if there is one) name another primary than before: one alone
  // may have been cut off. The loop must outlive it.
  SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop, std::function<void()> moved);
  ~SentinelWatch();

  // Subscribes at every Sentinel, and again after a failure. Further calls have
  // no effect.
  void start();

 private:
  struct Sentinel;
  // Moves if enough Sentinels name another primary.
  void decide();

  const std::string name_;  // the primary's name
  const std::function<void()> moved_;
  std::vector<std::unique_ptr<Sentinel>> sentinels_;
  std::optional<Endpoint> primary_;  // as enough of them named it last
};

}  // namespace svc::redis
