// URLs of media, as a client passes them in `url`.
#include <functional>
#include <string>

#include "embed/media_url.h"
#include "fuzz/target.h"
#include "media/id.h"
#include "text/ascii.h"
#include "text/uri.h"

namespace svc::fuzz {
namespace {

embed::Site site() {
  embed::Site site;
  site.app_url = "https://app.svc.example";
  site.base_url = "https://api.svc.example";
  site.oembed_url = "https://oembed.svc.example";
  site.embed_host = "https://embed.svc.example:8443";
  site.service_domain = "svc.localhost";
  site.short_domain = "svc.test";
  return site;
}

bool is_within(std::string_view part, std::string_view whole) {
  const std::less_equal<const char*> before;
  return part.empty() || (before(whole.data(), part.data()) &&
                          before(part.data() + part.size(), whole.data() + whole.size()));
}

void run(std::string_view url) {
  static const embed::Site ours = site();
  static const embed::MediaUrls urls(ours);
  const auto uri = text::parse_http_uri(url);
  if (uri) {
    require(!uri->host.empty() && uri->port > 0, "an http URI has a host and a port");
    require(uri->path.empty() || uri->path.starts_with('/'), "a path begins with a slash");
    for (const std::string_view part : {uri->host, uri->path, uri->query})
      require(is_within(part, url), "the parts of a URI are views of it");
  }
  const auto found = urls.recognise(url);
  if (!found) return;
  require(uri.has_value(), "a media URL is an http URI");
  require(!found->id.empty() && found->id.size() <= media::HashedId::kMaxLength,
          "an id has 1 to 64 characters");
  for (const char c : found->id) require(text::is_alnum(c), "an id has only letters and digits");
  require(is_within(found->id, url) && is_within(found->query, url),
          "the parts of a media URL are views of it");
  const std::string id(found->id);
  const std::string page =
      (found->kind == embed::MediaKind::Media ? ours.media_page(id) : ours.playlist_page(id)) +
      "?" + std::string(found->query);
  const auto again = urls.recognise(page);
  require(again && again->kind == found->kind && again->id == id && again->query == found->query,
          "the page of a recognised media is its URL");
}

const Registered registered("media_url", run);

}  // namespace
}  // namespace svc::fuzz
