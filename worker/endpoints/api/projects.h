// Projects: `/v1/projects` and `/v1/projects/<id>`, the projects of the grant's account, for
// applications (api-P1 to P3).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "endpoints/repeated.h"
#include "library/project_service.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "media/uploads.h"

namespace svc::endpoints {

// GET lists them, POST creates one.
class ProjectList : public ApiEndpoint {
 public:
  ProjectList(const embed::Site& site, media::Listings& listings, library::ProjectService& service,
              Repeated& repeated, const ApiAccess& access)
      : ApiEndpoint(access),
        site_(site),
        listings_(listings),
        service_(service),
        repeated_(repeated) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> list(const http::Request& request, media::AccountId account);
  loop::Task<http::Response> add(const http::Request& request, const oauth::Issued& issued,
                                 BodyFields& body);

  const embed::Site& site_;
  media::Listings& listings_;
  library::ProjectService& service_;
  Repeated& repeated_;
};

// One of them: GET returns it with its media, PUT edits it, DELETE removes it if it is empty.
class Projects : public ProjectEndpoint {
 public:
  Projects(const embed::Site& site, media::Catalog& catalog, media::Listings& listings,
           media::Uploads& uploads, library::ProjectService& service, const ApiAccess& access)
      : ProjectEndpoint(access, catalog),
        site_(site),
        listings_(listings),
        uploads_(uploads),
        service_(service) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Project& project) override;
  loop::Task<http::Response> remove_unreadable(const http::Request& request,
                                               const oauth::Issued& issued) override;
  loop::Task<http::Response> show(const http::Request& request, const media::Project& project,
                                  const oauth::Issued& issued);
  bool sign_files(std::vector<media::Media>& medias, const oauth::Issued& issued) const;
  loop::Task<http::Response> change(const http::Request& request, const media::Project& project,
                                    const oauth::Issued& issued);
  loop::Task<http::Response> remove(const http::Request& request, const media::ProjectId& id,
                                    const library::ProjectCondition& condition,
                                    const oauth::Issued& issued);

  const embed::Site& site_;
  media::Listings& listings_;
  media::Uploads& uploads_;
  library::ProjectService& service_;
};

}  // namespace svc::endpoints
