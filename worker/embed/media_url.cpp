#include "embed/media_url.h"

#include <algorithm>
#include <cstddef>

#include "base/public_paths.h"
#include "media/id.h"
#include "text/ascii.h"
#include "text/uri.h"

namespace svc::embed {
namespace {

constexpr MediaUrls::Folder kFolders[] = {
    {base::paths::kMediaPage.before(), MediaKind::Media},
    {base::paths::kShortUrl.before(), MediaKind::Media},
    {base::paths::kMediaFrame.before(), MediaKind::Media},
    {base::paths::kPlaylistFrame.before(), MediaKind::Playlist}};

// Returns true if `host` is `domain`, or if it ends with a dot and `domain`. All its
// labels have characters.
bool is_domain_or_below(std::string_view host, std::string_view domain) {
  if (domain.empty() || host.size() < domain.size()) return false;
  if (!text::equal_ignoring_case(host.substr(host.size() - domain.size()), domain)) return false;
  std::string_view labels = host.substr(0, host.size() - domain.size());
  if (labels.empty()) return true;
  if (labels.back() != '.') return false;
  labels.remove_suffix(1);
  bool empty_label = true;
  for (const char c : labels) {
    if (c == '.' && empty_label) return false;
    empty_label = c == '.';
  }
  return !empty_label;
}

}  // namespace

std::span<const MediaUrls::Folder> MediaUrls::folders() { return kFolders; }

MediaUrls::MediaUrls(const Site& site)
    : service_domain_(site.service_domain), short_domain_(site.short_domain) {
  if (const auto uri = text::parse_http_uri(site.embed_host)) embed_host_ = std::string(uri->host);
  for (const std::string* url :
       {&site.app_url, &site.base_url, &site.oembed_url, &site.embed_host}) {
    if (const auto uri = text::parse_http_uri(*url)) ports_.push_back(uri->port);
  }
}

bool MediaUrls::is_our_host(std::string_view host) const {
  return text::equal_ignoring_case(host, embed_host_) ||
         is_domain_or_below(host, service_domain_) || is_domain_or_below(host, short_domain_);
}

bool MediaUrls::is_allowed_port(bool secure, std::uint16_t port) const {
  return port == (secure ? 443 : 80) ||
         std::find(ports_.begin(), ports_.end(), port) != ports_.end();
}

std::optional<MediaUrl> MediaUrls::recognise(std::string_view url) const {
  const auto uri = text::parse_http_uri(url);
  if (!uri || !is_our_host(uri->host) || !is_allowed_port(uri->secure, uri->port))
    return std::nullopt;

  for (const Folder& folder : folders()) {
    if (!uri->path.starts_with(folder.prefix)) continue;
    const std::string_view rest = uri->path.substr(folder.prefix.size());
    std::size_t length = 0;
    while (length < rest.size() && text::is_alnum(rest[length])) ++length;
    if (length == 0 || length > media::HashedId::kMaxLength) return std::nullopt;
    const std::string_view id = rest.substr(0, length);
    if (length == rest.size() || rest[length] == '/') return MediaUrl{folder.kind, id, uri->query};
    // Some clients write `&` instead of the `?`. Ignore the rest.
    if (rest[length] == '&') return MediaUrl{folder.kind, id, {}};
    return std::nullopt;  // `%2f`, `.`, `;` … neither belong to an id nor end it
  }
  return std::nullopt;
}

}  // namespace svc::embed
