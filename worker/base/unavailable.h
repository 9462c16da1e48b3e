// Unavailable: a dependency failed, not the request: a store, OpenSSL, or the
// start of a thread.
//
// The router catches it and responds 503. Few others catch it: work that can do
// without the store, and svcctl's commands. Its text may be logged, but is
// never sent to a client.
#pragma once

#include <stdexcept>

namespace svc::base {

class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace svc::base
