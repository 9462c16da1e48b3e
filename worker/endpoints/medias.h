// Medias: `/v1/medias/<id>`, a media of the grant's account, for applications: GET returns it
// (api-M2), PUT edits it (api-M3), DELETE removes it with its files (api-M4).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "endpoints/description.h"
#include "library/media_service.h"
#include "media/catalog.h"
#include "media/uploads.h"

namespace svc::endpoints {

class Medias : public ApiEndpoint {
 public:
  Medias(const embed::Site& site, media::Catalog& catalog, media::Uploads& uploads,
         library::MediaService& service, const ApiAccess& access)
      : ApiEndpoint(access), site_(site), catalog_(catalog), uploads_(uploads), service_(service) {}

  static Described describe();

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Returns nullptr if `id` is nullopt.
  loop::Task<std::shared_ptr<media::MediaWithProject>> find_media(
      const std::optional<media::HashedId>& id);
  // Returns how much of the media is processed, from 0 to 1.
  loop::Task<double> progress_of(const media::Media& media);
  loop::Task<http::Response> remove_unreadable(const http::Request& request,
                                               const media::HashedId& id,
                                               const oauth::Issued& issued);
  http::Response response_of(const media::Media& media,
                             const std::optional<media::Project>& project, double progress,
                             const oauth::Issued& issued, const http::Request& request) const;
  loop::Task<http::Response> change(const http::Request& request,
                                    const media::MediaWithProject& found,
                                    const oauth::Issued& issued);

  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Uploads& uploads_;
  library::MediaService& service_;
};

}  // namespace svc::endpoints
