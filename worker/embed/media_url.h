// MediaUrls: recognises the URLs of our media and playlists.
//
// Hosts are compared label by label, so a URL that only looks similar is not
// recognised. URLs are never fetched.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"

namespace svc::embed {

enum class MediaKind { Media, Playlist };

struct MediaUrl {
  MediaKind kind = MediaKind::Media;
  std::string_view id;     // [A-Za-z0-9]{1,64}
  std::string_view query;  // not decoded
};

class MediaUrls {
 public:
  // A path is one of these folders, then the id.
  struct Folder {
    std::string_view prefix;
    MediaKind kind;
  };
  static std::span<const Folder> folders();

  explicit MediaUrls(const Site& site);

  // Returns nullopt if the URL is not one of ours. The result contains views of
  // `url`.
  std::optional<MediaUrl> recognise(std::string_view url) const;

 private:
  bool is_our_host(std::string_view host) const;
  bool is_allowed_port(bool secure, std::uint16_t port) const;

  std::string embed_host_;
  std::string service_domain_;
  std::string short_domain_;
  std::vector<std::uint16_t> ports_;  // the ports of the configured URLs
};

}  // namespace svc::embed
