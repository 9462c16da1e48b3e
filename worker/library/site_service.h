// SiteService: changes the list of sites on which an account lets its films be shown (oembed-W1),
// for the API and the pages. It has the audit events of these changes, as MediaService has those of
// media.
#pragma once

#include <string>

#include "base/result.h"
#include "library/actor.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/listings.h"
#include "media/people.h"
#include "media/records.h"
#include "media/uploads.h"
#include "oauth/stores.h"

namespace svc::library {

class SiteService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  SiteService(media::People& people, media::Listings& listings, media::AccountRecords& records,
              media::Uploads& uploads, oauth::Audit& audit)
      : people_(people), listings_(listings), records_(records), uploads_(uploads), audit_(audit) {}

  // The list of the actor's account.
  loop::Task<media::AllowedDomains> list(const Actor& actor);

  enum class Added { Yes, WasThere, Full };
  // A refusal has the file that no list of sites guards, as open_file_of() says it.
  template <class T>
  using Changed = base::Result<T, std::string>;
  // `domain` as media::canonical_domain() returns it.
  loop::Task<Changed<Added>> add(const std::string& domain, const Actor& actor);
  // Returns false if the list lacks it. Without a last one, every site may show the films.
  loop::Task<bool> remove(const std::string& domain, const Actor& actor);

  // Replaces the rule, unless the stored one is not `before`: then returns false.
  loop::Task<Changed<bool>> replace(const media::SiteRule& before, const media::SiteRule& after,
                                    const Actor& actor);

 private:
  // Before a change: its event, and a job for svc-keeper if other files are open after it.
  // Returns what svc-keeper is to mark once the record is written.
  loop::Task<std::vector<media::Guarded>> announce(const media::AllowedDomains& before,
                                                   const media::AllowedDomains& after,
                                                   const Actor& actor);
  // After it: `before` and `after` of the record that was written.
  loop::Task<> guard(std::vector<media::Guarded> announced, media::SiteRule before,
                     media::SiteRule after, const Actor& actor);

  media::People& people_;
  media::Listings& listings_;
  media::AccountRecords& records_;
  media::Uploads& uploads_;
  oauth::Audit& audit_;
};

}  // namespace svc::library
