// Landlock: the files that a child process may open (Linux 5.13 and newer,
// landlock(7)).
//
// Prepared before fork(), so that the child needs one system call only.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace svc::ingest {

// Returns the version of Landlock's interface; 0 if the kernel lacks it or has
// it disabled.
int landlock_version();

// Returns a ruleset. After restrict_self() with it a process can:
// - read and execute `readable`, files or folders; missing ones are skipped
// - read, write, create, rename and delete in the folder `writable`
// - write to /dev/null
// All other files are denied. TCP is denied from version 4 on, abstract Unix sockets and signals
// to other processes from version 6 on. Returns an empty descriptor if landlock_version() is 0.
// Throws base::Unavailable if the kernel refuses a rule.
base::UniqueFd make_ruleset(const std::vector<std::string>& readable, const std::string& writable);

// Async-signal-safe. Needs PR_SET_NO_NEW_PRIVS before. Returns false if the
// kernel refuses.
bool restrict_self(int ruleset);

}  // namespace svc::ingest
