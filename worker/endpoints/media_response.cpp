#include "endpoints/media_response.h"

#include "embed/embed_code.h"
#include "embed/embeddable.h"
#include "text/json.h"

namespace svc::endpoints {

http::Response media_response(const embed::Site& site, const media::Media& media,
                              const std::optional<media::Project>& project, double progress) {
  http::Response response;
  response.about = media.id.value();
  response.content_type = http::kJson;
  text::json::ObjectWriter writer(response.body);
  writer.string("hashed_id", media.id.value())
      .string("name", media.name)
      .string("type", media.type)
      .string("description", media.description)
      .string("status", to_text(media.status))
      .decimal("progress", progress);
  if (!media.failure.empty()) writer.string("failure", media.failure);
  if (media.duration) {
    writer.decimal("duration", *media.duration);
  } else {
    writer.null("duration");
  }
  writer.string("created", media.created).string("updated", media.updated);
  if (project) {
    text::json::ObjectWriter(writer.raw("project"))
        .string("id", project->id.value())
        .string("name", project->name)
        .end();
  } else {
    writer.null("project");
  }
  if (media.thumbnail) {
    text::json::ObjectWriter thumbnail(writer.raw("thumbnail"));
    thumbnail.string("url", site.absolute(media.thumbnail->url));
    media::append_dimensions(thumbnail, media.thumbnail->size);
    thumbnail.end();
  } else {
    writer.null("thumbnail");
  }
  text::json::ArrayWriter assets(writer.raw("assets"));
  for (const media::Asset& asset : media.assets) {
    text::json::ObjectWriter entry(assets.next());
    entry.string("type", to_text(asset.type)).string("url", site.absolute(asset.url));
    media::append_dimensions(entry, asset.size);
    entry.integer("bandwidth", asset.bandwidth);
    if (asset.average_bandwidth) entry.integer("average_bandwidth", *asset.average_bandwidth);
    entry.end();
  }
  for (const media::Captions& captions : media.captions) {
    text::json::ObjectWriter entry(assets.next());
    append_captions(entry.string("type", "captions"), captions, site.absolute(captions.url));
    entry.end();
  }
  if (!media.storyboard.empty()) {
    text::json::ObjectWriter(assets.next())
        .string("type", "storyboard")
        .string("url", site.absolute(media.storyboard))
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
        embed::build_embed_code(request, subject, embed::fit(request.size, subject.native), site));
  }
  writer.end();
  return response;
}

}  // namespace svc::endpoints
