// failure: what the end of a child process says about the upload.
#pragma once

#include <string>

#include "ingest/child_process.h"
#include "ingest/transcoder.h"

namespace svc::ingest {

// `outcome` is not a success. The file is at fault if the program refused it,
// crashed on it, or exceeded a limit. The machine is if it has no disk space,
// no processes or no program, or if another process killed the child.
Failure failure_of(const Outcome& outcome);

}  // namespace svc::ingest
