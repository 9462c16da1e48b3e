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
  void add(media::Media media) { medias_[media.id.text()] = std::move(media); }
  void add(media::Playlist playlist) { playlists_[playlist.id.text()] = std::move(playlist); }

  void add(media::Project project) { projects_[project.id.text] = std::move(project); }

  bool away = false;  // every find throws base::Unavailable

  // The calls, in order: "find media a", "find playlist b", "find medias c d".
  std::vector<std::string> asked;

  loop::Task<std::optional<media::Media>> find_media(const media::HashedId& id, media::Detail,
                                                     media::Reads& reads) override {
    asked.push_back("find media " + id.text());
    reads.note(redis::keys::media(id));
    check();
    co_return find(medias_, id);
  }
  loop::Task<std::optional<media::Playlist>> find_playlist(const media::HashedId& id,
                                                           media::Reads& reads) override {
    asked.push_back("find playlist " + id.text());
    reads.note(redis::keys::playlist(id));
    check();
    co_return find(playlists_, id);
  }
  loop::Task<std::optional<media::Project>> find_project(const media::ProjectId& id) override {
    asked.push_back("find project " + id.text);
    check();
    const auto at = projects_.find(id.text);
    if (at == projects_.end()) co_return std::nullopt;
    co_return at->second;
  }
  loop::Task<std::vector<media::Media>> find_medias(const std::vector<media::HashedId>& ids,
                                                    media::Detail, media::Reads& reads) override {
    std::string line = "find medias";
    std::vector<media::Media> found;
    for (const media::HashedId& id : ids) {
      line += " " + id.text();
      reads.note(redis::keys::media(id));
      if (const auto media = find(medias_, id)) found.push_back(*media);
    }
    asked.push_back(line);
    check();
    co_return found;
  }

 private:
  template <class T>
  static std::optional<T> find(const std::map<std::string, T>& all, const media::HashedId& id) {
    const auto at = all.find(id.text());
    if (at == all.end()) return std::nullopt;
    return at->second;
  }
  void check() const {
    if (away) throw base::Unavailable("the catalog is away");
  }

  std::map<std::string, media::Media> medias_;
  std::map<std::string, media::Playlist> playlists_;
  std::map<std::string, media::Project> projects_;
};

}  // namespace svc::fakes
