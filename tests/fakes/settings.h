// SettableFormLimit: throttles only if the test sets `seconds`.
#pragma once

#include <cstdint>
#include <optional>

#include "login/form_limit.h"

namespace svc::fakes {

class SettableFormLimit : public login::FormLimit {
 public:
  std::optional<std::int64_t> seconds;

  loop::Task<std::optional<std::int64_t>> wait(media::ContactId) override { co_return seconds; }
};

}  // namespace svc::fakes
