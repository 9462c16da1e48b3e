// Health: /healthz says that the process answers, /readyz that its store does too.
#pragma once

#include <functional>
#include <utility>

#include "http/endpoint.h"

namespace svc::endpoints {

class Health : public http::Endpoint {
 public:
  // `check` throws base::Unavailable when what the process needs is away.
  using Check = std::function<loop::Task<>()>;
  explicit Health(Check check) : check_(std::move(check)) {}

  loop::Task<http::Response> answer(const http::Request& request) override;
  // Also where the check asks one: it tells how the store does, however many wait for it.
  bool needs_store() const override { return false; }

 private:
  const Check check_;
};

}  // namespace svc::endpoints
