// drop_cached: drops cached renderings of what a command changed or deleted.
#pragma once

#include <vector>

#include "ctl/command.h"
#include "media/id.h"

namespace svc::ctl {

// After the records are changed or deleted: otherwise a worker could build a rendering from the old
// records and cache it. An outage of the cache is a warning.
void drop_cached(const Context& context, const std::vector<media::HashedId>& changed);

}  // namespace svc::ctl
