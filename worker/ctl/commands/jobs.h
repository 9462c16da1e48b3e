// jobs: the work of svc-ingest.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

const Group& jobs_commands();

}  // namespace svc::ctl
