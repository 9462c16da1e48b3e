// Medias: `GET {base_url}/v1/medias/<id>`, a media of the grant's account, for
// applications.
#pragma once

#include <optional>
#include <string_view>

#include "embed/site.h"
#include "http/endpoint.h"
#include "media/catalog.h"
#include "oauth/bearer.h"

namespace svc::endpoints {

class Medias : public http::Endpoint {
 public:
  static constexpr std::string_view kPrefix = "/v1/medias/";

  Medias(const embed::Site& site, media::Catalog& catalog, oauth::Grants& grants,
         oauth::Standings& standings);

  loop::Task<http::Response> answer(const http::Request& request) override;
  // no-store: a response is for one token only.
  void add_common_headers(http::Response& response) const override;
  http::Response unavailable(const http::Request& request) const override;

 private:
  http::Response refusal(const oauth::BearerError& error) const;
  // Returns nullopt if `id` is nullopt.
  loop::Task<std::optional<media::Media>> find_media(const std::optional<media::HashedId>& id);
  http::Response media_answer(const media::Media& media,
                              const std::optional<media::Project>& project) const;

  const embed::Site& site_;
  media::Catalog& catalog_;
  oauth::Grants& grants_;
  oauth::Standings& standings_;
  oauth::ScopeSet enough_;  // one of these is enough, rule oauth-S1
};

}  // namespace svc::endpoints
