// Uploads in Redis: the writing end of the list ingest:incoming and the stream
// ingest:deletions, which stores/catalog/ingest_queue.h reads. Jobs are in a list, because a
// program that may append to a stream may also trim it.
//
// A job and the entries in the lists of the account are of the commit of their record.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "media/uploads.h"
#include "redis/store.h"
#include "stores/catalog/ingest_job.h"

namespace svc::stores {

class Uploads : public media::Uploads {
 public:
  explicit Uploads(redis::Store& store) : store_(store) {}

  loop::Task<std::optional<media::OverLimit>> take_place(media::AccountId account,
                                                         media::UploadPlace place) override;
  loop::Task<> free_place(media::AccountId account, media::UploadPlace place) override;
  loop::Task<std::optional<NotAdded>> add(media::Media media, media::UploadedFile file,
                                          std::optional<media::UploadPlace> place) override;
  loop::Task<double> progress(media::HashedId id) override;
  loop::Task<std::vector<media::HashedId>> recent(media::AccountId account) override;
  loop::Task<std::int64_t> large(media::AccountId account) override;
  loop::Task<std::int64_t> bytes(media::AccountId account) override;
  loop::Task<> change_poster(media::PosterFiles files) override;
  loop::Task<std::optional<media::Media>> swap(media::FileSwap swap,
                                               media::SwapChange change) override;
  loop::Task<> announce_guard(std::vector<media::Guarded> all) override;
  loop::Task<> guard(std::vector<media::Guarded> all) override;
  loop::Task<> discard(media::HashedId id, media::AccountId account) override;
  loop::Task<> remove(media::HashedId id, std::optional<media::AccountId> account) override;
  // Returns the bytes of each upload that bytes() counts. Only for svcctl.
  loop::Task<std::vector<std::pair<media::HashedId, std::int64_t>>> sizes(media::AccountId account);

 private:
  loop::Task<std::int64_t> sum(std::string key);
  loop::Task<> add_files_job(FilesJob job);

  redis::Store& store_;
};

}  // namespace svc::stores
