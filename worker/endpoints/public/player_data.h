// PlayerData: `/embed/medias/<id>.json` and `/embed/playlists/<id>.json`, the
// data for the player.
#pragma once

#include <string_view>

#include "embed/embeddable.h"
#include "embed/renderings.h"
#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/id.h"
#include "media/reads.h"

namespace svc::endpoints {

class PlayerData : public FilmEndpoint {
 public:
  // If `renderings` is given, looks there for the response of a playlist before it is built.
  PlayerData(const FilmAccess& access, int max_age, embed::Renderings* renderings = nullptr)
      : FilmEndpoint(access, max_age), renderings_(renderings) {}

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

  embed::Renderings* const renderings_;
};

}  // namespace svc::endpoints
