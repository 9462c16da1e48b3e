// WorkerHandle: the parent's view of one child: pid, slot, generation, when it started.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace svc::pool {

struct WorkerHandle {
  pid_t pid = 0;
  std::size_t slot = 0;
  std::uint32_t generation = 0;
  base::TimePoint started;
  base::Duration request_timeout{};  // as it was when it started
  bool leaving = false;              // drains, and has been replaced already
  // Killed for its deadline, which was said already: the number of the reason, of pool::death.
  std::optional<std::size_t> ended_by_us;
};

}  // namespace svc::pool
