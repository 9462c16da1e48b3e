// media_playlist: reads the HLS media playlists that ffmpeg wrote and measures
// their bit rates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ingest {

struct Segment {
  std::string uri;
  double duration = 0;  // seconds, EXTINF
};

struct MediaPlaylist {
  int target_duration = 0;  // seconds
  std::string map;          // URI of the initialisation section; empty: none
  std::vector<Segment> segments;
  bool ended = false;  // EXT-X-ENDLIST

  double duration() const;
};

// RFC 8216 §4.1 to §4.3.3, as far as ffmpeg's playlists use them. Returns
// nullopt if it is not a playlist, if a duration or the target duration is not a
// number, or if a URI is not the name of a file in the same folder.
std::optional<MediaPlaylist> read_media_playlist(std::string_view text);

struct BitRates {
  std::int64_t peak = 0;     // bit/s
  std::int64_t average = 0;  // bit/s
};

// RFC 8216 §4.3.4.2: peak is the largest bit rate of contiguous segments that
// take 0.5 to 1.5 target durations together, and at least the average: a short
// segment alone is not such a set, and the segments next to a long segment may
// be in no set of that length. `sizes` are bytes, one per segment. The
// initialisation section does not count: it is not a media segment (§3). Both
// are rounded up and at least 1. Returns nullopt for a playlist without
// segments or duration, or if the number of sizes differs.
std::optional<BitRates> measure(const MediaPlaylist& playlist,
                                const std::vector<std::uint64_t>& sizes);

}  // namespace svc::ingest
