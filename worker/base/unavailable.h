// Unavailable: the world failed, not the request.
//
// Thrown where a store is spoken to, caught in exactly one place, the worker's loop, which answers
// 503. Its text goes to the log, never to a client.
#pragma once

#include <stdexcept>

namespace svc::base {

class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace svc::base
