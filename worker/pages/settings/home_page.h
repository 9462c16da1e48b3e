// HomePage: `/`, which redirects to the settings. Visitors who are not logged
// in then get the login form.
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
  // 303 to the settings on the host of app-url, for requests to any host.
  loop::Task<http::Response> answer(const http::Request& request) override;
  bool needs_store() const override { return false; }

 private:
  const embed::Site& site_;
};

}  // namespace svc::pages
