// SentinelWatch: learns from a Sentinel that another server became the primary
// (+switch-master). Only a hint: a connection that closes, an error and the ROLE
// of a server count without it.
// https://redis.io/docs/reference/sentinel-clients
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "loop/loop.h"
#include "redis/channel.h"
#include "redis/connection_settings.h"

namespace svc::redis {

class SentinelWatch {
 public:
  // `settings.address` lists the Sentinels. `moved` is called after a failover
  // of their primary. The loop must outlive it.
  SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop, std::function<void()> moved);

  // Subscribes at one Sentinel, at the next one after a failure. Does nothing if
  // it was called before.
  void start();

 private:
  void step();
  void subscribe();
  void take_message(std::string_view text);

  const ConnectionSettings settings_;
  loop::Loop& loop_;
  const std::function<void()> moved_;
  loop::Timer timer_;
  std::size_t next_ = 0;              // Sentinel to ask
  std::unique_ptr<Channel> channel_;  // before call_, which refers to it
  std::unique_ptr<Channel::Call> call_;
  bool started_ = false;
};

}  // namespace svc::redis
