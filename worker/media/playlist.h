// Playlist: a list of media that a user selected and ordered.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/id.h"
#include "text/json_record.h"

namespace svc::media {

// The maximum of a record. `svcctl import` has its own limit,
// max-playlist-medias.
inline constexpr std::size_t kMaxPlaylistMedias = 10'000;
inline constexpr std::size_t kDefaultPlaylistMedias = 1'000;  // the default of max-playlist-medias

inline constexpr std::size_t kMaxPlaylistRecord = 256 * 1024;  // bytes

struct Playlist {
  HashedId id;
  AccountId account;
  std::string name;
  std::vector<HashedId> media_ids;
};

base::Result<Playlist, std::string> playlist_from_record(text::JsonRecord& record);
std::string to_record(const Playlist& playlist, const Playlist* before = nullptr);
extern const std::vector<std::string_view> kPlaylistKeys;

}  // namespace svc::media
