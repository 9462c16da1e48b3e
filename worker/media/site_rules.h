// SiteRules: the sites on which an account lets its films be shown (oembed-W1), and who it is for
// viewers.
#pragma once

#include <optional>
#include <string>

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

// What viewers see of an account.
struct Owner {
  std::string name;
  std::string logo;    // a URL, or a path below the asset base; empty: none
  std::string colour;  // six hexadecimal digits; empty: none
  bool operator==(const Owner&) const = default;
};

class SiteRules {
 public:
  virtual ~SiteRules() = default;

  // Everywhere, if the account does not exist. Adds the key of its record to `reads`. Throws
  // base::Unavailable.
  virtual loop::Task<SiteRule> of_account(AccountId id, Reads& reads) = 0;

  // The same of who it is; nullopt, if the account does not exist.
  virtual loop::Task<std::optional<Owner>> owner_of(AccountId id, Reads& reads) = 0;
};

}  // namespace svc::media
