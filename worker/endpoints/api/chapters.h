// Chapters: `/v1/medias/<id>/chapters`, the chapters of a media as one WebVTT file (api-C4): GET
// returns them, PUT replaces them, DELETE removes them.
#pragma once

#include "endpoints/body_fields.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "library/media_service.h"
#include "media/catalog.h"
#include "media/media.h"

namespace svc::endpoints {

class Chapters : public MediaEndpoint {
 public:
  Chapters(media::Catalog& catalog, library::MediaService& service, const ApiAccess& access)
      : MediaEndpoint(access, catalog), service_(service) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::Media& media) override;

  library::MediaService& service_;
};

}  // namespace svc::endpoints
