#include "endpoints/manifest.h"

#include <optional>
#include <utility>

#include "base/paths.h"
#include "embed/embeddable.h"
#include "endpoints/path_id.h"
#include "hls/multivariant_playlist.h"

namespace svc::endpoints {

Manifest::Manifest(const embed::Site& site, int max_age, int negative_max_age,
                   media::Catalog& catalog, embed::Renderings* renderings)
    : site_(site),
      cache_control_("public, max-age=" + std::to_string(max_age)),
      negative_cache_control_("public, max-age=" + std::to_string(negative_max_age)),
      catalog_(catalog),
      renderings_(renderings) {}

http::Response Manifest::refusal(int status, std::string_view message) const {
  http::Response response = http::json_error(status, message);
  response.with("Cache-Control", negative_cache_control_);
  return response;
}

loop::Task<http::Response> Manifest::answer_get(const http::Request& request, media::Reads& reads) {
  const auto id =
      id_between(base::paths::kManifest.before(), request.path, base::paths::kManifest.after());
  if (!id) co_return refusal(404, "no such media");
  http::Response response;
  const bool keeps = renderings_ != nullptr && renderings_->usable(embed::MediaKind::Media);
  embed::Renderings::Search search;
  if (keeps) search = co_await renderings_->find(*id, embed::kManifestVariant, reads);
  auto manifest = std::move(search.found);
  if (manifest) {
    response.cache = http::CacheUse::Redis;
  } else {
    const auto media = co_await catalog_.find_media(*id, media::Detail::All, reads);
    const auto why = media ? embed::why_not_embeddable(*media) : embed::NotEmbeddable::NotFound;
    if (why == embed::NotEmbeddable::NotFound) co_return refusal(404, "no such media");
    const auto playlist =
        why ? std::nullopt : hls::MultivariantPlaylist::of(*media, site_.asset_base);
    if (!playlist) co_return refusal(501, "the media has no manifest");
    manifest = {playlist->to_text(), media->account.value()};
    if (keeps) renderings_->keep(*id, embed::kManifestVariant, search, *manifest, reads);
  }
  response.body = std::move(manifest->text);
  response.counts_for = manifest->account;
  response.content_type = "application/vnd.apple.mpegurl";
  response.with("Cache-Control", cache_control_);
  response.about = id->value();
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

}  // namespace svc::endpoints
