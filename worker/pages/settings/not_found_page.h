// NotFoundPage: 404, for paths in /settings/ without a page.
#pragma once

#include <string_view>

#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"

namespace svc::pages {

class NotFoundPage : public http::Endpoint {
 public:
  explicit NotFoundPage(const embed::Site& site) : site_(site) {}
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
};

}  // namespace svc::pages
