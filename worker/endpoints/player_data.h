// PlayerData: `/embed/medias/<id>.json` and `/embed/playlists/<id>.json`, what a player has to
// know.
#pragma once

#include "embed/site.h"
#include "http/endpoint.h"
#include "media/catalog.h"

namespace svc::endpoints {

class PlayerData : public http::Endpoint {
 public:
  static constexpr std::string_view kMediaPrefix = "/embed/medias/";
  static constexpr std::string_view kPlaylistPrefix = "/embed/playlists/";
  static constexpr std::string_view kSuffix = ".json";

  PlayerData(const embed::Site& site, int max_age, int negative_max_age, media::Catalog& catalog);

  // Whether a path is one of the two.
  static bool is_for(std::string_view path);

  http::Response answer(const http::Request& request) override;
  void add_common_headers(http::Response& response) const override;

 private:
  const embed::Site& site_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
};

}  // namespace svc::endpoints
