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

  // `url` itself when it is absolute, else below the asset base.
  std::string absolute(const std::string& url) const {
    return url.starts_with('/') ? asset_base + url : url;
  }
};

}  // namespace svc::embed
