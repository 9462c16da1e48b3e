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

#include <sys/socket.h>

#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
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
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/connection_settings.h"
#include "redis/locator.h"
#include "redis/protocol.h"
#include "redis/reply.h"
#include "redis/reply_shape.h"
#include "redis/transport.h"

struct redisReply;

namespace svc::redis {

// An error reply: WRONGTYPE, NOSCRIPT, OOM, READONLY … The text begins with
// that word.
class ErrorReply : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

// The primary executed the command, but too few replicas confirmed that they
// have it. A failover may lose it.
class NotReplicated : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

class Gathering;

class Channel : private loop::Watcher, private loop::BeforeWait {
 public:
  class Call;
  // Decides what happens to a command if the peer closes the connection before
  // the reply.
  enum class Kind : std::uint8_t {
    Handshake,
    Once,
    Repeatable,
    SharedRead,
    Forgotten,
    Replicated,  // repeatable; its reply is held until replicas have it
    Wait         // the channel's own WAIT
  };
  // Why a call lacks a reply: see Call::take().
  enum class Failure : std::uint8_t { NoReply, ErrorReply, NotReplicated };
  struct Pending {
    Kind kind;
    bool repeated = false;
    std::uint8_t redirected = 0;  // how often
    std::string bytes;            // empty if the command must not be sent again
    base::TimePoint since;
    Call* calls = nullptr;  // linked list, the latest first; nullptr: the reply is dropped
    ReplyShape shape = {};

    bool may_repeat() const {
      return kind == Kind::Repeatable || kind == Kind::SharedRead || kind == Kind::Replicated;
    }
  };
  using Words = std::initializer_list<std::string_view>;

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
  Call command(std::span<const std::string_view> words, ReplyShape shape = {});
  Call command(Words words);

  // A command that may be sent twice, but is never shared: if the peer closes
  // the connection before the reply, it is sent again, once, on a new one.
  Call repeatable(std::span<const std::string_view> words, ReplyShape shape = {});

  // As repeatable(). Its reply is known when settings.wait_replicas replicas
  // (at least 1) have its changes. Fails with NotReplicated if they do not
  // within two fifths of settings.timeout, or if the connection ends before.
  Call replicated(std::span<const std::string_view> words, ReplyShape shape = {});

  // A command whose reply is dropped. Never throws: the command is lost if the
  // breaker is open or the connection fails. Logs the first error reply per
  // connection.
  void send_and_forget(std::span<const std::string_view> words, ReplyShape shape = {});
  void send_and_forget(Words words);

  const Address& address() const { return settings_.address; }

  // Returns the number of commands in the queue, those of the handshake
  // included.
  std::size_t pending() const { return queue_.size(); }

  // Sends a command that a redirector took; `asking`: with ASKING before it.
  void adopt(Pending pending, bool asking);
  // For owners of a Pending outside a channel, a redirector or a Gathering:
  // it has moved; its calls are never finished; its outcome is known.
  static void relink(Pending& pending);
  static void abandon(Pending& pending);
  static void end(Pending& pending, const Reply& reply, loop::Loop& loop);
  static void end(Pending& pending, const std::string& error, Failure failure, loop::Loop& loop);
  // The breaker is open: commands fail without being sent.
  bool is_broken() const;
  // Connects unless a connection exists. Returns false if the breaker is open
  // or connecting failed immediately.
  bool ensure_connected();
  // Closes the connection unless a reply is awaited.
  void close();
  // Closes the connection, whose server is no longer the primary. Repeatable
  // commands are sent again to the server that the locator then finds.
  void move();

 private:
  enum class State : std::uint8_t { Down, Connecting, Up };
  struct Held {
    Pending pending;
    Reply reply;
  };
  void ready(std::uint32_t events) override;
  void before_wait() override;

  Call call(Kind kind, std::span<const std::string_view> words, ReplyShape shape);
  Pending& enqueue(Kind kind, std::string_view bytes, ReplyShape shape);
  void connect();
  // Connects to the server that the locator finds.
  loop::Task<> locate();
  // Begins to connect to a server with that name. Returns "", or the reason why
  // that failed.
  std::string connect_to(const sockaddr* address, unsigned length, const std::string& host);
  void connect_to_next(std::string why);
  void handshake();
  void write_out();
  void read_in();
  void take(redisReply* reply);
  void hold(Pending& pending, const Reply& reply);
  void take_wait(const Reply& reply);
  // Ends the held commands: their replicas are not known to have them.
  void end_held(const std::string& why);
  // Returns true if the redirector took the command that this error replies to.
  bool was_redirected(const std::string& why);
  // Removes the calls from `pending`. Returns them with the earliest first, the
  // order in which their coroutines resume.
  static Call* take_calls(Pending& pending);
  void closed_by_peer();
  // Connects again and sends the repeatable commands again, once.
  void start_again(const std::string& why);
  void check_time();
  void fail(const std::string& why);
  void shut();

  const ConnectionSettings settings_;
  loop::Loop& loop_;
  Redirector* const redirector_;
  const OnMessage on_message_;
  const std::unique_ptr<Locator> locator_;  // nullptr: a unix socket
  ReplyReader reader_;
  Transport transport_{loop_, *this};
  State state_ = State::Down;
  bool in_handshake_ = false;
  std::deque<Pending> queue_;
  std::deque<Held> held_;     // replied to, in front of the WAIT in the queue
  bool is_wait_due_ = false;  // replicated commands were queued since the last WAIT
  bool is_waiting_ = false;   // a WAIT is in the queue
  bool said_unreplicated_ = false;
  std::unordered_map<std::string_view, Pending*> shared_;  // not written yet, by their bytes
  std::string out_;
  std::string behind_handshake_;  // sent after the replies to the handshake
  std::size_t written_ = 0;
  loop::Timer timer_;               // timeout of the oldest command, or of connecting
  std::vector<Located> addresses_;  // not tried yet
  base::TimePoint connect_until_{};
  base::TimePoint closed_until_{};  // the breaker is open until then
  base::Duration next_delay_{};
  std::optional<base::TimePoint> asked_at_;
  bool said_lost_ = false;
  bool said_refused_ = false;
  std::string last_error_;
  loop::Scope locating_;
};

// One command. Awaited at most once, by the coroutine that owns it. If it is
// destroyed before, its reply is dropped: so is that of a cancelled task.
class Channel::Call {
 public:
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  // For a Gathering, which awaits nothing: whether the outcome is known, and
  // the outcome, which is taken once. take() throws like co_await.
  bool is_done() const { return done_; }
  Reply take();

  // Returns an awaiter that refers to the call: g++ 12 would copy a call that
  // `co_await calls.next()` awaits by reference.
  auto operator co_await() noexcept {
    struct Awaiter {
      Call& call;
      bool await_ready() const noexcept { return call.done_; }
      void await_suspend(std::coroutine_handle<> waiting) noexcept { call.wait_.begin(waiting); }
      // Throws ErrorReply for an error reply, NotReplicated, or
      // base::Unavailable if no reply came.
      Reply await_resume() {
        call.wait_.end();
        return call.take();
      }
    };
    return Awaiter{*this};
  }

 private:
  friend class Channel;
  friend class Gathering;
  explicit Call(Pending& pending);
  explicit Call(Reply reply) : done_(true), reply_(std::move(reply)) {}
  explicit Call(std::string error, Failure failure = Failure::NoReply)
      : done_(true), failure_(failure), error_(std::move(error)) {}
  // The outcome is known: schedules the coroutine that awaits it, if any.
  void finish(loop::Loop& loop);

  Pending* pending_ = nullptr;  // nullptr: the outcome is known
  Call* next_ = nullptr;
  Gathering* gathering_ = nullptr;  // whose part this is
  loop::Wait wait_;
  bool done_ = false;
  Failure failure_ = Failure::NoReply;
  std::optional<Reply> reply_;
  std::string error_;
};

}  // namespace svc::redis
