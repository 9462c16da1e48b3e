// Unreadable: the store answered, with a record that cannot be parsed. Asking
// again does not help, so it is no Unavailable, and work that waits for a store
// to come back does not wait for it.
//
// The router catches it and responds 503: the record may exist, so a 404 would
// be wrong. Its text may be logged, but is never sent to a client.
#pragma once

#include <stdexcept>

namespace svc::base {

class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace svc::base
