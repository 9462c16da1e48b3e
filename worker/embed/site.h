// Site: the URLs and names of this installation, used in every response.
//
// URLs are absolute, http or https, without a slash at the end.
#pragma once

#include <string>
#include <string_view>

#include "base/path.h"

namespace svc::media {
struct Captions;
}

namespace svc::embed {

struct Site {
  std::string app_url;         // the web application
  std::string base_url;        // the API
  std::string oembed_url;      // the oEmbed endpoint
  std::string embed_host;      // players and embed assets
  std::string asset_base;      // base of asset URLs that begin with /
  std::string service_domain;  // media URLs have this host or one below it
  std::string short_domain;    // the same for short URLs; empty: none
  std::string provider_name;
  std::string provider_url;
  std::string amp_script_url;  // the AMP component, for templates that users copy; empty: none
  // Id of the media that registries of providers try, and that the start page shows; empty: none.
  std::string example_media{};
  std::string demo_gallery{};  // URL of the demonstration's page of all embed codes; empty: none
  std::string demo_users{};    // emails and passwords for all visitors, separated by spaces
  std::string security_contact{};  // URIs for reports of vulnerabilities, separated by spaces
  std::string accent_colour{};     // six hexadecimal digits; empty: ours
  std::string help_url{};          // where users get help; empty: none
  std::string terms_url{};         // empty: none
  std::string privacy_url{};       // empty: none
  bool counts_viewing = true;      // players send beacons (api-B1)

  // Returns true if the service shows invented data to every visitor.
  bool is_demonstration() const { return !demo_gallery.empty() || !demo_users.empty(); }

  // Returns the URL of the first of these hosts.
  const std::string& base_of(base::Hosts hosts) const {
    if ((hosts & base::hosts::kApp) != 0) return app_url;
    if ((hosts & base::hosts::kApi) != 0) return base_url;
    return (hosts & base::hosts::kOembed) != 0 ? oembed_url : embed_host;
  }

  // Returns the URL of a path, with these texts in place of its placeholders (base/paths.h).
  template <class... Texts>
  std::string url(const base::Path& path, const Texts&... texts) const {
    const std::string& host = base_of(path.hosts);
    std::string url;
    url.reserve(host.size() + path.pattern.size() + (0 + ... + std::string_view(texts).size()));
    url = host;
    path.append_to(url, texts...);
    return url;
  }

  // The page of a media, which is also its URL in oEmbed requests.
  std::string media_page(const std::string& id) const;
  // The page of a playlist, which is also its URL in oEmbed requests.
  std::string playlist_page(const std::string& id) const;
  std::string manifest(const std::string& id) const;
  std::string captions(const media::Captions& captions) const;

  // `watch`: the value of that parameter; "": none.
  std::string media_page(const std::string& id, std::string_view watch) const;
  std::string manifest(const std::string& id, std::string_view watch) const;
  std::string captions(const media::Captions& captions, std::string_view watch) const;
  static std::string with_watch(std::string url, std::string_view watch);

  // Returns `url` itself if it is absolute, otherwise the URL below the asset
  // base.
  std::string absolute(const std::string& url) const {
    return url.starts_with('/') ? asset_base + url : url;
  }
};

}  // namespace svc::embed
