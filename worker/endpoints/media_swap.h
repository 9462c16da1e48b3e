// MediaSwap: `PUT /v1/medias/<id>/swap`, which replaces the files of a media by those of another
// media of the grant's account (api-M6).
#pragma once

#include <memory>
#include <optional>

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/description.h"
#include "library/swap_service.h"
#include "media/catalog.h"

namespace svc::endpoints {

class MediaSwap : public ApiEndpoint {
 public:
  MediaSwap(const embed::Site& site, media::Catalog& catalog, library::SwapService& service,
            const ApiAccess& access)
      : ApiEndpoint(access), site_(site), catalog_(catalog), service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Returns nullptr without an id.
  loop::Task<std::shared_ptr<media::MediaWithProject>> find_media(
      std::optional<media::HashedId> id);
  loop::Task<http::Response> swap(const http::Request& request, media::MediaWithProject found,
                                  const oauth::Issued& issued);

  const embed::Site& site_;
  media::Catalog& catalog_;
  library::SwapService& service_;
};

}  // namespace svc::endpoints
