// Subscription: a channel that stays subscribed. It subscribes, sends a PING
// each second, and begins again if a command fails or the connection ends.
#pragma once

#include <string>

#include "base/clock.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/channel.h"
#include "redis/connection_settings.h"

namespace svc::redis {

class Subscription : private TripObserver {
 public:
  // Begins to connect, unless it has begun. Never throws; failures are retried.
  void start();
  // Closes the connection, whose server is no longer the primary, and connects
  // to the server that the locator then finds.
  void move();

 protected:
  // The loop must outlive it. Each step, and each PING, fails after the settings'
  // timeout, or after 1 s if that is longer.
  Subscription(const ConnectionSettings& settings, loop::Loop& loop);

  bool is_subscribed() const { return is_subscribed_; }
  // All messages that the server sent before this time have been received.
  base::TimePoint complete_until() const { return complete_until_; }

 private:
  // Sends the commands that subscribe, and awaits their replies.
  virtual loop::Task<> subscribe(Channel& channel) = 0;
  virtual void began() = 0;
  virtual void ended(const std::string& why) = 0;
  virtual void take_message(const ReplyView& content) = 0;
  // Of the channel.
  void answered(base::Duration) override {}
  void failed() override { closed(); }
  void closed() override;

  loop::Task<> follow();

  const base::Duration first_delay_;
  const base::Duration longest_delay_;
  loop::Loop& loop_;
  Channel channel_;
  loop::Event closed_;    // the connection
  bool is_open_ = false;  // since subscribe() began
  bool is_subscribed_ = false;
  base::Duration delay_{};  // before the next attempt
  base::TimePoint complete_until_{};
  loop::Scope following_;
};

}  // namespace svc::redis
