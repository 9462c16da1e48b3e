// AllowedDomains: `/v1/allowed_domains` and `/v1/allowed_domains/<domain>`, the sites whose pages
// may show the films of the grant's account (api-W1).
#pragma once

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/repeated.h"
#include "library/site_service.h"

namespace svc::endpoints {

// GET lists them, POST adds one.
class AllowedDomainList : public ApiEndpoint {
 public:
  AllowedDomainList(const embed::Site& site, library::SiteService& service, Repeated& repeated,
                    const ApiAccess& access)
      : ApiEndpoint(access), site_(site), service_(service), repeated_(repeated) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> list(const http::Request& request, const oauth::Issued& issued);
  loop::Task<http::Response> add(const http::Request& request, const oauth::Issued& issued,
                                 BodyFields& body);

  const embed::Site& site_;
  library::SiteService& service_;
  Repeated& repeated_;
};

// One of them: GET returns it, DELETE removes it.
class AllowedDomain : public ApiEndpoint {
 public:
  AllowedDomain(library::SiteService& service, const ApiAccess& access)
      : ApiEndpoint(access), service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  library::SiteService& service_;
};

}  // namespace svc::endpoints
