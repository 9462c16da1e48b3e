// Manifest: `/embed/medias/<id>.m3u8`, the HLS multivariant playlist of a media
// (RFC 8216).
#pragma once

#include <string>
#include <string_view>

#include "embed/embeddable.h"
#include "embed/renderings.h"
#include "embed/site.h"
#include "embed/watch_keys.h"
#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/reads.h"
#include "media/site_rules.h"

namespace svc::endpoints {

class Manifest : public CatalogEndpoint {
 public:
  // Maximum ages in seconds. All references, and `renderings` if given, outlive it.
  Manifest(const embed::Site& site, int max_age, int negative_max_age, media::Catalog& catalog,
           media::SiteRules& rules, const embed::WatchKeys& keys,
           embed::Renderings* renderings = nullptr);

  std::string_view query_used(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  http::Response refusal(int status, std::string_view message) const;
  http::Response refusal(embed::NotEmbeddable why, const media::HashedId& id) const;

  const embed::Site& site_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
  media::SiteRules& rules_;
  const embed::WatchKeys& keys_;
  embed::Renderings* const renderings_;
};

}  // namespace svc::endpoints
