#include "redis/cluster.h"

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <utility>

#include "base/unavailable.h"
#include "redis/gathering.h"
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
    Channel::Call ping = channel.read({"PING"});
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

// Waits until the slot map is known, or for a time.
class Cluster::FirstMap {
 public:
  FirstMap(Cluster& cluster, base::TimePoint until)
      : cluster_(cluster),
        until_(until),
        timer_(cluster.loop_, [this] { wait_.resume_soon(cluster_.loop_); }) {}
  ~FirstMap() { std::erase(cluster_.waiting_, &wait_); }
  FirstMap(const FirstMap&) = delete;
  FirstMap& operator=(const FirstMap&) = delete;

  bool await_ready() const noexcept { return !cluster_.primaries_.empty(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    wait_.begin(waiting);
    cluster_.waiting_.push_back(&wait_);
    timer_.set(until_);
  }
  void await_resume() noexcept { wait_.end(); }

 private:
  Cluster& cluster_;
  const base::TimePoint until_;
  loop::Wait wait_;
  loop::Timer timer_;
};

struct Cluster::Deferred {
  Channel& to;
  Channel::Pending pending;
  base::TimePoint at;
};

Cluster::Cluster(ConnectionSettings settings, loop::Loop& loop)
    : settings_(std::move(settings)),
      loop_(loop),
      timer_(loop, [this] { step(); }),
      deferred_timer_(loop, [this] { send_deferred(); }),
      reading_(loop) {
  for (const Endpoint& seed : settings_.address.endpoints) node_of(seed);
}

Cluster::~Cluster() {
  for (Deferred& deferred : deferred_) Channel::abandon(deferred.pending);
}

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

Channel& Cluster::channel_for(std::span<const std::string_view> words, bool is_replicated) {
  if (primaries_.empty()) refresh();
  if (const auto key = first_key(words)) {
    if (Node* owner = owners_[slot_of(*key)]) return owner->channel_of(is_replicated);
  }
  return any_node().channel_of(is_replicated);
}

Channel::Call Cluster::split(SplitCommand command, bool may_repeat) {
  std::erase_if(gatherings_, [](const auto& gathering) { return gathering->is_over(); });
  Gathering& gathering =
      *gatherings_.emplace_back(std::make_unique<Gathering>(command.reply, loop_));
  for (const std::vector<std::string_view>& part : command.parts) {
    Channel& channel = channel_for(part);
    if (may_repeat) {
      gathering.read(channel, part);
    } else {
      gathering.command(channel, part);
    }
  }
  return gathering.call();
}

loop::Task<std::vector<Channel*>> Cluster::primaries() {
  if (primaries_.empty()) refresh();
  FirstMap known(*this, loop_.clock().now() + settings_.timeout);
  co_await known;
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
  std::size_t pending = deferred_.size();
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
    defer(from, std::move(pending));
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

void Cluster::defer(Channel& to, Channel::Pending pending) {
  const base::TimePoint at = loop_.clock().now() + kTryAgainAfter;
  deferred_.push_back({to, std::move(pending), at});
  Channel::relink(deferred_.back().pending);
  if (!deferred_timer_.is_set()) deferred_timer_.set(at);
}

void Cluster::send_deferred() {
  const base::TimePoint now = loop_.clock().now();
  while (!deferred_.empty() && deferred_.front().at <= now) {
    Deferred& first = deferred_.front();
    first.to.adopt(std::move(first.pending), false);
    deferred_.pop_front();
  }
  if (!deferred_.empty()) deferred_timer_.set(deferred_.front().at);
}

// ---- the slot map ----

void Cluster::refresh(const Node* not_from) {
  refresh_wanted_ = true;
  if (not_from != nullptr) avoided_ = not_from;
  if (!is_reading_) timer_.set(std::max(loop_.clock().now(), refresh_at_));
}

void Cluster::step() {
  if (is_reading_) return;
  const base::TimePoint now = loop_.clock().now();
  if (!refresh_wanted_ && is_any_away()) {
    refresh_wanted_ = true;
    refresh_at_ = now + kWatchEvery;
  }
  if (!refresh_wanted_) {
    if (!changed_) return;
    if (now < follow_at_) return timer_.set(follow_at_);
  } else if (now < refresh_at_) {
    return timer_.set(refresh_at_);
  }
  refresh_wanted_ = false;
  refresh_at_ = now + kRefreshEvery;
  follow_at_ = now + kFollowEvery;
  reading_.spawn(read_map());
}

loop::Task<> Cluster::read_map() {
  is_reading_ = true;
  Node& asked = any_node();
  avoided_ = nullptr;
  Channel::Call call = asked.channel.read({"CLUSTER", "SLOTS"});
  try {
    const Reply slots = co_await call;
    take_map(slots, asked.endpoint);
  } catch (const base::Unavailable&) {
    refresh_wanted_ = true;  // from another node; its channel logs why
  }
  is_reading_ = false;
  timer_.set(loop_.clock().now());
}

bool Cluster::is_any_away() {
  bool any = false;
  for (const Endpoint& primary : primaries_) any = node_of(primary).is_away() || any;
  return any;
}

void Cluster::take_map(const ReplyView& slots, const Endpoint& from) {
  const std::vector<SlotRange> ranges = read_slot_map(slots, from);
  if (ranges.empty()) {  // a node that knows no cluster
    refresh_wanted_ = true;
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
  for (loop::Wait* const waiting : waiting_) waiting->resume_soon(loop_);
  tell_primaries();
}

}  // namespace svc::redis
