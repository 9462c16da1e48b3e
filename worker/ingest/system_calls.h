// system calls: those that a child process may not use (seccomp(2)).
//
// Landlock limits files, and on new kernels TCP. This filter denies the calls that a decoder never
// needs: every socket, other processes, and the parts of the kernel in which most holes were found.
// Prepared before fork(), so that the child needs one system call only.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace svc::ingest {

enum class Forks { None, Any };

// A denied call fails with EPERM. clone3() and calls that are newer than Linux
// 6.1 fail with ENOSYS: the C library then uses older ones. With Forks::None a
// process can start threads, but no process. Calls of another architecture kill
// the process.
std::vector<sock_filter> make_filter(Forks forks);

// Async-signal-safe. Needs PR_SET_NO_NEW_PRIVS before. Returns false if the
// kernel refuses.
bool apply_filter(const std::vector<sock_filter>& filter);

}  // namespace svc::ingest
