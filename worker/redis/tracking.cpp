#include "redis/tracking.h"

#include <string_view>
#include <utility>

#include "base/log.h"

namespace svc::redis {
namespace {

// Invalidations do not distinguish databases.
ConnectionSettings without_database(ConnectionSettings settings) {
  settings.address.database = 0;
  return settings;
}

}  // namespace

Tracking::Tracking(const ConnectionSettings& settings, std::vector<std::string> prefixes,
                   cache::InvalidationListener& listener, loop::Loop& loop)
    : Subscription(without_database(settings), loop),
      store_(settings.address.to_text()),
      prefixes_(std::move(prefixes)),
      listener_(listener) {}

loop::Task<> Tracking::subscribe(Channel& channel) {
  Channel::Call asking = channel.call(Channel::Kind::Once, {"CLIENT", "ID"});
  const Reply answer = co_await asking;
  const std::string id = std::to_string(answer.integer());
  std::vector<std::string_view> words{"CLIENT", "TRACKING", "ON", "REDIRECT", id, "BCAST"};
  for (const std::string& prefix : prefixes_) words.insert(words.end(), {"PREFIX", prefix});
  Channel::Call tracking = channel.call(Channel::Kind::Once, words);
  Channel::Call subscribing =
      channel.call(Channel::Kind::Once, {"SUBSCRIBE", "__redis__:invalidate"});
  co_await tracking;
  co_await subscribing;
}

void Tracking::began() {
  listener_.feed_began();
  if (std::exchange(said_lost_, false)) base::log::info("tracking.back", {{"store", store_}});
}

void Tracking::ended(const std::string& why) {
  if (!std::exchange(said_lost_, true))
    base::log::warn("tracking.lost", {{"store", store_}, {"reason", why}});
}

// Redis sends nil for all keys.
void Tracking::take_message(const ReplyView& keys) {
  if (keys.size() == 0) return listener_.all_invalidated();
  for (std::size_t i = 0; i < keys.size(); ++i)
    listener_.invalidated(keys.at(i).text().value_or(""));
}

}  // namespace svc::redis
