// Channel: one connection to one Redis server, used by coroutines. It never
// blocks; hiredis only parses replies.
//
// Commands go to a buffer that is written once per turn of the loop, so the
// commands of all requests of a turn share one write(2). Replies match commands
// by their position in one queue:
//
//   calls → [handshake] [GET a ← two calls] [EVALSHA …] [forgotten]
//         → write … read → replies in order
//
// A protocol error or a timeout fails all commands in the queue; a breaker then
// rejects new ones for first_delay to longest_delay (20 to 500 ms). If the peer
// closes the connection, repeatable commands are sent again on a new one, once,
// and all others fail. An error reply fails only its own command.
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

// An error reply: WRONGTYPE, NOSCRIPT, OOM, READONLY … The text begins with
// that word.
class ErrorReply : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

class Channel : private loop::Watcher, private loop::BeforeWait {
 public:
  class Call;
  class Calls;
  using Words = std::initializer_list<std::string_view>;

  // Connects with the first command. The loop and the settings' observer must
  // outlive the channel.
  Channel(ConnectionSettings settings, loop::Loop& loop);
  // Coroutines that still await a call are never resumed.
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // A command that changes nothing, or that may be sent twice. Equal reads
  // share one command until it is written or a command of another kind follows.
  // Later reads are sent again: a reply in transit may be older than a change
  // that the caller knows of. If the peer closes the connection before the
  // reply, the command is sent again, once, on a new connection.
  Call read(std::span<const std::string_view> words);
  Call read(Words words);
  Call get(std::string_view key);

  // A command that is sent at most once. If the connection fails, Redis may
  // have executed it or not.
  Call command(std::span<const std::string_view> words);
  Call command(Words words);

  // Runs a script, which must be safe to repeat: by EVALSHA, then by EVAL if
  // Redis does not know the script. If the peer closes the connection before
  // the reply, it is sent again, once, on a new connection. All keys must be in
  // one slot.
  loop::Task<Reply> eval(const Script& script, std::vector<std::string> keys,
                         std::vector<std::string> arguments);

  // A command whose reply is dropped. Never throws: the command is lost if the
  // breaker is open or the connection fails. Logs the first error reply per
  // connection.
  void send_and_forget(std::span<const std::string_view> words);
  void send_and_forget(Words words);

  const Address& address() const { return settings_.address; }

  // Returns the number of commands in the queue, those of the handshake
  // included.
  std::size_t pending() const { return queue_.size(); }

 private:
  // Decides what happens to a command if the peer closes the connection before
  // the reply.
  enum class Kind : std::uint8_t { Handshake, Once, Repeatable, SharedRead, Forgotten };
  enum class State : std::uint8_t { Down, Resolving, Connecting, Up };
  struct Pending {
    Kind kind;
    bool repeated = false;
    std::string bytes;  // empty if the command must not be sent again
    base::TimePoint since;
    Call* calls = nullptr;  // linked list, the latest first; nullptr: the reply is dropped
  };

  void ready(std::uint32_t events) override;
  void before_wait() override;

  Call call(Kind kind, std::span<const std::string_view> words);
  // Connects if there is no connection. Returns false if the breaker is open or
  // connecting failed immediately.
  bool ensure_connected();
  Pending& enqueue(Kind kind, std::string_view bytes);
  void connect();
  void poll_resolver();
  // Begins to connect. Returns "", or the reason why that failed.
  std::string connect_to(const sockaddr* address, unsigned length);
  void connect_to_next(std::string why);
  void handshake();
  void write_out();
  void read_in();
  void take(redisReply* reply);
  // Removes the calls from `pending`. Returns them with the earliest first, the
  // order in which their coroutines resume.
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
  std::unordered_map<std::string_view, Pending*> shared_;  // not written yet, by their bytes
  std::string out_;
  std::string behind_handshake_;  // sent after the replies to the handshake
  std::size_t written_ = 0;
  bool watches_out_ = false;
  loop::Timer timer_;                   // timeout of the oldest command, or of connecting
  std::vector<std::string> addresses_;  // literal, not tried yet
  base::TimePoint connect_until_{};
  base::TimePoint closed_until_{};  // the breaker is open until then
  base::Duration next_delay_{};
  std::optional<base::TimePoint> asked_at_;
  bool said_lost_ = false;
  bool said_refused_ = false;
  std::string last_error_;
};

// One command. Awaited at most once, by the coroutine that owns it. If it is
// destroyed before, its reply is dropped.
class Channel::Call {
 public:
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  // Returns an awaiter that refers to the call: g++ 12 would copy a call that
  // `co_await calls.next()` awaits by reference.
  auto operator co_await() noexcept {
    struct Awaiter {
      Call& call;
      bool await_ready() const noexcept { return call.done_; }
      void await_suspend(std::coroutine_handle<> waiting) noexcept { call.waiting_ = waiting; }
      // Throws ErrorReply for an error reply, base::Unavailable if no reply
      // came.
      Reply await_resume() { return call.take(); }
    };
    return Awaiter{*this};
  }

 private:
  friend class Channel;
  explicit Call(Pending& pending);
  explicit Call(std::string error) : done_(true), error_(std::move(error)) {}
  // The outcome is known: schedules the coroutine that awaits it, if any.
  void finish(loop::Loop& loop);
  Reply take();

  Pending* pending_ = nullptr;  // nullptr: the outcome is known
  Call* next_ = nullptr;
  std::coroutine_handle<> waiting_;
  bool done_ = false;
  bool is_error_reply_ = false;
  std::optional<Reply> reply_;
  std::string error_;
};

// Several commands, sent together. Their replies are awaited in the same order:
// `for (…) calls.get(key);`, then as many times `const Reply reply = co_await
// calls.next();`.
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

  // Returns the first command that was not awaited yet. There must be one.
  Call& next() { return *calls_[next_++]; }
  // Returns the number of commands that were not awaited yet.
  std::size_t left() const { return calls_.size() - next_; }

 private:
  Channel& channel_;
  std::vector<std::unique_ptr<Call>> calls_;
  std::size_t next_ = 0;
};

}  // namespace svc::redis
