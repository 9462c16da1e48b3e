// open_files: files that nobody could guard if the films of an account were restricted to a list of
// sites (oembed-W13).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loop/task.h"
#include "media/id.h"
#include "media/listings.h"
#include "media/people.h"
#include "media/site_rules.h"

namespace svc::library {

// Everywhere, if there is no such account. All throw base::Unavailable.
loop::Task<media::SiteRule> site_rule_of(media::People& people, media::AccountId account);

// Looks through the media that have the list of their account, in the order of their creation.
// Returns what a list would not guard, as text: the first file and its media; "" if a list guards
// all. `is_left_out`: media that do not count.
loop::Task<std::string> open_file_of(media::Listings& listings, media::AccountId account,
                                     std::function<bool(const media::HashedId&)> is_left_out = {});

// The same, for a change from `before` to `after`: "" unless it closes what was open.
loop::Task<std::string> open_file_of(media::Listings& listings, media::AccountId account,
                                     media::SiteRule before, media::SiteRule after);

}  // namespace svc::library
