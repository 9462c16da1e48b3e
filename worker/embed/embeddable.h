// Embeddable: what an embed code needs to know of a media, or of a playlist.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "embed/media_url.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/playlist.h"

namespace svc::embed {

struct Embeddable {
  MediaKind kind = MediaKind::Media;
  media::HashedId id;
  media::HashedId first_video;  // what plays first: itself, or of a playlist the first video
  std::string title;
  std::optional<media::Dimensions> native;
  std::optional<double> duration;  // seconds
  std::string poster;              // a URL, maybe below the asset base; empty when there is none
  std::string player_color;
  // What plays, of the first video. Known only where its assets were loaded (media::Detail::All).
  bool has_manifest = false;
  std::string mp4;  // a URL, maybe below the asset base; empty when there is no such file
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

// Looks it up and says why it cannot be embedded. Throws base::Unavailable when the store is away.
loop::Task<base::Result<Embeddable, NotEmbeddable>> find_embeddable(media::Catalog& catalog,
                                                                    MediaKind kind,
                                                                    const media::HashedId& id,
                                                                    media::Detail detail,
                                                                    media::Reads& reads);

}  // namespace svc::embed
