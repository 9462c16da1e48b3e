// Customizations: `/v1/medias/<id>/customizations`, the options of the player that a media has by
// itself (api-Z1), for applications: GET returns them, POST replaces them, PUT merges, DELETE
// removes all.
#pragma once

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/repeated.h"
#include "library/media_service.h"
#include "media/catalog.h"
#include "media/media.h"

namespace svc::endpoints {

class Customizations : public ApiEndpoint {
 public:
  Customizations(const embed::Site& site, media::Catalog& catalog, library::MediaService& service,
                 Repeated& repeated, const ApiAccess& access)
      : ApiEndpoint(access),
        site_(site),
        catalog_(catalog),
        service_(service),
        repeated_(repeated) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Returns nullopt if `id` is nullopt.
  loop::Task<std::optional<media::Media>> find_media(std::optional<media::HashedId> id);
  loop::Task<http::Response> change(const http::Request& request, const media::Media& media,
                                    const oauth::Issued& issued);
  // `body`: nullptr for a DELETE.
  loop::Task<http::Response> write(const http::Request& request, const media::Media& media,
                                   const oauth::Issued& issued, BodyFields* body);

  const embed::Site& site_;
  media::Catalog& catalog_;
  library::MediaService& service_;
  Repeated& repeated_;
};

}  // namespace svc::endpoints
