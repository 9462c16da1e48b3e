// Tracking: receives the keys that were written, deleted or expired, on its own
// connection to Redis (client tracking in broadcast mode, RESP2; the connection
// redirects to itself).
//
// It never blocks: the worker's loop watches it. If the connection closes or a
// reply is overdue, it is closed and opened again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/invalidation_feed.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/connection_settings.h"
#include "redis/locator.h"
#include "redis/protocol.h"
#include "redis/reply_shape.h"
#include "redis/transport.h"

struct redisReply;

namespace svc::redis {

class Tracking : public cache::InvalidationFeed, private loop::Watcher {
 public:
  // Receives changes of keys that begin with one of `prefixes`, which must not
  // overlap. All references must outlive it. Each step, and each PING, fails
  // after the settings' timeout, or after 1 s if that is longer.
  Tracking(ConnectionSettings settings, std::vector<std::string> prefixes,
           cache::InvalidationListener& listener, loop::Loop& loop);
  ~Tracking() override = default;
  Tracking(const Tracking&) = delete;
  Tracking& operator=(const Tracking&) = delete;

  // Begins to connect. Called once. Never throws; failures are retried.
  void start();

  // Closes the connection, whose server is no longer the primary, and connects
  // to the server that the locator then finds.
  void move();

  bool is_up() const override { return state_ == State::Up; }
  base::TimePoint received_until() const override { return received_until_; }

 private:
  enum class State { Down, Asking, Subscribing, Up };

  void ready(std::uint32_t events) override;
  // Runs the timer's action: connect, ping, or give up.
  void run_timer();
  void set_timer();
  base::Duration patience() const;

  // Connects to the server that the locator finds.
  loop::Task<> locate();
  void connect();
  Transport::Progress connect_to_address();
  void greet();
  void send(std::vector<std::string_view> words);
  void write_out();
  void read_in();
  void take_replies(std::span<const char> bytes);
  void take(const redisReply& reply);
  void take_message(const redisReply& message);
  void ping();
  void lose(const std::string& why);

  const ConnectionSettings settings_;
  const std::vector<std::string> prefixes_;
  cache::InvalidationListener& listener_;
  loop::Loop& loop_;
  loop::Timer timer_;
  const std::unique_ptr<Locator> locator_;  // nullptr: a unix socket
  std::vector<Located> addresses_;          // not tried yet
  ReplyReader reader_;                      // nullptr: not connected
  Transport transport_{loop_, *this};
  bool is_connected_ = false;
  std::string out_;
  std::size_t written_ = 0;
  std::deque<ReplyShape> expected_;  // shapes of the replies to come
  State state_ = State::Down;
  std::size_t to_confirm_ = 0;  // replies before the one with the connection's id
  base::TimePoint try_at_{};
  base::Duration delay_{};
  base::TimePoint since_{};  // when the step that awaits a reply began
  base::TimePoint pinged_{};
  bool ping_unanswered_ = false;
  base::TimePoint received_until_{};
  bool said_lost_ = false;
  loop::Scope locating_;
};

}  // namespace svc::redis
