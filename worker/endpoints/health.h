// Health: /healthz says that the process answers, /readyz that its store does too.
#pragma once

#include <functional>

#include "http/endpoint.h"

namespace svc::endpoints {

class Health : public http::Endpoint {
 public:
  // `check` throws base::Unavailable when what the process needs is away.
  explicit Health(std::function<void()> check) : check_(std::move(check)) {}

  http::Response answer(const http::Request& request) override;

 private:
  std::function<void()> check_;
};

}  // namespace svc::endpoints
