// Catalog: where media and playlists come from.
#pragma once

#include <optional>
#include <vector>

#include "media/account.h"
#include "media/media.h"
#include "media/playlist.h"

namespace svc::media {

class Catalog {
 public:
  virtual ~Catalog() = default;

  // Says that a find of this id is about to follow, so that several can share one trip. A hint: it
  // may be left out, and nothing breaks when no find follows.
  virtual void expect_media(const HashedId&) {}
  virtual void expect_playlist(const HashedId&) {}

  // Nothing when there is no such media, playlist or project. Throws base::Unavailable when the
  // store cannot say.
  virtual std::optional<Media> find_media(const HashedId& id, Detail detail) = 0;
  virtual std::optional<Playlist> find_playlist(const HashedId& id) = 0;
  virtual std::optional<Project> find_project(const ProjectId& id) = 0;

  // The media of these ids that exist, in the order asked, in one trip to the store.
  virtual std::vector<Media> find_medias(const std::vector<HashedId>& ids, Detail detail) = 0;
};

}  // namespace svc::media
