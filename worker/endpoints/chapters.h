// Chapters: `/v1/medias/<id>/chapters`, the chapters of a media as one WebVTT file (api-C4): GET
// returns them, PUT replaces them, DELETE removes them.
#pragma once

#include "base/result.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "library/media_service.h"
#include "media/catalog.h"
#include "media/media.h"

namespace svc::endpoints {

class Chapters : public ApiEndpoint {
 public:
  Chapters(media::Catalog& catalog, library::MediaService& service, const ApiAccess& access)
      : ApiEndpoint(access), catalog_(catalog), service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  loop::Task<http::Response> change(const http::Request& request, const media::HashedId& id,
                                    const oauth::Issued& issued);

  media::Catalog& catalog_;
  library::MediaService& service_;
};

}  // namespace svc::endpoints
