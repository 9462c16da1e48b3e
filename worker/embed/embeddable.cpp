#include "embed/embeddable.h"

namespace svc::embed {

std::optional<NotEmbeddable> why_not_embeddable(const media::Media& media) {
  if (media.status == media::Status::Failed) return NotEmbeddable::NotFound;
  if (!media.is_video() || media.status != media::Status::Ready) return NotEmbeddable::NoEmbedCode;
  return std::nullopt;
}

Embeddable embeddable(const media::Media& media) {
  return {MediaKind::Media,  media.id,       media.name,
          media.native,      media.duration, media.thumbnail ? media.thumbnail->url : "",
          media.player_color};
}

std::optional<Embeddable> embeddable(const media::Playlist& playlist,
                                     const std::vector<media::Media>& medias) {
  std::optional<Embeddable> first;
  std::optional<double> duration;
  for (const media::Media& media : medias) {
    if (why_not_embeddable(media)) continue;
    if (!first) first = embeddable(media);
    if (media.duration) duration = duration.value_or(0) + *media.duration;
  }
  if (!first) return std::nullopt;
  first->kind = MediaKind::Playlist;
  first->id = playlist.id;
  first->title = playlist.name;
  first->duration = duration;
  return first;
}

}  // namespace svc::embed
