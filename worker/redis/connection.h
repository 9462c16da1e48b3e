// Connection: one connection to one Redis, opened when it is first needed. hiredis stops here.
//
// Everything that goes wrong is base::Unavailable: no connection, no answer in time, an error as an
// answer. After a failure the connection is never used again; a breaker then answers at once for a
// short while, so that a store that is away costs a request nearly nothing. A store that hangs
// blocks the caller for one timeout per retry.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "redis/address.h"
#include "redis/reply.h"
#include "redis/resolver.h"
#include "redis/script.h"

struct redisContext;

namespace svc::redis {

// Told how the store does: of each trip to it, from the first word sent to the first answer, and of
// each failure. Declared here, because whoever counts lies elsewhere.
class TripObserver {
 public:
  virtual ~TripObserver() = default;
  virtual void answered(base::Duration took) = 0;
  virtual void failed() = 0;
};

struct ConnectionSettings {
  Address address;
  std::string username;  // empty: the default user
  std::string password;  // empty: no AUTH
  std::string name;      // CLIENT SETNAME, what the server's CLIENT LIST shows
  // To connect, with the look-up of the host's name, and for each read and write.
  std::chrono::milliseconds timeout{500};
  TripObserver* observer = nullptr;  // nullptr: nobody; else outlives the connection
  // How long the breaker stays open after the first failure. The delay doubles with each further
  // failure, up to `longest_delay`, which a store that came back may have to wait to be noticed.
  base::Duration first_delay = std::chrono::milliseconds(20);
  base::Duration longest_delay = std::chrono::milliseconds(500);
};

class Connection {
 public:
  // Opens nothing yet, so it may be made before fork(), if it is used after.
  Connection(ConnectionSettings settings, const base::Clock& clock);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // A command that changes nothing: sent once more on a fresh connection when the one it went out
  // on turns out to have been closed (Redis was restarted, say).
  Reply read(std::span<const std::string_view> arguments);
  Reply read(std::initializer_list<std::string_view> arguments) {
    return read(std::span(arguments.begin(), arguments.size()));
  }

  // Reads that are asked for early, so that several share one trip, and the same one is asked once.
  // expect() only notes and buffers: it never waits. The view lives until settle(), which every
  // round of work ends with: an answer that was asked for early is never used later.
  using Words = std::initializer_list<std::string_view>;
  void expect(Words read);
  ReplyView fetch(Words read);
  void expect(const std::string& key) { expect({"GET", key}); }
  ReplyView get(const std::string& key) { return fetch({"GET", key}); }
  void settle();
  // What was fetched of that key is not true any more; the next get() asks again. Views of it die.
  void outdate(const std::string& key);

  // Runs the script, by its name where Redis knows it already; once more on a fresh connection when
  // the one it went out on turns out to have been closed. All keys lie in one slot.
  Reply eval(const Script& script, std::span<const std::string> keys,
             std::span<const std::string> arguments);

  // The same in two halves, so that several share one trip: start() only buffers, it never waits;
  // finish() of the same gives the reply, once. What is started and never finished runs all the
  // same, where Redis knows the script; what is finished and had no reply is run again.
  using Started = std::size_t;
  Started start(const Script& script, std::span<const std::string> keys,
                std::span<const std::string> arguments);
  Reply finish(Started started, const Script& script, std::span<const std::string> keys,
               std::span<const std::string> arguments);
  // The same for a command. Nothing when its reply never came: it may have been done, or not.
  Started start(std::span<const std::string> words);
  std::optional<Reply> finish(Started started);

  // Pipelining: any number of send(), then as many receive(), in the same order. If a reply is an
  // error while later ones are unread, the connection closes, and receive() throws Unavailable
  // until the next send(). It also closes if another function is called while replies are unread.
  // So no caller ever reads the reply to another caller's command.
  void send(std::span<const std::string_view> arguments);
  void send(std::initializer_list<std::string_view> arguments) {
    send(std::span(arguments.begin(), arguments.size()));
  }
  Reply receive();
  // Hands what was sent to the operating system now, not only with the next receive().
  void flush();

  // Sends now and never looks at the answer; a refusal is said in the log, once a connection. Does
  // not wait, and throws when there is no connection.
  void send_and_forget(std::initializer_list<std::string_view> arguments);

  // A command sent exactly once, which Redis may refuse: then false, and the connection goes on. A
  // refusal is said in the log, once a connection.
  bool try_command(std::initializer_list<std::string_view> arguments);

  // A command sent exactly once.
  Reply command(std::initializer_list<std::string_view> arguments) {
    abandon_pipeline();
    send(arguments);
    return receive();
  }

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };

  void note_asked();
  void note_answered();
  redisReply* next_reply();  // nullptr when the other side had closed the connection
  // False when it had.
  bool take_forgotten();
  void note_refused(const redisReply& reply);
  // Nothing when it had.
  std::optional<Reply> try_receive();
  // The same for the oldest unread reply of a pipeline; closes the connection as send() says.
  std::optional<Reply> receive_unread();
  // Closes the connection if an earlier caller left replies of its pipeline unread.
  void abandon_pipeline();
  // Without the breaker: the next command connects again. Drops all replies that have not come.
  void close();
  void ensure_connected();
  void connect();
  void connect_to_host();
  [[noreturn]] void fail(const std::string& why);

  // Takes in what was expected and has not come yet.
  void take_expected();

  // What was appended is a started step.
  Started note_started();

  struct Fetched {
    std::size_t hash;            // of its words; the number of a start()
    std::string read;            // its words, with a NUL behind each; empty for a start()
    std::optional<Reply> reply;  // nothing: on its way
  };
  // What came of it already; nullptr when nothing did.
  Fetched* arrived(std::size_t hash, std::string_view read);
  // Nothing when the connection was closed.
  std::optional<Reply> try_eval(const Script& script, std::span<const std::string> keys,
                                std::span<const std::string> arguments);

  const ConnectionSettings settings_;
  const base::Clock& clock_;
  Resolver resolver_;
  std::unique_ptr<redisContext, Free> context_;
  base::TimePoint closed_until_{};  // the breaker: no attempt before
  base::Duration next_delay_{};     // how long it closes at the next failure
  std::vector<Fetched> fetched_;    // in the order in which they were asked for
  std::size_t on_their_way_ = 0;    // the last so many of them have not come yet
  Started last_started_ = 0;
  std::size_t unread_ = 0;                   // send() without receive(); then none on their way
  std::size_t forgotten_ = 0;                // unread replies to send_and_forget()
  std::optional<base::TimePoint> asked_at_;  // the first word of a trip that has no answer yet
  bool said_refused_ = false;
  bool said_lost_ = false;  // so that one outage is one line in the log
};

}  // namespace svc::redis
