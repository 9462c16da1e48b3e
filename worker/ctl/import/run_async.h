// run_async: runs something on another thread if the system allows one.
#pragma once

#include <future>
#include <system_error>

namespace svc::ctl {

// Returns the future of what work() returns or throws. If no thread can be started, work() runs in
// get().
template <class Work>
auto run_async(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace svc::ctl
