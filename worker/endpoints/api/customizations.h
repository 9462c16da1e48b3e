// Customizations: `/v1/medias/<id>/customizations`, the options of the player that a media has by
// itself (api-Z1), for applications: GET returns them, POST replaces them, PUT merges, DELETE
// removes all.
#pragma once

#include "embed/site.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "endpoints/repeated.h"
#include "library/media_service.h"
#include "media/catalog.h"
#include "media/media.h"

namespace svc::endpoints {

class Customizations : public MediaEndpoint {
 public:
  Customizations(const embed::Site& site, media::Catalog& catalog, library::MediaService& service,
                 Repeated& repeated, const ApiAccess& access)
      : MediaEndpoint(access, catalog), site_(site), service_(service), repeated_(repeated) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;
  // `body`: nullptr for a DELETE.
  loop::Task<http::Response> write(const http::Request& request, const media::Media& media,
                                   const oauth::Issued& issued, BodyFields* body);

  const embed::Site& site_;
  library::MediaService& service_;
  Repeated& repeated_;
};

}  // namespace svc::endpoints
