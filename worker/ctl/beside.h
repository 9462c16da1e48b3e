// beside: does something on another thread where there may be one.
#pragma once

#include <future>
#include <system_error>

namespace svc::ctl {

// The future result. Where the system gives no further thread, it is made when it is asked for.
template <class Work>
auto beside(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace svc::ctl
