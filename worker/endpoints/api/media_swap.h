// MediaSwap: `PUT /v1/medias/<id>/swap`, which replaces the files of a media by those of another
// media of the grant's account (api-M6).
#pragma once

#include "embed/site.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "library/swap_service.h"
#include "media/catalog.h"

namespace svc::endpoints {

class MediaSwap : public MediaWithProjectEndpoint {
 public:
  MediaSwap(const embed::Site& site, media::Catalog& catalog, library::SwapService& service,
            const ApiAccess& access)
      : MediaWithProjectEndpoint(access, catalog), site_(site), service_(service) {}

  static Described describe();

 private:
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::MediaWithProject& found) override;

  const embed::Site& site_;
  library::SwapService& service_;
};

}  // namespace svc::endpoints
