// MediaUrls: recognises the URLs of our media and playlists, and nothing that only looks like one.
//
// A host is compared label by label, never by a pattern over the whole URL. What a URL names is
// never fetched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"

namespace svc::embed {

enum class MediaKind { Media, Playlist };

struct MediaUrl {
  MediaKind kind = MediaKind::Media;
  std::string_view id;     // [A-Za-z0-9]{1,64}
  std::string_view query;  // of the URL itself, not decoded
};

class MediaUrls {
 public:
  explicit MediaUrls(const Site& site);

  // Nothing when the URL is not one of ours. The answer's views look into `url`.
  std::optional<MediaUrl> recognise(std::string_view url) const;

 private:
  bool is_our_host(std::string_view host) const;
  bool is_allowed_port(bool secure, std::uint16_t port) const;

  std::string embed_host_;
  std::string service_domain_;
  std::string short_domain_;
  std::vector<std::uint16_t> ports_;  // of the configured hosts
};

}  // namespace svc::embed
