#include "stores/catalog/catalog.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/unreadable.h"
#include "stores/catalog/catalog_index.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

// Keys per MGET; a record has up to 64 KiB of description.
constexpr std::size_t kMediasPerRead = 100;

// The limit for records that are cached in parsed form. That form needs about three times as much
// memory.
constexpr std::size_t kMostParsedBytes = 1 << 20;

}  // namespace

loop::Task<std::optional<media::Media>> Catalog::find_media(const media::HashedId& id,
                                                            media::Detail detail,
                                                            media::Reads& reads) {
  const std::string key = keys::media(id);
  reads.note(key);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await RecordRead{call, key};
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return must_read(key, media::media_from_stored(document_, *text, detail));
}

loop::Task<std::optional<media::Playlist>> Catalog::find_playlist(const media::HashedId& id,
                                                                  media::Reads& reads) {
  const std::string key = keys::playlist(id);
  reads.note(key);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await RecordRead{call, key};
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return read_record(document_, key, *text, media::playlist_from_record);
}

loop::Task<std::optional<media::Project>> Catalog::find_project(const media::ProjectId& id) {
  const std::string key = keys::project(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await RecordRead{call, key};
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  co_return read_record(document_, key, *text, media::project_from_record);
}

// Comparing the records with the last ones takes a fiftieth of parsing them. The
// media most likely has the same project as the last time, so both are read in
// one round trip.
loop::Task<std::shared_ptr<media::MediaWithProject>> Catalog::find_with_project(
    const media::HashedId& id) {
  const std::string key = keys::media(id);
  const auto at = parsed_.find(key);
  const std::shared_ptr<Parsed> last = at == parsed_.end() ? nullptr : at->second;
  const std::string likely = last ? last->project_key : "";
  redis::Store::Calls calls(store_);
  calls.get(key);
  if (!likely.empty()) calls.get(likely);
  redis::Store::Call& first = calls.next();
  const redis::Reply record = co_await RecordRead{first, key};
  const auto text = record.text();
  if (!text) co_return nullptr;
  std::shared_ptr<Parsed> now = last;
  if (!last || last->record != *text) {
    now = std::make_shared<Parsed>();
    now->record = *text;
    now->found.media =
        must_read(key, media::media_from_stored(document_, *text, media::Detail::All));
    const std::optional<media::ProjectId>& project = now->found.media.project;
    if (project) now->project_key = keys::project(*project);
  }
  std::string project;
  if (!now->project_key.empty()) {
    redis::Store::Calls other(store_);
    if (now->project_key != likely) other.get(now->project_key);
    redis::Store::Call& call = (other.left() > 0 ? other : calls).next();
    try {
      const redis::Reply reply = co_await RecordRead{call, now->project_key};
      project = reply.text().value_or("");
    } catch (const base::Unreadable&) {
      // As one that cannot be parsed: it is logged.
    }
  }
  if (now->project != project) {
    if (now == last) now = std::make_shared<Parsed>(*last);
    now->found.json.clear();
    now->found.project.reset();
    if (!project.empty()) now->found.project = project_in(now->project_key, project);
    now->project = std::move(project);
  }
  if (now != last) keep(key, now);
  co_return std::shared_ptr<media::MediaWithProject>(now, &now->found);
}

// The media is shown without a project whose record cannot be read.
std::optional<media::Project> Catalog::project_in(const std::string& key, std::string_view text) {
  try {
    return read_record(document_, key, text, media::project_from_record);
  } catch (const base::Unreadable&) {
    return std::nullopt;  // it is logged
  }
}

void Catalog::keep(const std::string& key, const std::shared_ptr<Parsed>& parsed) {
  const std::size_t bytes = parsed->record.size() + parsed->project.size();
  if (parsed_bytes_ + bytes > kMostParsedBytes) {
    parsed_.clear();
    parsed_bytes_ = 0;
  }
  parsed_bytes_ += bytes;
  parsed_[key] = parsed;
}

loop::Task<bool> Catalog::has(media::AccountId account, std::string key, IndexedRecord record,
                              std::optional<media::AccountId> (*owner_in)(text::json::Document&,
                                                                          std::string_view)) {
  redis::Store::Call call = store_.get(key);
  try {
    const redis::Reply reply = co_await RecordRead{call, key};
    const auto text = reply.text();
    if (!text) co_return false;
    if (const auto owner = owner_in(document_, *text)) co_return *owner == account;
  } catch (const base::Unreadable&) {
    // Of another type: only the index knows.
  }
  const std::optional<IndexedFields> indexed =
      co_await find_indexed(store_, account, std::move(record));
  co_return indexed.has_value();
}

loop::Task<bool> Catalog::has_media(media::AccountId account, media::HashedId id) {
  return has(account, keys::media(id), {Indexed::Media, id.value()}, media::account_in_stored);
}

loop::Task<bool> Catalog::has_project(media::AccountId account, media::ProjectId id) {
  return has(account, keys::project(id), {Indexed::Project, id.value()},
             media::account_in_stored_project);
}

loop::Task<std::vector<media::Media>> Catalog::find_medias(const std::vector<media::HashedId>& ids,
                                                           media::Detail detail,
                                                           media::Reads& reads) {
  std::vector<media::HashedId> unreadable;
  co_return co_await read_medias(ids, detail, reads, unreadable);
}

loop::Task<std::vector<media::Media>> Catalog::read_medias(
    const std::vector<media::HashedId>& ids, media::Detail detail, media::Reads& reads,
    std::vector<media::HashedId>& unreadable) {
  struct Found {
    std::optional<media::Media> media{};
    bool is_unreadable = false;
  };
  std::unordered_map<std::string, Found> by_key;
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
      const auto text = reply.at(k).text();
      if (!text) {
        missing.push_back(keys[i + k]);
        continue;
      }
      auto media = media::media_from_stored(document_, *text, detail);
      if (media) {
        by_key[key].media = *std::move(media);
      } else {
        by_key[key].is_unreadable = true;
        log_corrupt_record(key, media.error());
      }
      if (pieces_ == nullptr) continue;
      co_await pieces_->add(text->size());
    }
  }
  std::vector<std::string_view> foreign;
  if (!missing.empty()) foreign = co_await foreign_of(missing);
  for (const std::string_view key : foreign) by_key[std::string(key)].is_unreadable = true;
  std::vector<media::Media> found;
  for (const media::HashedId& id : ids) {
    const Found& each = by_key.at(keys::media(id));
    if (each.media) found.push_back(*each.media);
    if (each.is_unreadable) unreadable.push_back(id);
  }
  co_return found;
}

// MGET returns nil for a key of another type.
loop::Task<std::vector<std::string_view>> Catalog::foreign_of(
    const std::vector<std::string_view>& keys) {
  std::vector<std::string_view> foreign;
  std::vector<std::string_view> words{"EXISTS"};
  words.insert(words.end(), keys.begin(), keys.end());
  redis::Store::Call call = store_.read(words);
  const redis::Reply exist = co_await call;
  if (exist.integer() == 0) co_return foreign;
  redis::Store::Calls gets(store_);
  for (const std::string_view key : keys) gets.get(key);
  for (const std::string_view key : keys) {
    const std::string name(key);
    redis::Store::Call& get = gets.next();
    try {
      const redis::Reply reply = co_await RecordRead{get, name};
    } catch (const base::Unreadable&) {
      foreign.push_back(key);  // it is logged
    }
  }
  co_return foreign;
}

}  // namespace svc::stores
