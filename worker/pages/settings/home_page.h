// HomePage: `/`, which redirects to the settings and so, if need be, to the login.
#pragma once

#include <string_view>

#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"

namespace svc::pages {

class HomePage : public http::Endpoint {
 public:
  static constexpr std::string_view kPath = "/";

  explicit HomePage(const embed::Site& site) : site_(site) {}
  // 303 to the host that has the settings, whatever host was asked.
  loop::Task<http::Response> answer(const http::Request& request) override;
  bool needs_store() const override { return false; }

 private:
  const embed::Site& site_;
};

}  // namespace svc::pages
