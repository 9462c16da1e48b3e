#include "redis/sentinel_watch.h"

#include <chrono>
#include <utility>

#include "base/unavailable.h"
#include "redis/topology.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kPingEvery = 1s;
constexpr std::string_view kChannel = "+switch-master";

}  // namespace

SentinelWatch::SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop,
                             std::function<void()> moved)
    : settings_(settings),
      loop_(loop),
      moved_(std::move(moved)),
      timer_(loop, [this] { step(); }) {}

void SentinelWatch::start() {
  if (std::exchange(started_, true)) return;
  subscribe();
}

void SentinelWatch::subscribe() {
  call_.reset();
  const auto& sentinels = settings_.address.endpoints;
  ConnectionSettings settings = settings_;
  settings.address = Address::of(sentinels[next_++ % sentinels.size()], settings_.address.tls);
  settings.username = settings_.sentinel_username;
  settings.password = settings_.sentinel_password;
  settings.observer = nullptr;
  settings.is_quiet = true;  // the locator tells if no Sentinel answers
  channel_ = std::make_unique<Channel>(std::move(settings), loop_, nullptr,
                                       [this](std::string_view text) { take_message(text); });
  call_.reset(new Channel::Call(channel_->command({"SUBSCRIBE", kChannel})));
  timer_.set(loop_.clock().now() + kPingEvery);
}

void SentinelWatch::step() {
  timer_.set(loop_.clock().now() + kPingEvery);
  if (!call_->is_done()) return;  // the channel's own timeout ends it
  try {
    call_->take();
    call_.reset(new Channel::Call(channel_->command({"PING"})));
  } catch (const base::Unavailable&) {
    subscribe();
  }
}

void SentinelWatch::take_message(std::string_view text) {
  if (switched_primary(text) == settings_.address.primary) moved_();
}

}  // namespace svc::redis
