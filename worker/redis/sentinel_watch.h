// SentinelWatch: learns from a Sentinel that another server became the primary
// (+switch-master). Only a hint: a connection that closes, an error and the ROLE
// of a server count without it.
// https://redis.io/docs/reference/sentinel-clients
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/loop.h"
#include "redis/address.h"
#include "redis/channel.h"
#include "redis/connection_settings.h"

namespace svc::redis {

class SentinelWatch {
 public:
  // `settings.address` lists the Sentinels. `moved` is called after a failover
  // of their primary. The loop must outlive it.
  SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop, std::function<void()> moved);

  // Subscribes at one Sentinel, at the next one after a failure. Each is also
  // asked for the primary, because a message may have been missed. Does nothing
  // if it was called before.
  void start();

 private:
  void step();
  void subscribe();
  // Takes the Sentinel's reply, if it has come. Throws base::Unavailable.
  void take_answer();
  // The Sentinel names this server. Calls `moved` if it is another one.
  void take_primary(const std::optional<Endpoint>& primary);
  void take_message(std::string_view text);

  const std::string name_;  // of the primary
  loop::Loop& loop_;
  const std::function<void()> moved_;
  loop::Timer timer_;
  // Kept, because the search for a host may take longer than an attempt. Before the calls, which
  // refer to them.
  std::vector<std::unique_ptr<Channel>> sentinels_;
  std::size_t at_ = 0;  // the Sentinel that was subscribed to
  std::unique_ptr<Channel::Call> question_;
  std::unique_ptr<Channel::Call> call_;
  std::optional<Endpoint> primary_;  // as named last
  bool started_ = false;
};

}  // namespace svc::redis
