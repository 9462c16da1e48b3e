// MemoryCatalog: a catalog that the test fills and can make unavailable.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "media/catalog.h"
#include "redis/keys.h"

namespace svc::fakes {

class MemoryCatalog : public media::Catalog {
 public:
  void add(media::Media media);
  void add(media::Playlist playlist);

  void add(media::Project project);

  bool away = false;  // every find throws base::Unavailable

  // The calls, in order: "find media a", "find playlist b", "find medias c d".
  std::vector<std::string> asked;

  loop::Task<std::optional<media::Media>> find_media(const media::HashedId& id, media::Detail,
                                                     media::Reads& reads) override;
  loop::Task<std::optional<media::Playlist>> find_playlist(const media::HashedId& id,
                                                           media::Reads& reads) override;
  loop::Task<std::optional<media::Project>> find_project(const media::ProjectId& id) override;
  loop::Task<std::vector<media::Media>> find_medias(const std::vector<media::HashedId>& ids,
                                                    media::Detail, media::Reads& reads) override;

 private:
  void check() const;

  std::map<std::string, media::Media> medias_;
  std::map<std::string, media::Playlist> playlists_;
  std::map<std::string, media::Project> projects_;
};

}  // namespace svc::fakes
