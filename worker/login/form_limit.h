// FormLimit: how often one contact may send a form of the settings, over all of its sessions: 120
// times in 60 s. oauth.md K7: events of one contact must not evict those of others.
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
  // Counts one form. Returns the seconds to wait if the contact sent more than kMost in the current
  // kSeconds, nothing if the form may be processed. Throws base::Unavailable.
  virtual loop::Task<std::optional<std::int64_t>> wait(media::ContactId contact) = 0;
};

}  // namespace svc::login
