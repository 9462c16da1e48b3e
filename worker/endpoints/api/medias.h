// Medias: `/v1/medias/<id>`, a media of the grant's account, for applications: GET returns it
// (api-M2), PUT edits it (api-M3), DELETE removes it with its files (api-M4).
#pragma once

#include <optional>
#include <string>

#include "embed/site.h"
#include "endpoints/description.h"
#include "endpoints/record_endpoint.h"
#include "library/media_service.h"
#include "media/catalog.h"
#include "media/uploads.h"

namespace svc::endpoints {

class Medias : public MediaWithProjectEndpoint {
 public:
  Medias(const embed::Site& site, media::Catalog& catalog, media::Uploads& uploads,
         library::MediaService& service, const ApiAccess& access)
      : MediaWithProjectEndpoint(access, catalog, oauth::kSeeMedia),
        site_(site),
        uploads_(uploads),
        service_(service) {}

  static Described describe();

 private:
  // The project of a media that was not read before takes another round trip, and so does the
  // progress of a media that is being converted.
  loop::Task<http::Response> answer_own(const http::Request& request, const oauth::Issued& issued,
                                        media::MediaWithProject& found) override;
  loop::Task<http::Response> remove_unreadable(const http::Request& request,
                                               const oauth::Issued& issued) override;
  loop::Task<http::Response> remove(const http::Request& request, const media::HashedId& id,
                                    const library::Condition& condition,
                                    const oauth::Issued& issued);
  // Returns how much of the media is processed, from 0 to 1.
  loop::Task<double> progress_of(const media::Media& media);
  http::Response response_of(const media::Media& media,
                             const std::optional<media::Project>& project, double progress,
                             const oauth::Issued& issued, const http::Request& request) const;
  loop::Task<http::Response> change(const http::Request& request,
                                    const media::MediaWithProject& found,
                                    const oauth::Issued& issued);

  const embed::Site& site_;
  media::Uploads& uploads_;
  library::MediaService& service_;
};

}  // namespace svc::endpoints
