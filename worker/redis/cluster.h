// Cluster: the channels to the primaries of a Redis Cluster, and which of them
// has which slot.
//
// Commands do not wait for the slot map: until it is known, they go to any
// node, which names the right one (MOVED). The map is read again, whole, after
// a MOVED and after a failure, and once per second after on_change() was
// called.
//
// https://redis.io/docs/reference/cluster-spec
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/channel.h"
#include "redis/connection_settings.h"
#include "redis/slot.h"

namespace svc::redis {

class Cluster : private Channel::Redirector {
 public:
  // `settings.address` names some of the nodes. The loop and the settings'
  // observer must outlive the cluster.
  Cluster(ConnectionSettings settings, loop::Loop& loop);
  ~Cluster() override;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Returns the channel to the primary of the command's first key, or to any
  // node if the primary is unknown or the command lacks a key. `is_replicated`:
  // its channel of replicated commands.
  Channel& channel_for(Words words, bool is_replicated = false);

  // Sends the parts of a command, each to its node. The outcome of the call is
  // known when all parts have replied: the first error, if there is one.
  Channel::Call split(const SplitCommand& command, Channel::Kind kind);

  // Waits until the slot map is known. Returns the channels to all primaries.
  // Throws base::Unavailable after the settings' timeout.
  loop::Task<std::vector<Channel*>> primaries();

  // Calls `changed`, as those of earlier calls, whenever the primaries differ from the last ones.
  // They include nodes that took a slot over and are not in the map yet.
  void on_change(std::function<void(const std::set<Endpoint>&)> changed);

  // Returns the number of commands in the queues of its channels.
  std::size_t pending() const;

 private:
  struct Node;
  using Parts = std::vector<std::unique_ptr<Channel::Call>>;
  bool redirect(Channel& from, Channel::Pending& pending, std::string_view error) override;
  // Takes it only while the map is not known: any other node may have the key.
  bool take_unsent(Channel& from, Channel::Pending& pending) override;
  Node& node_of(const Endpoint& endpoint);
  // Returns the next node that is not known to be away, if there is one: a
  // primary while the map is known, which may no longer name the seeds.
  Node& any_node();
  void tell_primaries();
  loop::Task<> try_again(Channel& to, Channel::Pending pending);
  loop::Task<> gather(SplitCommand::Reply kind, Parts parts,
                      std::shared_ptr<Channel::Outcome> whole);
  // Reads the slot map soon.
  void refresh();
  // Reads it whenever that is due.
  loop::Task<> follow_map();
  // Returns whether a primary is unreachable.
  bool is_any_away();
  void take_map(const ReplyView& slots, const Endpoint& from);

  const ConnectionSettings settings_;
  loop::Loop& loop_;
  // The seeds first, in their order. Nodes that left the cluster stay: callers refer to them.
  std::vector<std::unique_ptr<Node>> nodes_;
  std::array<Node*, kSlots> owners_{};  // nullptr: not known
  std::set<Endpoint> primaries_;        // empty: the map was never read
  std::set<Endpoint> told_;             // to changed_
  std::vector<std::function<void(const std::set<Endpoint>&)>> changed_;
  std::size_t next_node_ = 0;
  bool is_following_ = false;  // the map
  bool is_map_wanted_ = false;
  loop::Event map_wanted_;
  loop::Event map_taken_;
  loop::Scope tasks_;  // follow_map(), and the commands that are split or tried again
};

}  // namespace svc::redis
