// WorkerHandle: the parent's view of one child: pid, slot, generation, when it started.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/clock.h"

namespace svc::pool {

struct WorkerHandle {
  pid_t pid = 0;
  std::size_t slot = 0;
  base::TimePoint started;
  bool leaving = false;      // drains, and has been replaced already
  bool ended_by_us = false;  // killed for its deadline, which was said already
};

}  // namespace svc::pool
