// DesignPage: `/design`: every part of the pages' design, in a demonstration; elsewhere 404.
#pragma once

#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"

namespace svc::pages {

class DesignPage : public http::Endpoint {
 public:
  // `site` must outlive it.
  explicit DesignPage(const embed::Site& site) : site_(site) {}
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
};

}  // namespace svc::pages
