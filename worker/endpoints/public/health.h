// Health: /healthz reports that the process responds, /readyz that its store
// does too.
#pragma once

#include <functional>
#include <utility>

#include "http/endpoint.h"

namespace svc::endpoints {

class Health : public http::Endpoint {
 public:
  // `check` throws base::Unavailable if a dependency of the process is
  // unavailable.
  using Check = std::function<loop::Task<>()>;
  explicit Health(Check check) : check_(std::move(check)) {}

  loop::Task<http::Response> answer(const http::Request& request) override;
  // False even if the check uses the store: it must report the state of the
  // store however many requests wait for it.

 private:
  const Check check_;
};

}  // namespace svc::endpoints
