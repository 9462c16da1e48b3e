// MemoryUploads: records all additions and removals; can be unavailable.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "media/uploads.h"

namespace svc::fakes {

class MemoryUploads : public media::Uploads {
 public:
  struct Added {
    media::Media media;
    media::UploadedFile file;
  };
  std::vector<Added> added;
  std::vector<std::string> removed;
  std::vector<media::HashedId> last;  // returned for any account, the newest first
  double how_far = 0;
  std::int64_t large_bytes = 0;
  bool away = false;  // all throw base::Unavailable

  loop::Task<> add(media::Media media, media::UploadedFile file) override;
  loop::Task<double> progress(media::HashedId) override;
  loop::Task<std::vector<media::HashedId>> recent(media::AccountId) override;
  loop::Task<std::int64_t> count(media::AccountId) override;
  loop::Task<std::int64_t> large(media::AccountId) override;
  loop::Task<> remove(media::HashedId id, std::optional<media::AccountId>) override;

 private:
  void check() const;
};

}  // namespace svc::fakes
