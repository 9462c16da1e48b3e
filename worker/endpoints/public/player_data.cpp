#include "endpoints/public/player_data.h"

#include <utility>

#include "embed/player_facts.h"
#include "embed/showing.h"

namespace svc::endpoints {

http::Response PlayerData::refused(embed::NotEmbeddable why) const {
  if (embed::needs_link(why) || why == embed::NotEmbeddable::OnlyPrivate)
    return http::refuse_watching(refusal_for(why), {});
  return why == embed::NotEmbeddable::NotFound ? refusal(404, "no such media or playlist")
                                               : refusal(501, "nothing to play");
}

loop::Task<http::Response> PlayerData::answer_get(const http::Request& request,
                                                  media::Reads& reads) {
  http::Response response;
  if (const auto id = request.part<media::HashedId>("media")) {
    response = co_await answer_media(*id, request, reads);
  } else if (const auto playlist = request.part<media::HashedId>("playlist")) {
    response = co_await answer_playlist(*playlist, request.site, reads);
  } else {
    response = refused(embed::NotEmbeddable::NotFound);
  }
  if (response.status != 200) co_return response;
  response.content_type = http::kJson;
  if (response.headers.empty()) {
    if (response.varies_by_site) {
      http::vary_by_site(response);
    } else {
      response.with("Cache-Control", cache_control_);
    }
  }
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

http::Response PlayerData::refuse_site(std::string_view site, const media::HashedId& id,
                                       const embed::Embeddable& subject) {
  http::Response refused = http::refuse_site(site, id.value());
  if (!subject.link) return refused;
  refused.headers.clear();
  return http::never_stored(refused);
}

loop::Task<http::Response> PlayerData::answer_media(const media::HashedId& id,
                                                    const http::Request& request,
                                                    media::Reads& reads) {
  const embed::Opener opener{keys_, embed::watch_of(request.query).token};
  auto subject = co_await embed::find_embeddable(catalog_, embed::MediaKind::Media, id,
                                                 media::Detail::All, reads, &opener);
  if (!subject) co_return refused(subject.error());
  const media::SiteRule rule = co_await embed::site_rule(rules_, *subject, reads);
  if (!may_show(rule, site_, request.site)) co_return refuse_site(request.site, id, *subject);
  http::Response response;
  response.varies_by_site = !rule.is_everywhere();
  std::optional<embed::Span> span;
  if (embed::is_guarded(*subject, rule)) {
    span = embed::span_of(*subject, keys_);
    embed::guard(*subject, keys_, *span);
  }
  response.fresh_for = keys_.fresh_for(span);
  if (subject->link) {
    http::never_stored(response);
    response.opened_link = subject->link->number();
  }
  append_facts(response.body, *subject, site_, keys_);
  response.about = id.value();
  co_return response;
}

loop::Task<http::Response> PlayerData::answer_playlist(const media::HashedId& id,
                                                       std::string_view origin,
                                                       media::Reads& reads) {
  http::Response response;
  std::optional<embed::Span> span;
  const bool keeps = keeps_playlists();
  embed::Renderings::Search search;
  if (keeps) search = co_await renderings_->find(id, embed::kPlayerDataVariant, reads);
  if (search.found) {
    const bool has_video = search.found->text != embed::kNoVideo;
    if (!has_video) response = refused(embed::NotEmbeddable::NoEmbedCode);
    response.cache = http::CacheUse::Redis;
    if (!has_video) co_return response;
    response.body = std::move(search.found->text);
  } else {
    const auto playlist = co_await catalog_.find_playlist(id, reads);
    if (!playlist) co_return refused(embed::NotEmbeddable::NotFound);
    const auto medias =
        co_await catalog_.find_medias(playlist->media_ids, media::Detail::All, reads);
    std::optional<media::AllowedDomains> no_domains;
    const media::SiteRule rule =
        co_await embed::site_rule(rules_, playlist->account, std::move(no_domains), reads);
    if (!may_show(rule, site_, origin)) co_return http::refuse_site(origin, id.value());
    const embed::Asker asker{origin};
    embed::PlaylistFacts facts =
        co_await embed::playlist_facts(*playlist, medias, rules_, keys_, site_, asker, reads);
    span = facts.span;
    response.varies_by_site = facts.varies_by_site || !rule.is_everywhere();
    const embed::NotEmbeddable why = embed::why_nothing_plays(medias);
    const bool is_closed = facts.is_empty && why == embed::NotEmbeddable::OnlyPrivate;
    response.body = facts.is_empty ? std::string(embed::kNoVideo) : std::move(facts.json);
    // What is kept is for every site.
    if (keeps && !response.varies_by_site && !is_closed)
      renderings_->keep(id, embed::kPlayerDataVariant, search, {response.body, 0}, reads);
    if (is_closed && !facts.varies_by_site) co_return refused(why);
    if (facts.is_empty && response.varies_by_site) co_return http::refuse_site(origin, id.value());
    if (facts.is_empty) co_return refused(why);
  }
  response.fresh_for = keys_.fresh_for(span);
  response.about = id.value();
  co_return response;
}

}  // namespace svc::endpoints
