#include "redis/sentinel_watch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/unavailable.h"
#include "redis/topology.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kSentinelPing = 1s;
constexpr std::string_view kSwitchMaster = "+switch-master";

}  // namespace

// The subscription at one Sentinel.
struct SentinelWatch::Sentinel {
  Sentinel(SentinelWatch& of, ConnectionSettings settings)
      : owner(of), channel(std::move(settings), of.loop_, nullptr, [this](std::string_view text) {
          take_message(text);
        }) {}

  // The Sentinel executes both commands without an interruption, so a change between them cannot be
  // missed.
  void subscribe() {
    is_subscribed = false;
    channel.close();
    question.reset(
        new Channel::Call(channel.read({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", owner.name_})));
    call.reset(new Channel::Call(channel.command({"SUBSCRIBE", kSwitchMaster})));
  }

  void step() {
    if (!call) return subscribe();
    if (!call->is_done()) return;  // the channel's own timeout ends it
    try {
      take_answer();
      // A new connection is not subscribed: only there, the reply to PING is not an array.
      const Reply reply = call->take();
      if (is_subscribed && reply.size() == 0) return subscribe();
      is_subscribed = true;
      call.reset(new Channel::Call(channel.command({"PING"})));
    } catch (const base::Unavailable&) {
      question.reset();
      call.reset();
      named.reset();
    }
  }

  // Throws base::Unavailable.
  void take_answer() {
    if (!question || !question->is_done()) return;
    const std::unique_ptr<Channel::Call> answered = std::move(question);
    const Reply reply = answered->take();
    named = read_primary(reply);
  }

  void take_message(std::string_view text) {
    try {
      take_answer();
    } catch (const base::Unavailable&) {  // then the message is its first answer
    }
    const auto switched = parse_switch(text);
    if (!switched || switched->name != owner.name_) return;
    named = switched->primary;
    owner.decide();
  }

  SentinelWatch& owner;
  Channel channel;  // kept, because the search for its host may take longer than an attempt
  std::unique_ptr<Channel::Call> question;
  std::unique_ptr<Channel::Call> call;
  std::optional<Endpoint> named;
  bool is_subscribed = false;
};

SentinelWatch::SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop,
                             std::function<void()> moved)
    : name_(settings.address.primary),
      loop_(loop),
      moved_(std::move(moved)),
      timer_(loop, [this] { step(); }) {
  for (ConnectionSettings& sentinel : settings_of_sentinels(settings))
    sentinels_.push_back(std::make_unique<Sentinel>(*this, std::move(sentinel)));
}

SentinelWatch::~SentinelWatch() = default;

void SentinelWatch::start() {
  if (std::exchange(started_, true)) return;
  step();
}

void SentinelWatch::step() {
  timer_.set(loop_.clock().now() + kSentinelPing);
  for (const auto& sentinel : sentinels_) sentinel->step();
  decide();
}

void SentinelWatch::decide() {
  std::map<Endpoint, std::size_t> votes;
  for (const auto& sentinel : sentinels_) {
    if (sentinel->named) ++votes[*sentinel->named];
  }
  for (const auto& [server, count] : votes) {
    if (count < std::min(kAgreeingSentinels, sentinels_.size()) || server == primary_) continue;
    // Two of four name each server: the known server stays.
    if (primary_ && votes[*primary_] >= count) continue;
    const bool is_known = primary_.has_value();
    primary_ = server;
    if (is_known) moved_();
    return;
  }
}

}  // namespace svc::redis
