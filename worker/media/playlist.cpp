#include "media/playlist.h"

#include "media/record_table.h"

namespace svc::media {
namespace {

constexpr auto kPlaylist =
    base::describe<Playlist>(Field{"id", &Playlist::id}, Field{"account_id", &Playlist::account},
                             Field{"name", &Playlist::name, Text{kMaxNameBytes}},
                             Field{"media_ids", &Playlist::media_ids, AtMost{kMaxPlaylistMedias}});

}  // namespace

const std::vector<std::string_view> kPlaylistKeys = keys_of(kPlaylist, {"kind"});

base::Result<Playlist, std::string> playlist_from_record(text::JsonRecord& record) {
  return from_record<Playlist>(record, kPlaylist);
}

std::string to_record(const Playlist& playlist, const Playlist* before) {
  return text::pass_gate<OneLine<Playlist, kPlaylist, kMaxPlaylistRecord>>(playlist, before);
}

}  // namespace svc::media
