#include "stores/catalog/uploads.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/unavailable.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/commit.h"
#include "stores/catalog/commit.lua.h"
#include "stores/catalog/guard_queue.h"
#include "stores/catalog/index_build.h"
#include "stores/catalog/ingest_job.h"
#include "stores/catalog/media_end.h"
#include "stores/catalog/uploads.lua.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "text/rfc3339.h"

namespace svc::stores {
namespace {

struct AsRead {
  std::string text;
  std::optional<media::Media> media{};
};

loop::Task<AsRead> read_media(redis::Store& store, media::HashedId id) {
  const std::string key = keys::media(id);
  redis::Store::Call call = store.get(key);
  const redis::Reply reply = co_await RecordRead{call, key};
  AsRead read{std::string(reply.text().value_or(""))};
  if (!reply.text()) co_return read;
  text::json::Document document;
  read.media = must_read(key, media_from_stored(document, read.text, media::Detail::All));
  co_return read;
}

// Its own comes first.
std::vector<media::HashedId> folders_of(const media::Media& media) {
  std::vector<media::HashedId> folders{media.id};
  folders.insert(folders.end(), media.folders.begin(), media.folders.end());
  return folders;
}

constexpr std::string_view kFull = "full ";

media::OverLimit over_limit(const Commit::FullOf& full) {
  using Of = media::OverLimit::Of;
  if (full.field == "uploads") return {Of::Uploads, full.has};
  if (full.field == "unfinished") return {Of::Unfinished, full.has};
  return {full.field == "bytes" ? Of::Bytes : Of::State, full.has};
}

}  // namespace

loop::Task<std::optional<media::OverLimit>> Uploads::take_place(media::AccountId account,
                                                                media::UploadPlace place) {
  const media::UploadLimits& limits = place.limits;
  while (true) {
    functions::TakePlace run{.index = keys::index(account),
                             .changed = keys::changed(account),
                             .uploads = keys::ingest_uploads(account),
                             .large = keys::ingest_large(account),
                             .bytes = keys::ingest_bytes(account),
                             .name = place.name,
                             .now = place.now,
                             .ends = place.now + limits.longest,
                             .size = place.bytes,
                             .most_uploads = limits.uploads,
                             .most_unfinished = limits.unfinished,
                             .most_large = limits.state,
                             .most_bytes = limits.bytes};
    const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
    const std::string_view outcome = reply.text().value_or("");
    if (outcome == "done") co_return std::nullopt;
    if (outcome.starts_with(kFull))
      co_return over_limit(Commit::full_of(outcome.substr(kFull.size())));
    if (outcome == "ended") throw base::Unavailable(kAccountEnds);
    co_await build_index(store_, account);
  }
}

loop::Task<> Uploads::free_place(media::AccountId account, media::UploadPlace place) {
  functions::FreePlace run{.index = keys::index(account), .name = place.name, .now = place.now};
  co_await store_.call(std::move(run), redis::Durability::Replicated);
}

// A repetition finds its own record, which may be another by then, and adds nothing.
loop::Task<std::optional<Uploads::NotAdded>> Uploads::add(media::Media media,
                                                          media::UploadedFile file,
                                                          std::optional<media::UploadPlace> place) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const IngestJob job{
      .media = media.id,
      .account = media.account,
      .file = file,
      .since = std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
  const std::string record = to_record(media);
  Commit commit(media.account);
  commit.change(keys::media(media.id), "", record);
  if (media.project) commit.must_exist(keys::project(*media.project));
  commit.note({Indexed::Media, media.id.value()}, std::nullopt, indexed_fields(media));
  commit.list_upload(media.id, text::seconds_of_rfc3339(media.created).value_or(0));
  commit.weigh(Commit::Weight::Files, media.id, job.file.length);
  if (record.size() > kSmallRecord)
    commit.weigh(Commit::Weight::LargeRecord, media.id, record.size());
  if (place) commit.take_place(*place);
  commit.add_job(job);
  const Commit::Outcome outcome = co_await commit.run(store_);
  if (outcome == Commit::Outcome::Gone) co_return NotAdded{};
  if (outcome == Commit::Outcome::Full) co_return NotAdded{over_limit(commit.full())};
  co_return std::nullopt;
}

loop::Task<double> Uploads::progress(media::HashedId id) {
  const std::string key = keys::ingest_progress(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await call;
  // Thousandths, because a number with a point depends on the locale.
  co_return std::clamp(static_cast<double>(reply.number()) / 1000, 0.0, 1.0);
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

loop::Task<std::optional<media::Media>> Uploads::swap(media::FileSwap swap,
                                                      media::SwapChange change) {
  CatalogRegistry registry(store_);
  while (true) {
    const AsRead before = co_await read_media(store_, swap.media);
    if (!before.media) co_return std::nullopt;
    const AsRead left = co_await read_media(store_, swap.other);
    media::Media media = *before.media;
    const bool is_of_account = left.media && left.media->account == media.account;
    const media::Media* const other = is_of_account ? &*left.media : nullptr;
    if (!change(media, other) || other == nullptr) co_return before.media;
    const FilesJob job{.kind = FilesJob::Kind::Swap,
                       .media = media.id,
                       .account = media.account,
                       .folders = folders_of(*before.media),
                       .taken = folders_of(*other),
                       .until = swap.former_until};
    Commit commit(media.account);
    commit.change(keys::media(media.id), before.text, to_record(media, &*before.media));
    commit.note({Indexed::Media, media.id.value()}, indexed_fields(*before.media),
                indexed_fields(media));
    if (before.media->captions.empty()) {
      commit.move_texts(other->id, media.id);
      commit.keep_texts(media);
    }
    co_await end_media_in(store_, commit, *other, left.text);
    for (const media::HashedId& folder : job.taken) {
      const std::optional<media::Media> owner = co_await registry.owner_of_files(folder);
      if (owner && owner->id == other->id) give_files(commit, folder, media.id);
    }
    commit.erase(keys::replacement_failure(media.id));
    commit.add_job(job);
    const Commit::Outcome outcome = co_await commit.run(store_);
    if (outcome == Commit::Outcome::Done) co_return media;
  }
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
  const FilesJob job{.media = id, .account = account.value_or(media::AccountId{0})};
  if (!account) {
    co_await add_files_job(job);
  }
  MediaEndAlso also = [&job](Commit& commit, const media::Media* media) {
    FilesJob of_all = job;
    if (media != nullptr) of_all.folders = media->folders;
    commit.add_job(of_all);
  };
  MediaCondition any;
  co_await end_media(store_, id, account, std::move(any), std::move(also));
}

}  // namespace svc::stores
