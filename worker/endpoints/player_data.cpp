#include "endpoints/player_data.h"

#include "embed/embeddable.h"
#include "endpoints/cors.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

std::optional<media::HashedId> id_between(std::string_view path, std::string_view prefix,
                                          std::string_view suffix) {
  if (path.size() < prefix.size() + suffix.size()) return std::nullopt;
  if (!path.starts_with(prefix) || !path.ends_with(suffix)) return std::nullopt;
  return media::HashedId::parse(
      path.substr(prefix.size(), path.size() - prefix.size() - suffix.size()));
}

void append_media(std::string& out, const embed::Embeddable& subject, const embed::Site& site) {
  const std::string& id = subject.id.text();
  text::json::ObjectWriter writer(out);
  writer.string("id", id).string("title", subject.title);
  if (subject.native)
    writer.integer("width", subject.native->width).integer("height", subject.native->height);
  if (subject.duration) writer.decimal("duration", *subject.duration);
  if (!subject.poster.empty()) writer.string("poster", site.absolute(subject.poster));
  if (!subject.player_color.empty()) writer.string("player_color", subject.player_color);
  if (subject.has_manifest) writer.string("manifest", site.manifest(id));
  if (!subject.mp4.empty()) writer.string("mp4", site.absolute(subject.mp4));
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

bool PlayerData::is_for(std::string_view path) { return path.ends_with(kSuffix); }

void PlayerData::add_common_headers(http::Response& response) const {
  cors::allow_everybody(response);
}

http::Response PlayerData::refused(embed::NotEmbeddable why) const {
  http::Response response = why == embed::NotEmbeddable::NotFound
                                ? http::json_error(404, "no such media or playlist")
                                : http::json_error(501, "nothing to play");
  response.with("Cache-Control", negative_cache_control_);
  return response;
}

void PlayerData::prepare(const http::Request& request) {
  if (!request.is_get_or_head()) return;
  if (const auto id = id_between(request.path, kMediaPrefix, kSuffix)) {
    catalog_.expect_media(*id);
  } else if (const auto playlist_id = id_between(request.path, kPlaylistPrefix, kSuffix)) {
    if (keeps_playlists()) {
      renderings_->expect(*playlist_id, embed::kPlayerDataVariant);
    } else {
      catalog_.expect_playlist(*playlist_id);
    }
  }
}

http::Response PlayerData::answer(const http::Request& request) {
  if (request.method == "OPTIONS") return cors::preflight();
  if (!request.is_get_or_head()) return http::method_not_allowed(cors::kMethods);
  http::Response response;
  if (const auto id = id_between(request.path, kMediaPrefix, kSuffix)) {
    const auto subject =
        embed::find_embeddable(catalog_, embed::MediaKind::Media, *id, media::Detail::All);
    if (!subject) return refused(subject.error());
    append_media(response.body, *subject, site_);
    response.about = id->text();
  } else if (const auto playlist_id = id_between(request.path, kPlaylistPrefix, kSuffix)) {
    response = answer_playlist(*playlist_id);
    if (response.status != 200) return response;
  } else {
    return refused(embed::NotEmbeddable::NotFound);
  }
  response.content_type = "application/json; charset=utf-8";
  response.with("Cache-Control", cache_control_);
  return http::with_entity_tag(std::move(response), request.if_none_match);
}

http::Response PlayerData::answer_playlist(const media::HashedId& id) {
  http::Response response;
  const bool keeps = keeps_playlists();
  if (auto kept = keeps ? renderings_->find(id, embed::kPlayerDataVariant) : std::nullopt) {
    const bool has_video = kept->text != embed::kNoVideo;
    if (!has_video) response = refused(embed::NotEmbeddable::NoEmbedCode);
    response.cache = http::CacheUse::Redis;
    if (!has_video) return response;
    response.body = std::move(kept->text);
  } else {
    const auto playlist = catalog_.find_playlist(id);
    if (!playlist) return refused(embed::NotEmbeddable::NotFound);
    text::json::ObjectWriter writer(response.body);
    writer.string("id", playlist->id.text()).string("title", playlist->name);
    writer.raw("videos") += '[';
    bool any = false;
    for (const media::Media& media :
         catalog_.find_medias(playlist->media_ids, media::Detail::All)) {
      if (embed::why_not_embeddable(media)) continue;
      if (any) response.body += ',';
      append_media(response.body, embed::embeddable(media), site_);
      any = true;
    }
    response.body += ']';
    writer.end();
    if (keeps) {
      renderings_->keep(id, embed::kPlayerDataVariant,
                        {any ? response.body : std::string(embed::kNoVideo), 0});
    }
    if (!any) return refused(embed::NotEmbeddable::NoEmbedCode);
  }
  response.about = id.text();
  return response;
}

}  // namespace svc::endpoints
