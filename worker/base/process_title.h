// process_title: what ps, top and pgrep show of this process.
#pragma once

#include <string>

namespace svc::base {

// Called first in main(). Returns copies of its words, which the title overwrites;
// a null pointer follows them.
char** keep_arguments(int argc, char** argv);

// `title`: the command line, "svc-worker: pool embed", cut to the length of the original command
// line. `name`: at most 15 bytes, as in /proc/PID/comm.
void set_process_title(const std::string& title, const std::string& name);

}  // namespace svc::base
