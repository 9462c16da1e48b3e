// Site: where this installation lives, the placeholders of every answer.
//
// URLs are absolute, http or https, without a slash at the end.
#pragma once

#include <string>

namespace svc::embed {

struct Site {
  std::string app_url;         // the web application
  std::string base_url;        // the API
  std::string oembed_url;      // the oEmbed endpoint
  std::string embed_host;      // players and embed assets
  std::string asset_base;      // what asset URLs that begin with / lie under
  std::string service_domain;  // media URLs live on it and below it
  std::string short_domain;    // and on this one
  std::string provider_name;
  std::string provider_url;
  std::string amp_script_url;  // of the AMP component, for the templates that people copy

  // Where a media can be watched, and what its oEmbed answer is asked for with.
  std::string media_page(const std::string& id) const { return embed_host + "/medias/" + id; }

  // Where a playlist plays, and what its oEmbed answer is asked for with.
  std::string playlist_page(const std::string& id) const {
    return embed_host + "/embed/playlists/" + id;
  }

  std::string manifest(const std::string& id) const {
    return embed_host + "/embed/medias/" + id + ".m3u8";
  }

  // `url` itself when it is absolute, else below the asset base.
  std::string absolute(const std::string& url) const {
    return url.starts_with('/') ? asset_base + url : url;
  }
};

}  // namespace svc::embed
