// MediaLinks: `/v1/medias/<id>/links`, links to a film for those who may watch it although it is
// private (api-L1): POST makes one, DELETE ends all.
#pragma once

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
  MediaLinks(media::Catalog& catalog, library::LinkService& service, Repeated& repeated,
             const ApiAccess& access)
      : ApiEndpoint(access), catalog_(catalog), service_(service), repeated_(repeated) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> create(const http::Request& request, const oauth::Issued& issued,
                                    const media::HashedId& id);
  loop::Task<http::Response> make(const http::Request& request, const oauth::Issued& issued,
                                  media::HashedId id, BodyFields& body);

  media::Catalog& catalog_;
  library::LinkService& service_;
  Repeated& repeated_;
};

}  // namespace svc::endpoints
