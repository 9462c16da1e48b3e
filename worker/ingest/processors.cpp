#include "ingest/processors.h"

#include <sched.h>

#include <cstddef>

namespace svc::ingest {

void leave_a_processor() {
  // More than 1024 processors do not fit: the call fails, and nothing changes.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  std::size_t first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_CLR(first, &allowed);
  // Where it is not allowed, responses wait longer; no reason to refuse uploads.
  static_cast<void>(sched_setaffinity(0, sizeof allowed, &allowed));
}

}  // namespace svc::ingest
