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
  base::Duration request_timeout{};  // from the settings it was started with
  bool leaving = false;              // it drains and no longer counts as present
  // Set if the parent killed it for a missed deadline, which was logged: the
  // reason, a pool::death.
  std::optional<std::size_t> ended_by_us;
};

}  // namespace svc::pool
