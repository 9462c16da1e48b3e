// Tracking: receives from Redis which keys were written, deleted or have expired, on a connection
// of its own (client tracking in broadcast mode, RESP2: the connection is its own redirection).
//
// It never blocks: it is watched by the worker's loop. A connection that closes, or has not
// answered within its time, is closed and opened again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/link.h"
#include "loop/loop.h"
#include "redis/connection_settings.h"
#include "redis/resolver.h"

struct redisContext;
struct redisReply;

namespace svc::redis {

class Tracking : public cache::Link, private loop::Watcher {
 public:
  // Receives changes of keys that begin with one of `prefixes`, which do not overlap. Everything
  // outlives it; the settings' timeout is for each answer.
  Tracking(ConnectionSettings settings, std::vector<std::string> prefixes, cache::Changes& changes,
           loop::Loop& loop);
  ~Tracking() override;
  Tracking(const Tracking&) = delete;
  Tracking& operator=(const Tracking&) = delete;

  // Begins to connect; called once. Never throws: what fails is tried again.
  void start();

  bool is_up() const override { return state_ == State::Up; }
  base::TimePoint heard_until() const override { return heard_until_; }

 private:
  enum class State { Down, Resolving, Asking, Subscribing, Up };
  struct Free {
    void operator()(redisContext* context) const;
  };

  void ready(std::uint32_t events) override;
  // What the timer is set for: to connect, to look at the resolver, to ping, or to give up.
  void run_timer();
  void set_timer();
  base::Duration patience() const;

  void resolve();
  void connect();
  void greet();
  void send(std::vector<std::string_view> words);
  void write_out();
  void read_in();
  void take_replies();
  void take(const redisReply& reply);
  void take_message(const redisReply& message);
  void ping();
  void lose(const std::string& why);

  const ConnectionSettings settings_;
  const std::vector<std::string> prefixes_;
  cache::Changes& changes_;
  loop::Loop& loop_;
  loop::Timer timer_;
  Resolver resolver_;
  Resolver::Addresses addresses_;  // literal, not tried yet
  std::unique_ptr<redisContext, Free> context_;
  bool watches_out_ = false;
  State state_ = State::Down;
  std::size_t to_confirm_ = 0;  // answers to come before the connection's id
  base::TimePoint try_at_{};
  base::Duration delay_{};
  base::TimePoint since_{};  // the first thing that was asked and not answered
  base::TimePoint pinged_{};
  bool ping_unanswered_ = false;
  base::TimePoint heard_until_{};
  bool said_lost_ = false;
};

}  // namespace svc::redis
