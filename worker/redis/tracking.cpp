#include "redis/tracking.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kInvalidations = "__redis__:invalidate";
constexpr std::chrono::milliseconds kTrackingPing = 1s;

// Of the channel. Invalidations do not distinguish databases.
ConnectionSettings subscribing(ConnectionSettings settings, TripObserver& observer) {
  settings.address.database = 0;
  settings.timeout = std::max(settings.timeout, kTrackingPing);
  settings.first_delay = settings.longest_delay = {};
  settings.is_quiet = true;
  settings.observer = &observer;
  return settings;
}

}  // namespace

Tracking::Tracking(const ConnectionSettings& settings, std::vector<std::string> prefixes,
                   cache::InvalidationListener& listener, loop::Loop& loop)
    : settings_(settings),
      prefixes_(std::move(prefixes)),
      listener_(listener),
      loop_(loop),
      channel_(subscribing(settings, *this), loop, nullptr,
               [this](const ReplyView& keys) { take_message(keys); }),
      ended_(loop),
      following_(loop) {}

void Tracking::start() { following_.spawn(follow()); }

void Tracking::move() {
  delay_ = {};
  channel_.close("the primary changed");
  closed();
}

void Tracking::closed() {
  is_open_ = is_up_ = false;
  ended_.happen();
}

loop::Task<> Tracking::follow() {
  while (true) {
    try {
      loop::Task<> subscribed = stay_subscribed();
      co_await subscribed;
    } catch (const base::Unavailable& error) {
      if (!std::exchange(said_lost_, true)) {
        base::log::warn("tracking.lost",
                        {{"store", settings_.address.to_text()}, {"reason", error.what()}});
      }
    }
    is_up_ = false;
    delay_ = std::clamp(delay_ * 2, settings_.first_delay, settings_.longest_delay);
    loop::Sleep pause(loop_, loop_.clock().now() + delay_);
    co_await pause;
  }
}

loop::Task<> Tracking::stay_subscribed() {
  channel_.close("a command was refused");
  is_open_ = true;
  Channel::Call asking = channel_.call(Channel::Kind::Once, {"CLIENT", "ID"});
  const Reply answer = co_await asking;
  const std::string id = std::to_string(answer.integer());
  std::vector<std::string_view> words{"CLIENT", "TRACKING", "ON", "REDIRECT", id, "BCAST"};
  for (const std::string& prefix : prefixes_) words.insert(words.end(), {"PREFIX", prefix});
  const base::TimePoint begun = loop_.clock().now();
  Channel::Call tracking = channel_.call(Channel::Kind::Once, words);
  Channel::Call subscribing = channel_.call(Channel::Kind::Once, {"SUBSCRIBE", kInvalidations});
  co_await tracking;
  co_await subscribing;
  if (is_open_) {
    is_up_ = true;
    delay_ = {};
    listener_.feed_began();
    received_until_ = begun;
    if (std::exchange(said_lost_, false))
      base::log::info("tracking.back", {{"store", settings_.address.to_text()}});
  }
  while (is_open_) {
    const base::TimePoint pinged = loop_.clock().now();
    Channel::Call ping = channel_.call(Channel::Kind::Once, {"PING"});
    co_await ping;
    received_until_ = pinged;
    if (!is_open_) break;
    loop::Event::Next pause(ended_, pinged + kTrackingPing);
    co_await pause;
  }
  throw base::Unavailable("the connection was closed");
}

// Redis sends nil for all keys.
void Tracking::take_message(const ReplyView& keys) {
  if (keys.size() == 0) return listener_.all_invalidated();
  for (std::size_t i = 0; i < keys.size(); ++i)
    listener_.invalidated(keys.at(i).text().value_or(""));
}

}  // namespace svc::redis
