#include "embed/site.h"

#include "base/public_paths.h"
#include "embed/watch_keys.h"
#include "media/media.h"

namespace svc::embed {

std::string Site::media_page(const std::string& id) const {
  return url(base::paths::kMediaPage, id);
}

std::string Site::playlist_page(const std::string& id) const {
  return url(base::paths::kPlaylistFrame, id);
}

std::string Site::manifest(const std::string& id) const { return url(base::paths::kManifest, id); }

std::string Site::captions(const media::Captions& captions) const {
  return captions.version().empty() ? absolute(captions.url)
                                    : base_of(base::paths::kCaptionsFile.hosts) + captions.url;
}

std::string Site::media_page(const std::string& id, std::string_view watch) const {
  return with_watch(media_page(id), watch);
}

std::string Site::manifest(const std::string& id, std::string_view watch) const {
  return with_watch(manifest(id), watch);
}

std::string Site::captions(const media::Captions& captions, std::string_view watch) const {
  return captions.version().empty() ? this->captions(captions)
                                    : with_watch(this->captions(captions), watch);
}

std::string Site::with_watch(std::string url, std::string_view watch) {
  if (watch.empty()) return url;
  url += url.find('?') == std::string::npos ? '?' : '&';
  return url.append(kWatch).append("=").append(watch);
}

}  // namespace svc::embed
