#include "stores/catalog.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

// Keys per MGET; a record has up to 64 KiB of description.
constexpr std::size_t kMediasPerRead = 100;

}  // namespace

loop::Task<std::optional<media::Media>> Catalog::find_media(const media::HashedId& id,
                                                            media::Detail detail,
                                                            media::Reads& reads) {
  const std::string key = keys::media(id);
  reads.note(key);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return must_read(key, media::media_from_stored(document_, *text, detail));
}

loop::Task<std::optional<media::Playlist>> Catalog::find_playlist(const media::HashedId& id,
                                                                  media::Reads& reads) {
  const std::string key = keys::playlist(id);
  reads.note(key);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return read_record(document_, key, *text, media::playlist_from_record);
}

loop::Task<std::optional<media::Project>> Catalog::find_project(const media::ProjectId& id) {
  const std::string key = keys::project(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return read_record(document_, key, *text, media::project_from_record);
}

loop::Task<std::vector<media::Media>> Catalog::find_medias(const std::vector<media::HashedId>& ids,
                                                           media::Detail detail,
                                                           media::Reads& reads) {
  std::unordered_map<std::string, std::optional<media::Media>> by_key;
  std::vector<std::string_view> keys;  // without duplicates; views of the map's keys
  for (const media::HashedId& id : ids) {
    const auto [at, first] = by_key.try_emplace(keys::media(id));
    if (!first) continue;
    reads.note(at->first);
    keys.push_back(at->first);
  }
  redis::Store::Calls batches(store_);
  for (std::size_t i = 0; i < keys.size(); i += kMediasPerRead) {
    std::vector<std::string_view> words{"MGET"};
    const auto batch = std::span(keys).subspan(i, std::min(kMediasPerRead, keys.size() - i));
    words.insert(words.end(), batch.begin(), batch.end());
    batches.read(words);
  }
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < keys.size(); i += kMediasPerRead) {
    const redis::Reply reply = co_await batches.next();
    for (std::size_t k = 0; k < reply.size(); ++k) {
      const std::string key(keys[i + k]);
      if (const auto text = reply.at(k).text()) {
        by_key[key] = must_read(key, media::media_from_stored(document_, *text, detail));
      } else {
        missing.push_back(keys[i + k]);
      }
    }
  }
  if (!missing.empty()) co_await check_missing(missing);
  std::vector<media::Media> found;
  for (const media::HashedId& id : ids) {
    if (const auto& media = by_key.at(keys::media(id))) found.push_back(*media);
  }
  co_return found;
}

// MGET returns nil for a key of another type; GET fails.
loop::Task<> Catalog::check_missing(const std::vector<std::string_view>& keys) {
  std::vector<std::string_view> words{"EXISTS"};
  words.insert(words.end(), keys.begin(), keys.end());
  redis::Store::Call call = store_.read(words);
  const redis::Reply exist = co_await call;
  if (exist.integer() == 0) co_return;
  redis::Store::Calls gets(store_);
  for (const std::string_view key : keys) gets.get(key);
  while (gets.left() > 0) const redis::Reply reply = co_await gets.next();
}

}  // namespace svc::stores
