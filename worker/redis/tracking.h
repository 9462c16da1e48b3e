// Tracking: receives the keys that were written, deleted or expired, on its own
// connection to Redis (client tracking in broadcast mode, RESP2; the connection
// redirects to itself). If the connection ends, it subscribes again.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "cache/invalidation_feed.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/channel.h"
#include "redis/connection_settings.h"

namespace svc::redis {

class Tracking : public cache::InvalidationFeed, private TripObserver {
 public:
  // Receives changes of keys that begin with one of `prefixes`, which must not
  // overlap. All references must outlive it. Each step, and each PING, fails
  // after the settings' timeout, or after 1 s if that is longer.
  Tracking(const ConnectionSettings& settings, std::vector<std::string> prefixes,
           cache::InvalidationListener& listener, loop::Loop& loop);

  // Begins to connect. Called once. Never throws; failures are retried.
  void start();

  // Closes the connection, whose server is no longer the primary, and connects
  // to the server that the locator then finds.
  void move();

  bool is_up() const override { return is_up_; }
  base::TimePoint received_until() const override { return received_until_; }

 private:
  // Of the channel.
  void answered(base::Duration) override {}
  void failed() override { closed(); }
  void closed() override;

  loop::Task<> follow();
  // Throws when the connection has ended.
  loop::Task<> stay_subscribed();
  void take_message(const ReplyView& keys);

  const ConnectionSettings settings_;
  const std::vector<std::string> prefixes_;
  cache::InvalidationListener& listener_;
  loop::Loop& loop_;
  Channel channel_;
  loop::Event ended_;     // the connection
  bool is_open_ = false;  // since stay_subscribed() began
  bool is_up_ = false;
  bool said_lost_ = false;
  base::Duration delay_{};  // before the next attempt
  base::TimePoint received_until_{};
  loop::Scope following_;
};

}  // namespace svc::redis
