#include "fakes/memory_uploads.h"

namespace svc::fakes {

loop::Task<> MemoryUploads::add(media::Media media, media::UploadedFile file) {
  check();
  added.push_back({std::move(media), std::move(file)});
  co_return;
}

loop::Task<double> MemoryUploads::progress(media::HashedId) {
  check();
  co_return how_far;
}

loop::Task<std::vector<media::HashedId>> MemoryUploads::recent(media::AccountId) {
  check();
  co_return last;
}

loop::Task<std::int64_t> MemoryUploads::count(media::AccountId) {
  check();
  co_return static_cast<std::int64_t>(last.size());
}

loop::Task<std::int64_t> MemoryUploads::large(media::AccountId) {
  check();
  co_return large_bytes;
}

loop::Task<> MemoryUploads::remove(media::HashedId id, std::optional<media::AccountId>) {
  check();
  removed.push_back(id.value());
  co_return;
}

void MemoryUploads::check() const {
  if (away) throw base::Unavailable("the uploads are away");
}

}  // namespace svc::fakes
