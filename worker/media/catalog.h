// Catalog: reads media, playlists and projects.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/account.h"
#include "media/media.h"
#include "media/playlist.h"
#include "media/reads.h"

namespace svc::media {

// A media as applications get it.
struct MediaWithProject {
  Media media;
  std::optional<Project> project;  // nullopt: none, or it does not exist
  std::string json{};              // empty at first; for the JSON that the caller makes of both
};

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
  // Returns nullptr if the media does not exist. Reads both records each time, but
  // may return the same object again if neither has changed.
  virtual loop::Task<std::shared_ptr<MediaWithProject>> find_with_project(const HashedId& id) = 0;

  // Return whether the account has a media or project with this id, whose record need not be
  // readable.
  virtual loop::Task<bool> has_media(AccountId account, HashedId id) = 0;
  virtual loop::Task<bool> has_project(AccountId account, ProjectId id) = 0;

  // Returns the existing media of these ids, in the order of `ids`, without those whose record
  // cannot be read.
  virtual loop::Task<std::vector<Media>> find_medias(const std::vector<HashedId>& ids,
                                                     Detail detail, Reads& reads) = 0;
};

}  // namespace svc::media
