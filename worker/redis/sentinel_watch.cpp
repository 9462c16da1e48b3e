#include "redis/sentinel_watch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "redis/locator.h"
#include "redis/subscription.h"
#include "redis/topology.h"

namespace svc::redis {

// The subscription at one Sentinel.
struct SentinelWatch::Sentinel : Subscription {
  Sentinel(SentinelWatch& of, const ConnectionSettings& settings, loop::Loop& loop)
      : Subscription(settings, loop), owner(of) {}

  // The Sentinel executes both commands without an interruption, so a change between them cannot
  // be missed.
  loop::Task<> subscribe(Channel& channel) override {
    Channel::Call question = channel.call(Channel::Kind::SharedRead,
                                          {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", owner.name_});
    Channel::Call subscribing = channel.call(Channel::Kind::Once, {"SUBSCRIBE", "+switch-master"});
    const Reply answer = co_await question;
    // A message may have arrived in the meantime, which is newer.
    if (!named) named = read_primary(answer);
    owner.decide();
    co_await subscribing;
  }
  void began() override {}
  void ended(const std::string&) override { named.reset(); }
  void take_message(const ReplyView& content) override {
    const auto switched = parse_switch(content.text().value_or(""));
    if (!switched || switched->name != owner.name_) return;
    named = switched->primary;
    owner.decide();
  }

  SentinelWatch& owner;
  std::optional<Endpoint> named;
};

SentinelWatch::SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop,
                             std::function<void()> moved)
    : name_(settings.address.primary), moved_(std::move(moved)) {
  for (const ConnectionSettings& sentinel : settings_of_sentinels(settings))
    sentinels_.push_back(std::make_unique<Sentinel>(*this, sentinel, loop));
}

SentinelWatch::~SentinelWatch() = default;

void SentinelWatch::start() {
  for (const auto& sentinel : sentinels_) sentinel->start();
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
