// Catalog: where media and playlists come from.
#pragma once

#include <optional>
#include <vector>

#include "loop/task.h"
#include "media/account.h"
#include "media/media.h"
#include "media/playlist.h"
#include "media/reads.h"

namespace svc::media {

class Catalog {
 public:
  virtual ~Catalog() = default;

  // Nothing when there is no such media, playlist or project. Throws base::Unavailable when the
  // store cannot say. `reads` is told each record that was looked for, found or not.
  virtual loop::Task<std::optional<Media>> find_media(const HashedId& id, Detail detail,
                                                      Reads& reads) = 0;
  virtual loop::Task<std::optional<Playlist>> find_playlist(const HashedId& id, Reads& reads) = 0;
  virtual loop::Task<std::optional<Project>> find_project(const ProjectId& id) = 0;

  // The media of these ids that exist, in the order asked.
  virtual loop::Task<std::vector<Media>> find_medias(const std::vector<HashedId>& ids,
                                                     Detail detail, Reads& reads) = 0;
};

}  // namespace svc::media
