// Channel: one connection to one Redis, awaited. It never blocks; hiredis is only the codec.
//
// A command is appended to a buffer when it is called for, and the buffer is written once per turn
// of the loop, so the commands of all requests of a turn go out in one write(2). Replies match
// commands by their position in one queue:
//
//   calls → [handshake] [GET a ← two calls] [EVALSHA …] [forgotten] → write … read → replies in
//   order
//
// A protocol error, a timeout or a closed connection fails everything in the queue. An error reply
// fails its own command only, and consumes exactly one reply. After a failure a breaker fails
// commands immediately for 20 to 500 ms.
#pragma once

#include <sys/socket.h>

#include <coroutine>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/connection_settings.h"
#include "redis/reply.h"
#include "redis/resolver.h"
#include "redis/script.h"

struct redisReader;
struct redisReply;

namespace svc::redis {

// Redis answered with an error: WRONGTYPE, NOSCRIPT, OOM, READONLY … The text begins with that
// word.
class ErrorReply : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

class Channel : private loop::Watcher, private loop::BeforeWait {
 public:
  class Call;
  class Calls;
  using Words = std::initializer_list<std::string_view>;

  // Connects with the first command. Clock, loop and observer outlive it.
  Channel(ConnectionSettings settings, loop::Loop& loop);
  // Calls that are still awaited are never resumed.
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // A command that changes nothing. Equal reads of one turn of the loop are sent once; later ones
  // are sent again, because a reply on its way may be older than a change that its client knows of.
  // Sent once more on a new connection if the peer closed the connection before it answered.
  Call read(std::span<const std::string_view> words);
  Call read(Words words);
  Call get(std::string_view key);

  // A command that is sent exactly once.
  Call command(std::span<const std::string_view> words);
  Call command(Words words);

  // Runs a script, which must be safe to repeat: by EVALSHA, by EVAL if Redis does not know it, and
  // once more on a new connection if the peer closed the connection. All keys are in one slot.
  loop::Task<Reply> eval(const Script& script, std::vector<std::string> keys,
                         std::vector<std::string> arguments);

  // A command whose reply is dropped. The first error reply per connection is logged. Does nothing
  // while the breaker is open.
  void send_and_forget(std::span<const std::string_view> words);
  void send_and_forget(Words words);

  const Address& address() const { return settings_.address; }

  // Number of commands that wait for a reply.
  std::size_t pending() const { return queue_.size(); }

 private:
  // What a closed connection means for a command that has no reply.
  enum class Kind : std::uint8_t { Handshake, Once, Repeatable, SharedRead, Forgotten };
  enum class State : std::uint8_t { Down, Resolving, Connecting, Up };
  struct Pending {
    Kind kind;
    bool repeated = false;
    std::string bytes;  // of a command that may be sent again; else empty
    base::TimePoint since;
    Call* calls = nullptr;  // a list, the latest first; empty if the reply is not wanted
  };

  void ready(std::uint32_t events) override;
  void before_wait() override;

  Call call(Kind kind, std::span<const std::string_view> words);
  // Connects if there is no connection. False if there is none and cannot be one now.
  bool ensure_connected();
  Pending& enqueue(Kind kind, std::string_view bytes);
  void connect();
  void poll_resolver();
  // Empty, or why it cannot be.
  std::string connect_to(const sockaddr* address, unsigned length);
  void connect_to_next(std::string why);
  void handshake();
  void write_out();
  void read_in();
  void take(redisReply* reply);
  // The list, the earliest first: whoever asked first goes on first.
  static Call* take_calls(Pending& pending);
  void finish(Pending& pending, const Reply& reply);
  void finish(Pending& pending, const std::string& error);
  void closed_by_peer();
  void check_time();
  void fail(const std::string& why);
  void shut();

  const ConnectionSettings settings_;
  loop::Loop& loop_;
  Resolver resolver_;
  struct FreeReader {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, FreeReader> reader_;
  base::UniqueFd fd_;
  State state_ = State::Down;
  bool in_handshake_ = false;
  std::deque<Pending> queue_;
  std::unordered_map<std::string_view, Pending*>
      shared_;  // not sent yet, by the bytes in the queue
  std::string out_;
  std::string behind_handshake_;  // sent once the peer has answered that
  std::size_t written_ = 0;
  bool watches_out_ = false;
  loop::Timer timer_;                   // of the oldest command, or of the connecting
  std::vector<std::string> addresses_;  // literal, not tried yet
  base::TimePoint connect_until_{};
  base::TimePoint closed_until_{};  // the breaker is open until then
  base::Duration next_delay_{};
  std::optional<base::TimePoint> asked_at_;
  bool said_lost_ = false;
  bool said_refused_ = false;
  std::string last_error_;
};

// One command that was sent; awaited once, by the coroutine that owns it. May be destroyed without
// having been awaited: its reply is then dropped.
class Channel::Call {
 public:
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  // By a value, because g++ 12 copies what `co_await calls.next()` would await by reference.
  auto operator co_await() noexcept {
    struct Awaiter {
      Call& call;
      bool await_ready() const noexcept { return call.done_; }
      void await_suspend(std::coroutine_handle<> waiting) noexcept { call.waiting_ = waiting; }
      // Throws ErrorReply for an error reply, and base::Unavailable if there is none.
      Reply await_resume() { return call.take(); }
    };
    return Awaiter{*this};
  }

 private:
  friend class Channel;
  explicit Call(Pending& pending);
  explicit Call(std::string error) : done_(true), error_(std::move(error)) {}
  // Has its outcome: the coroutine that awaits it, if there is one, goes on soon.
  void finish(loop::Loop& loop);
  Reply take();

  Pending* pending_ = nullptr;  // nullptr: it has its outcome
  Call* next_ = nullptr;
  std::coroutine_handle<> waiting_;
  bool done_ = false;
  bool is_error_reply_ = false;
  std::optional<Reply> reply_;
  std::string error_;
};

// Several commands, sent together; their replies are awaited in the same order:
// `for (…) calls.get(key);` and then, as often, `const Reply reply = co_await calls.next();`
class Channel::Calls {
 public:
  explicit Calls(Channel& channel) : channel_(channel) {}

  void read(std::span<const std::string_view> words) {
    calls_.emplace_back(new Call(channel_.read(words)));
  }
  void read(Words words) { calls_.emplace_back(new Call(channel_.read(words))); }
  void get(std::string_view key) { calls_.emplace_back(new Call(channel_.get(key))); }
  void command(std::span<const std::string_view> words) {
    calls_.emplace_back(new Call(channel_.command(words)));
  }
  void command(Words words) { calls_.emplace_back(new Call(channel_.command(words))); }

  // The oldest that was not awaited yet.
  Call& next() { return *calls_[next_++]; }
  // Number of those that were not awaited yet.
  std::size_t left() const { return calls_.size() - next_; }

 private:
  Channel& channel_;
  std::vector<std::unique_ptr<Call>> calls_;
  std::size_t next_ = 0;
};

}  // namespace svc::redis
