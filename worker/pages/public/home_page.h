// HomePage: `/`, the start page: the purpose of the service, a film next to its embed code, and
// links. In a demonstration also its users and its gallery.
#pragma once

#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "login/visitors.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/people.h"

namespace svc::pages {

class Values;

class HomePage : public http::Endpoint {
 public:
  // All references must outlive it.
  HomePage(const embed::Site& site, login::Visitors& visitors, media::People& people,
           media::Catalog& catalog, const base::KeyRing& keys);
  // Sets no cookie. Reads the visitor only if the request has a session's cookie, and the film only
  // if example-media names one. A request to another host than that of app-url gets 303 to it:
  // only that host has the cookie.
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Without a film that can be embedded, the page has a drawing of one.
  loop::Task<> show_film(Values& values);

  const embed::Site& site_;
  login::Visitors& visitors_;
  media::People& people_;
  media::Catalog& catalog_;
  const base::KeyRing& keys_;
  const std::string app_host_;
};

}  // namespace svc::pages
