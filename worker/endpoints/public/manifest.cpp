#include "endpoints/public/manifest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "embed/embeddable.h"
#include "embed/showing.h"
#include "hls/multivariant_playlist.h"

namespace svc::endpoints {

http::Response Manifest::refused(embed::NotEmbeddable why, const media::HashedId& id) const {
  if (embed::needs_link(why)) return http::refuse_watching(refusal_for(why), id.value());
  return why == embed::NotEmbeddable::NotFound ? refusal(404, "no such media")
                                               : refusal(501, "the media has no manifest");
}

loop::Task<http::Response> Manifest::answer_get(const http::Request& request, media::Reads& reads) {
  const auto id = request.part<media::HashedId>("media");
  if (!id) co_return refusal(404, "no such media");
  http::Response response;
  bool is_guarded = false;
  const bool keeps = renderings_ != nullptr && renderings_->usable(embed::MediaKind::Media);
  embed::Renderings::Search search;
  if (keeps) search = co_await renderings_->find(*id, embed::kManifestVariant, reads);
  auto manifest = std::move(search.found);
  if (manifest) {
    response.cache = http::CacheUse::Redis;
  } else {
    auto media = co_await catalog_.find_media(*id, media::Detail::All, reads);
    if (!media) co_return refused(embed::NotEmbeddable::NotFound, *id);
    const std::string_view token = embed::watch_of(request.query).token;
    const embed::Opener opener{keys_, token};
    const auto pass = keys_.open_pass(*media, token);
    const auto subject = pass ? embed::playable(*media) : embed::opened(*media, opener);
    if (!subject) co_return refused(subject.error(), *id);
    const media::SiteRule rule = co_await embed::site_rule(rules_, *subject, reads);
    // Native players do not say on which page they are: its data or frame gave them a pass.
    if (!rule.is_everywhere() && !pass && keys_.can_make_links())
      co_return http::refuse_watching(http::WatchRefusal::Pass, id->value());
    is_guarded = media->is_private() || !rule.is_everywhere();
    if (is_guarded) {
      embed::Span span = embed::span_of(*subject, keys_);
      if (pass) span.changes = std::min(span.changes, pass->ends);
      // That of a private film ends with the link that led to it.
      if (pass && media->is_private()) span.end = std::min(span.end, pass->ends);
      const std::int64_t link = pass ? pass->link : subject->link ? subject->link->number() : 0;
      embed::guard(*media, keys_, span, link);
      response.fresh_for = span.fresh_for(keys_.now());
    }
    const auto playlist = hls::MultivariantPlaylist::of(*media, site_.asset_base);
    if (!playlist) co_return refused(embed::NotEmbeddable::NoEmbedCode, *id);
    manifest = {playlist->to_text(), media->account.value()};
    if (keeps && !is_guarded)
      renderings_->keep(*id, embed::kManifestVariant, search, *manifest, reads);
  }
  response.body = std::move(manifest->text);
  response.counts_for = manifest->account;
  response.content_type = "application/vnd.apple.mpegurl";
  if (is_guarded) {
    http::never_stored(response);
  } else {
    response.with("Cache-Control", cache_control_);
  }
  response.about = id->value();
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

}  // namespace svc::endpoints
