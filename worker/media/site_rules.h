// SiteRules: the sites on which an account lets its films be shown (oembed-W1).
#pragma once

#include "loop/task.h"
#include "media/allowed_domains.h"
#include "media/id.h"
#include "media/reads.h"

namespace svc::media {

struct SiteRule {
  AllowedDomains domains{};         // empty: everywhere
  bool allows_no_referrer = false;  // pages that do not say where they are
  bool is_everywhere() const { return domains.empty(); }
  bool operator==(const SiteRule&) const = default;
};

class SiteRules {
 public:
  virtual ~SiteRules() = default;

  // Everywhere, if the account does not exist. Adds the key of its record to `reads`. Throws
  // base::Unavailable.
  virtual loop::Task<SiteRule> of_account(AccountId id, Reads& reads) = 0;
};

}  // namespace svc::media
