#include "redis/sentinel_watch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/unavailable.h"
#include "redis/locator.h"
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
      : owner(of),
        channel(std::move(settings), of.loop_, nullptr,
                [this](const ReplyView& content) { take_message(content.text().value_or("")); }) {}

  loop::Task<> watch() {
    while (true) {
      const base::TimePoint next = owner.loop_.clock().now() + kSentinelPing;
      try {
        loop::Task<> subscribed = stay_subscribed();
        co_await subscribed;
      } catch (const base::Unavailable&) {  // asked again
      }
      named.reset();
      loop::Sleep pause(owner.loop_, next);
      co_await pause;
    }
  }

  // Returns if the connection was replaced by one that is not subscribed.
  loop::Task<> stay_subscribed() {
    channel.close("it is not subscribed");
    // The Sentinel executes both commands without an interruption, so a change between them cannot
    // be missed.
    Channel::Call question = channel.call(Channel::Kind::SharedRead,
                                          {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", owner.name_});
    Channel::Call subscribing = channel.call(Channel::Kind::Once, {"SUBSCRIBE", kSwitchMaster});
    const Reply answer = co_await question;
    // A message may have arrived in the meantime, which is newer.
    if (!named) named = read_primary(answer);
    owner.decide();
    co_await subscribing;
    while (true) {
      loop::Sleep pause(owner.loop_, owner.loop_.clock().now() + kSentinelPing);
      co_await pause;
      Channel::Call ping = channel.call(Channel::Kind::Once, {"PING"});
      const Reply reply = co_await ping;
      if (reply.size() == 0) co_return;  // subscribed connections reply with an array
    }
  }

  void take_message(std::string_view text) {
    const auto switched = parse_switch(text);
    if (!switched || switched->name != owner.name_) return;
    named = switched->primary;
    owner.decide();
  }

  SentinelWatch& owner;
  Channel channel;  // kept, because the search for its host may take longer than an attempt
  std::optional<Endpoint> named;
};

SentinelWatch::SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop,
                             std::function<void()> moved)
    : name_(settings.address.primary), loop_(loop), moved_(std::move(moved)), watching_(loop) {
  for (ConnectionSettings& sentinel : settings_of_sentinels(settings))
    sentinels_.push_back(std::make_unique<Sentinel>(*this, std::move(sentinel)));
}

SentinelWatch::~SentinelWatch() = default;

void SentinelWatch::start() {
  if (!watching_.is_empty()) return;
  for (const auto& sentinel : sentinels_) watching_.spawn(sentinel->watch());
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
