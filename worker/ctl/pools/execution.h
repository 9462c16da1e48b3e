// execution: runs another program and waits for it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace svc::ctl {

// The user and groups of a process.
struct Identity {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups{};
};

struct Ended {
  int status = 0;      // the exit status; 127: the program cannot be started
  std::string output;  // both standard streams
};

// Runs a program, which is found by PATH, as this or another identity. Blocks until it has ended.
Ended execute(const std::vector<std::string>& words,
              const std::optional<Identity>& identity = std::nullopt);

}  // namespace svc::ctl
