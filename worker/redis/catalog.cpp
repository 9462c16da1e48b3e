#include "redis/catalog.h"

#include <algorithm>

#include "redis/keys.h"
#include "redis/record.h"

namespace svc::redis {
namespace {

// Enough that a trip is shared by many; a record has up to 64 KiB of description.
constexpr std::size_t kMostAtOnce = 100;

}  // namespace

void Catalog::expect_media(const media::HashedId& id) { connection_.expect(keys::media(id)); }
void Catalog::expect_playlist(const media::HashedId& id) { connection_.expect(keys::playlist(id)); }

ReplyView Catalog::get(const std::string& key) {
  note(key);
  if (reads_ != nullptr && reads_->afresh()) connection_.outdate(key);
  return connection_.get(key);
}

std::optional<media::Media> Catalog::find_media(const media::HashedId& id, media::Detail detail) {
  const std::string key = keys::media(id);
  const ReplyView reply = get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return must_read(key, media::media_from_stored(document_, *text, detail));
}

std::optional<media::Playlist> Catalog::find_playlist(const media::HashedId& id) {
  const std::string key = keys::playlist(id);
  const ReplyView reply = get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  return must_read(key, media::playlist_from_record(record));
}

std::optional<media::Project> Catalog::find_project(const media::ProjectId& id) {
  const std::string key = keys::project(id);
  const ReplyView reply = get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  return must_read(key, media::project_from_record(record));
}

std::vector<media::Media> Catalog::find_medias(const std::vector<media::HashedId>& ids,
                                               media::Detail detail) {
  MediaByKey by_key;
  std::vector<std::string_view> keys;  // each once; they live in the map
  for (const media::HashedId& id : ids) {
    const auto [at, first] = by_key.try_emplace(keys::media(id));
    if (!first) continue;
    note(at->first);
    keys.push_back(at->first);
  }
  for (std::size_t i = 0; i < keys.size(); i += kMostAtOnce) {
    const auto batch = std::span(keys).subspan(i, std::min(kMostAtOnce, keys.size() - i));
    find_batch(batch, detail, by_key);
  }
  std::vector<media::Media> found;
  for (const media::HashedId& id : ids) {
    if (const auto& media = by_key.at(keys::media(id))) found.push_back(*media);
  }
  return found;
}

void Catalog::find_batch(std::span<const std::string_view> keys, media::Detail detail,
                         MediaByKey& by_key) {
  std::vector<std::string_view> get{"MGET"};
  get.insert(get.end(), keys.begin(), keys.end());
  const Reply reply = connection_.read(get);
  std::vector<std::string_view> exist{"EXISTS"};
  for (std::size_t i = 0; i < reply.size(); ++i) {
    const std::string key(keys[i]);
    if (const auto text = reply.at(i).text()) {
      by_key[key] = must_read(key, media::media_from_stored(document_, *text, detail));
    } else {
      exist.push_back(keys[i]);
    }
  }
  // MGET says nothing of a key of another type, GET says that it is an outage.
  if (exist.size() == 1 || connection_.read(exist).integer() == 0) return;
  for (const std::string_view key : std::span(exist).subspan(1)) connection_.read({"GET", key});
}

}  // namespace svc::redis
