// Medias: `GET {base_url}/v1/medias/<id>`, a media of the grant's account, for
// applications.
#pragma once

#include <optional>
#include <string_view>

#include "embed/site.h"
#include "endpoints/api_endpoint.h"
#include "media/catalog.h"

namespace svc::endpoints {

class Medias : public ApiEndpoint {
 public:
  static constexpr std::string_view kPrefix = "/v1/medias/";

  Medias(const embed::Site& site, media::Catalog& catalog, oauth::Grants& grants,
         oauth::Standings& standings);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Returns nullopt if `id` is nullopt.
  loop::Task<std::optional<media::Media>> find_media(const std::optional<media::HashedId>& id);
  http::Response media_answer(const media::Media& media,
                              const std::optional<media::Project>& project) const;

  const embed::Site& site_;
  media::Catalog& catalog_;
};

}  // namespace svc::endpoints
