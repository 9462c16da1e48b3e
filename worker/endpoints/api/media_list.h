// MediaList: `/v1/medias`: GET returns the media of the grant's account, by pages or cursors
// (api-M1). POST uploads a file; nginx asks another endpoint and the upload pool for that.
#pragma once

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/description.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "media/uploads.h"

namespace svc::endpoints {

class MediaList : public ApiEndpoint {
 public:
  // `post`: answers the POST.
  MediaList(const embed::Site& site, media::Catalog& catalog, media::Listings& listings,
            media::Uploads& uploads, const ApiAccess& access, http::Endpoint& post)
      : ApiEndpoint(access),
        site_(site),
        catalog_(catalog),
        listings_(listings),
        uploads_(uploads),
        post_(post) {}

  // With the upload.
  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Listings& listings_;
  media::Uploads& uploads_;
  http::Endpoint& post_;
};

}  // namespace svc::endpoints
