// Medias: `/v1/medias/<id>`, a media of the grant's account, for applications:
// GET returns it, DELETE removes it with its files.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "media/catalog.h"
#include "media/uploads.h"

namespace svc::endpoints {

class Medias : public ApiEndpoint {
 public:
  Medias(const embed::Site& site, media::Catalog& catalog, media::Uploads& uploads,
         oauth::Grants& grants, oauth::Standings& standings, oauth::Audit& audit);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Returns nullptr if `id` is nullopt.
  loop::Task<std::shared_ptr<media::MediaWithProject>> find_media(
      const std::optional<media::HashedId>& id);
  loop::Task<http::Response> remove(const http::Request& request, const media::Media& media,
                                    const oauth::Issued& issued);

  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Uploads& uploads_;
  oauth::Audit& audit_;
};

}  // namespace svc::endpoints
