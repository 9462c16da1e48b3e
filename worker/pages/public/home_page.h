// HomePage: `/`, the start page: a description of the service, and the ways to embed codes, login
// or settings, and the interfaces for developers. In a demonstration also its users and its
// gallery.
#pragma once

#include <string>
#include <string_view>

#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "login/visitors.h"
#include "loop/task.h"
#include "media/people.h"

namespace svc::pages {

class HomePage : public http::Endpoint {
 public:
  // All references must outlive it.
  HomePage(const embed::Site& site, login::Visitors& visitors, media::People& people);
  // Sets no cookie, and reads the store only if the request has a session's
  // cookie. A request to another host than that of app-url gets 303 to it:
  // only that host has the cookie.
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
  login::Visitors& visitors_;
  media::People& people_;
  const std::string app_host_;
};

}  // namespace svc::pages
