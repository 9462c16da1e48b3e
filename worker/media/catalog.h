// Catalog: reads media, playlists and projects.
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

  // These return nullopt if the media, playlist or project does not exist. All
  // throw base::Unavailable if the store does not reply. They add the key of
  // each record that they look for to `reads`, whether it exists or not.
  virtual loop::Task<std::optional<Media>> find_media(const HashedId& id, Detail detail,
                                                      Reads& reads) = 0;
  virtual loop::Task<std::optional<Playlist>> find_playlist(const HashedId& id, Reads& reads) = 0;
  virtual loop::Task<std::optional<Project>> find_project(const ProjectId& id) = 0;

  // Returns the existing media of these ids, in the order of `ids`.
  virtual loop::Task<std::vector<Media>> find_medias(const std::vector<HashedId>& ids,
                                                     Detail detail, Reads& reads) = 0;
};

}  // namespace svc::media
