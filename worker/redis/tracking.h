// Tracking: receives the keys that were written, deleted or expired, on its own
// connection to Redis (client tracking in broadcast mode, RESP2; the connection
// redirects to itself).
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "cache/invalidation_feed.h"
#include "loop/loop.h"
#include "redis/subscription.h"

namespace svc::redis {

class Tracking : public cache::InvalidationFeed, public Subscription {
 public:
  // Receives changes of keys that begin with one of `prefixes`, which must not
  // overlap. All references must outlive it.
  Tracking(const ConnectionSettings& settings, std::vector<std::string> prefixes,
           cache::InvalidationListener& listener, loop::Loop& loop);

  bool is_up() const override { return is_subscribed(); }
  base::TimePoint received_until() const override { return complete_until(); }

 private:
  loop::Task<> subscribe(Channel& channel) override;
  void began() override;
  void ended(const std::string& why) override;
  void take_message(const ReplyView& keys) override;

  const std::string store_;  // its address
  const std::vector<std::string> prefixes_;
  cache::InvalidationListener& listener_;
  bool said_lost_ = false;
};

}  // namespace svc::redis
