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
    cluster.refresh();
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
  base::TimePoint target_until{};  // it took a slot over, and is not in the map yet
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
  const auto rank = [this](const Node& node) {
    if (node.channel.is_broken()) return 3;
    if (node.is_suspect) return 2;  // it may be back
    return primaries_.contains(node.endpoint) ? 0 : 1;
  };
  const std::size_t first = next_node_++;
  Node* best = nodes_[first % nodes_.size()].get();
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    Node* const node = nodes_[(first + i) % nodes_.size()].get();
    if (rank(*node) < rank(*best)) best = node;
  }
  return *best;
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
  auto whole = std::make_shared<Channel::Outcome>(loop_);
  tasks_.spawn(gather(command.reply, std::move(parts), whole));
  return Channel::Call(std::move(whole));
}

loop::Task<> Cluster::gather(SplitCommand::Reply kind, Parts parts,
                             std::shared_ptr<Channel::Outcome> whole) {
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
  if (error) co_return whole->fail(error);
  switch (kind) {
    case SplitCommand::Reply::Array: co_return whole->set(Reply::concatenated(std::move(replies)));
    case SplitCommand::Reply::Sum: co_return whole->set(Reply::sum(replies));
    case SplitCommand::Reply::Ok: co_return whole->set(replies.front());
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

void Cluster::on_change(std::function<void(const std::set<Endpoint>&)> changed) {
  changed_.push_back(std::move(changed));
  told_.clear();
  refresh();
  tell_primaries();
}

void Cluster::tell_primaries() {
  if (changed_.empty() || primaries_.empty()) return;
  std::set<Endpoint> all = primaries_;
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (loop_.clock().now() < node->target_until) all.insert(node->endpoint);
  }
  if (all == told_) return;
  told_ = std::move(all);
  for (const auto& changed : changed_) changed(told_);
}

std::size_t Cluster::pending() const {
  std::size_t pending = 0;
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
  if (!primaries_.contains(to.endpoint)) {
    to.target_until = loop_.clock().now() + kTargetFor;
    tell_primaries();
  }
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
  loop::Sleep pause(loop_, loop_.clock().now() + kTryAgainAfter);
  co_await pause;
  to.adopt(std::move(pending), false);
}

// ---- the slot map ----

void Cluster::refresh() {
  is_map_wanted_ = true;
  map_wanted_.happen();
  if (!std::exchange(is_following_, true)) tasks_.spawn(follow_map());
}

loop::Task<> Cluster::follow_map() {
  while (true) {
    const base::TimePoint begun = loop_.clock().now();
    is_map_wanted_ = false;
    Node& asked = any_node();
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
      if (!changed_.empty()) until = begun + kFollowEvery;
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
  owners_ = {};
  primaries_.clear();
  for (const SlotRange& range : ranges) {
    Node& node = node_of(range.primary);
    node.target_until = {};
    std::fill(&owners_[range.first], &owners_[range.last] + 1, &node);
    primaries_.insert(range.primary);
  }
  map_taken_.happen();
  tell_primaries();
}

}  // namespace svc::redis
