// MediaLinks: `/v1/medias/<id>/links`, links to a film for those who may watch it although it is
// private (api-L1, api-L3): GET lists them, POST makes one, DELETE ends all.
//
// MediaLink: `/v1/medias/<id>/links/<link>`: DELETE ends one.
#pragma once

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/repeated.h"
#include "library/link_service.h"
#include "media/catalog.h"
#include "media/id.h"

namespace svc::endpoints {

class MediaLinks : public ApiEndpoint {
 public:
  MediaLinks(const embed::Site& site, media::Catalog& catalog, library::LinkService& service,
             Repeated& repeated, const ApiAccess& access)
      : ApiEndpoint(access),
        site_(site),
        catalog_(catalog),
        service_(service),
        repeated_(repeated) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> list(const http::Request& request, const oauth::Issued& issued,
                                  const media::HashedId& id);
  loop::Task<http::Response> create(const http::Request& request, const oauth::Issued& issued,
                                    const media::HashedId& id);
  loop::Task<http::Response> make(const http::Request& request, const oauth::Issued& issued,
                                  media::HashedId id, BodyFields& body);

  const embed::Site& site_;
  media::Catalog& catalog_;
  library::LinkService& service_;
  Repeated& repeated_;
};

class MediaLink : public ApiEndpoint {
 public:
  MediaLink(library::LinkService& service, const ApiAccess& access)
      : ApiEndpoint(access), service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  library::LinkService& service_;
};

}  // namespace svc::endpoints
