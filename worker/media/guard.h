// Guard: which files of a media nginx refuses without a signed address (oembed-W11).
#pragma once

#include <cstdint>
#include <string>

#include "media/media.h"
#include "media/site_rules.h"

namespace svc::media {

struct Guard {
  bool is_guarded = false;      // all but the posters
  bool is_private = false;      // the posters, too
  std::int64_t links_from = 0;  // signatures for other numbers are refused
  bool operator==(const Guard&) const = default;
};

// `of_account`: the rule of the media's account.
Guard guard_of(const Media& media, const SiteRule& of_account);

// What of a record the guard depends on. A writer that changes it adds a job for svc-ingest, which
// waits for a record of this state (Uploads::guard()).
std::string guard_state(const Media& media);
std::string guard_state(const SiteRule& of_account);

}  // namespace svc::media
