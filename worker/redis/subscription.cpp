#include "redis/subscription.h"

#include <algorithm>
#include <chrono>

#include "base/unavailable.h"

namespace svc::redis {
namespace {

constexpr std::chrono::milliseconds kPingEvery{1000};

ConnectionSettings subscribing(ConnectionSettings settings, TripObserver& observer) {
  settings.timeout = std::max(settings.timeout, kPingEvery);
  settings.first_delay = settings.longest_delay = {};
  settings.is_quiet = true;
  settings.observer = &observer;
  return settings;
}

}  // namespace

Subscription::Subscription(const ConnectionSettings& settings, loop::Loop& loop)
    : first_delay_(settings.first_delay),
      longest_delay_(settings.longest_delay),
      loop_(loop),
      channel_(subscribing(settings, *this), loop, nullptr,
               [this](const ReplyView& content) { take_message(content); }),
      closed_(loop),
      following_(loop) {}

void Subscription::start() {
  if (following_.is_empty()) following_.spawn(follow());
}

void Subscription::move() {
  delay_ = {};
  channel_.close("the primary changed");
  closed();
}

void Subscription::closed() {
  is_open_ = is_subscribed_ = false;
  closed_.happen();
}

loop::Task<> Subscription::follow() {
  while (true) {
    std::string why = "the connection was closed";
    try {
      channel_.close("a command was refused");
      is_open_ = true;
      base::TimePoint asked = loop_.clock().now();
      co_await subscribe(channel_);
      if (is_open_) {
        is_subscribed_ = true;
        delay_ = {};
        began();
      }
      while (is_open_) {
        complete_until_ = asked;
        loop::Event::Next pause(closed_, asked + kPingEvery);
        co_await pause;
        if (!is_open_) break;
        asked = loop_.clock().now();
        Channel::Call ping = channel_.call(Channel::Kind::Once, {"PING"});
        co_await ping;
      }
    } catch (const base::Unavailable& error) {
      why = error.what();
    }
    is_open_ = is_subscribed_ = false;
    ended(why);
    delay_ = std::clamp(delay_ * 2, first_delay_, longest_delay_);
    loop::Sleep pause(loop_, loop_.clock().now() + delay_);
    co_await pause;
  }
}

}  // namespace svc::redis
