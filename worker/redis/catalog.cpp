#include "redis/catalog.h"

#include "redis/keys.h"
#include "redis/record.h"

namespace svc::redis {
void Catalog::expect_media(const media::HashedId& id) { connection_.expect(keys::media(id)); }
void Catalog::expect_playlist(const media::HashedId& id) { connection_.expect(keys::playlist(id)); }

std::optional<media::Media> Catalog::find_media(const media::HashedId& id, media::Detail detail) {
  const std::string key = keys::media(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return must_read(key, media::media_from_stored(document_, *text, detail));
}

std::optional<media::Playlist> Catalog::find_playlist(const media::HashedId& id) {
  const std::string key = keys::playlist(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  return must_read(key, media::playlist_from_record(record));
}

std::optional<media::Project> Catalog::find_project(const media::ProjectId& id) {
  const std::string key = keys::project(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  return must_read(key, media::project_from_record(record));
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
      found.push_back(must_read(names[i], media::media_from_stored(document_, *text, detail)));
    }
  }
  return found;
}

}  // namespace svc::redis
