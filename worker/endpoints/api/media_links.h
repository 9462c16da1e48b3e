// MediaLinks: `/v1/medias/<id>/links`, links to a film for those who may watch it although it is
// private (api-L1, api-L3): GET lists them, POST makes one, DELETE ends all.
//
// MediaLink: `/v1/medias/<id>/links/<link>`: DELETE ends one.
#pragma once

#include "embed/site.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "endpoints/repeated.h"
#include "library/link_service.h"
#include "media/catalog.h"
#include "media/id.h"

namespace svc::endpoints {

class MediaLinks : public MediaEndpoint {
 public:
  MediaLinks(const embed::Site& site, media::Catalog& catalog, library::LinkService& service,
             Repeated& repeated, const ApiAccess& access)
      : MediaEndpoint(access, catalog, oauth::kEdit),
        site_(site),
        service_(service),
        repeated_(repeated) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;
  loop::Task<http::Response> list(const http::Request& request, const media::Media& media);
  loop::Task<http::Response> make(const http::Request& request, const oauth::Issued& issued,
                                  media::HashedId id, BodyFields& body);

  const embed::Site& site_;
  library::LinkService& service_;
  Repeated& repeated_;
};

class MediaLink : public MediaEndpoint {
 public:
  MediaLink(media::Catalog& catalog, library::LinkService& service, const ApiAccess& access)
      : MediaEndpoint(access, catalog), service_(service) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;

  library::LinkService& service_;
};

}  // namespace svc::endpoints
