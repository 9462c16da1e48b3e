#include "stores/catalog/uploads.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "stores/catalog/change_note.h"
#include "stores/catalog/guard_queue.h"
#include "stores/catalog/ingest_job.h"
#include "stores/catalog/media_end.h"
#include "stores/catalog/uploads.lua.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "text/rfc3339.h"

namespace svc::stores {
namespace {}  // namespace

loop::Task<> Uploads::add(media::Media media, media::UploadedFile file) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const IngestJob job{
      .media = media.id,
      .account = media.account,
      .file = file,
      .since = std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
  const std::string record = to_record(media);  // before the job: it may be refused
  const base::TimePoint began = store_.clock().now();
  const std::string text = job.to_text();
  const std::array<std::string_view, 3> words{"RPUSH", keys::kIngestIncoming, text};
  redis::Store::Call adding = store_.repeatable(words, redis::Durability::Replicated);
  co_await adding;
  co_await list(media, record.size(), job.file.length);
  // This process may have been stopped, and the job dropped.
  if (store_.clock().now() - began > kLongest)
    throw base::Unavailable("an upload's job took too long to write");
  const std::string key = keys::media(media.id);
  const std::array<std::string_view, 4> setting{"SET", key, record, "NX"};
  const std::array<NotedChange, 1> change{
      NotedChange{media.account, {{Indexed::Media, media.id.value()}}}};
  co_await write_noted(store_, change, note_time(), setting, redis::Durability::Replicated);
  if (store_.clock().now() - began <= kLongest) co_return;
  const std::array<std::string_view, 2> deletion{"DEL", key};
  co_await write_noted(store_, change, note_time(), deletion, redis::Durability::Replicated);
  throw base::Unavailable("an upload's record took too long to write");
}

loop::Task<double> Uploads::progress(media::HashedId id) {
  const std::string key = keys::ingest_progress(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  // Thousandths, because a number with a point depends on the locale.
  co_return std::clamp(static_cast<double>(reply.number()) / 1000, 0.0, 1.0);
}

// By time of the upload, not of this call: a repetition changes nothing.
loop::Task<> Uploads::list(const media::Media& media, std::size_t record, std::uint64_t file) {
  const std::string key = keys::ingest_uploads(media.account);
  const std::string id = media.id.value();
  const std::string time = std::to_string(text::seconds_of_rfc3339(media.created).value_or(0));
  const std::array<std::string_view, 4> addition{"ZADD", key, time, id};
  redis::Store::Call adding = store_.repeatable(addition, redis::Durability::Replicated);
  co_await adding;
  const std::string bytes = keys::ingest_bytes(media.account);
  const std::string length = std::to_string(file);
  const std::array<std::string_view, 4> weighing{"ZADD", bytes, length, id};
  redis::Store::Call weighed = store_.repeatable(weighing, redis::Durability::Replicated);
  co_await weighed;
  if (record <= kSmallRecord) co_return;
  const std::string large = keys::ingest_large(media.account);
  const std::string size = std::to_string(record);
  const std::array<std::string_view, 4> counting{"ZADD", large, size, id};
  redis::Store::Call call = store_.repeatable(counting, redis::Durability::Replicated);
  co_await call;
}

loop::Task<std::vector<media::HashedId>> Uploads::recent(media::AccountId account) {
  const std::string last = std::to_string(kMostRecent - 1);
  redis::Store::Calls calls(store_);
  for (const std::string& key : {keys::ingest_uploads(account), keys::ingest_failed(account)})
    calls.read({"ZRANGE", key, "0", last, "REV", "WITHSCORES"});
  std::vector<std::pair<std::int64_t, media::HashedId>> found;
  while (calls.left() > 0) {
    const redis::Reply reply = co_await calls.next();
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
      const auto id = media::HashedId::parse(reply.at(i).text().value_or(""));
      const auto time = base::parse_number<std::int64_t>(reply.at(i + 1).text().value_or(""), 0);
      if (id) found.emplace_back(time.value_or(0), *id);
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &decltype(found)::value_type::first);
  std::vector<media::HashedId> ids;
  for (auto& [time, id] : found) {
    if (ids.size() < kMostRecent && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  co_return ids;
}

loop::Task<std::int64_t> Uploads::large(media::AccountId account) {
  return sum(keys::ingest_large(account));
}

loop::Task<std::int64_t> Uploads::bytes(media::AccountId account) {
  return sum(keys::ingest_bytes(account));
}

loop::Task<std::int64_t> Uploads::sum(std::string key) {
  redis::Store::Call call = store_.read({"ZRANGE", key, "0", "-1", "WITHSCORES"});
  const redis::Reply reply = co_await call;
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < reply.size(); i += 2)
    bytes += base::parse_number<std::int64_t>(reply.at(i).text().value_or(""), 0).value_or(0);
  co_return bytes;
}

loop::Task<std::vector<std::pair<media::HashedId, std::int64_t>>> Uploads::sizes(
    media::AccountId account) {
  const std::string key = keys::ingest_bytes(account);
  redis::Store::Call call = store_.read({"ZRANGE", key, "0", "-1", "WITHSCORES"});
  const redis::Reply reply = co_await call;
  std::vector<std::pair<media::HashedId, std::int64_t>> found;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    const auto id = media::HashedId::parse(reply.at(i).text().value_or(""));
    const auto bytes = base::parse_number<std::int64_t>(reply.at(i + 1).text().value_or(""), 0);
    if (id) found.emplace_back(*id, bytes.value_or(0));
  }
  co_return found;
}

loop::Task<std::int64_t> Uploads::count(media::AccountId account) {
  const std::string key = keys::ingest_uploads(account);
  redis::Store::Call call = store_.read({"ZCARD", key});
  const redis::Reply reply = co_await call;
  co_return reply.integer();
}

loop::Task<> Uploads::add_files_job(FilesJob job) {
  std::vector<std::string> fields = job.to_fields();
  functions::AddFilesJob run{.jobs = keys::kIngestDeletions,
                             .fields = {fields.begin(), fields.end()}};
  co_await store_.call(std::move(run), redis::Durability::Replicated);
}

loop::Task<> Uploads::change_poster(media::PosterFiles files) {
  return add_files_job({.kind = files.at ? FilesJob::Kind::Still : FilesJob::Kind::Poster,
                        .media = std::move(files.media),
                        .account = files.account,
                        .source = std::move(files.source),
                        .former = std::move(files.former),
                        .at = files.at.value_or(0)});
}

loop::Task<std::vector<media::HashedId>> Uploads::folders_of(media::HashedId id) {
  const std::string key = keys::media(id);
  redis::Store::Call call = store_.get(key);
  std::vector<media::HashedId> folders;
  try {
    const redis::Reply reply = co_await RecordRead{call, key};
    text::json::Document document;
    auto media = media::media_from_stored(document, reply.text().value_or(""), media::Detail::All);
    if (media) folders = std::move(media->folders);
  } catch (const base::Unreadable&) {
    // It is deleted all the same.
  }
  co_return folders;
}

loop::Task<> Uploads::set_files_owner(media::HashedId folder, media::HashedId owner) {
  const std::string key = keys::files_owner(folder);
  const std::array<std::string_view, 3> setting{"SET", key, owner.value()};
  redis::Store::Call call = store_.repeatable(setting, redis::Durability::Replicated);
  co_await call;
}

// The owner of its other folders is set at the end: until then they are found by way of the other
// media.
loop::Task<> Uploads::begin_swap(media::FileSwap swap) {
  co_await set_files_owner(swap.other, swap.media);
  FilesJob job{.kind = FilesJob::Kind::Swap,
               .media = swap.media,
               .account = swap.account,
               .folders = swap.former,
               .taken = swap.taken,
               .until = swap.former_until};
  co_await add_files_job(std::move(job));
}

loop::Task<> Uploads::finish_swap(media::FileSwap swap) {
  for (const media::HashedId& folder : swap.taken) {
    co_await set_files_owner(folder, swap.media);
  }
  co_await end_media(store_, swap.other, swap.account);
}

loop::Task<> Uploads::announce_guard(std::vector<media::Guarded> all) {
  GuardQueue guards(store_);
  co_await guards.announce(std::move(all));
}

loop::Task<> Uploads::guard(std::vector<media::Guarded> all) {
  GuardQueue guards(store_);
  std::vector<media::Guarded> awaited = all;
  std::erase_if(
      awaited, [](const media::Guarded& job) { return job.turn != media::Guarded::Turn::Awaited; });
  co_await guards.add(std::move(all));
  co_await guards.await_closed(std::move(awaited));
}

// With a record, it would wait for the end of that.
loop::Task<> Uploads::discard(media::HashedId id, media::AccountId account) {
  const std::string key = keys::media(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  if (reply.text()) co_return;
  FilesJob job{.media = id, .account = account};
  co_await add_files_job(std::move(job));
}

loop::Task<> Uploads::remove(media::HashedId id, std::optional<media::AccountId> account) {
  std::vector<media::HashedId> folders = co_await folders_of(id);
  loop::Task<> adding = add_files_job({.media = id,
                                       .account = account.value_or(media::AccountId{0}),
                                       .folders = std::move(folders)});
  co_await adding;
  co_await end_media(store_, id, account);
}

}  // namespace svc::stores
