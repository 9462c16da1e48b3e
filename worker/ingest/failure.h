// failure: decides from the end of a child process whether the upload is at fault.
#pragma once

#include <string>

#include "ingest/child_process.h"
#include "ingest/transcoder.h"

namespace svc::ingest {

// `outcome` is not a success. The file is at fault if the program refused it,
// crashed on it, or exceeded a limit. The machine is at fault if it lacks disk
// space, processes or the program, or if another process killed the child.
Failure failure_of(const Outcome& outcome);

}  // namespace svc::ingest
