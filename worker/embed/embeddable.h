// Embeddable: what an embed code needs to know of a media, or of a playlist.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "embed/media_url.h"
#include "media/media.h"
#include "media/playlist.h"

namespace svc::embed {

struct Embeddable {
  MediaKind kind = MediaKind::Media;
  media::HashedId id;
  std::string title;
  std::optional<media::Dimensions> native;
  std::optional<double> duration;  // seconds
  std::string poster;              // a URL, maybe below the asset base; empty when there is none
  std::string player_color;
};

// What can be embedded: a ready video. A failed one does not exist for the public (NotFound), all
// else has no embed code.
enum class NotEmbeddable { NotFound, NoEmbedCode };
std::optional<NotEmbeddable> why_not_embeddable(const media::Media& media);

Embeddable embeddable(const media::Media& media);

// Size, poster and colour of its first ready video, the duration of them all; nothing when it has
// none.
std::optional<Embeddable> embeddable(const media::Playlist& playlist,
                                     const std::vector<media::Media>& medias);

}  // namespace svc::embed
