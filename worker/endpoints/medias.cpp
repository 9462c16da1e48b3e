#include "endpoints/medias.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "embed/embed_code.h"
#include "embed/embeddable.h"
#include "endpoints/path_id.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

std::string_view name_of(media::Status status) {
  switch (status) {
    case media::Status::Queued: return "queued";
    case media::Status::Processing: return "processing";
    case media::Status::Ready: return "ready";
    case media::Status::Failed: return "failed";
  }
  return "failed";
}

void append_size(text::json::ObjectWriter& writer, const std::optional<media::Dimensions>& size) {
  if (size) {
    writer.integer("width", size->width).integer("height", size->height);
  } else {
    writer.null("width").null("height");
  }
}

}  // namespace

Medias::Medias(const embed::Site& site, media::Catalog& catalog, oauth::Grants& grants,
               oauth::Standings& standings)
    : ApiEndpoint(grants, standings, {"all:all", "all:read", "media:read", "media:upload"}),
      site_(site),
      catalog_(catalog) {}

loop::Task<std::optional<media::Media>> Medias::find_media(
    const std::optional<media::HashedId>& id) {
  if (!id) co_return std::nullopt;
  media::Reads reads;  // responses are not cached
  co_return co_await catalog_.find_media(*id, media::Detail::All, reads);
}

// Reads the token, its grant, its holder and the media in one round trip; the
// project takes another.
loop::Task<http::Response> Medias::answer(const http::Request& request) {
  if (!request.is_get_or_head()) co_return http::method_not_allowed("GET, HEAD");
  const auto token = oauth::bearer_token(request.query, request.authorization);
  if (!token) co_return refusal(token.error());
  const auto id = id_between(kPrefix, request.path, "");
  auto both = loop::all(check(*token), loop::attempt(find_media(id)));
  auto found = co_await both;
  auto& [issued, of_media] = found;
  if (!issued) co_return refusal(issued.error());
  const std::optional<media::Media>& media = of_media.get();
  // For this token, a media of another account does not exist.
  if (!media || media->account != issued->account)
    co_return http::json_error(404, "no such media in this account");
  std::optional<media::Project> project;
  if (media->project) project = co_await catalog_.find_project(*media->project);
  co_return media_answer(*media, project);
}

http::Response Medias::media_answer(const media::Media& media,
                                    const std::optional<media::Project>& project) const {
  http::Response response;
  response.about = media.id.text();
  response.content_type = "application/json; charset=utf-8";
  text::json::ObjectWriter writer(response.body);
  writer.string("hashed_id", media.id.text())
      .string("name", media.name)
      .string("type", media.type)
      .string("description", media.description)
      .string("status", name_of(media.status))
      .decimal("progress", media.status == media::Status::Ready ? 1 : 0);
  if (media.duration) {
    writer.decimal("duration", *media.duration);
  } else {
    writer.null("duration");
  }
  writer.string("created", media.created).string("updated", media.updated);
  if (project) {
    text::json::ObjectWriter(writer.raw("project"))
        .string("id", project->id.text)
        .string("name", project->name)
        .end();
  } else {
    writer.null("project");
  }
  if (media.thumbnail) {
    text::json::ObjectWriter thumbnail(writer.raw("thumbnail"));
    thumbnail.string("url", site_.absolute(media.thumbnail->url));
    append_size(thumbnail, media.thumbnail->size);
    thumbnail.end();
  } else {
    writer.null("thumbnail");
  }
  text::json::ArrayWriter assets(writer.raw("assets"));
  for (const media::Asset& asset : media.assets) {
    text::json::ObjectWriter entry(assets.next());
    entry.string("type", asset.type == media::AssetType::Hls ? "hls" : "mp4")
        .string("url", site_.absolute(asset.url));
    append_size(entry, asset.size);
    entry.integer("bandwidth", asset.bandwidth);
    if (asset.average_bandwidth) entry.integer("average_bandwidth", *asset.average_bandwidth);
    entry.end();
  }
  for (const media::Captions& captions : media.captions) {
    text::json::ObjectWriter(assets.next())
        .string("type", "captions")
        .string("url", site_.absolute(captions.url))
        .string("language", captions.language)
        .string("label", captions.label)
        .boolean("default", captions.by_default)
        .end();
  }
  assets.end();
  if (embed::why_not_embeddable(media)) {
    writer.null("embedCode");
  } else {
    const embed::Embeddable subject = embed::embeddable(media);
    embed::EmbedRequest request;
    request.id = media.id;
    writer.string(
        "embedCode",
        embed::build_embed_code(request, subject, embed::fit(request.size, subject.native), site_));
  }
  writer.end();
  return response;
}

}  // namespace svc::endpoints
