// DevelopersPage: `/developers`: how to register an application, get a token and use the data API,
// and each operation of it, from the same tables as its OpenAPI document (api-N9).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "embed/site.h"
#include "endpoints/description.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"

namespace svc::pages {

class DevelopersPage : public http::Endpoint {
 public:
  struct Lifetimes {  // seconds
    std::int64_t code;
    std::int64_t access;
    std::int64_t refresh_idle;
    std::int64_t public_refresh_idle;
    std::int64_t public_refresh_lifetime;
  };

  // `site` must outlive it.
  DevelopersPage(const embed::Site& site, endpoints::ApiDescription api, Lifetimes lifetimes)
      : site_(site), api_(std::move(api)), lifetimes_(lifetimes) {}

  // The same for every visitor. Built by the first request.
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
  const endpoints::ApiDescription api_;
  const Lifetimes lifetimes_;
  std::string html_;
};

}  // namespace svc::pages
