#include "redis/uploads.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "redis/ingest_job.h"
#include "redis/keys.h"

namespace svc::redis {

loop::Task<> Uploads::add(media::Media media, media::UploadedFile file) {
  const IngestJob job{
      .kind = IngestJob::Kind::Ingest, .media = media.id, .account = media.account, .file = file};
  const auto began = std::chrono::steady_clock::now();
  const std::vector<std::string> fields = job.to_fields();
  std::vector<std::string_view> words{"XADD", keys::kIngestJobs, "*"};
  words.insert(words.end(), fields.begin(), fields.end());
  Store::Call adding = store_.repeatable(words, Durability::Replicated);
  co_await adding;
  // This process may have been stopped, and the job dropped.
  if (std::chrono::steady_clock::now() - began > kLongest)
    throw base::Unavailable("an upload's job took too long to write");
  const std::string key = keys::media(media.id);
  const std::string record = to_record(media);
  const std::array<std::string_view, 4> setting{"SET", key, record, "NX"};
  Store::Call writing = store_.repeatable(setting, Durability::Replicated);
  co_await writing;
  if (std::chrono::steady_clock::now() - began <= kLongest) co_return;
  const std::array<std::string_view, 2> deletion{"DEL", key};
  Store::Call deleting = store_.repeatable(deletion, Durability::Replicated);
  co_await deleting;
  throw base::Unavailable("an upload's record took too long to write");
}

loop::Task<double> Uploads::progress(media::HashedId id) {
  const std::string key = keys::ingest_progress(id);
  Store::Call call = store_.get(key);
  const Reply reply = co_await call;
  // Thousandths, because a number with a point depends on the locale.
  co_return std::clamp(static_cast<double>(reply.number()) / 1000, 0.0, 1.0);
}

loop::Task<> Uploads::remove(media::HashedId id) {
  const IngestJob job{.kind = IngestJob::Kind::Delete, .media = id, .account = {}, .file = {}};
  const std::vector<std::string> fields = job.to_fields();
  std::vector<std::string_view> words{"XADD", keys::kIngestJobs, "*"};
  words.insert(words.end(), fields.begin(), fields.end());
  Store::Call adding = store_.repeatable(words, Durability::Replicated);
  co_await adding;
  const std::string key = keys::media(id);
  const std::array<std::string_view, 2> deletion{"DEL", key};
  Store::Call deleting = store_.repeatable(deletion, Durability::Replicated);
  co_await deleting;
}

}  // namespace svc::redis
