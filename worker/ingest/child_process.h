// child_process: runs one program, confined, and waits for its end.
//
// The child is a process group of its own, without a shell, with standard input
// from /dev/null and no other descriptors of ours. It has resource limits, the
// lowest priority, no new privileges, a filter of system calls, and Landlock if
// the kernel has it. The kernel kills it if the calling thread ends. When run()
// returns or throws, the child has ended and is reaped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/system_calls.h"

namespace svc::ingest {

struct Command {
  std::vector<std::string> words;  // the first is the program's absolute path
  std::string folder;              // the working folder, and the only folder that it can write to
  std::vector<std::string> reads;  // files that it may read, in addition to the system's libraries
  std::vector<std::string> environment = {};  // "NAME=value", added to kEnvironment
};

struct Confinement {
  std::chrono::seconds time{0};  // wall clock; the child is killed after it
  std::uint64_t memory = 0;      // bytes, RLIMIT_AS
  std::uint64_t file_size = 0;   // bytes, RLIMIT_FSIZE
  int open_files = 256;          // RLIMIT_NOFILE
  Forks forks = Forks::None;     // a converter has threads, but no other process
};

enum class End {
  Exited,      // status is the exit status
  Signalled,   // status is the signal; run() did not send it
  TimedOut,    // killed after Confinement::time
  Starved,     // the same, but got less than a fiftieth of that time from the processors
  Cancelled,   // killed because the listener returned false
  NotStarted,  // status is the errno of the failed step, errors names the step
};

struct Outcome {
  End end = End::NotStarted;
  int status = 0;
  std::string errors;  // the last 4 KiB of standard error

  bool succeeded() const { return end == End::Exited && status == 0; }
};

inline constexpr std::size_t kKeptErrors = 4096;  // bytes

// Gets each piece of standard output, and an empty piece about once per second.
// Returns false to kill the child.
using Listener = std::function<bool(std::string_view output)>;

// Blocks until the child ends. Throws base::Unavailable if the ruleset cannot
// be made.
Outcome run(const Command& command, const Confinement& confinement, const Listener& listener);

}  // namespace svc::ingest
