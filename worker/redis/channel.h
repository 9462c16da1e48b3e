// Channel: one connection to one Redis server, used by coroutines. It never
// blocks; hiredis only parses replies.
//
// Commands go to a buffer that is written once per turn of the loop, so the
// commands of all requests of a turn share one write(2). Replies match commands
// by their position in one queue:
//
//   calls → [GET a ← two calls] [FCALL …] [forgotten]
//         → write … read → replies in order
//
// A reply of another shape than its command's is a protocol error.
// A protocol error or a timeout fails all commands in the queue; a breaker then
// rejects new ones for first_delay to longest_delay (20 to 500 ms). If the peer
// closes the connection, repeatable commands are sent again on a new one, once,
// and all others fail. An error reply fails only its own command.
//
// The replies of replicated commands are held until the reply to a WAIT after
// them confirms that enough replicas have them. The commands of a turn share
// one WAIT. The next commands are written after its reply, because Redis
// executes no commands of a connection that waits. So a channel has either
// replicated commands or others.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/unavailable.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/connection.h"
#include "redis/connection_settings.h"
#include "redis/protocol.h"
#include "redis/reply.h"
#include "redis/reply_shape.h"

struct redisReply;

namespace svc::redis {

// An error reply: WRONGTYPE, NOSCRIPT, OOM, READONLY … The text begins with
// that word.
class ErrorReply : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

// The reply to a command for whose key Redis has another value: of another type, or not a number.
// Such a value was logged, and asking again does not help.
class WrongValue : public ErrorReply {
 public:
  using ErrorReply::ErrorReply;
};

// The primary executed the command, but too few replicas confirmed that they
// have it. A failover may lose it.
class NotReplicated : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

class Channel : private loop::BeforeWait {
 public:
  class Call;
  // Decides what happens to a command if the peer closes the connection before
  // the reply.
  enum class Kind : std::uint8_t {
    // Sent at most once. If the connection fails, Redis may have executed it or not.
    Once,
    // May be sent twice: it is sent again, once, on a new connection.
    Repeatable,
    // Repeatable. Equal reads share one command until it is written or a command
    // of another kind follows. Later reads are sent again: a reply in transit may
    // be older than a change that the caller knows of.
    SharedRead,
    // Sent at most once. Its first error reply per connection is logged.
    Forgotten,
    // Repeatable. Its reply is known when settings.wait_replicas replicas (at
    // least 1) have its changes. Fails with NotReplicated if they do not within
    // two fifths of settings.timeout, or if the connection ends before.
    Replicated,
    Wait  // the channel's own WAIT
  };
  // What the calls of one command wait for. If it is never known, they are never
  // finished.
  struct Outcome {
    explicit Outcome(loop::Loop& loop) : known(loop) {}
    void set(const Reply& value);
    void fail(const std::exception_ptr& why);

    std::optional<Reply> reply;
    std::exception_ptr error;
    loop::Event known;
  };
  // A command until its reply.
  struct Pending {
    bool may_repeat() const {
      return kind == Kind::Repeatable || kind == Kind::SharedRead || kind == Kind::Replicated;
    }

    Kind kind;
    ReplyShape shape;
    std::shared_ptr<Outcome> outcome;
    std::string bytes;  // only the first if the command must not be sent again
    base::TimePoint since{};
    bool repeated = false;
    std::uint8_t redirected = 0;  // how often
  };

  // Takes commands that this server refuses because another server has their keys.
  class Redirector {
   public:
    virtual ~Redirector() = default;
    // `error` is an error reply, so Redis did not execute the command. Returns
    // true if it took the command, which it then adopt()s on a channel or
    // fails.
    virtual bool redirect(Channel& from, Pending& pending, std::string_view error) = 0;
    // The connection failed before the command was sent. Returns as redirect().
    virtual bool take_unsent(Channel& from, Pending& pending) = 0;
  };
  // Receives the messages of channels that were subscribed to with SUBSCRIBE: a
  // text, or the keys of an invalidation.
  using OnMessage = std::function<void(const ReplyView& content)>;

  // Connects with the first command. The loop, the settings' observer and the
  // redirector must outlive the channel.
  Channel(ConnectionSettings settings, loop::Loop& loop, Redirector* redirector = nullptr,
          OnMessage on_message = {});
  // Coroutines that still await a call are never resumed: cancel them.
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Sends a command. `shape`: that of a function's replies.
  Call call(Kind kind, Words words, ReplyShape shape = {});
  // Sends a command that a redirector took; `asking`: with ASKING before it.
  void adopt(Pending pending, bool asking);

  const Address& address() const { return settings_.address; }
  // Returns the number of commands in the queue.
  std::size_t pending() const { return queue_.size(); }
  // The breaker is open: commands fail without being sent.
  bool is_broken() const;
  // Closes the connection. Repeatable commands are sent again to the server
  // that is found then, all others fail with that reason.
  void close(const std::string& why);

 private:
  enum class State : std::uint8_t { Down, Opening, Up };
  struct Held {
    std::shared_ptr<Outcome> outcome;
    Reply reply;
  };

  // Connects unless a connection exists. Returns false if the breaker is open
  // or connecting failed immediately.
  bool ensure_connected();
  // Opens the connection and takes replies until its end.
  loop::Task<> run();
  void before_wait() override;
  Pending command(Kind kind, Words words, ReplyShape shape = {}) const;
  std::shared_ptr<Outcome> enqueue(Pending pending);
  void take(redisReply* reply);
  void take_error(Pending& pending, const std::string& why);
  void take_wait(const Reply& reply);
  // Ends the held commands: their replicas are not known to have them.
  void end_held(const std::string& why);

  void check_time();
  // Connects again and sends the repeatable commands again, once.
  void start_again(const std::string& why);
  void fail(const std::string& why);
  // Closes the connection. Returns the commands without a reply.
  std::deque<Pending> shut();
  std::exception_ptr outage(const std::string& why) const;

  const ConnectionSettings settings_;
  loop::Loop& loop_;
  Redirector* const redirector_;
  const OnMessage on_message_;
  Connection connection_;
  State state_ = State::Down;
  std::deque<Pending> queue_;
  std::deque<Held> held_;     // replied to, in front of the WAIT in the queue
  bool is_wait_due_ = false;  // replicated commands were queued since the last WAIT
  bool is_waiting_ = false;   // a WAIT is in the queue
  bool said_unreplicated_ = false;
  std::unordered_map<std::string_view, Pending*> shared_;  // not written yet, by their bytes
  std::string out_;
  loop::Timer timer_;               // timeout of the oldest command, or of opening
  base::TimePoint closed_until_{};  // the breaker is open until then
  base::Duration next_delay_{};
  std::optional<base::TimePoint> asked_at_;
  bool said_lost_ = false;
  bool said_refused_ = false;
  std::exception_ptr last_outage_;
  loop::Scope running_;
};

// One command. Awaited at most once, by the coroutine that owns it. If it is
// destroyed before, its reply is dropped: so is that of a cancelled task.
class Channel::Call {
 public:
  explicit Call(std::shared_ptr<Outcome> outcome)
      : outcome_(std::move(outcome)), known_(outcome_->known) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool is_done() const { return outcome_->reply || outcome_->error; }
  // Returns the outcome, which is known. Throws ErrorReply for an error reply,
  // NotReplicated, or base::Unavailable if no reply came.
  Reply take() const;

  // Returns an awaiter that refers to the call: g++ 12 would copy a call that
  // `co_await calls.next()` awaits by reference.
  auto operator co_await() noexcept {
    struct Awaiter {
      Call& call;
      bool await_ready() const noexcept { return call.is_done(); }
      void await_suspend(std::coroutine_handle<> waiting) { call.known_.await_suspend(waiting); }
      Reply await_resume() {
        call.known_.await_resume();
        return call.take();
      }
    };
    return Awaiter{*this};
  }

 private:
  std::shared_ptr<Outcome> outcome_;
  loop::Event::Next known_;
};

}  // namespace svc::redis
