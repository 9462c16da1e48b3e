// FormLimit: limits how often one contact may submit forms of the settings and
// authorize or deny applications, over all its sessions: 120 times per 60 s.
// oauth-K7: audit events of one contact must not evict those of others.
// oauth-A47: codes of one contact must not fill the store.
#pragma once

#include <cstdint>
#include <optional>

#include "loop/task.h"
#include "media/contact.h"

namespace svc::login {

// Implemented in redis/.
class FormLimit {
 public:
  static constexpr std::int64_t kMost = 120;
  static constexpr std::int64_t kSeconds = 60;

  virtual ~FormLimit() = default;
  // Counts one form. Returns the seconds to wait if the contact has sent more
  // than kMost forms in the current kSeconds, or nullopt if the form may be
  // processed. Throws base::Unavailable.
  virtual loop::Task<std::optional<std::int64_t>> wait(media::ContactId contact) = 0;
};

}  // namespace svc::login
