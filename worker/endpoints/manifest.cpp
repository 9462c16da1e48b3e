#include "endpoints/manifest.h"

#include "embed/embeddable.h"
#include "endpoints/cors.h"
#include "hls/multivariant_playlist.h"

namespace svc::endpoints {
namespace {

std::optional<media::HashedId> id_of(std::string_view path) {
  if (!path.starts_with(Manifest::kPrefix) || !path.ends_with(Manifest::kSuffix))
    return std::nullopt;
  path.remove_prefix(Manifest::kPrefix.size());
  if (path.size() < Manifest::kSuffix.size()) return std::nullopt;
  path.remove_suffix(Manifest::kSuffix.size());
  return media::HashedId::parse(path);
}

}  // namespace

Manifest::Manifest(const embed::Site& site, int max_age, int negative_max_age,
                   media::Catalog& catalog, embed::Renderings* renderings)
    : site_(site),
      cache_control_("public, max-age=" + std::to_string(max_age)),
      negative_cache_control_("public, max-age=" + std::to_string(negative_max_age)),
      catalog_(catalog),
      renderings_(renderings) {}

void Manifest::add_common_headers(http::Response& response) const {
  cors::allow_everybody(response);
}

http::Response Manifest::refusal(int status, std::string_view message) const {
  http::Response response = http::json_error(status, message);
  response.with("Cache-Control", negative_cache_control_);
  return response;
}

void Manifest::prepare(const http::Request& request) {
  const auto id = id_of(request.path);
  if (!id || !request.is_get_or_head()) return;
  if (renderings_ != nullptr && renderings_->usable(embed::MediaKind::Media)) {
    renderings_->expect(*id, embed::kManifestVariant);
  } else {
    catalog_.expect_media(*id);
  }
}

http::Response Manifest::answer(const http::Request& request) {
  if (request.method == "OPTIONS") return cors::preflight();
  if (!request.is_get_or_head()) return http::method_not_allowed(cors::kMethods);
  const auto id = id_of(request.path);
  if (!id) return refusal(404, "no such media");
  http::Response response;
  const bool keeps = renderings_ != nullptr && renderings_->usable(embed::MediaKind::Media);
  auto kept = keeps ? renderings_->find(*id, embed::kManifestVariant) : std::nullopt;
  if (kept) {
    response.cache = http::CacheUse::Redis;
  } else {
    const auto media = catalog_.find_media(*id, media::Detail::All);
    const auto why = media ? embed::why_not_embeddable(*media) : embed::NotEmbeddable::NotFound;
    if (why == embed::NotEmbeddable::NotFound) return refusal(404, "no such media");
    const auto playlist =
        why ? std::nullopt : hls::MultivariantPlaylist::of(*media, site_.asset_base);
    if (!playlist) return refusal(501, "the media has no manifest");
    kept = {playlist->to_text(), media->account.number};
    if (keeps) renderings_->keep(*id, embed::kManifestVariant, *kept);
  }
  response.body = std::move(kept->text);
  response.counts_for = kept->account;
  response.content_type = "application/vnd.apple.mpegurl";
  response.with("Cache-Control", cache_control_);
  response.about = id->text();
  return http::with_entity_tag(std::move(response), request.if_none_match);
}

}  // namespace svc::endpoints
