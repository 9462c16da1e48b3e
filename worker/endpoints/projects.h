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
  loop::Task<http::Response> create(const http::Request& request, const oauth::Issued& issued);
  loop::Task<http::Response> add(const http::Request& request, const oauth::Issued& issued,
                                 BodyFields& body);

  const embed::Site& site_;
  media::Listings& listings_;
  library::ProjectService& service_;
  Repeated& repeated_;
};

// Returns the project whose id is what follows `prefix` in `path`, which begins with it; nullopt if
// the account has none of that id: for its token, projects of others do not exist. Throws
// Unavailable. `catalog` outlives it.
loop::Task<std::optional<media::Project>> project_after(std::string_view prefix,
                                                        std::string_view path,
                                                        media::Catalog& catalog,
                                                        media::AccountId account);

// One of them: GET returns it with its media, PUT edits it, DELETE removes it if it is empty.
class Projects : public ApiEndpoint {
 public:
  Projects(const embed::Site& site, media::Catalog& catalog, media::Listings& listings,
           media::Uploads& uploads, library::ProjectService& service, const ApiAccess& access)
      : ApiEndpoint(access),
        site_(site),
        catalog_(catalog),
        listings_(listings),
        uploads_(uploads),
        service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> show(const http::Request& request, const media::Project& project,
                                  const oauth::Issued& issued);
  bool sign_files(std::vector<media::Media>& medias, const oauth::Issued& issued) const;
  loop::Task<http::Response> change(const http::Request& request, const media::Project& project,
                                    const oauth::Issued& issued);
  loop::Task<http::Response> remove(const http::Request& request, media::ProjectId id,
                                    const library::ProjectCondition& condition,
                                    const oauth::Issued& issued);

  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Listings& listings_;
  media::Uploads& uploads_;
  library::ProjectService& service_;
};

}  // namespace svc::endpoints
