#include "endpoints/player_data.h"

#include <utility>

#include "base/paths.h"
#include "embed/embeddable.h"
#include "endpoints/path_id.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

void append_media(std::string& out, const embed::Embeddable& subject, const embed::Site& site) {
  const std::string& id = subject.id.value();
  text::json::ObjectWriter writer(out);
  writer.string("id", id).string("title", subject.title);
  if (subject.is_audio) writer.boolean("audio", true);
  if (subject.native)
    writer.integer("width", subject.native->width).integer("height", subject.native->height);
  if (subject.duration) writer.decimal("duration", *subject.duration);
  if (!subject.poster.empty()) writer.string("poster", site.absolute(subject.poster));
  if (!subject.player_color.empty()) writer.string("player_color", subject.player_color);
  if (subject.has_manifest) writer.string("manifest", site.manifest(id));
  if (!subject.mp4.empty()) writer.string("mp4", site.absolute(subject.mp4));
  if (!subject.captions.empty()) {
    text::json::ArrayWriter tracks(writer.raw("captions"));
    for (const media::Captions& captions : subject.captions) {
      text::json::ObjectWriter track(tracks.next());
      append_captions(track, captions, site.captions(captions));
      track.boolean("segmented", captions.is_segmented()).end();
    }
    tracks.end();
  }
  if (!subject.chapters.empty()) {
    text::json::ArrayWriter chapters(writer.raw("chapters"));
    for (const media::Chapter& chapter : subject.chapters)
      text::json::ObjectWriter(chapters.next())
          .decimal("at", static_cast<double>(chapter.at) / 1000)
          .string("title", chapter.title)
          .end();
    chapters.end();
  }
  if (!subject.storyboard.empty()) writer.string("storyboard", site.absolute(subject.storyboard));
  if (!subject.customizations.empty())
    media::append_customizations(writer.raw("customizations"), subject.customizations);
  writer.string("url", site.media_page(id)).end();
}

}  // namespace

PlayerData::PlayerData(const embed::Site& site, int max_age, int negative_max_age,
                       media::Catalog& catalog, embed::Renderings* renderings)
    : site_(site),
      cache_control_("public, max-age=" + std::to_string(max_age)),
      negative_cache_control_("public, max-age=" + std::to_string(negative_max_age)),
      catalog_(catalog),
      renderings_(renderings) {}

http::Response PlayerData::refused(embed::NotEmbeddable why) const {
  http::Response response = why == embed::NotEmbeddable::NotFound
                                ? http::json_error(404, "no such media or playlist")
                                : http::json_error(501, "nothing to play");
  response.with("Cache-Control", negative_cache_control_);
  return response;
}

loop::Task<http::Response> PlayerData::answer_get(const http::Request& request,
                                                  media::Reads& reads) {
  http::Response response;
  if (const auto id = id_between(base::paths::kMediaData.before(), request.path,
                                 base::paths::kMediaData.after())) {
    const auto subject = co_await embed::find_embeddable(catalog_, embed::MediaKind::Media, *id,
                                                         media::Detail::All, reads);
    if (!subject) co_return refused(subject.error());
    append_media(response.body, *subject, site_);
    response.about = id->value();
  } else if (const auto playlist_id = id_between(base::paths::kPlaylistData.before(), request.path,
                                                 base::paths::kPlaylistData.after())) {
    response = co_await answer_playlist(*playlist_id, reads);
    if (response.status != 200) co_return response;
  } else {
    co_return refused(embed::NotEmbeddable::NotFound);
  }
  response.content_type = http::kJson;
  response.with("Cache-Control", cache_control_);
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

loop::Task<http::Response> PlayerData::answer_playlist(const media::HashedId& id,
                                                       media::Reads& reads) {
  http::Response response;
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
    text::json::ObjectWriter writer(response.body);
    writer.string("id", playlist->id.value()).string("title", playlist->name);
    text::json::ArrayWriter videos(writer.raw("videos"));
    bool any = false;
    for (const media::Media& media : medias) {
      if (embed::why_not_embeddable(media)) continue;
      append_media(videos.next(), embed::embeddable(media), site_);
      any = true;
    }
    videos.end();
    writer.end();
    if (keeps) {
      renderings_->keep(id, embed::kPlayerDataVariant, search,
                        {any ? response.body : std::string(embed::kNoVideo), 0}, reads);
    }
    if (!any) co_return refused(embed::NotEmbeddable::NoEmbedCode);
  }
  response.about = id.value();
  co_return response;
}

}  // namespace svc::endpoints
