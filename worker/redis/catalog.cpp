#include "redis/catalog.h"

#include <chrono>

#include "base/log.h"
#include "base/unavailable.h"
#include "redis/keys.h"

namespace svc::redis {
namespace {

// A record that cannot be read is an outage of that record: a 503, never a wrong 404.
[[noreturn]] void corrupt(const std::string& key, const std::string& why) {
  // Once a second: whoever asks for it again and again must not fill the log.
  static std::chrono::steady_clock::time_point said{};
  const auto now = std::chrono::steady_clock::now();
  if (now - said > std::chrono::seconds(1)) {
    said = now;
    base::log::error("catalog.corrupt", {{"key", key}, {"reason", why}});
  }
  throw base::Unavailable("the record " + key + " cannot be read: " + why);
}

template <class T>
T must(const std::string& key, base::Result<T, std::string> parsed) {
  if (!parsed) corrupt(key, parsed.error());
  return std::move(*parsed);
}

}  // namespace

void Catalog::expect_media(const media::HashedId& id) { connection_.expect(keys::media(id)); }
void Catalog::expect_playlist(const media::HashedId& id) { connection_.expect(keys::playlist(id)); }

std::optional<media::Media> Catalog::find_media(const media::HashedId& id, media::Detail detail) {
  const std::string key = keys::media(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return must(key, media::media_from_stored(document_, *text, detail));
}

std::optional<media::Playlist> Catalog::find_playlist(const media::HashedId& id) {
  const std::string key = keys::playlist(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (!value) corrupt(key, value.error());
  text::JsonRecord record(*value);
  return must(key, media::playlist_from_record(record));
}

std::vector<media::Media> Catalog::find_medias(const std::vector<media::HashedId>& ids,
                                               media::Detail detail) {
  std::vector<media::Media> found;
  if (ids.empty()) return found;
  std::vector<std::string> names;
  std::vector<std::string_view> arguments{"MGET"};
  names.reserve(ids.size());
  for (const media::HashedId& id : ids) names.push_back(keys::media(id));
  arguments.insert(arguments.end(), names.begin(), names.end());
  const Reply reply = connection_.read(arguments);
  for (std::size_t i = 0; i < reply.size(); ++i) {
    if (const auto text = reply.at(i).text()) {
      found.push_back(must(names[i], media::media_from_stored(document_, *text, detail)));
    }
  }
  return found;
}

}  // namespace svc::redis
