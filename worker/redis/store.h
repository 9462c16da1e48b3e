// Store: the Redis that holds one kind of data: a server, the primary that
// Sentinels watch, or a Cluster. Its callers need not know which.
//
//   one server, Sentinel   Store → Channel → primary
//   Cluster                Store → Cluster → Channel of each primary, by the
//                          slot of the command's first key
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "loop/loop.h"
#include "loop/task.h"
#include "redis/channel.h"
#include "redis/connection_settings.h"
#include "redis/function.h"
#include "redis/reply.h"

namespace svc::redis {

class Cluster;
class SentinelWatch;

// When the reply of a change is passed on.
enum class Durability : std::uint8_t {
  Primary,    // the primary has executed it
  Replicated  // settings.wait_replicas replicas have it too
};

class Store {
 public:
  using Call = Channel::Call;
  class Calls;

  // Connects with the first command. The loop and the settings' observer must
  // outlive the store.
  Store(ConnectionSettings settings, loop::Loop& loop);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // A command that changes nothing, or that may be sent twice:
  // Channel::Kind::SharedRead.
  Call read(Words words);
  Call get(std::string_view key) { return read({"GET", key}); }

  // A command that is sent at most once: Channel::Kind::Once.
  //
  // In a Cluster, MGET, MSET, EXISTS, DEL, UNLINK and XREAD of keys in several
  // slots become a command per key. Then MSET is not atomic.
  //
  // `shape`: that of the replies, if the command does not say it.
  Call command(Words words, ReplyShape shape = {});

  // A command that may be sent twice: Channel::Kind::Repeatable, or with
  // Durability::Replicated, which throws NotReplicated if too few replicas have
  // the change, Channel::Kind::Replicated.
  Call repeatable(Words words, Durability durability, ReplyShape shape = {});

  // Runs one of stores/functions.py's functions, which is moved from, as repeatable(). Throws
  // base::Unavailable, too, if Redis has not the functions of this version. All keys must be in one
  // slot.
  template <class Function>
  loop::Task<Reply> call(Function&& function, Durability durability = Durability::Primary) {
    static_assert(!std::is_lvalue_reference_v<Function>);
    return run(std::forward<Function>(function).call(), durability);
  }
  // The same, as send_and_forget().
  template <class Function>
  void call_and_forget(Function&& function) {
    static_assert(!std::is_lvalue_reference_v<Function>);
    forget(std::forward<Function>(function).call());
  }

  // A command whose reply is dropped. Never throws: the command is lost if the
  // breaker is open or the connection fails. Logs the first error reply per
  // connection.
  void send_and_forget(Words words, ReplyShape shape = {});

  const Address& address() const { return settings_.address; }
  // By which its timeouts pass.
  const base::Clock& clock() const { return loop_.clock(); }
  // In which its callers wait.
  loop::Loop& loop() const { return loop_; }
  bool waits_for_replicas() const { return settings_.wait_replicas > 0; }
  // nullptr: no Cluster.
  Cluster* cluster() { return cluster_.get(); }

  // Returns the channels to all primaries, for commands that go to each of
  // them. Valid as long as the store. Throws base::Unavailable.
  loop::Task<std::vector<Channel*>> primaries();

  // Throws base::Unavailable unless the store answers: in a Cluster, each of its primaries.
  loop::Task<> ping();

  // Returns the number of commands whose replies are awaited.
  std::size_t pending() const;

  // Calls `moved` whenever a Sentinel tells of another primary, as those of earlier calls.
  void on_move(std::function<void()> moved) { moved_.push_back(std::move(moved)); }

 private:
  Channel& channel_for(Words words, bool is_replicated = false);
  Call send(Channel::Kind kind, Words words, ReplyShape shape);
  loop::Task<Reply> run(FunctionCall function, Durability durability);
  void forget(const FunctionCall& function);

  const ConnectionSettings settings_;
  loop::Loop& loop_;
  std::unique_ptr<Channel> only_;        // nullptr: a Cluster
  std::unique_ptr<Channel> replicated_;  // its channel of replicated commands, if there are any
  std::unique_ptr<SentinelWatch> watch_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::function<void()>> moved_;
};

// Several commands, sent together. Their replies are awaited in the same order:
// `for (…) calls.get(key);`, then as many times `const Reply reply = co_await
// calls.next();`.
class Store::Calls {
 public:
  explicit Calls(Store& store) : store_(store) {}

  void read(Words words) { calls_.emplace_back(new Call(store_.read(words))); }
  void get(std::string_view key) { calls_.emplace_back(new Call(store_.get(key))); }
  void command(Words words, ReplyShape shape = {}) {
    calls_.emplace_back(new Call(store_.command(words, shape)));
  }

  // Returns the first command that was not awaited yet. There must be one.
  Call& next() { return *calls_[next_++]; }
  // Returns the number of commands that were not awaited yet.
  std::size_t left() const { return calls_.size() - next_; }

 private:
  Store& store_;
  std::vector<std::unique_ptr<Call>> calls_;
  std::size_t next_ = 0;
};

}  // namespace svc::redis
