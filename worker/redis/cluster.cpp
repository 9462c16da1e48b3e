#include "redis/cluster.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "base/unavailable.h"
#include "redis/topology.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kRefreshEvery = 50ms;  // at most
// While a primary is unreachable: when a replica takes over, the map changes.
constexpr base::Duration kWatchEvery = 200ms;
// With on_change(): a worker that has all data in memory receives no MOVED.
constexpr base::Duration kFollowEvery = 1s;
// A node that takes slots over has none in the map at first.
constexpr base::Duration kTargetFor = 60s;
// Keys of a script that are on both sides of a migrating slot: TRYAGAIN until they are not.
constexpr base::Duration kTryAgainAfter = 10ms;
constexpr std::uint8_t kMostRedirects = 20;

}  // namespace

// The channel to one node. When it fails or closes, the slot map may change.
struct Cluster::Node : TripObserver {
  Node(Cluster& owner, Endpoint of)
      : cluster(owner),
        endpoint(std::move(of)),
        channel(settings(), owner.loop_, &owner),
        replicated(settings(), owner.loop_, &owner),
        probing(owner.loop_) {}

  Channel& channel_of(bool is_replicated) { return is_replicated ? replicated : channel; }

  ConnectionSettings settings() {
    ConnectionSettings one = cluster.settings_;
    one.address = Address::of(endpoint, cluster.settings_.address.tls);
    one.observer = this;
    return one;
  }
  void answered(base::Duration took) override {
    if (TripObserver* observer = cluster.settings_.observer) observer->answered(took);
  }
  void failed() override {
    if (TripObserver* observer = cluster.settings_.observer) observer->failed();
    closed();
  }
  void closed() override {
    is_suspect = true;
    cluster.refresh(this);
  }
  // Returns whether the node has not replied since its connection ended. Asks it.
  bool is_away() {
    if (is_suspect && probing.is_empty()) probing.spawn(probe());
    return is_suspect;
  }
  loop::Task<> probe() {
    Channel::Call ping = channel.call(Channel::Kind::SharedRead, {"PING"});
    try {
      co_await ping;
      is_suspect = false;
    } catch (const base::Unavailable&) {  // it still is
    }
  }

  Cluster& cluster;
  const Endpoint endpoint;
  bool is_suspect = false;
  Channel channel;
  Channel replicated;  // connects with the first replicated command
  loop::Scope probing;
};

Cluster::Cluster(ConnectionSettings settings, loop::Loop& loop)
    : settings_(std::move(settings)),
      loop_(loop),
      map_wanted_(loop),
      map_taken_(loop),
      tasks_(loop) {
  for (const Endpoint& seed : settings_.address.endpoints) node_of(seed);
}

Cluster::~Cluster() = default;

Cluster::Node& Cluster::node_of(const Endpoint& endpoint) {
  const auto at = std::ranges::find_if(
      nodes_, [&](const std::unique_ptr<Node>& node) { return node->endpoint == endpoint; });
  if (at != nodes_.end()) return **at;
  return *nodes_.emplace_back(std::make_unique<Node>(*this, endpoint));
}

Cluster::Node& Cluster::any_node() {
  const auto is_usable = [this](const Node& node) {
    return &node != avoided_ && !node.is_suspect && !node.channel.is_broken();
  };
  for (std::size_t tries = 0; tries < primaries_.size(); ++tries) {
    Node& node = node_of(primaries_[next_node_++ % primaries_.size()]);
    if (is_usable(node)) return node;
  }
  for (std::size_t tries = 0; tries < nodes_.size(); ++tries) {
    Node& node = *nodes_[next_node_++ % nodes_.size()];
    if (is_usable(node)) return node;
  }
  // A suspect may be back.
  for (std::size_t tries = 0; tries < nodes_.size(); ++tries) {
    Node& node = *nodes_[next_node_++ % nodes_.size()];
    if (node.channel.ensure_connected()) return node;
  }
  return *nodes_[next_node_++ % nodes_.size()];
}

Channel& Cluster::channel_for(Words words, bool is_replicated) {
  if (primaries_.empty()) refresh();
  if (const auto key = first_key(words)) {
    if (Node* owner = owners_[slot_of(*key)]) return owner->channel_of(is_replicated);
  }
  return any_node().channel_of(is_replicated);
}

Channel::Call Cluster::split(const SplitCommand& command, Channel::Kind kind) {
  Parts parts;
  for (const std::vector<std::string_view>& part : command.parts)
    parts.emplace_back(new Channel::Call(channel_for(part).call(kind, part)));
  auto owned = std::make_unique<Channel::Pending>(kind, ReplyShape{});
  Channel::Pending& whole = *owned;
  return Channel::Call(whole, tasks_, gather(command.reply, std::move(parts), std::move(owned)));
}

loop::Task<> Cluster::gather(SplitCommand::Reply kind, Parts parts,
                             std::unique_ptr<Channel::Pending> whole) {
  std::vector<Reply> replies;
  std::exception_ptr error;
  for (const std::unique_ptr<Channel::Call>& part : parts) {
    try {
      const Reply reply = co_await *part;
      replies.push_back(reply);
    } catch (const base::Unavailable&) {
      if (!error) error = std::current_exception();
    }
  }
  if (error) co_return whole->end(error, loop_);
  switch (kind) {
    case SplitCommand::Reply::Array:
      co_return whole->end(Reply::concatenated(std::move(replies)), loop_);
    case SplitCommand::Reply::Sum: co_return whole->end(Reply::sum(replies), loop_);
    case SplitCommand::Reply::Ok: co_return whole->end(replies.front(), loop_);
  }
}

loop::Task<std::vector<Channel*>> Cluster::primaries() {
  if (primaries_.empty()) {
    refresh();
    loop::Event::Next known(map_taken_, loop_.clock().now() + settings_.timeout);
    co_await known;
  }
  if (primaries_.empty()) {
    throw base::Unavailable(settings_.address.to_text() + ": no node told its slots within " +
                            std::to_string(settings_.timeout.count()) + " ms");
  }
  std::vector<Channel*> channels;
  for (const Endpoint& primary : primaries_) channels.push_back(&node_of(primary).channel);
  co_return channels;
}

void Cluster::on_change(std::function<void(const std::vector<Endpoint>&)> changed) {
  changed_ = std::move(changed);
  told_.clear();
  refresh();
  if (!primaries_.empty()) tell_primaries();
}

void Cluster::note_target(const Endpoint& node) {
  if (std::ranges::binary_search(primaries_, node)) return;
  targets_[node] = loop_.clock().now();
  if (!primaries_.empty()) tell_primaries();
}

void Cluster::tell_primaries() {
  const base::TimePoint now = loop_.clock().now();
  std::erase_if(targets_, [&](const auto& target) {
    return now - target.second > kTargetFor || std::ranges::binary_search(primaries_, target.first);
  });
  std::vector<Endpoint> all = primaries_;
  for (const auto& [node, at] : targets_) all.push_back(node);
  std::ranges::sort(all);
  if (!changed_ || all == told_) return;
  told_ = std::move(all);
  changed_(told_);
}

std::size_t Cluster::pending() const {
  std::size_t pending = tried_again_;
  for (const std::unique_ptr<Node>& node : nodes_)
    pending += node->channel.pending() + node->replicated.pending();
  return pending;
}

// ---- redirections ----

bool Cluster::redirect(Channel& from, Channel::Pending& pending, std::string_view error) {
  if (error.starts_with("CLUSTERDOWN")) {
    refresh();
    return false;
  }
  if (pending.redirected >= kMostRedirects) return false;
  if (error.starts_with("TRYAGAIN")) {
    tasks_.spawn(try_again(from, std::move(pending)));
    return true;
  }
  auto redirection = parse_redirection(error);
  if (!redirection) return false;
  if (redirection->to.host.empty()) redirection->to.host = from.address().endpoints.front().host;
  Node& to = node_of(redirection->to);
  note_target(redirection->to);
  if (!redirection->asking) {
    owners_[redirection->slot] = &to;
    refresh();
  }
  Channel& channel = to.channel_of(pending.kind == Channel::Kind::Replicated);
  channel.adopt(std::move(pending), redirection->asking);
  return true;
}

bool Cluster::take_unsent(Channel& from, Channel::Pending& pending) {
  if (!primaries_.empty() || pending.redirected >= kMostRedirects) return false;
  if (pending.kind == Channel::Kind::Forgotten) return false;  // such as ASKING
  Channel& other = any_node().channel_of(pending.kind == Channel::Kind::Replicated);
  if (&other == &from || other.is_broken()) return false;
  other.adopt(std::move(pending), false);
  return true;
}

loop::Task<> Cluster::try_again(Channel& to, Channel::Pending pending) {
  ++tried_again_;
  loop::Sleep pause(loop_, loop_.clock().now() + kTryAgainAfter);
  co_await pause;
  --tried_again_;
  to.adopt(std::move(pending), false);
}

// ---- the slot map ----

void Cluster::refresh(const Node* not_from) {
  is_map_wanted_ = true;
  if (not_from != nullptr) avoided_ = not_from;
  map_wanted_.happen();
  if (!std::exchange(is_following_, true)) tasks_.spawn(follow_map());
}

loop::Task<> Cluster::follow_map() {
  while (true) {
    const base::TimePoint begun = loop_.clock().now();
    is_map_wanted_ = false;
    Node& asked = any_node();
    avoided_ = nullptr;
    Channel::Call call = asked.channel.call(Channel::Kind::SharedRead, {"CLUSTER", "SLOTS"});
    try {
      const Reply slots = co_await call;
      take_map(slots, asked.endpoint);
    } catch (const base::Unavailable&) {
      is_map_wanted_ = true;  // from another node; its channel logs why
    }
    loop::Sleep pause(loop_, begun + kRefreshEvery);
    co_await pause;
    while (!is_map_wanted_) {
      std::optional<base::TimePoint> until;
      if (changed_) until = begun + kFollowEvery;
      if (is_any_away()) until = begun + kWatchEvery;
      if (until && *until <= loop_.clock().now()) break;
      loop::Event::Next wanted(map_wanted_, until);
      co_await wanted;
    }
  }
}

bool Cluster::is_any_away() {
  bool any = false;
  for (const Endpoint& primary : primaries_) any = node_of(primary).is_away() || any;
  return any;
}

void Cluster::take_map(const ReplyView& slots, const Endpoint& from) {
  const std::vector<SlotRange> ranges = read_slot_map(slots, from);
  if (ranges.empty()) {  // a node that knows no cluster
    is_map_wanted_ = true;
    return;
  }
  std::vector<Endpoint> primaries;
  owners_ = {};
  for (const SlotRange& range : ranges) {
    Node* const node = &node_of(range.primary);
    for (std::size_t slot = range.first; slot <= range.last; ++slot) owners_[slot] = node;
    primaries.push_back(range.primary);
  }
  std::ranges::sort(primaries);
  primaries.erase(std::unique(primaries.begin(), primaries.end()), primaries.end());
  primaries_ = std::move(primaries);
  map_taken_.happen();
  tell_primaries();
}

}  // namespace svc::redis
