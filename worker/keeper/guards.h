// Guards: marks the folders of media as their records demand (keeper/markers.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loop/loop.h"
#include "media/media.h"
#include "media/site_rules.h"
#include "stores/catalog/catalog_registry.h"

namespace svc::keeper {

class Guards {
 public:
  // All references outlive it. `folder`: that of all media. `alive`: called at least every few
  // seconds.
  Guards(stores::CatalogRegistry& registry, loop::Loop& loop, std::string folder,
         std::function<void()> alive)
      : registry_(registry), loop_(loop), folder_(std::move(folder)), alive_(std::move(alive)) {}

  // All throw base::Unavailable and base::Unreadable.

  // Marks a folder, also against another process that does so. Returns false, and logs it, if the
  // disk refuses.
  bool guard(const media::HashedId& folder);
  // All folders of the media.
  bool guard_all(const media::Media& media);
  // Marks the rule of an account, in the same way: one file for all folders that link to it.
  bool guard_account(media::AccountId id);

  std::optional<media::Media> find(const media::HashedId& id);

 private:
  template <class T>
  T wait(loop::Task<T> task) {
    return loop_.run_until_done(std::move(task));
  }
  // Throws FileError.
  void mark_account(media::AccountId id);

  stores::CatalogRegistry& registry_;
  loop::Loop& loop_;
  const std::string folder_;
  const std::function<void()> alive_;
};

}  // namespace svc::keeper
