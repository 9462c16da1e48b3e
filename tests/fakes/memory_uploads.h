// MemoryUploads: remembers what was added and removed; can be unavailable.
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
  std::vector<media::HashedId> last;  // of any account, the newest first
  double how_far = 0;
  bool away = false;  // all throw base::Unavailable

  loop::Task<> add(media::Media media, media::UploadedFile file) override {
    check();
    added.push_back({std::move(media), std::move(file)});
    co_return;
  }
  loop::Task<double> progress(media::HashedId) override {
    check();
    co_return how_far;
  }
  loop::Task<std::vector<media::HashedId>> recent(media::AccountId) override {
    check();
    co_return last;
  }
  loop::Task<std::int64_t> count(media::AccountId) override {
    check();
    co_return static_cast<std::int64_t>(last.size());
  }
  loop::Task<> remove(media::HashedId id, std::optional<media::AccountId>) override {
    check();
    removed.push_back(id.text());
    co_return;
  }

 private:
  void check() const {
    if (away) throw base::Unavailable("the uploads are away");
  }
};

}  // namespace svc::fakes
