// PlayerData: `/embed/medias/<id>.json` and `/embed/playlists/<id>.json`, the
// data for the player.
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
#include "media/id.h"
#include "media/reads.h"
#include "media/site_rules.h"

namespace svc::endpoints {

class PlayerData : public CatalogEndpoint {
 public:
  // Maximum ages in seconds. If `renderings` is given, looks there for the
  // response of a playlist before it is built.
  PlayerData(const embed::Site& site, int max_age, int negative_max_age, media::Catalog& catalog,
             media::SiteRules& rules, const embed::WatchKeys& keys,
             embed::Renderings* renderings = nullptr);

  std::string_view query_used(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  bool keeps_playlists() const {
    return renderings_ != nullptr && renderings_->usable(embed::MediaKind::Playlist);
  }
  http::Response refused(embed::NotEmbeddable why) const;
  static http::Response refuse_site(std::string_view site, const media::HashedId& id,
                                    const embed::Embeddable& subject);
  loop::Task<http::Response> answer_media(const media::HashedId& id, const http::Request& request,
                                          media::Reads& reads);
  loop::Task<http::Response> answer_playlist(const media::HashedId& id, std::string_view origin,
                                             media::Reads& reads);

  const embed::Site& site_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
  media::SiteRules& rules_;
  const embed::WatchKeys& keys_;
  embed::Renderings* const renderings_;
};

}  // namespace svc::endpoints
