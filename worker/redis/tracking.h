// Tracking: hears from Redis which keys were written, deleted or have expired, on a connection of
// its own (client tracking in broadcast mode, RESP2: the connection is its own redirection).
//
// Nothing here waits: a store that is away costs a system call now and then. A connection that
// closes, or has not answered for a while, is given up and opened again.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "cache/link.h"
#include "redis/connection.h"

struct redisContext;
struct redisReply;

namespace svc::redis {

class Tracking : public cache::Link {
 public:
  // Of keys that begin with one of `prefixes`, which do not overlap. Opens its connection with the
  // first work(). Everything outlives it; the settings' timeout is for each answer.
  Tracking(ConnectionSettings settings, std::vector<std::string> prefixes, cache::Changes& changes,
           const base::Clock& clock);
  ~Tracking() override;
  Tracking(const Tracking&) = delete;
  Tracking& operator=(const Tracking&) = delete;

  int fd() const override { return epoll_.get(); }
  void work() override;
  base::Duration soon() const override;
  bool is_up() const override { return state_ == State::Up; }
  base::TimePoint heard_until() const override { return heard_until_; }

 private:
  enum class State { Down, Asking, Subscribing, Up };
  struct Free {
    void operator()(redisContext* context) const;
  };

  void connect();
  void open();
  void send(std::vector<std::string_view> words);
  void take(const redisReply& reply);
  void take_message(const redisReply& message);
  void ping();
  void lose(const std::string& why);

  const ConnectionSettings settings_;
  const std::vector<std::string> prefixes_;
  cache::Changes& changes_;
  const base::Clock& clock_;
  Resolver resolver_;
  // What others watch: its one descriptor comes and goes with the connection.
  base::UniqueFd epoll_;
  std::unique_ptr<redisContext, Free> context_;
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
