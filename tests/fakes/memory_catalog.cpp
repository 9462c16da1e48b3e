#include "fakes/memory_catalog.h"

namespace svc::fakes {
namespace {

template <class T>
std::optional<T> find(const std::map<std::string, T>& all, const media::HashedId& id) {
  const auto at = all.find(id.value());
  if (at == all.end()) return std::nullopt;
  return at->second;
}

}  // namespace

void MemoryCatalog::add(media::Media media) { medias_[media.id.value()] = std::move(media); }

void MemoryCatalog::add(media::Playlist playlist) {
  playlists_[playlist.id.value()] = std::move(playlist);
}

void MemoryCatalog::add(media::Project project) {
  projects_[project.id.value()] = std::move(project);
}

loop::Task<std::optional<media::Media>> MemoryCatalog::find_media(const media::HashedId& id,
                                                                  media::Detail,
                                                                  media::Reads& reads) {
  asked.push_back("find media " + id.value());
  reads.note(redis::keys::media(id));
  check();
  co_return find(medias_, id);
}

loop::Task<std::optional<media::Playlist>> MemoryCatalog::find_playlist(const media::HashedId& id,
                                                                        media::Reads& reads) {
  asked.push_back("find playlist " + id.value());
  reads.note(redis::keys::playlist(id));
  check();
  co_return find(playlists_, id);
}

loop::Task<std::optional<media::Project>> MemoryCatalog::find_project(const media::ProjectId& id) {
  asked.push_back("find project " + id.value());
  check();
  const auto at = projects_.find(id.value());
  if (at == projects_.end()) co_return std::nullopt;
  co_return at->second;
}

loop::Task<std::vector<media::Media>> MemoryCatalog::find_medias(
    const std::vector<media::HashedId>& ids, media::Detail, media::Reads& reads) {
  std::string line = "find medias";
  std::vector<media::Media> found;
  for (const media::HashedId& id : ids) {
    line += " " + id.value();
    reads.note(redis::keys::media(id));
    if (const auto media = find(medias_, id)) found.push_back(*media);
  }
  asked.push_back(line);
  check();
  co_return found;
}

void MemoryCatalog::check() const {
  if (away) throw base::Unavailable("the catalog is away");
}

}  // namespace svc::fakes
