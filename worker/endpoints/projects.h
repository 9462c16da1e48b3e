// Projects: `/v1/projects` and `/v1/projects/<id>`, the projects of the grant's account. api-P1
#pragma once

#include <optional>
#include <string>

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "media/uploads.h"
#include "text/form.h"

namespace svc::endpoints {

class ProjectList : public ApiEndpoint {
 public:
  ProjectList(const embed::Site& site, media::Listings& listings, oauth::Grants& grants,
              oauth::Standings& standings)
      : ApiEndpoint(grants, standings), site_(site), listings_(listings) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
  media::Listings& listings_;
};

// One of them, with its media.
class Projects : public ApiEndpoint {
 public:
  Projects(const embed::Site& site, media::Catalog& catalog, media::Listings& listings,
           media::Uploads& uploads, oauth::Grants& grants, oauth::Standings& standings)
      : ApiEndpoint(grants, standings),
        site_(site),
        catalog_(catalog),
        listings_(listings),
        uploads_(uploads) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Listings& listings_;
  media::Uploads& uploads_;
};

}  // namespace svc::endpoints
